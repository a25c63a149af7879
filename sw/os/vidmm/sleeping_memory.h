// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace gmmu::os {

class VidMm;
struct Allocation;

/// What of a GPU lives through D3, in which VRAM loses its content: processes, contexts, virtual addresses, allocations
/// with their bytes, and every entry of their page tables. Call on the VidMm worker thread only.
class SleepingMemory {
 public:
  explicit SleepingMemory(VidMm& vidmm) : vidmm_(vidmm) {}

  // Both are for all GPUs of a link, whichever is named.
  /// Before D3: contexts are suspended, VRAM's contents go to system memory and page tables are evicted. Throws OsError
  /// when something is mapped into the aperture.
  void Sleep();
  /// After D3, when the paging process has its tables again: all of it comes back, and contexts run again. A large page
  /// that MapLarge made comes back as small ones.
  void Wake();
  /// An allocation is destroyed: its bytes do not come back.
  void Drop(const Allocation& allocation);

 private:
  // The steps of Sleep, and of Wake.
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
