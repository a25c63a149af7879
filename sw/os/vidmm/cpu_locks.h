// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace gmmu::os {

class VidMm;
struct Allocation;

/// CPU access to allocations (D3DKMTLock2 and D3DKMTUnlock2). The CPU reaches a page where it is
/// resident: through the segment's range in a BAR, through the segment's CPU host aperture, or in
/// the backing store in system memory.
///
/// A locked allocation stays where it is. Until it is unlocked, Residency does not select it for
/// eviction or moves, and calls that would evict, offer or destroy it throw OsError.
class CpuLocks {
 public:
  explicit CpuLocks(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Call on the VidMm worker thread. Lock throws OsError if the allocation is not resident or
  /// already locked, if the CPU cannot access its segment, or if the CPU host aperture has no room.
  void Lock(Allocation& allocation);
  void Unlock(Allocation& allocation);

  /// Access a locked allocation on any fibre. `offset` and `size` are multiples of 8.
  void Read(const Allocation& allocation, uint64_t offset, void* to, uint64_t size) const;
  void Write(const Allocation& allocation, uint64_t offset, const void* from, uint64_t size) const;

 private:
  struct Views {
    std::vector<uint8_t*> pages;       // by page of the allocation
    uint8_t* host_aperture = nullptr;  // the view that CpuHostAperture returned
    bool backing = false;              // the view is of the backing store
  };
  /// Calls access(view, done, bytes) for each part of the range that lies in one page.
  template <typename Access>
  void ForEachPart(const Allocation& allocation, uint64_t offset, uint64_t size, Access access) const;

  VidMm& vidmm_;
  std::map<const Allocation*, Views> locked_;
};

}  // namespace gmmu::os
