// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/tables/protection.h"

namespace gmmu::os {

class LogicalAdapter;
class Allocations;
class Aperture;
class ContextAllocations;
class Mappings;
class PagingProcess;
class PagingWork;
class PhysicalAdapter;
class Placement;
class ProcessTables;
class Processes;
class RenderCalls;
class Residency;
class ScratchWindows;
class SleepingMemory;
class SystemBuffer;
class Transfers;
class CpuLocks;
struct Allocation;
struct AllocationRequest;
struct GpuProcess;

/// The video memory manager of one GPU. It owns the classes that implement it and provides the
/// calls that most callers need; other calls are made on these classes directly. Each linked GPU
/// has its own VidMm (VidMmLink): a process has a part in each VidMm; an allocation is in the
/// memory of one GPU and can be mapped by the page tables of all GPUs.
///
/// Call on the VidMm worker thread only. Calls return when the GPU has completed the work and the paging fence has been
/// signalled. Virtual addresses and sizes are in bytes, multiples of 4 KiB unless a call says otherwise.
class VidMm {
 public:
  explicit VidMm(LogicalAdapter& adapter);
  explicit VidMm(PhysicalAdapter& gpu);
  ~VidMm();
  /// For linked adapters: the VidMm of every GPU by index, including this one.
  void set_link(std::vector<VidMm*> link) { link_ = std::move(link); }
  const std::vector<VidMm*>& link() const { return link_; }

  /// Creates the paging process with its scratch windows and buffers, the fence page and the dummy page.
  void Start();
  void Stop();
  /// True between Start and Stop.
  bool running() const;
  /// For recovery after an adapter reset: call ForgetQueued before the driver restarts, and
  /// RebuildTables after it has restarted. Existing processes and allocations are lost and can only
  /// be destroyed; RebuildTables creates new tables for the paging process.
  void ForgetQueued();
  void RebuildTables();
  /// Call Sleep before D3 and Wake after it (SleepingMemory). A call on any linked GPU applies to all linked GPUs.
  void Sleep();
  void Wake();

  LogicalAdapter& adapter();
  PhysicalAdapter& gpu() { return gpu_; }
  Allocations& allocations();
  Processes& processes();
  Mappings& mappings();
  ProcessTables& tables();
  /// Manages the memory segments of this GPU.
  Placement& placement();
  /// Decides where allocations are resident.
  Residency& residency();
  Transfers& transfers();
  ScratchWindows& windows();
  PagingProcess& paging();
  PagingWork& work();
  Aperture& aperture();
  CpuLocks& locks();
  SleepingMemory& sleeping();
  ContextAllocations& context_allocations();
  /// Submits commands of processes in the physical model.
  RenderCalls& render_calls();
  /// The dummy page, to which unmapped aperture pages point.
  SystemBuffer& dummy();

  // Frequently used calls. Each forwards to the class that implements it.
  GpuProcess* CreateProcess(const std::string& name, uint64_t root_entries = 0, bool with_context = true);
  void DestroyProcess(GpuProcess* process);
  uint64_t ReserveVa(GpuProcess& process, uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  void FreeVa(GpuProcess& process, uint64_t va);
  Allocation* CreateAllocation(const std::string& name, uint64_t bytes);
  Allocation* CreateAllocation(const AllocationRequest& request, const GpuProcess* owner = nullptr);
  void DestroyAllocation(Allocation* allocation);
  void MakeResident(Allocation& allocation);
  void Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  void Unmap(GpuProcess& process, uint64_t va, uint64_t pages);

 private:
  struct Parts;
  /// Creates the tables of the paging process (PagingBringUp::MakeTables). Also rewrites the
  /// entries of everything that has been mapped there since the start: page tables of other
  /// processes, and the buffers of companions.
  void MakeTables(bool gpu_runs);
  /// Maps the paging buffers into the aperture segment (physical model only). The operation is
  /// complete when the driver's call returns.
  void MapPagingBuffers();
  void UnmapPagingBuffers();

  PhysicalAdapter& gpu_;
  std::vector<VidMm*> link_{this};
  const std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
