// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "os/base/ranges.h"
#include "os/tables/page_table.h"

namespace gmmu::os {

class PhysicalAdapter;

/// Allocates and frees the memory of one process's page tables: system memory, or memory of the
/// segment that the driver specifies for the level.
class TableMemory {
 public:
  /// Selects the byte offset of a table in its memory segment. Throws NoRoom.
  using Placer = std::function<uint64_t(unsigned level, uint64_t slot, uint64_t bytes, uint64_t alignment,
                                        const std::string& created_by)>;
  /// Maps tables into the address space of the paging process, through which the GPU writes them,
  /// and unmaps them (update mode GPU_VIRTUAL).
  struct Views {
    std::function<uint64_t(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes)> map;
    std::function<void(uint64_t va, uint64_t bytes)> unmap;
  };

  /// `place` selects where tables are allocated in a segment if there is no Placer.
  TableMemory(PhysicalAdapter& gpu, std::string name, bool paging, RangeAllocator::Place place)
      : adapter_(gpu), name_(std::move(name)), paging_(paging), place_(place) {}
  /// Changes `place` for tables that are allocated later.
  void set_place(RangeAllocator::Place place) { place_ = place; }
  void set_placer(Placer placer) { placer_ = std::move(placer); }
  void set_views(Views views) { views_ = std::move(views); }

  /// Allocates a level-`level` table with index `slot` and a size of `bytes` bytes; its contents
  /// are undefined. If the segment is full, throws NoRoom and changes nothing.
  PageTable Make(unsigned level, uint64_t slot, uint64_t bytes);
  /// Allocates a leaf table of 64 KiB entries with index `leaf`. For such tables, the Placer is
  /// called with level kLevelOf64k.
  PageTable Make64k(uint64_t leaf);
  static constexpr unsigned kLevelOf64k = ~0u - 1;
  /// Frees the table, which must no longer be in use.
  void Free(PageTable& table);
  /// Returns the entry with which a parent table links the table.
  DXGK_PTE LinkTo(const PageTable& table) const;
  DXGK_PTE LinkTo64k(const PageTable& table) const;
  PhysicalAdapter& adapter() { return adapter_; }
  /// The name of the process.
  const std::string& name() const { return name_; }

 private:
  PageTable Make(unsigned level, unsigned placed_level, uint64_t slot, uint64_t bytes);
  uint64_t PlaceOf(unsigned level, unsigned placed_level, uint64_t slot, Segment& segment, uint64_t bytes,
                   const std::string& created_by);

  PhysicalAdapter& adapter_;
  const std::string name_;
  const bool paging_;
  RangeAllocator::Place place_;
  Placer placer_;
  Views views_;
};

}  // namespace gmmu::os
