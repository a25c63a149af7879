// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/dxgkrnl/adapter_objects.h"
#include "os/tables/table_update.h"

namespace gmmu::os {

class AddressSpace;
class DmaBuffers;
class PagingCompanion;
class PageSizeChecker;
class TableShadow;
class VidMm;
struct Allocation;

/// A process on one GPU: the driver's handles, its page tables on that GPU and its virtual addresses. A process on
/// linked adapters has one GpuProcess, called a part, on each GPU. The first part manages the virtual addresses of all
/// parts.
struct GpuProcess {
  GpuProcess(VidMm& vidmm, std::string name);
  ~GpuProcess();

  VidMm* const vidmm;     // VidMm of the GPU that uses these page tables
  const uint64_t serial;  // unique; ascends in creation order
  const std::string name;
  ProcessHandles handles;
  std::unique_ptr<AddressSpace> space;         // null in the physical model
  std::unique_ptr<DmaBuffers> dma;             // DMA buffers of its context (physical model), created at the first use
  const std::unique_ptr<TableShadow> shadow;   // copy of the entries of its page tables
  std::unique_ptr<PageSizeChecker> checker;    // null without 64 KiB pages
  bool by_cpu = false;                         // the CPU writes its tables, whatever the driver's update mode is
  bool root_is_set = false;                    // the root's address was passed to the driver
  bool overwritten = false;                    // entries in use have changed since the last flush
  std::unique_ptr<PagingCompanion> companion;  // companion of its context, created at the first use
  struct DriverRange {
    uint64_t bytes;
    bool user;  // applications may map in the range (AllowUserModeMapping)
  };
  std::map<uint64_t, DriverRange> driver_ranges;  // ranges that the driver reserved for itself, by address
  struct Shown {
    uint64_t end;
    Allocation* allocation;
  };
  std::map<uint64_t, Shown> shown;  // the mappings of all allocations, by address (Mappings)
  /// Bytes that its allocations may have in memory segments while they have another place; nullopt: `[os]
  /// local_budget_kib` decides.
  std::optional<uint64_t> budget;
  std::function<void(uint64_t bytes)> trim;  // the application's trim notification (Residency::OnTrim); may be empty
  bool tables_asleep = false;                // tables are evicted because the GPU sleeps
  bool tables_gave_way = false;              // tables were evicted to make room for others
  /// Ranges (address, pages) that changed while the tables were evicted. When the tables are restored, the entries in
  /// these ranges are cleared, and rewritten where a resident allocation is mapped.
  std::vector<std::pair<uint64_t, uint64_t>> stale;
  const std::vector<GpuProcess*>* parts = nullptr;  // linked adapters: the parts of the process, one per adapter

  /// Reserves virtual addresses for `bytes`, rounded up to 64 KiB, at `at` or at a pseudo-random address. With
  /// VramPlacement::kFirstFit, that address is aligned for large pages if `bytes` has room for one. Throws OsError if
  /// there is no room, or if the addresses at `at` are in use.
  uint64_t ReserveVa(uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  /// Reserves without rounding. If `base` is not 0, the range begins there. Otherwise it is placed in [minimum,
  /// maximum) (`maximum` 0: unbounded), at an address that is `behind` bytes (less than `alignment`) above a multiple
  /// of `alignment`. Returns nullopt if the addresses are in use or there is no room.
  std::optional<uint64_t> ReserveVaWithin(uint64_t bytes, uint64_t base, uint64_t minimum, uint64_t maximum,
                                          uint64_t alignment = 64 << 10, uint64_t behind = 0);
  void FreeVa(uint64_t va);
  /// Returns the first of the driver's ranges that overlaps [base, base + bytes), with its address, or null if there is
  /// none.
  const std::pair<const uint64_t, DriverRange>* DriverRangeOf(uint64_t base, uint64_t bytes) const;
  /// Returns the contents of the page tables, from `shadow`.
  TableContents Contents();
  /// Parts returns all parts on linked adapters, otherwise only this process. First returns the first part, which may
  /// still be under construction.
  std::vector<GpuProcess*> Parts();
  const GpuProcess& First() const { return parts == nullptr || parts->empty() ? *this : *parts->front(); }
  /// True if the page tables of any part are evicted.
  bool TablesEvicted() const;

 private:
  /// Returns the address space. Throws OsError in the physical model.
  AddressSpace& Addresses();
};

}  // namespace gmmu::os
