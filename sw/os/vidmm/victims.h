// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct GpuProcess;

/// Selects the allocations and page tables to evict. It changes nothing itself.
class Victims {
 public:
  /// Neither the allocations in `wanted` nor the page tables of the processes that map them are
  /// selected.
  Victims(VidMm& vidmm, std::vector<Allocation*> wanted) : vidmm_(vidmm), wanted_(std::move(wanted)) {}

  /// Restricts the search of Find.
  struct Among {
    unsigned segment = 0;               ///< only allocations in this memory segment; 0: in any
    UINT priority = ~UINT{0};           ///< only allocations of at most this priority
    const GpuProcess* owner = nullptr;  ///< only allocations of this process; null: of any process
    bool another_place = false;         ///< only allocations that could move to another place
  };
  /// Returns an offered allocation if there is one; otherwise the allocation with the lowest
  /// priority, and among equal priorities the least recently wanted one. Returns null if no
  /// allocation may be evicted. Allocations that Residency has never made resident are not
  /// eligible.
  Allocation* Find(const Among& among) const;
  /// Returns the process whose page tables should be evicted, or null. Candidates have a context,
  /// page tables in memory and no wanted allocation mapped; the candidate whose most recent request
  /// for any of its allocations is the oldest is selected. On linked GPUs, it considers the
  /// mappings of all parts, but returns the part on this GPU, which must have tables.
  GpuProcess* FindTables() const;

  /// Returns the process whose budget the allocation is charged to: the first that mapped it, or
  /// null if it is not mapped.
  static const GpuProcess* OwnerOf(const Allocation& allocation);
  /// Returns the size of all allocations in memory segments that are charged to the process.
  uint64_t LocalBytes(const GpuProcess& process) const;

 private:
  bool IsWanted(const Allocation& allocation) const;

  VidMm& vidmm_;
  const std::vector<Allocation*> wanted_;
};

}  // namespace gmmu::os
