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

/// The allocations of one GPU: made with the driver, or on the driver's own behalf, and known to applications by
/// handles. Worker's.
class Allocations {
 public:
  explicit Allocations(VidMm& vidmm);
  ~Allocations();

  /// The device of `owner` owns it, over a link that of all its parts; null: the system's does. Throws OsError when the driver
  /// refuses, or what it answers is refused.
  Allocation* Create(const AllocationRequest& request, const GpuProcess* owner = nullptr);
  /// Accessed by GPU virtual addresses only.
  Allocation* Create(const std::string& name, uint64_t bytes);
  /// Accessed by its place in the aperture segment, and never in VRAM.
  Allocation* CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner);
  /// Entries that lead to it become invalid and are flushed before its VRAM goes to others and before the driver is
  /// told. Nothing is sent for a process that is gone, for what an adapter reset has lost, or when VidMm has stopped.
  void Destroy(Allocation* allocation);
  /// An allocation that the driver asked for itself, for one segment (0: system memory); nothing of it goes through
  /// DxgkDdiCreateAllocation. Drop destroys it.
  Allocation* Adopt(const std::string& name, uint64_t bytes, HANDLE driver_handle, UINT segment);
  void Drop(Allocation* allocation);

  /// In the order of their making.
  std::vector<Allocation*> all() const;
  /// The driver's device that owns the allocation with this driver's handle (Allocation::device); null: there is none.
  HANDLE DeviceOf(HANDLE allocation) const;
  /// A handle for applications; it ends with the allocation.
  D3DKMT_HANDLE Open(Allocation& allocation);
  /// null: the handle was never given, or its allocation is destroyed.
  Allocation* Opened(D3DKMT_HANDLE handle) const;

  /// After a reset of the adapter: no allocation has mappings any more. Returns the operations that tell the driver
  /// what it had in VRAM; the GPU does nothing of them.
  std::vector<DXGKARG_BUILDPAGINGBUFFER> Lose();

 private:
  Allocation* Hold(std::unique_ptr<Allocation> allocation);

  VidMm& vidmm_;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;  // by Allocation::serial
  std::map<D3DKMT_HANDLE, Allocation*> opened_;
  D3DKMT_HANDLE next_handle_ = 0x40000000;
};

}  // namespace gmmu::os
