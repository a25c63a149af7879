// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class AddressSpace;
class PagingQueue;
class PagingWork;
class PhysicalAdapter;
class SystemBuffer;
class VidMm;
struct GpuProcess;
struct TableUpdate;

/// The system's own process on one GPU, in whose addresses paging operations work. PagingBringUp makes its tables;
/// from then on parts of VidMm reserve addresses here and set leaf entries. Addresses and sizes are bytes; entries are
/// of pages of 4 KiB.
class PagingProcess {
 public:
  PagingProcess(PhysicalAdapter& gpu, PagingWork& work);
  ~PagingProcess();

  /// Makes process, device and paging context with the driver.
  void Open(VidMm& owner);
  /// Tells the driver that they go, and frees the tables.
  void Close();
  GpuProcess& process() { return *process_; }
  AddressSpace& space();
  /// End of the virtual addresses that may be given out.
  uint64_t va_end() const;

  /// Until its tables are `up` the CPU writes them. From then on the GPU may (`paging_updates_by_gpu`).
  void set_up(bool up);
  std::function<void(const TableUpdate&)> sink();
  /// Writes entries for consecutive pages from `va` on; nothing is flushed. True: they are pages of 64 KiB.
  bool Set(uint64_t va, const std::vector<DXGK_PTE>& entries, HANDLE allocation = nullptr, uint64_t offset = 0,
           uint64_t driver_protection = 0);
  /// Makes the entries of [va, va + bytes) invalid; nothing is flushed.
  void Clear(uint64_t va, uint64_t bytes);
  void Flush(uint64_t va, uint64_t bytes);
  void TellRoot();
  /// Makes all entries invalid before the tables are freed, where the driver wants that
  /// (ExplicitPageTableInvalidation). The CPU does it, because nothing uses them any more.
  void InvalidateTables();
  /// Tables are made again from the root on: what the checker has seen is forgotten.
  void RestartChecker();

  uint64_t ReserveVa(uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  void FreeVa(uint64_t va);
  /// A page table of another process, read and written here; its address. Throws NoRoom.
  uint64_t MapTable(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes);
  void UnmapTable(uint64_t va, uint64_t bytes);
  /// Only the entries that MapTable makes, in new tables of this process.
  void ShowTable(uint64_t va, const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes);
  /// System memory, read and written here; its address. Unmap returns when the GPU has done it.
  uint64_t Map(const SystemBuffer& buffer);
  /// Paging buffers, each from a page of its own on: the addresses that a queue's take, and their entries, read-only,
  /// from `va` on. Nothing is flushed.
  uint64_t BytesOf(const PagingQueue& queue) const;
  void MapBuffers(PagingQueue& queue, uint64_t va);
  void Unmap(uint64_t va, uint64_t pages);

 private:
  PhysicalAdapter& gpu_;
  PagingWork& work_;
  std::unique_ptr<GpuProcess> process_;
};

}  // namespace gmmu::os
