// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_queue.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/base/text.h"
#include "os/memory/system_buffer.h"
#include "os/vidsch/patch.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {

/// Sets AllocationIsIdle, with which VidMm responds to STATUS_GRAPHICS_ALLOCATION_BUSY.
void SayIdle(DXGKARG_BUILDPAGINGBUFFER& operation, bool idle) {
  switch (operation.Operation) {
    case DXGK_OPERATION_TRANSFER: operation.Transfer.Flags.AllocationIsIdle = idle; break;
    case DXGK_OPERATION_DISCARD_CONTENT: operation.DiscardContent.Flags.AllocationIsIdle = idle; break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: operation.SpecialLockTransfer.Flags.AllocationIsIdle = idle; break;
    default: break;
  }
}
}  // namespace

struct PagingQueue::Flush {
  unsigned space;  // the hardware's address-space number
  uint64_t start, end;
};

struct PagingQueue::Buffer {
  SystemBuffer memory;
  uint8_t* cpu = nullptr;
  uint64_t bytes = 0;  // size of `memory`, including a guard page if there is one
  uint64_t va = 0;     // GPU VA in the paging process, or 0 if the GPU uses the bus address
  std::optional<uint64_t> segment_address;
  std::vector<uint8_t> private_data;
  uint64_t begin = 0, private_begin = 0;  // start of the part that has not been submitted yet
  uint64_t used = 0;
  uint64_t private_used = 0;
  bool Empty() const { return used == begin; }
  uint64_t private_bytes() const { return private_data.size() - static_cast<uint64_t>(kGuard); }
  PacketId packet = 0;  // last packet that was submitted from the buffer
  Ledger::Ticket ticket = 0;
};

PagingQueue::PagingQueue(PhysicalAdapter& gpu)
    : adapter_(gpu),
      noted_(std::make_shared<Flushes>()),
      last_noted_(std::make_shared<Flushes>()),
      variety_(gpu.kernel().parameters(), "paging buffers of GPU " + std::to_string(gpu.machine_unit())) {}

PagingQueue::~PagingQueue() = default;

size_t PagingQueue::buffers() const { return buffers_.size(); }

void PagingQueue::SetAddress(size_t i, uint64_t va) { buffers_[i].va = va; }

void PagingQueue::SetSegmentAddress(size_t i, uint64_t address) { buffers_[i].segment_address = address; }

const SystemBuffer& PagingQueue::memory(size_t i) const { return buffers_[i].memory; }

void PagingQueue::Start(HANDLE context, size_t count) {
  context_ = context;
  const uint64_t bytes = adapter_.caps().paging_buffer_bytes;
  if (bytes == 0) throw OsError("the driver reports paging buffers of no size");
  if (adapter_.kernel().parameters().paging_address_is_offset && adapter_.remapped() &&
      adapter_.answers().paging_buffer_segment == 0)
    throw OsError(
        "os.paging_address_is_offset: a driver cannot find a paging buffer behind a remapped domain by its "
        "physical address; set os.iommu to \"physical\", \"identity\" or \"needed\"");
  // In the physical model, the driver writes into the buffer directly, so a guard page after it
  // detects overruns.
  const uint64_t behind = adapter_.caps().physical_model ? kPage : 0;
  for (size_t i = 0; i < count; ++i) {
    Buffer buffer;
    // The GPU receives only the address of the first byte of a paging buffer in segment 0, so the
    // buffer must be contiguous in the addresses that the device uses: physical addresses without
    // remapping, logical addresses with remapping.
    buffer.memory = SystemBuffer(adapter_.kernel(), adapter_.objects(), adapter_.handle(), bytes + behind,
                                 adapter_.remapped() || adapter_.caps().paging_buffer_segment != 0
                                     ? SystemBuffer::Shape::kScattered
                                     : SystemBuffer::Shape::kContiguous,
                                 "vidmm");
    if (adapter_.caps().paging_buffer_segment == 0 && !buffer.memory.adl().Flags.Contiguous) {
      buffer.memory.Release();
      throw Exhausted("no " + std::to_string(bytes) +
                      " consecutive bytes of logical addresses for a paging buffer: the "
                      "GPU takes it by its first one; smaller buffers (driver.paging_buffer_bytes) or buffers in the "
                      "aperture segment (driver.paging_buffer_segment) need none");
    }
    buffer.cpu = buffer.memory.Map(0, bytes + behind);
    buffer.bytes = bytes + behind;
    buffer.private_data.assign(adapter_.caps().paging_private_bytes + static_cast<uint64_t>(kGuard), 0);
    std::fill_n(buffer.private_data.end() - kGuard, kGuard, kGuardByte);
    buffer.ticket = adapter_.kernel().ledger().Open("dma_buffer", Hex(buffer.memory.logical()), "vidmm",
                                                    "paging queue");
    buffers_.push_back(std::move(buffer));
  }
}

uint64_t PagingQueue::AddressOf(const Buffer& buffer) const {
  if (buffer.va != 0) return buffer.va;
  if (adapter_.caps().physical_model) return 0;  // DmaBufferGpuVirtualAddress
  return adapter_.kernel().parameters().paging_address_is_offset ? 0 : buffer.memory.logical();
}

void PagingQueue::Stop() {
  Drain();
  for (Buffer& buffer : buffers_) {
    if (adapter_.kernel().LeakNow("dma_buffer")) continue;
    buffer.memory.Release();
    adapter_.kernel().ledger().Close(buffer.ticket);
  }
  buffers_.clear();
}

void PagingQueue::Reset() {
  for (Buffer& buffer : buffers_) {
    buffer.begin = buffer.private_begin = buffer.used = buffer.private_used = 0;
    buffer.packet = 0;
  }
  noted_ = std::make_shared<Flushes>();
  last_noted_ = std::make_shared<Flushes>();
  last_ = 0;
  order_ = {};
}

PagingQueue::Buffer& PagingQueue::Current() {
  Buffer& buffer = buffers_[current_];
  if (buffer.used == 0 && buffer.packet != 0) {
    WaitFor(buffer.packet);
    buffer.packet = 0;
  }
  return buffer;
}

void PagingQueue::LeaveBuffer() {
  Buffer& buffer = buffers_[current_];
  buffer.begin = buffer.private_begin = buffer.used = buffer.private_used = 0;
  current_ = (current_ + 1) % buffers_.size();
}

// The driver always receives all of an empty buffer, because it may need all of it to make
// progress. With os.variety it may otherwise receive the size that the operation needed last time,
// one unit (unit_) less, or a random number of units.
uint64_t PagingQueue::Offer(const Buffer& buffer, DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
  const uint64_t left = adapter_.caps().paging_buffer_bytes - buffer.used;
  if (buffer.used == 0 || unit_ == 0 || !Differs()) return left;
  const auto known = sizes_.find(operation);
  const uint64_t same = known == sizes_.end() ? unit_ : known->second;
  const uint64_t offers[] = {same, same - std::min(same, unit_), variety_.Below(left / unit_ + 1) * unit_};
  return std::min(left, offers[variety_.Below(3)]);
}

void PagingQueue::RefuseInReset() const {
  if (adapter_.vidsch().discarding()) throw AdapterWasReset("the adapter was reset before an operation was built");
}

void PagingQueue::Add(DXGKARG_BUILDPAGINGBUFFER& operation) {
  RefuseInReset();
  ++operations_;
  order_.Note(operation);
  operation.MultipassOffset = 0;
  operation.hSystemContext = context_;
  bool idle = false;  // sets AllocationIsIdle in the next call only
  for (uint64_t passes = 0;; ++passes) {
    if (passes == kMostPasses)
      throw BugCheck("operation " + NameOf(operation.Operation) + " has not ended after " + std::to_string(passes) +
                     " calls; MultipassOffset is " + std::to_string(operation.MultipassOffset));
    Buffer& buffer = Current();
    const uint64_t room = Offer(buffer, operation.Operation), size = buffer.used + room;
    const uint64_t behind = std::min(kPage, buffer.bytes - size);
    std::fill_n(buffer.cpu + size, behind, kGuardByte);
    uint8_t* const begin = buffer.cpu + buffer.used;
    uint8_t* const private_begin = buffer.private_data.data() + buffer.private_used;
    const UINT pass = operation.MultipassOffset;
    operation.pDmaBuffer = begin;
    operation.DmaSize = static_cast<UINT>(room);
    operation.pDmaBufferPrivateData = buffer.private_bytes() == 0 ? nullptr : private_begin;
    operation.DmaBufferPrivateDataSize = static_cast<UINT>(buffer.private_bytes() - buffer.private_used);
    operation.DmaBufferGpuVirtualAddress = AddressOf(buffer);
    operation.DmaBufferWriteOffset = static_cast<UINT>(buffer.used);
    SayIdle(operation, std::exchange(idle, false));
    const NTSTATUS status = adapter_.miniport().BuildPagingBuffer(operation);

    const auto* end = static_cast<uint8_t*>(operation.pDmaBuffer);
    if (std::count(buffer.cpu + size, buffer.cpu + size + behind, kGuardByte) != static_cast<std::ptrdiff_t>(behind))
      throw BugCheck("the driver wrote past the end of a paging buffer, operation " + NameOf(operation.Operation));
    if (end < begin || end > buffer.cpu + size) {
      throw BugCheck("the driver wrote past the end of a paging buffer: pDmaBuffer moved by " +
                     std::to_string(end - begin) + " bytes of the " + std::to_string(room) +
                     " that were free, operation " + NameOf(operation.Operation));
    }
    const bool was_new = buffer.used == 0, was_empty = buffer.Empty();
    const auto written = static_cast<uint64_t>(end - begin);
    buffer.used += written;
    if (written != 0) {
      sizes_[operation.Operation] = written;
      unit_ = std::gcd(unit_, written);
    }
    CheckPrivate(buffer, operation.Operation, private_begin, operation);
    if (status == STATUS_SUCCESS) {
      if (Differs()) Submit();
      return;
    }
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
      // Wait until no node of the GPU can reference the allocation.
      Submit();
      adapter_.vidsch().WaitForHeld(VidSch::kBoundNs);
      Drain();
      idle = true;
      continue;
    }
    // Without progress, the next call would be identical and the loop would never end.
    if (was_new && operation.MultipassOffset == pass) {
      throw BugCheck("operation " + NameOf(operation.Operation) + " does not fit into an empty paging buffer of " +
                     std::to_string(size) + " bytes: the driver wrote " + std::to_string(buffer.used) +
                     " and left MultipassOffset at " + std::to_string(pass));
    }
    if (was_empty && written == 0) LeaveBuffer();  // the rest of the buffer is too small
    else Submit();
  }
}

// Checks the private data. The driver must advance pDmaBufferPrivateData together with pDmaBuffer
// and must not write past the end.
void PagingQueue::CheckPrivate(Buffer& buffer, DXGK_BUILDPAGINGBUFFER_OPERATION operation, const uint8_t* begin,
                               const DXGKARG_BUILDPAGINGBUFFER& after) {
  const auto guard = buffer.private_data.end() - kGuard;
  if (std::count(guard, buffer.private_data.end(), kGuardByte) != kGuard)
    throw BugCheck("the driver wrote past the end of a paging buffer's private data, operation " + NameOf(operation));
  if (buffer.private_bytes() == 0) return;
  const auto* end = static_cast<const uint8_t*>(after.pDmaBufferPrivateData);
  if (end < begin || end > buffer.private_data.data() + buffer.private_bytes())
    throw BugCheck("the driver advanced a paging buffer's private data past its end, operation " + NameOf(operation));
  buffer.private_used = static_cast<uint64_t>(end - buffer.private_data.data());
}

void PagingQueue::Immediate(DXGKARG_BUILDPAGINGBUFFER& operation) {
  RefuseInReset();
  ++operations_;
  operation.MultipassOffset = 0;
  operation.hSystemContext = context_;
  operation.pDmaBuffer = nullptr;
  operation.DmaSize = 0;
  std::array<uint8_t, hw::kPageSize> unused{}, unused_private{};
  if (adapter_.kernel().parameters().immediate_updates_have_a_buffer) {
    operation.pDmaBuffer = unused.data();
    operation.DmaSize = unused.size();
    operation.pDmaBufferPrivateData = unused_private.data();
    operation.DmaBufferPrivateDataSize = unused_private.size();
  }
  const void* const begin = operation.pDmaBuffer;
  if (adapter_.miniport().BuildPagingBuffer(operation) != STATUS_SUCCESS) {
    throw BugCheck("DxgkDdiBuildPagingBuffer asks for room for the immediate operation " + NameOf(operation.Operation));
  }
  if (operation.pDmaBuffer != begin) {
    throw BugCheck("DxgkDdiBuildPagingBuffer writes commands for the immediate operation " +
                   NameOf(operation.Operation) + ", which must be done inside the call");
  }
}

void PagingQueue::FlushTlb(HANDLE process, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t start, uint64_t end) {
  ++flushes_;
  if (!adapter_.kernel().parameters().inject.missing_flush) {
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_FLUSH_TLB;
    operation.FlushTlb.RootPageTableAddress = root;
    operation.FlushTlb.hProcess = process;
    operation.FlushTlb.StartVirtualAddress = start;
    const bool last = adapter_.kernel().parameters().flush_end_inclusive && end != 0;
    operation.FlushTlb.EndVirtualAddress = last ? end - 1 : end;
    Add(operation);
  } else {
    adapter_.kernel().Injected("missing_flush");
  }
}

void PagingQueue::NoteFlush(unsigned space, uint64_t start, uint64_t end) { noted_->push_back({space, start, end}); }

void PagingQueue::Notify(const Flushes& flushes) {
  hw::Instruments* instruments = adapter_.kernel().instruments();
  if (instruments == nullptr) return;
  for (const Flush& flush : flushes) {
    const bool whole = flush.start == 0 && flush.end == 0;
    instruments->NoteFlush(adapter_.machine_unit(), flush.space, flush.start, whole ? ~uint64_t{0} : flush.end);
  }
}

std::shared_ptr<DmaSubmission> PagingQueue::PhysicalOf(Buffer& buffer) const {
  auto dma = std::make_shared<DmaSubmission>();
  dma->segment = buffer.segment_address ? adapter_.caps().paging_buffer_segment : 0;
  dma->address = buffer.segment_address.value_or(buffer.memory.logical());
  dma->cpu = buffer.cpu;
  dma->bytes = static_cast<UINT>(adapter_.caps().paging_buffer_bytes);
  dma->start = static_cast<UINT>(buffer.begin);
  dma->end = static_cast<UINT>(buffer.used);
  dma->private_data = buffer.private_bytes() == 0 ? nullptr : buffer.private_data.data();
  dma->private_bytes = static_cast<UINT>(buffer.private_bytes());
  dma->private_start = static_cast<UINT>(buffer.private_begin);
  dma->private_end = static_cast<UINT>(buffer.private_used);
  return dma;
}

PacketId PagingQueue::Submit() {
  Buffer& buffer = buffers_[current_];
  if (buffer.Empty()) {
    // No operation was built, so the recorded flushes complete with the previous packet.
    if (adapter_.vidsch().Ended(last_)) Notify(*noted_);
    else last_noted_->insert(last_noted_->end(), noted_->begin(), noted_->end());
    noted_->clear();
    return last_;
  }
  GpuPacket packet;
  packet.node = adapter_.caps().paging_node;
  packet.engine = adapter_.index();
  packet.context = context_;
  if (adapter_.caps().physical_model) packet.dma = PhysicalOf(buffer);
  packet.physical = adapter_.kernel().parameters().physical_submission && buffer.va == 0;
  packet.start = buffer.begin;
  packet.address = (packet.physical ? buffer.memory.logical() : AddressOf(buffer)) + packet.start;
  packet.bytes = buffer.used - buffer.begin;
  packet.private_data = buffer.private_bytes() == 0 ? nullptr : buffer.private_data.data() + buffer.private_begin;
  packet.private_bytes = buffer.private_used - buffer.private_begin;
  packet.paging = true;
  packet.what = "a paging buffer of " + std::to_string(packet.bytes) + " bytes";
  packet.on_end = [this, flushes = noted_](PacketEnd end) {
    if (end == PacketEnd::kCompleted) Notify(*flushes);
    flushes->clear();
  };
  ++submissions_;
  last_noted_ = std::exchange(noted_, std::make_shared<Flushes>());
  const size_t index = current_;
  if (Differs()) {  // keep filling this buffer after the submitted part
    buffer.begin = buffer.used;
    buffer.private_begin = buffer.private_used;
  } else {
    LeaveBuffer();
  }
  last_ = buffers_[index].packet = adapter_.vidsch().Submit(std::move(packet));
  return last_;
}

void PagingQueue::WaitFor(PacketId packet) {
  const bool lost = packet != 0 && adapter_.vidsch().Wait(packet, VidSch::kBoundNs) == PacketEnd::kLost;
  if (lost && !adapter_.vidsch().removed())
    throw AdapterWasReset("the adapter was reset before a paging buffer had run");
}

void PagingQueue::Drain() {
  Submit();
  WaitFor(last_);
}

}  // namespace gmmu::os
