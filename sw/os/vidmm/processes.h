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

/// The processes of one GPU, except the paging process. Creates and destroys processes with their
/// root tables and contexts. If a creation fails in the driver or for lack of memory, everything
/// created so far is destroyed and the exception is rethrown. Call on the VidMm worker thread only,
/// unless a call says otherwise.
class Processes {
 public:
  explicit Processes(VidMm& vidmm);
  ~Processes();

  /// `root_entries` is the initial size of a resizable root, which grows when higher addresses are
  /// mapped; 0 selects the size in the driver's descriptor of the root level. The root of a process
  /// without a context is not passed to the driver (observed on build 22621).
  GpuProcess* Create(const std::string& name, uint64_t root_entries = 0, bool with_context = true);
  void CreateContext(GpuProcess& process);
  /// Creates this GPU's part of a process on linked adapters. For the first part, `joins` is null
  /// and the process is created in the driver. Each other part joins the first one and must be
  /// destroyed before it. `parts` is the list to which the caller adds all parts.
  GpuProcess* CreatePart(const std::string& name, const GpuProcess* joins, TableMemory::Placer placer,
                         const std::vector<GpuProcess*>& parts);
  /// Destroys the process and forgets its mappings. No work of the process may be running.
  void Destroy(GpuProcess* process);

  /// Creates the process's address space and calls DxgkDdiCreateProcess, in which the driver can
  /// reserve addresses. May be called on any thread, even for a process that is not in all().
  void OpenInDriver(GpuProcess& process);
  /// Returns the process with this Dxgkrnl handle if its DxgkDdiCreateProcess call is in progress,
  /// otherwise null.
  GpuProcess* InCreation(HANDLE dxgk_process) const;

  /// All processes, in creation order.
  const std::vector<std::unique_ptr<GpuProcess>>& all() const { return processes_; }
  /// The first process for which `test` returns true, or null if there is none.
  GpuProcess* Find(const std::function<bool(const GpuProcess&)>& test) const;

  /// Submits `bytes` bytes of commands at `va` to the process's node. First makes the context
  /// allocations of the process resident.
  PacketId SubmitRender(GpuProcess& process, uint64_t va, uint64_t bytes, const std::string& what);

 private:
  GpuProcess& Add(const std::string& name);
  void MakeSpace(GpuProcess& process) const;
  /// Creates the address space and the handles. The driver can reserve addresses of the process
  /// during the call.
  void Open(GpuProcess& process, const GpuProcess* joins);
  /// Creates the tables for the addresses that the driver has reserved. On linked GPUs, only the
  /// first part has such addresses; the other parts copy its set of tables.
  void MakeDriverTables(GpuProcess& process);
  /// Runs `making`. If it throws, destroys the incomplete process and rethrows.
  void OrUndo(GpuProcess& process, const std::function<void()>& making);

  VidMm& vidmm_;
  std::vector<std::unique_ptr<GpuProcess>> processes_;
  std::vector<GpuProcess*> in_creation_;
};

}  // namespace gmmu::os
