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
  std::unique_ptr<AddressSpace> space;  // null in the physical model
  // The DMA buffers of the context, in the physical model only. Created at the first use.
  std::unique_ptr<DmaBuffers> dma;
  const std::unique_ptr<TableShadow> shadow;  // copy of all page-table entries
  std::unique_ptr<PageSizeChecker> checker;   // null if the GPU has no 64 KiB pages
  // The CPU writes the page tables, regardless of the driver's update mode.
  bool by_cpu = false;
  bool root_is_set = false;                    // the root's address was passed to the driver
  bool overwritten = false;                    // entries in use have changed since the last flush
  std::unique_ptr<PagingCompanion> companion;  // created at the first use
  struct DriverRange {
    uint64_t bytes;
    bool user;  // applications may map memory in the range (AllowUserModeMapping)
  };
  // Ranges that the driver has reserved, keyed by address.
  std::map<uint64_t, DriverRange> driver_ranges;
  struct Shown {
    uint64_t end;
    Allocation* allocation;
  };
  std::map<uint64_t, Shown> shown;  // mappings of all allocations, keyed by address (Mappings)
  /// The process's budget in memory segments, in bytes. If the process exceeds it, its allocations
  /// that have another place are moved there. nullopt: `[os] local_budget_kib` applies.
  std::optional<uint64_t> budget;
  // The application's trim notification (Residency::OnTrim). May be empty.
  std::function<void(uint64_t bytes)> trim;
  bool tables_asleep = false;    // the tables are evicted because the GPU is asleep
  bool tables_gave_way = false;  // the tables were evicted to make room
  /// Ranges (address, pages) whose mappings changed while the tables were evicted. When the tables
  /// are restored, the entries in these ranges are cleared, and those that map a resident
  /// allocation are rewritten.
  std::vector<std::pair<uint64_t, uint64_t>> stale;
  // The parts of the process, one per linked adapter; null without a link.
  const std::vector<GpuProcess*>* parts = nullptr;

  /// Reserves a range of virtual addresses. `bytes` is rounded up to 64 KiB. The range begins at
  /// `at`, or at a pseudo-random address, which with VramPlacement::kFirstFit is aligned for large
  /// pages if `bytes` is at least the size of a large page. Throws OsError if there is no room, or
  /// if the addresses at `at` are in use.
  uint64_t ReserveVa(uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  /// Like ReserveVa, but without rounding. If `base` is not 0, the range begins there. Otherwise it
  /// is placed in [minimum, maximum) (`maximum` 0: unbounded), at an address that is `behind` bytes
  /// (less than `alignment`) above a multiple of `alignment`. Returns nullopt if the addresses are
  /// in use or there is no room.
  std::optional<uint64_t> ReserveVaWithin(uint64_t bytes, uint64_t base, uint64_t minimum, uint64_t maximum,
                                          uint64_t alignment = 64 << 10, uint64_t behind = 0);
  void FreeVa(uint64_t va);
  /// Returns the first driver range that overlaps [base, base + bytes), together with its address,
  /// or null if there is none.
  const std::pair<const uint64_t, DriverRange>* DriverRangeOf(uint64_t base, uint64_t bytes) const;
  /// Returns the contents of the page tables, from `shadow`.
  TableContents Contents();
  /// Parts returns all parts on linked adapters, and only this object otherwise. First returns the
  /// first part, even if it is still under construction.
  std::vector<GpuProcess*> Parts();
  const GpuProcess& First() const { return parts == nullptr || parts->empty() ? *this : *parts->front(); }
  /// True if the page tables of any part are evicted.
  bool TablesEvicted() const;

 private:
  /// Returns the address space. Throws OsError in the physical model.
  AddressSpace& Addresses();
};

}  // namespace gmmu::os
