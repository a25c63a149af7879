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

/// The paging work of one GPU, in stream order: single operations, updates to page tables, TLB flushes, and the fence
/// that follows them.
///
/// All work is queued on the paging context or, inside OnCompanion, on a process's companion context. Calls that
/// queue work return when the driver has built the operation; Finish waits for the GPU. They throw BugCheck and
/// AdapterWasReset like PagingQueue. Call on the VidMm worker thread only.
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
  /// Submits the queued operations and waits for their packets, without the fence.
  void Drain();
  /// Drains the paging context, even inside OnCompanion.
  void DrainPaging();
  /// Signals the fence after everything that is queued, and waits for it. In the physical model, whose GPU has no such
  /// fence, Finish waits for the packets instead. Finish then resumes contexts that were held for updates and runs the
  /// deferred actions.
  void Finish();
  /// Queues one operation and calls Finish.
  void Operate(DXGKARG_BUILDPAGINGBUFFER operation);
  /// Writes `value` in stream order at `va`, an address of the paging process that maps the start of `memory`. Returns
  /// when the packet has completed. A driver before WDDM 2.2 lacks the operation, so the CPU writes the value after all
  /// earlier packets have completed.
  void Signal(uint64_t va, uint64_t value, const SystemBuffer& memory);

  /// Returns the sink for updates to the process's tables. With PageTableUpdateRequireAddressSpaceIdle, the process's
  /// context is suspended from the first update until all of the work has completed.
  std::function<void(const TableUpdate&)> SinkFor(GpuProcess& process);
  /// Sends one update, or several that write the same leaf entries. If `immediate` is true, the CPU performs it inside
  /// the call.
  void Send(GpuProcess& process, const TableUpdate& update, bool immediate);
  /// Flushes the TLB entries of [va, va + bytes) after everything that is queued. If both are 0, flushes all entries of
  /// the process.
  void Flush(GpuProcess& process, uint64_t va, uint64_t bytes);
  /// If the GPU has 64 KiB pages, creates the process's PageSizeChecker, which checks every update, and makes the
  /// process's address space suspend the context and flush whenever it changes between 64 KiB pages and 4 KiB pages.
  /// `paging`: the process is the paging process. The context of the paging process does not run while the paging
  /// process's own queue is empty; contexts of other processes are suspended.
  void CheckPageSizes(GpuProcess& process, bool paging);
  /// Whether the process's context is held for an update.
  bool Holds(const GpuProcess& process) const;
  void ReleaseHeld();
  /// Call before the process is destroyed.
  void Forget(const GpuProcess& process);

  /// Runs `work`; its operations and flushes run on the companion of the process's context. Operations that were queued
  /// earlier are completed first.
  void OnCompanion(GpuProcess& process, const std::function<void()>& work);

  /// Runs `action` at the next Finish, after its signal.
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
  std::map<uint64_t, GpuProcess*> held_;  // keyed by GpuProcess::serial, so contexts resume in creation order
  std::vector<std::function<void()>> deferred_;
  Variety variety_;
};

}  // namespace gmmu::os
