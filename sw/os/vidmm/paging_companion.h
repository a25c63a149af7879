// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"
#include "os/base/ledger.h"
#include "os/vidmm/paging_queue.h"

namespace gmmu::os {

struct GpuProcess;

/// A system context of a process' own device, on which updates of that process' page tables run
/// (DXGK_CONTEXTINFO.PagingCompanionNodeId). Its buffers are paging buffers like all others.
class PagingCompanion {
 public:
  /// Throws OsError when the driver names another node than the paging node.
  PagingCompanion(GpuProcess& process, PhysicalAdapter& gpu);

  void Start() { queue_.Start(context_); }
  /// Stops the queue and closes the context.
  void Close();
  PagingQueue& queue() { return queue_; }

 private:
  PhysicalAdapter& gpu_;
  HANDLE const context_;
  PagingQueue queue_;
  const Ledger::Ticket ticket_;
};

}  // namespace gmmu::os
