// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace gmmu::os {

class VidMm;
struct Allocation;

/// Preserves a GPU's processes, contexts, virtual addresses, allocation contents and page-table
/// entries through D3, in which VRAM loses its contents. Call on the VidMm worker thread only.
class SleepingMemory {
 public:
  explicit SleepingMemory(VidMm& vidmm) : vidmm_(vidmm) {}

  // Sleep and Wake apply to all linked GPUs; call them on any VidMm of the link. Call Sleep before
  // D3. It suspends contexts, saves VRAM's contents in system memory and evicts page tables. Throws
  // OsError if anything other than allocations is mapped in the aperture.
  void Sleep();
  /// Call after D3, when the tables of the paging process have been rebuilt. Restores everything
  /// that Sleep saved and resumes contexts.
  void Wake();
  /// Call when an allocation is destroyed, so that its contents are not restored.
  void Drop(const Allocation& allocation);

 private:
  // The steps of Sleep and Wake, in order.
  void RequireNoApertureRange() const;
  void Suspend();
  void Keep();
  void PutTablesAway();
  void BringTables();
  void RenewEntries();
  void BringAllocations();
  void Resume();

  VidMm& vidmm_;
  std::vector<Allocation*> kept_;
};

}  // namespace gmmu::os
