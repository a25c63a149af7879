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

/// The system's own process on one GPU, in whose address space paging operations run. PagingBringUp
/// creates its tables; after that, other classes of VidMm reserve addresses in it and set leaf
/// entries. Addresses and sizes are in bytes; entries map 4 KiB pages.
class PagingProcess {
 public:
  PagingProcess(PhysicalAdapter& gpu, PagingWork& work);
  ~PagingProcess();

  /// Creates the process, its device and the paging context in the driver.
  void Open(VidMm& owner);
  /// Destroys the context, device and process in the driver, and frees the tables.
  void Close();
  GpuProcess& process() { return *process_; }
  AddressSpace& space();
  /// End of the virtual addresses that may be allocated.
  uint64_t va_end() const;

  /// While `up` is false, the CPU writes the tables. While it is true, the setting window_updates
  /// determines whether the CPU or the GPU writes them.
  void set_up(bool up);
  std::function<void(const TableUpdate&)> sink();
  /// Writes entries for consecutive pages, starting at `va`, without a flush. Returns true if they are 64 KiB entries.
  bool Set(uint64_t va, const std::vector<DXGK_PTE>& entries, HANDLE allocation = nullptr, uint64_t offset = 0,
           uint64_t driver_protection = 0);
  /// Makes the entries of [va, va + bytes) invalid, without a flush.
  void Clear(uint64_t va, uint64_t bytes);
  void Flush(uint64_t va, uint64_t bytes);
  void TellRoot();
  /// Call before the tables are freed. Invalidates all entries if the driver requires that
  /// (ExplicitPageTableInvalidation). The CPU writes them directly, because the GPU no longer uses
  /// the tables.
  void InvalidateTables();
  /// Resets the paging process's PageSizeChecker. Call when the tables are rebuilt from the root.
  void RestartChecker();

  /// Maps a page table of another process, readable and writable, and returns its GPU VA. Throws
  /// NoRoom.
  uint64_t MapTable(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes);
  void UnmapTable(uint64_t va, uint64_t bytes);
  /// Call after the paging process has new tables. Rewrites the entries that MapTable wrote.
  void ShowTable(uint64_t va, const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes);
  /// Maps system memory, readable and writable, and returns its GPU VA. Unmap returns when the GPU
  /// has removed the mapping.
  uint64_t Map(const SystemBuffer& buffer);
  /// BytesOf returns the size of the address range that the paging buffers of a queue need; each
  /// buffer starts at a page boundary. MapBuffers maps the buffers read-only, starting at `va`,
  /// without a flush.
  uint64_t BytesOf(const PagingQueue& queue) const;
  void MapBuffers(PagingQueue& queue, uint64_t va);
  void Unmap(uint64_t va, uint64_t pages);

 private:
  PhysicalAdapter& gpu_;
  PagingWork& work_;
  std::unique_ptr<GpuProcess> process_;
};

}  // namespace gmmu::os
