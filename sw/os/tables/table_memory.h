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

/// The memory of one process's page tables, in system memory or in the segment that the driver specifies for the level.
class TableMemory {
 public:
  /// Chooses the byte offset of a table in a memory segment. Throws NoRoom.
  using Placer = std::function<uint64_t(unsigned level, uint64_t slot, uint64_t bytes, uint64_t alignment,
                                        const std::string& created_by)>;
  /// Maps tables where the paging process can write them, and unmaps them (update mode GPU_VIRTUAL).
  struct Views {
    std::function<uint64_t(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes)> map;
    std::function<void(uint64_t va, uint64_t bytes)> unmap;
  };

  /// `place` selects a table's place in the segment if there is no Placer.
  TableMemory(PhysicalAdapter& gpu, std::string name, bool paging, RangeAllocator::Place place)
      : adapter_(gpu), name_(std::move(name)), paging_(paging), place_(place) {}
  /// Changes the place of later tables.
  void set_place(RangeAllocator::Place place) { place_ = place; }
  void set_placer(Placer placer) { placer_ = std::move(placer); }
  void set_views(Views views) { views_ = std::move(views); }

  /// Allocates a table of `bytes` for index `slot` of `level`, without contents. If its segment is full, throws NoRoom
  /// and changes nothing.
  PageTable Make(unsigned level, uint64_t slot, uint64_t bytes);
  /// Allocates a leaf table of 64 KiB entries for index `leaf`. A Placer is called with level kLevelOf64k for such a
  /// table.
  PageTable Make64k(uint64_t leaf);
  static constexpr unsigned kLevelOf64k = ~0u - 1;
  /// Frees the table. Call once nothing uses it.
  void Free(PageTable& table);
  /// Returns the entry with which a parent points to the table.
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
