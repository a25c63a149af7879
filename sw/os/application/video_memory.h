// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class HostMemory;
class VidMm;
struct Allocation;
struct AllocationRequest;
struct GpuProcess;
struct Protection;

/// A copyable reference to VidMm with the operations of an application and its user-mode driver on the video memory of
/// one GPU: processes, allocations, addresses and contents. VidMm and its classes describe the calls.
///
/// Every call is made on the VidMm worker and returns when the GPU has done the work. Addresses and sizes are bytes,
/// pages 4 KiB.
class VideoMemory {
 public:
  VideoMemory(VidMm& vidmm) : vidmm_(&vidmm) {}
  /// Returns the video memory of the GPU that has these tables.
  static VideoMemory Of(const GpuProcess& process);
  VidMm& vidmm() const { return *vidmm_; }

  GpuProcess* CreateProcess(const std::string& name, uint64_t root_entries = 0) const;
  void DestroyProcess(GpuProcess* process) const;
  uint64_t ReserveVa(GpuProcess& process, uint64_t bytes, std::optional<uint64_t> at = std::nullopt) const;
  void FreeVa(GpuProcess& process, uint64_t va) const;

  Allocation* CreateAllocation(const std::string& name, uint64_t bytes) const;
  /// `owner` is the process whose device owns the allocation; null means that the system owns it.
  Allocation* CreateAllocation(const AllocationRequest& request, const GpuProcess* owner = nullptr) const;
  /// Makes an allocation whose VRAM is contiguous and has this alignment; with 0 its pages are scattered.
  Allocation* CreateContiguous(const std::string& name, uint64_t bytes, uint64_t alignment) const;
  /// Makes an allocation in VRAM in which `percent` percent of the 64 KiB blocks consist of scattered single pages; the
  /// other blocks are contiguous and lie anywhere.
  Allocation* CreateFragmented(const std::string& name, uint64_t bytes, unsigned percent) const;
  /// Makes an allocation that is accessed through the aperture segment and is never in VRAM.
  Allocation* CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner) const;
  void DestroyAllocation(Allocation* allocation) const;
  void MakeResident(Allocation& allocation) const;
  /// Frees the allocation's VRAM; the content is lost.
  void GiveUpVram(Allocation& allocation) const;

  void PageIn(Allocation& allocation, HostMemory& source, uint64_t bytes,
              const std::function<void(uint64_t)>& progress = nullptr) const;
  void PageOut(Allocation& allocation, HostMemory& target, uint64_t bytes,
               const std::function<void(uint64_t)>& progress = nullptr) const;
  void Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern) const;
  /// Copies from VRAM to VRAM; the source may be on another linked GPU.
  void CopyLocal(Allocation& source, Allocation& target, uint64_t bytes) const;

  void Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages) const;
  void Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection) const;
  void MapLarge(GpuProcess& process, uint64_t va, unsigned level, Allocation& allocation) const;
  void MapOnePage(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages) const;
  void MapZero(GpuProcess& process, uint64_t va, uint64_t pages) const;
  void MapHost(GpuProcess& process, uint64_t va, const HostMemory& memory) const;
  void MapToAperture(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t aperture_page,
                     uint64_t pages) const;
  void Unmap(GpuProcess& process, uint64_t va, uint64_t pages) const;
  void UnmapAndFreeTables(GpuProcess& process, uint64_t va, uint64_t pages) const;

  /// Replaces the root by one of at least `entries` entries; with 0 by one of the same size at another place.
  void ReplaceRoot(GpuProcess& process, uint64_t entries) const;
  void MoveTables(GpuProcess& process) const;
  void EvictTables(GpuProcess& process) const;
  void RestoreTables(GpuProcess& process) const;

  /// Queues `bytes` of a process' commands at `va` for its node.
  PacketId Submit(GpuProcess& process, uint64_t va, uint64_t bytes, const std::string& what) const;

  /// The driver's memory for the context of a process, or null if it has none.
  Allocation* ContextAllocationOf(const GpuProcess& process) const;
  void EvictContextAllocation(GpuProcess& process) const;

  /// Has the driver build one operation and the GPU execute it.
  void Operate(DXGKARG_BUILDPAGINGBUFFER& operation) const;

  /// Call Sleep before D3 and Wake after it.
  void Sleep() const;
  void Wake() const;

 private:
  VidMm* vidmm_;
};

}  // namespace gmmu::os
