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

/// The allocations of one GPU, created through the driver or for the driver itself. Applications name them by handles.
/// Call on the VidMm worker thread only.
class Allocations {
 public:
  explicit Allocations(VidMm& vidmm);
  ~Allocations();

  /// The device of `owner` owns the allocation (a process on linked GPUs has one device for all its parts); null
  /// selects the system's device. Throws OsError if the driver refuses the allocation or returns a description that is
  /// invalid.
  Allocation* Create(const AllocationRequest& request, const GpuProcess* owner = nullptr);
  /// Creates an allocation that is accessed by GPU virtual addresses only.
  Allocation* Create(const std::string& name, uint64_t bytes);
  /// Creates an allocation that is accessed through the aperture segment and is never in VRAM.
  Allocation* CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner);
  /// Before the allocation's VRAM is reused and the driver is called, the entries that map it are made invalid and
  /// flushed. No paging work is sent for a process that has exited, after an adapter reset, or once VidMm has stopped.
  void Destroy(Allocation* allocation);
  /// Registers an allocation that the driver requested for itself, in one segment (0: system memory), without
  /// DxgkDdiCreateAllocation. Drop destroys it.
  Allocation* Adopt(const std::string& name, uint64_t bytes, HANDLE driver_handle, UINT segment);
  void Drop(Allocation* allocation);

  /// All allocations, in the order of creation.
  std::vector<Allocation*> all() const;
  /// The driver's device handle (Allocation::device) for the allocation with this driver handle; null if there is no
  /// such allocation.
  HANDLE DeviceOf(HANDLE allocation) const;
  /// Returns a handle for applications, which is valid until the allocation is destroyed.
  D3DKMT_HANDLE Open(Allocation& allocation);
  /// Returns the allocation of a handle, or null if there is no such handle or its allocation is destroyed.
  Allocation* Opened(D3DKMT_HANDLE handle) const;

  /// Call after a reset of the adapter. Drops the mappings of all allocations. Returns operations for the allocations
  /// that were in VRAM, which notify the driver; the GPU does not execute them.
  std::vector<DXGKARG_BUILDPAGINGBUFFER> Lose();

 private:
  Allocation* Hold(std::unique_ptr<Allocation> allocation);

  VidMm& vidmm_;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;  // keyed by Allocation::serial
  std::map<D3DKMT_HANDLE, Allocation*> opened_;
  D3DKMT_HANDLE next_handle_ = 0x40000000;
};

}  // namespace gmmu::os
