// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/miniport/gpu_packet.h"
#include "os/vidmm/paging_fence.h"

namespace gmmu::os {

class PagingQueue;
class PhysicalAdapter;
class SystemBuffer;
struct GpuProcess;
struct TableUpdate;

/// The paging work of one GPU, in stream order: single operations, updates of page tables, TLB flushes, and the fence
/// that follows them.
///
/// Everything is queued on the paging context, or inside OnCompanion on the companion context of a process. Calls that
/// queue return when the driver has built the operation; Finish waits for the GPU. They throw BugCheck and
/// AdapterWasReset like PagingQueue. Call on the VidMm worker thread only.
class PagingWork {
 public:
  explicit PagingWork(PhysicalAdapter& gpu);
  ~PagingWork();

  /// `context` is the paging process' context.
  void Start(HANDLE context);
  void Stop();
  /// Call after a reset of the adapter. Discards the operations queued on the paging context.
  void Reset();
  PagingQueue& queue() { return *queue_; }
  PagingFence& fence() { return fence_; }

  void Add(DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Submits the queued operations; returns the last packet.
  PacketId Submit();
  void WaitFor(PacketId packet);
  /// Submits the queued operations and waits for their packets, without the fence.
  void Drain();
  /// Drains the paging context, even inside OnCompanion.
  void DrainPaging();
  /// Signals the fence after all queued work, and waits for it. In the physical model, whose GPU has no such fence, it
  /// waits for the packets. Then it resumes contexts that were held for updates and runs the deferred actions.
  void Finish();
  /// Queues one operation and calls Finish.
  void Operate(DXGKARG_BUILDPAGINGBUFFER operation);
  /// Writes `value` at `va` of the paging process, the start of `memory`, in stream order; returns when the packet has
  /// ended. A driver before WDDM 2.2 lacks this operation, so the CPU writes the value when all earlier packets have
  /// ended.
  void Signal(uint64_t va, uint64_t value, const SystemBuffer& memory);

  /// Returns the sink for updates of a process' tables. With PageTableUpdateRequireAddressSpaceIdle, the process'
  /// context is suspended from the first update to the end of the work.
  std::function<void(const TableUpdate&)> SinkFor(GpuProcess& process);
  /// Sends one update. If `immediate`, the CPU performs it inside the call.
  void Send(GpuProcess& process, const TableUpdate& update, bool immediate);
  /// Flushes TLB entries of [va, va + bytes) after all queued work; if both are 0, all entries of the process.
  void Flush(GpuProcess& process, uint64_t va, uint64_t bytes);
  /// If the GPU has pages of 64 KiB, gives the process a PageSizeChecker, which checks every update, and makes its
  /// address space suspend the context and flush around changes between 64 KiB and 4 KiB pages. `paging` marks the
  /// paging process, whose context needs no suspension: it does not run while its own queue is empty.
  void CheckPageSizes(GpuProcess& process, bool paging);
  /// Returns whether the process' context is held for an update.
  bool Holds(const GpuProcess& process) const;
  void ReleaseHeld();
  /// Call before the process is destroyed.
  void Forget(const GpuProcess& process);

  /// Runs `work`, whose operations and flushes go through the companion of the process' context. Operations queued
  /// earlier are completed first.
  void OnCompanion(GpuProcess& process, const std::function<void()>& work);

  /// Runs `action` at the next Finish, after its signal.
  void Defer(std::function<void()> action) { deferred_.push_back(std::move(action)); }
  size_t deferred() const { return deferred_.size(); }
  void DoDeferred();

 private:
  void Update(GpuProcess& process, const TableUpdate& update, bool immediate);
  void Hold(GpuProcess& process);

  PhysicalAdapter& gpu_;
  const std::unique_ptr<PagingQueue> queue_;
  PagingQueue* active_;  // queue_ or the queue of a companion
  PagingFence fence_;
  std::map<uint64_t, GpuProcess*> held_;  // keyed by GpuProcess::serial, so contexts resume in the order of creation
  std::vector<std::function<void()>> deferred_;
};

}  // namespace gmmu::os
