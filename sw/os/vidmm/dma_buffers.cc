// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/dma_buffers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/base/text.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/patch.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
// Size of the guard area after the buffer, which detects overruns and keeps them from damaging
// other memory.
constexpr uint64_t kGuard = kPage;
constexpr uint64_t kPrivateGuard = 64;
constexpr uint8_t kGuardByte = 0xC7;

bool Untouched(const uint8_t* at, uint64_t bytes) {
  return std::all_of(at, at + bytes, [](uint8_t byte) { return byte == kGuardByte; });
}
}  // namespace

uint64_t DmaBuffer::private_bytes() const { return private_data.size() - kPrivateGuard; }

DmaSubmission DmaBuffer::Submission() {
  DmaSubmission dma;
  dma.segment = segment;
  dma.address = address;
  dma.cpu = cpu;
  dma.bytes = static_cast<UINT>(bytes);
  dma.private_data = private_begin();
  dma.private_bytes = static_cast<UINT>(private_bytes());
  return dma;
}

void DmaBuffer::CheckEnds(const char* call) const {
  if (!Untouched(cpu + bytes, kGuard))
    throw BugCheck("the driver wrote past the end of a DMA buffer of " + std::to_string(bytes) + " bytes, " + call);
  if (!Untouched(private_data.data() + private_bytes(), kPrivateGuard))
    throw BugCheck("the driver wrote past the end of a DMA buffer's private data of " +
                   std::to_string(private_bytes()) + " bytes, " + call);
}

std::unique_ptr<DmaBuffer> DmaBuffers::Make() {
  PhysicalAdapter& gpu = vidmm_.gpu();
  const DXGK_CONTEXTINFO& info = process_.handles.context_info;
  auto buffer = std::make_unique<DmaBuffer>();
  buffer->bytes = PagesOf(info.DmaBufferSize) * kPage;
  const bool in_aperture = info.DmaBufferSegmentSet != 0;
  // The GPU receives only the address of the first byte of a buffer in system memory, so the buffer
  // must be contiguous from the GPU's point of view.
  buffer->memory = SystemBuffer(gpu.kernel(), gpu.objects(), gpu.handle(), buffer->bytes + kGuard,
                                in_aperture || gpu.remapped() ? SystemBuffer::Shape::kScattered
                                                              : SystemBuffer::Shape::kContiguous,
                                "vidmm");
  if (!in_aperture && !buffer->memory.adl().Flags.Contiguous) {
    buffer->memory.Release();
    throw Exhausted("no consecutive addresses for a DMA buffer of " + std::to_string(buffer->bytes) + " bytes of " +
                    process_.name + " (DXGK_CONTEXTINFO.DmaBufferSize)");
  }
  buffer->address = buffer->memory.logical();
  if (in_aperture) {
    const uint64_t pages = buffer->bytes / kPage;
    buffer->segment = gpu.aperture_segment().id;
    buffer->aperture_page = vidmm_.aperture().Reserve(pages);
    buffer->address = gpu.aperture_segment().base + buffer->aperture_page * kPage;
    vidmm_.aperture().Map({}, buffer->aperture_page, pages, buffer->memory.adl(), 0);
  }
  buffer->cpu = buffer->memory.Map(0, buffer->bytes + kGuard);
  std::fill_n(buffer->cpu + buffer->bytes, kGuard, kGuardByte);
  buffer->private_data.assign(info.DmaBufferPrivateDataSize + kPrivateGuard, 0);
  std::fill_n(buffer->private_data.end() - static_cast<ptrdiff_t>(kPrivateGuard), kPrivateGuard, kGuardByte);
  buffer->ticket = gpu.kernel().ledger().Open("dma_buffer", Hex(buffer->address), "vidmm", process_.name);
  return buffer;
}

DmaBuffer& DmaBuffers::Take() {
  VidSch& vidsch = vidmm_.gpu().vidsch();
  const auto free = [&](const std::unique_ptr<DmaBuffer>& buffer) {
    return std::all_of(buffer->packets.begin(), buffer->packets.end(),
                       [&](PacketId packet) { return vidsch.Ended(packet); });
  };
  if (buffers_.size() < kMost && std::none_of(buffers_.begin(), buffers_.end(), free)) {
    buffers_.push_back(Make());
    next_ = 0;
    return *buffers_.back();
  }
  auto found = std::find_if(buffers_.begin(), buffers_.end(), free);
  if (found == buffers_.end()) {
    found = buffers_.begin() + static_cast<ptrdiff_t>(next_);
    next_ = (next_ + 1) % buffers_.size();
    for (const PacketId packet : (*found)->packets) vidsch.Wait(packet, VidSch::kBoundNs);
  }
  DmaBuffer& buffer = **found;
  buffer.packets.clear();
  std::fill_n(buffer.cpu, buffer.bytes, uint8_t{0});
  std::fill_n(buffer.private_data.begin(), buffer.private_bytes(), uint8_t{0});
  return buffer;
}

void DmaBuffers::Release() {
  for (const auto& buffer : std::exchange(buffers_, {})) {
    if (vidmm_.gpu().kernel().LeakNow("dma_buffer")) continue;
    if (buffer->segment != 0) {
      if (vidmm_.aperture().mapped(buffer->aperture_page))
        vidmm_.aperture().Unmap({}, buffer->aperture_page, buffer->bytes / kPage);
      vidmm_.aperture().Free(buffer->aperture_page);
    }
    buffer->memory.Release();
    vidmm_.gpu().kernel().ledger().Close(buffer->ticket);
  }
}

}  // namespace gmmu::os
