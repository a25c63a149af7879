// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace gmmu::os {

class VidMm;
struct Allocation;

/// What lives through D3, in which VRAM loses its content: processes, contexts, virtual addresses, allocations with
/// their bytes, and every entry of their page tables. Worker's.
class SleepingMemory {
 public:
  explicit SleepingMemory(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Before D3: contexts are suspended, VRAM's contents go to system memory and page tables are evicted. Throws OsError
  /// when something is mapped into the aperture, or adapters are linked.
  void Sleep();
  /// After D3, when the paging process has its tables again: all of it comes back, and contexts run again. A large page
  /// that MapLarge made comes back as small ones.
  void Wake();
  /// An allocation is destroyed: its bytes do not come back.
  void Drop(const Allocation& allocation);

 private:
  VidMm& vidmm_;
  std::vector<Allocation*> kept_;
};

}  // namespace gmmu::os
