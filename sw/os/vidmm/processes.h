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

/// The processes of one GPU, without the paging process: made and destroyed with their root tables and contexts. When
/// the driver refuses a part of a process, or there is no room for it, the exception comes through and nothing of it
/// stays. Worker's.
class Processes {
 public:
  explicit Processes(VidMm& vidmm);
  ~Processes();

  /// `root_entries`: what a resizable root has at first; it grows with the addresses that are mapped. 0: what its
  /// descriptor says. A process without a context has no root that the driver knows (seen on build 22621).
  GpuProcess* Create(const std::string& name, uint64_t root_entries = 0, bool with_context = true);
  void CreateContext(GpuProcess& process);
  /// The part of a process over linked adapters that is on this GPU: the first one makes the process (`joins` null),
  /// the others join it and are destroyed before it. `parts` will hold all of them.
  GpuProcess* CreatePart(const std::string& name, const GpuProcess* joins, TableMemory::Placer placer,
                         const std::vector<GpuProcess*>& parts);
  /// Also forgets every mapping of the process. Nothing of it may run.
  void Destroy(GpuProcess* process);

  /// Makes the addresses of a process and has the driver make the process, which may keep some for itself meanwhile. On
  /// any thread: also for a process of an application's own thread, which is not among all().
  void OpenInDriver(GpuProcess& process);
  /// The process with this handle of Dxgkrnl's that the driver is making now; null: none.
  GpuProcess* InCreation(HANDLE dxgk_process) const;

  /// In the order of their making.
  const std::vector<std::unique_ptr<GpuProcess>>& all() const { return processes_; }
  /// The first process for which `test` says true; null: none.
  GpuProcess* Find(const std::function<bool(const GpuProcess&)>& test) const;

  /// Commands of a process, `bytes` at `va`, for its node. The memory that the driver has for the context is made
  /// resident first.
  PacketId SubmitRender(GpuProcess& process, uint64_t va, uint64_t bytes, const std::string& what);

 private:
  GpuProcess& Add(const std::string& name);
  void MakeSpace(GpuProcess& process) const;
  /// Address space and handles. The driver may keep addresses of the process for itself while it is told of it.
  void Open(GpuProcess& process, const GpuProcess* joins);
  /// The tables of the addresses that the driver keeps, which the first part of the process has.
  void MakeDriverTables(GpuProcess& process);
  /// Does `making`; when it throws, destroys what there is of the process.
  void OrUndo(GpuProcess& process, const std::function<void()>& making);

  VidMm& vidmm_;
  std::vector<std::unique_ptr<GpuProcess>> processes_;
  std::vector<GpuProcess*> in_creation_;
};

}  // namespace gmmu::os
