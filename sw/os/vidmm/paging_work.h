// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/variety.h"
#include "os/miniport/gpu_packet.h"
#include "os/vidmm/paging_fence.h"

namespace gmmu::os {

class PagingQueue;
class PhysicalAdapter;
class SystemBuffer;
struct GpuProcess;
struct TableUpdate;

/// Queues the paging work of one GPU in stream order: single operations, page-table updates, TLB
/// flushes, and the fence that follows them.
///
/// All work is queued on the paging context or, inside OnCompanion, on a process's companion
/// context. Calls that queue work return when the driver has built the operation; Finish waits for
/// the GPU. Calls throw BugCheck and AdapterWasReset under the same conditions as PagingQueue. Call
/// on the VidMm worker thread only.
class PagingWork {
 public:
  explicit PagingWork(PhysicalAdapter& gpu);
  ~PagingWork();

  /// `context` is the paging process's context.
  void Start(HANDLE context);
  void Stop();
  /// Call after an adapter reset. Forgets the operations that are queued on the paging context.
  void Reset();
  PagingQueue& queue() { return *queue_; }
  PagingFence& fence() { return fence_; }

  void Add(DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Submits the queued operations, and returns the last packet.
  PacketId Submit();
  void WaitFor(PacketId packet);
  /// Submits the queued operations and waits for their packets, without signalling the fence.
  void Drain();
  /// Like Drain, but always for the paging context, even inside OnCompanion.
  void DrainPaging();
  /// Signals the fence after all queued operations, and waits for it. In the physical model, which
  /// has no paging fence, it waits for the packets instead. Then it resumes the contexts that were
  /// suspended for updates (SinkFor) and runs the deferred actions.
  void Finish();
  /// Queues one operation and calls Finish.
  void Operate(DXGKARG_BUILDPAGINGBUFFER operation);
  /// Writes `value` in stream order at `va`, an address of the paging process that maps the start
  /// of `memory`. Returns when the packet has completed. Drivers before WDDM 2.2 lack the signal
  /// operation, so for them the CPU writes the value after all earlier packets have completed.
  void Signal(uint64_t va, uint64_t value, const SystemBuffer& memory);

  /// Returns the sink for updates of the process's tables. With
  /// PageTableUpdateRequireAddressSpaceIdle, the process's context is suspended from the first
  /// update until Finish.
  std::function<void(const TableUpdate&)> SinkFor(GpuProcess& process);
  /// Passes an update to the driver, possibly divided into several updates. If `immediate` is true,
  /// the CPU performs the update inside the call.
  void Send(GpuProcess& process, const TableUpdate& update, bool immediate);
  /// Queues a flush of the TLB entries of [va, va + bytes). If `va` and `bytes` are 0, it flushes
  /// all entries of the process.
  void Flush(GpuProcess& process, uint64_t va, uint64_t bytes);
  /// If the GPU has 64 KiB pages, creates the process's PageSizeChecker, which checks every update.
  /// It also installs hooks in the process's address space that suspend the context and flush when
  /// a table changes between 64 KiB and 4 KiB pages. `paging`: the process is the paging process,
  /// whose context is drained instead of suspended.
  void CheckPageSizes(GpuProcess& process, bool paging);
  /// True if the process's context is suspended because of an update (SinkFor).
  bool Holds(const GpuProcess& process) const;
  void ReleaseHeld();
  /// Call before the process is destroyed.
  void Forget(const GpuProcess& process);

  /// Runs `work` with its operations and flushes queued on the companion of the process's context.
  /// Completes all earlier operations first.
  void OnCompanion(GpuProcess& process, const std::function<void()>& work);

  /// Runs `action` in the next Finish, after the fence has been signalled.
  void Defer(std::function<void()> action) { deferred_.push_back(std::move(action)); }
  size_t deferred() const { return deferred_.size(); }
  void DoDeferred();

 private:
  void Update(GpuProcess& process, const TableUpdate& update, bool immediate);
  void SendWhole(GpuProcess& process, const TableUpdate& update, bool immediate);
  void Hold(GpuProcess& process);

  PhysicalAdapter& gpu_;
  const std::unique_ptr<PagingQueue> queue_;
  PagingQueue* active_;  // queue_ or the queue of a companion
  PagingFence fence_;
  // Keyed by GpuProcess::serial, so that contexts resume in creation order.
  std::map<uint64_t, GpuProcess*> held_;
  std::vector<std::function<void()>> deferred_;
  Variety variety_;
};

}  // namespace gmmu::os
