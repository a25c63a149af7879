// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"
#include "os/base/ledger.h"
#include "os/vidmm/paging_queue.h"

namespace gmmu::os {

class PagingProcess;
struct GpuProcess;

/// A paging companion: a system context on a process's device that executes updates to that
/// process's page tables (DXGK_CONTEXTINFO.PagingCompanionNodeId). Its buffers are ordinary paging
/// buffers.
class PagingCompanion {
 public:
  /// Throws OsError if the driver specifies a node other than the paging node.
  PagingCompanion(GpuProcess& process, PhysicalAdapter& gpu);

  /// Starts the queue. If the driver requires paging buffers in the aperture segment, maps the companion's buffers in
  /// the paging process.
  void Start();
  /// Stops the queue and closes the context.
  void Close();
  /// Call after the paging process has new tables. Rewrites the entries that map the companion's
  /// buffers, if the buffers are mapped.
  void MapBuffers();
  PagingQueue& queue() { return queue_; }

 private:
  PagingProcess& paging_;
  PhysicalAdapter& gpu_;
  HANDLE const context_;
  PagingQueue queue_;
  const Ledger::Ticket ticket_;
  uint64_t buffers_va_ = 0;  // GPU VA of the buffers in the paging process, or 0 if they are not mapped
};

}  // namespace gmmu::os
