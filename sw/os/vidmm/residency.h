// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace gmmu::os {

class SystemBuffer;
class VidMm;
struct Allocation;

/// Which allocations are in VRAM when all of them do not fit.
///
/// An allocation that is not resident has its bytes in a backing store of system memory, or none yet: then
/// its VRAM is filled with zeros at first touch. Room is made by evicting what was used the longest ago;
/// what is wanted now stays. Order of an eviction: entries invalid and flushed, contents to the backing
/// store through the scratch windows, VRAM free. Of a page-in: page tables, VRAM, contents, entries
/// (GPU virtual address documents, "examples"; fill at first touch as seen on build 22621).
///
/// Calls are made on the VidMm worker and return when the GPU has done the work. No client may use what
/// is evicted.
class Residency {
 public:
  explicit Residency(VidMm& vidmm);
  ~Residency();

  /// Brings all of `wanted` into VRAM. Throws OsError when they do not fit together; what was resident may have been
  /// evicted then.
  void MakeResident(const std::vector<Allocation*>& wanted);
  void Evict(Allocation& allocation);
  /// Releases the backing store of an allocation and forgets its last use. The caller keeps the allocation.
  void Drop(Allocation& allocation);
  /// The backing store of an allocation; null before its first eviction.
  SystemBuffer* Backing(const Allocation& allocation);

  struct Counts {
    uint64_t evictions = 0, restores = 0, fills = 0;
    uint64_t bytes_out = 0, bytes_in = 0, bytes_filled = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Held;
  Held& HeldOf(const Allocation& allocation);
  void Restore(Allocation& allocation, const std::vector<Allocation*>& wanted);
  /// Does `work` again, with more evicted, until there is room for what it takes.
  void WithRoom(const Allocation& for_this, const std::vector<Allocation*>& wanted, const std::function<void()>& work);
  void EvictOldest(const Allocation& for_this, const std::vector<Allocation*>& wanted);
  Allocation* Oldest(const std::vector<Allocation*>& wanted);

  VidMm& vidmm_;
  std::map<uint64_t, std::unique_ptr<Held>> held_;  // by Allocation::serial
  uint64_t now_ = 0;
  Counts counts_;
};

}  // namespace gmmu::os
