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

/// Chooses the allocations and tables to evict. It changes nothing itself.
class Victims {
 public:
  /// `wanted`: allocations that must stay, together with the page tables of their processes.
  Victims(VidMm& vidmm, std::vector<Allocation*> wanted) : vidmm_(vidmm), wanted_(std::move(wanted)) {}

  /// Which allocations may go.
  struct Among {
    unsigned segment = 0;               ///< that live in this memory segment; 0: in any
    UINT priority = ~UINT{0};           ///< with this priority at most
    const GpuProcess* owner = nullptr;  ///< of this process; null: of any
    bool another_place = false;         ///< with another place behind the one where it lives
  };
  /// The one with the lowest priority, of those the one that was wanted the longest ago; null: none may go. What
  /// Residency was never asked for stays.
  Allocation* Find(const Among& among) const;
  /// The process whose allocations were wanted the longest ago, of those that have page tables in memory and a context,
  /// and nothing wanted mapped; null: there is none. Over a link it is the part on this GPU that has tables, and what any
  /// part has mapped that counts.
  GpuProcess* FindTables() const;

  /// The process that mapped it first, and whose budget it counts in; null: nobody has.
  static const GpuProcess* OwnerOf(const Allocation& allocation);
  /// Bytes in memory segments that belong to the process.
  uint64_t LocalBytes(const GpuProcess& process) const;

 private:
  bool IsWanted(const Allocation& allocation) const;

  VidMm& vidmm_;
  const std::vector<Allocation*> wanted_;
};

}  // namespace gmmu::os
