// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/variety.h"
#include "os/miniport/gpu_packet.h"
#include "os/vidmm/transfer_order.h"

namespace gmmu::os {

class PhysicalAdapter;
class SystemBuffer;

/// Has the driver build paging buffers, and submits them on the paging context.
///
/// Operations are packed back to back. If the driver runs out of room, the operations built so far
/// are submitted and the current operation continues in the next buffer. With os.variety, a buffer
/// may be submitted in several parts, and the driver may receive less room than the buffer has
/// left.
class PagingQueue {
 public:
  /// Each linked GPU has its own queue.
  explicit PagingQueue(PhysicalAdapter& gpu);
  ~PagingQueue();

  /// Allocates `count` buffers, which execute in the system context `context`.
  void Start(HANDLE context, size_t count = 4);
  /// For paging buffers in the aperture segment: sets the GPU VA of buffer i in the paging process.
  /// The buffer must be mapped there before the first submission. Without this call, the GPU uses
  /// the buffer's system memory address.
  void SetAddress(size_t i, uint64_t va);
  /// For the physical model: sets the address of buffer i in the aperture segment.
  void SetSegmentAddress(size_t i, uint64_t address);
  size_t buffers() const;
  const SystemBuffer& memory(size_t i) const;
  void Stop();
  /// Sets whether os.variety applies. It must be off until the driver has the paging process's
  /// root, because with os.variety the queue may submit packets at any time.
  void set_varied(bool varied) { varied_ = varied; }
  /// Call after an adapter reset. Forgets operations that were built but not submitted.
  void Reset();

  /// Has the driver build an operation whose operands the caller has filled in. Triggers a bug
  /// check if the driver fails, overruns the buffer or makes no progress.
  void Add(DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Performs an operation that must be complete when the call returns (CPU_VIRTUAL updates).
  void Immediate(DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Adds a TLB flush of [start, end) in the address space of `process`.
  void FlushTlb(HANDLE process, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t start, uint64_t end);
  /// Arranges that observers are notified when the most recent flush has completed. The flush
  /// covers [start, end) in the hardware's address space `space`.
  void NoteFlush(unsigned space, uint64_t start, uint64_t end);

  /// Submits the operations built so far, and returns the last packet.
  PacketId Submit();
  /// Waits for all submitted packets.
  void Drain();
  /// Waits until the packet has ended. Throws AdapterWasReset if it was lost in an adapter reset.
  void WaitFor(PacketId packet);

  uint64_t submissions() const { return submissions_; }
  uint64_t operations() const { return operations_; }
  uint64_t flushes() const { return flushes_; }

 private:
  void RefuseInReset() const;
  struct Flush;
  struct Buffer;
  static constexpr std::ptrdiff_t kGuard = 64;        // guard bytes after the private data
  static constexpr uint64_t kMostPasses = 1'000'000;  // maximum driver calls for one operation
  static constexpr uint8_t kGuardByte = 0xC7;
  uint64_t AddressOf(const Buffer& buffer) const;
  std::shared_ptr<DmaSubmission> PhysicalOf(Buffer& buffer) const;
  using Flushes = std::vector<Flush>;
  Buffer& Current();
  /// Continues with the next buffer, from its start.
  void LeaveBuffer();
  /// Returns the room that the driver receives for an operation: the rest of the buffer, or less.
  uint64_t Offer(const Buffer& buffer, DXGK_BUILDPAGINGBUFFER_OPERATION operation);
  void CheckPrivate(Buffer& buffer, DXGK_BUILDPAGINGBUFFER_OPERATION operation, const uint8_t* begin,
                    const DXGKARG_BUILDPAGINGBUFFER& after);
  void Notify(const Flushes& flushes);

  PhysicalAdapter& adapter_;
  HANDLE context_ = nullptr;
  std::vector<Buffer> buffers_;
  size_t current_ = 0;
  PacketId last_ = 0;
  // noted_: flushes that complete with the next submission; last_noted_: with the previous one.
  std::shared_ptr<Flushes> noted_, last_noted_;
  TransferOrder order_;
  bool Differs() { return varied_ && variety_.Differs(); }

  Variety variety_;
  bool varied_ = true;
  // Bytes that the driver last wrote for each operation.
  std::map<DXGK_BUILDPAGINGBUFFER_OPERATION, uint64_t> sizes_;
  // Greatest common divisor of all sizes that the driver has written so far.
  uint64_t unit_ = 0;
  uint64_t submissions_ = 0;
  uint64_t operations_ = 0;
  uint64_t flushes_ = 0;
};

}  // namespace gmmu::os
