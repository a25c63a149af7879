// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct AllocationRequest;
struct GpuProcess;

/// The allocations of one GPU, created through the driver or at the driver's request. Applications refer to them by
/// handle. Call on the VidMm worker thread only.
class Allocations {
 public:
  explicit Allocations(VidMm& vidmm);
  ~Allocations();

  /// Creates an allocation that is owned by the device of `owner`, or by the system's device if
  /// `owner` is null. On linked GPUs, all parts of a process share one device. Throws OsError if
  /// the driver fails the call, or if VidMm rejects the driver's output.
  Allocation* Create(const AllocationRequest& request, const GpuProcess* owner = nullptr);
  /// Creates an allocation that is accessed only through GPU virtual addresses.
  Allocation* Create(const std::string& name, uint64_t bytes);
  /// Creates an allocation that is contiguous in VRAM with the given alignment; if `alignment` is
  /// 0, its pages are scattered.
  Allocation* CreateContiguous(const std::string& name, uint64_t bytes, uint64_t alignment);
  /// Creates an allocation in VRAM. `percent` percent of its 64 KiB blocks consist of scattered
  /// single pages; each of the other blocks is contiguous and has an arbitrary address.
  Allocation* CreateFragmented(const std::string& name, uint64_t bytes, unsigned percent);
  /// Creates an allocation that is accessed through the aperture segment and is never in VRAM.
  Allocation* CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner);
  /// Destroys the allocation. Page-table entries that map it are invalidated and flushed before the
  /// driver is called and before its VRAM is reused. No paging work is sent for a process that has
  /// exited, after an adapter reset, or after VidMm has stopped.
  void Destroy(Allocation* allocation);
  /// Registers an allocation that the driver requested for its own use, without a call to
  /// DxgkDdiCreateAllocation. It can be resident only in `segment` (0: system memory). Drop
  /// destroys it.
  Allocation* Adopt(const std::string& name, uint64_t bytes, HANDLE driver_handle, UINT segment);
  void Drop(Allocation* allocation);

  /// All allocations, in creation order.
  std::vector<Allocation*> all() const;
  /// Returns the driver's handle of the device that owns an allocation (Allocation::device).
  /// `allocation` is the driver's handle of the allocation. Returns null if no allocation has that
  /// handle.
  HANDLE DeviceOf(HANDLE allocation) const;
  /// Returns a handle for applications. It is valid until the allocation is destroyed.
  D3DKMT_HANDLE Open(Allocation& allocation);
  /// Looks up a handle that Open returned. Returns null if the handle is unknown or its allocation
  /// has been destroyed.
  Allocation* Opened(D3DKMT_HANDLE handle) const;

  /// Call after an adapter reset. Drops the mappings of all allocations. Returns the operations that notify the driver
  /// of the allocations that were in VRAM; the GPU does not execute these operations.
  std::vector<DXGKARG_BUILDPAGINGBUFFER> Lose();

 private:
  Allocation* Hold(std::unique_ptr<Allocation> allocation);

  VidMm& vidmm_;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;  // keyed by Allocation::serial
  std::map<D3DKMT_HANDLE, Allocation*> opened_;
  D3DKMT_HANDLE last_handle_ = 0x40000000;  // only the first VidMm of a link uses it
};

}  // namespace gmmu::os
