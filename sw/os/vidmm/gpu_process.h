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

/// A process on one GPU: the driver's handles, its page tables there and its virtual addresses. A process over linked
/// adapters has one on each GPU, its parts; the first part has the addresses of all.
struct GpuProcess {
  GpuProcess(VidMm& vidmm, std::string name);
  ~GpuProcess();

  VidMm* const vidmm;     // of the GPU whose tables these are
  const uint64_t serial;  // no other process has or had it; later ones have larger ones
  const std::string name;
  ProcessHandles handles;
  std::unique_ptr<AddressSpace> space;         // null in the physical model
  std::unique_ptr<DmaBuffers> dma;             // of its context in the physical model, from the first use on
  const std::unique_ptr<TableShadow> shadow;   // what its page tables say
  std::unique_ptr<PageSizeChecker> checker;    // where there are pages of 64 KiB
  bool by_cpu = false;                         // the CPU writes its tables, whatever the driver's update mode
  bool root_is_set = false;                    // the driver has the address of the root
  bool overwritten = false;                    // entries that were in use have changed, and no flush has followed
  std::unique_ptr<PagingCompanion> companion;  // of its context, from the first use on
  struct DriverRange {
    uint64_t bytes;
    bool user;  // applications may map there (AllowUserModeMapping)
  };
  std::map<uint64_t, DriverRange> driver_ranges;  // that the driver keeps for itself, by address
  struct Shown {
    uint64_t end;
    Allocation* allocation;
  };
  std::map<uint64_t, Shown> shown;  // by address, the mappings of all allocations (Mappings)
  bool tables_asleep = false;       // evicted because the GPU sleeps
  bool tables_gave_way = false;     // evicted because others needed their memory
  /// Address and pages of what changed while the tables were away: its entries are cleared when they are back, and
  /// written again where something resident is mapped.
  std::vector<std::pair<uint64_t, uint64_t>> stale;
  const std::vector<GpuProcess*>* parts = nullptr;  // over linked adapters, all of them

  /// Virtual addresses for `bytes`, rounded up to 64 KiB: at a place drawn by seed, or at `at`. Throws OsError when
  /// there is no room, or `at` is taken.
  uint64_t ReserveVa(uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  /// The same for `bytes` as they are, at `base`, or, with base 0, anywhere in [minimum, maximum); maximum 0 is no
  /// bound. Anywhere is `behind` bytes, fewer than `alignment`, behind a multiple of it. nullopt: they are taken, or
  /// there is no room.
  std::optional<uint64_t> ReserveVaWithin(uint64_t bytes, uint64_t base, uint64_t minimum, uint64_t maximum,
                                          uint64_t alignment = 64 << 10, uint64_t behind = 0);
  void FreeVa(uint64_t va);
  /// The first of the driver's ranges that [base, base + bytes) touches, and its address; null: none.
  const std::pair<const uint64_t, DriverRange>* DriverRangeOf(uint64_t base, uint64_t bytes) const;
  /// What `shadow` has.
  TableContents Contents();
  /// Over linked adapters all parts, else this one; the first of them, which may be still in the making.
  std::vector<GpuProcess*> Parts();
  const GpuProcess& First() const { return parts == nullptr || parts->empty() ? *this : *parts->front(); }
  /// Page tables are evicted, of whichever part.
  bool TablesEvicted() const;

 private:
  /// Throws OsError in the physical model.
  AddressSpace& Addresses();
};

}  // namespace gmmu::os
