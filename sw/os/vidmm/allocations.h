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

  /// The device of `owner` owns the allocation (on linked GPUs, one device serves all parts); null means the system's
  /// device. Throws OsError if the driver fails the call, or if VidMm rejects the driver's output.
  Allocation* Create(const AllocationRequest& request, const GpuProcess* owner = nullptr);
  /// Creates an allocation that is accessed only through GPU virtual addresses.
  Allocation* Create(const std::string& name, uint64_t bytes);
  /// Makes an allocation whose VRAM is contiguous and has this alignment; with 0 its pages are scattered.
  Allocation* CreateContiguous(const std::string& name, uint64_t bytes, uint64_t alignment);
  /// Makes an allocation in VRAM in which `percent` percent of the 64 KiB blocks consist of scattered single pages; the
  /// other blocks are contiguous and at arbitrary places.
  Allocation* CreateFragmented(const std::string& name, uint64_t bytes, unsigned percent);
  /// Makes an allocation that is accessed through the aperture segment and is never in VRAM.
  Allocation* CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner);
  /// Entries that map the allocation are invalidated and flushed before its VRAM is reused and before the driver is
  /// called. No paging work is sent for a process that has exited, after an adapter reset, or after VidMm has stopped.
  void Destroy(Allocation* allocation);
  /// Registers an allocation that the driver requested for itself, in a single segment (0: system memory), without
  /// DxgkDdiCreateAllocation. Drop destroys it.
  Allocation* Adopt(const std::string& name, uint64_t bytes, HANDLE driver_handle, UINT segment);
  void Drop(Allocation* allocation);

  /// All allocations, in creation order.
  std::vector<Allocation*> all() const;
  /// Returns the driver's handle for the device (Allocation::device) that owns the allocation, or null if no allocation
  /// has the driver handle `allocation`.
  HANDLE DeviceOf(HANDLE allocation) const;
  /// Returns a handle for applications. It is valid until the allocation is destroyed.
  D3DKMT_HANDLE Open(Allocation& allocation);
  /// Returns the allocation of a handle, or null if there is no such handle or the allocation was destroyed.
  Allocation* Opened(D3DKMT_HANDLE handle) const;

  /// Call after an adapter reset. Drops the mappings of all allocations. Returns the operations that notify the driver
  /// of the allocations that were in VRAM; the GPU does not execute these operations.
  std::vector<DXGKARG_BUILDPAGINGBUFFER> Lose();

 private:
  Allocation* Hold(std::unique_ptr<Allocation> allocation);

  VidMm& vidmm_;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;  // keyed by Allocation::serial
  std::map<D3DKMT_HANDLE, Allocation*> opened_;
  D3DKMT_HANDLE last_handle_ = 0x40000000;  // of the whole link, if this VidMm is its first
};

}  // namespace gmmu::os
