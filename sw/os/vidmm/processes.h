// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ddi/ntdef.h"
#include "os/miniport/gpu_packet.h"
#include "os/tables/table_memory.h"

namespace gmmu::os {

class VidMm;
struct GpuProcess;

/// The processes of one GPU, except the paging process. Creates and destroys them with their root tables and contexts.
/// If the driver fails to create a part of a process, or there is no room for the part, nothing of the process remains
/// and the exception is rethrown. Call on the VidMm worker thread only, unless a call says otherwise.
class Processes {
 public:
  explicit Processes(VidMm& vidmm);
  ~Processes();

  /// `root_entries` is the initial size of a resizable root, which grows with the mapped addresses; 0 selects the size
  /// in the root's descriptor. The root of a process without a context is not passed to the driver (observed on build
  /// 22621).
  GpuProcess* Create(const std::string& name, uint64_t root_entries = 0, bool with_context = true);
  void CreateContext(GpuProcess& process);
  /// Creates the part on this GPU of a process on linked adapters. The first part creates the process (`joins` null).
  /// The other parts join the first part and must be destroyed before it. `parts` will contain all parts.
  GpuProcess* CreatePart(const std::string& name, const GpuProcess* joins, TableMemory::Placer placer,
                         const std::vector<GpuProcess*>& parts);
  /// Destroys the process and forgets its mappings. No work of the process may be running.
  void Destroy(GpuProcess* process);

  /// Creates the address space of a process and calls DxgkDdiCreateProcess, during which the driver can reserve
  /// addresses for itself. May be called on any thread, even for a process that is not in all().
  void OpenInDriver(GpuProcess& process);
  /// Returns the process with this Dxgkrnl handle for which DxgkDdiCreateProcess is running, or null.
  GpuProcess* InCreation(HANDLE dxgk_process) const;

  /// All processes, in creation order.
  const std::vector<std::unique_ptr<GpuProcess>>& all() const { return processes_; }
  /// The first process for which `test` returns true, or null if there is none.
  GpuProcess* Find(const std::function<bool(const GpuProcess&)>& test) const;

  /// Submits `bytes` of a process's commands at `va` to the process's node. The driver's context allocations are made
  /// resident first.
  PacketId SubmitRender(GpuProcess& process, uint64_t va, uint64_t bytes, const std::string& what);

 private:
  GpuProcess& Add(const std::string& name);
  void MakeSpace(GpuProcess& process) const;
  /// Creates the address space and the handles. Meanwhile the driver can reserve addresses of the process for itself.
  void Open(GpuProcess& process, const GpuProcess* joins);
  /// Creates the tables for the addresses that the driver has reserved. On linked GPUs, the first part of the process
  /// records these addresses, and later parts get the tables that it has.
  void MakeDriverTables(GpuProcess& process);
  /// Runs `making`. If it throws, destroys what already exists of the process and rethrows.
  void OrUndo(GpuProcess& process, const std::function<void()>& making);

  VidMm& vidmm_;
  std::vector<std::unique_ptr<GpuProcess>> processes_;
  std::vector<GpuProcess*> in_creation_;
};

}  // namespace gmmu::os
