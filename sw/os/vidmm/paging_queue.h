// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/miniport/gpu_packet.h"
#include "os/vidmm/transfer_order.h"

namespace gmmu::os {

class PhysicalAdapter;
class SystemBuffer;

/// Has the driver build paging buffers, and submits them on the paging context.
///
/// Operations are packed back to back. If the driver runs out of room, the buffer is submitted and the same operation
/// continues in the next buffer.
class PagingQueue {
 public:
  /// `gpu` is one of the linked adapters; each has its own queue.
  explicit PagingQueue(PhysicalAdapter& gpu);
  ~PagingQueue();

  /// Allocates `count` buffers, which run in the system context `context`.
  void Start(HANDLE context, size_t count = 4);
  /// For paging buffers in the aperture segment: sets the address of buffer i in the paging process, where it must be
  /// mapped before the first submission. Without this call, the GPU uses the buffer's address in system memory.
  void SetAddress(size_t i, uint64_t va);
  /// For the physical model: sets the address of buffer i in the aperture segment.
  void SetSegmentAddress(size_t i, uint64_t address);
  size_t buffers() const;
  const SystemBuffer& memory(size_t i) const;
  void Stop();
  /// Call after an adapter reset. Forgets operations that were built but not submitted.
  void Reset();

  /// Adds an operation whose union the caller has filled in. Triggers a bug check if the driver fails, overruns the
  /// buffer or makes no progress.
  void Add(DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Performs an operation that must be complete when the call returns (CPU_VIRTUAL updates).
  void Immediate(DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Adds a TLB flush of [start, end) in the address space of `process`.
  void FlushTlb(HANDLE process, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t start, uint64_t end);
  /// Has observers notified of the newest flush, of [start, end) in the hardware's address space `space`, once its fence
  /// has passed.
  void NoteFlush(unsigned space, uint64_t start, uint64_t end);

  /// Submits the operations that were built, and returns the last packet.
  PacketId Submit();
  /// Waits for all submitted packets.
  void Drain();
  /// Throws AdapterWasReset if the packet never ran.
  void WaitFor(PacketId packet);

  uint64_t submissions() const { return submissions_; }
  uint64_t operations() const { return operations_; }
  uint64_t flushes() const { return flushes_; }

 private:
  void RefuseInReset() const;
  struct Flush;
  struct Buffer;
  static constexpr std::ptrdiff_t kGuard = 64;  // guard bytes after the private data
  static constexpr uint8_t kGuardByte = 0xC7;
  uint64_t AddressOf(const Buffer& buffer) const;
  std::shared_ptr<DmaSubmission> PhysicalOf(Buffer& buffer) const;
  Buffer& Current();
  void CheckPrivate(Buffer& buffer, DXGK_BUILDPAGINGBUFFER_OPERATION operation, const uint8_t* begin,
                    const DXGKARG_BUILDPAGINGBUFFER& after);
  void Notify(const std::vector<Flush>& flushes);

  PhysicalAdapter& adapter_;
  HANDLE context_ = nullptr;
  std::vector<Buffer> buffers_;
  size_t current_ = 0;
  PacketId last_ = 0;
  TransferOrder order_;
  uint64_t submissions_ = 0;
  uint64_t operations_ = 0;
  uint64_t flushes_ = 0;
};

}  // namespace gmmu::os
