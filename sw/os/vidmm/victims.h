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
  /// `wanted`: allocations that must stay, as must the page tables of their processes.
  Victims(VidMm& vidmm, std::vector<Allocation*> wanted) : vidmm_(vidmm), wanted_(std::move(wanted)) {}

  /// Restricts the allocations among which Find chooses.
  struct Among {
    unsigned segment = 0;               ///< only allocations in this memory segment; 0: in any
    UINT priority = ~UINT{0};           ///< only allocations of at most this priority
    const GpuProcess* owner = nullptr;  ///< only allocations of this process; null: of any process
    bool another_place = false;         ///< only allocations that have a place after their current one
  };
  /// Returns an offered allocation if there is one; otherwise the allocation with the lowest priority, and among equals the least recently wanted one, or null if none
  /// may be evicted. Allocations that Residency has never made resident are not chosen.
  Allocation* Find(const Among& among) const;
  /// Chooses among the processes that have page tables in memory, a context, and no wanted allocation mapped. Returns
  /// the process whose allocations were wanted longest ago, or null. On linked GPUs, it returns that process's part on
  /// this GPU, which must have tables; the mappings of all parts count.
  GpuProcess* FindTables() const;

  /// The process that mapped the allocation first and whose budget is charged, or null if it was never mapped.
  static const GpuProcess* OwnerOf(const Allocation& allocation);
  /// Bytes in memory segments that belong to the process.
  uint64_t LocalBytes(const GpuProcess& process) const;

 private:
  bool IsWanted(const Allocation& allocation) const;

  VidMm& vidmm_;
  const std::vector<Allocation*> wanted_;
};

}  // namespace gmmu::os
