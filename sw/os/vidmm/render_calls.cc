// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/render_calls.h"

#include <algorithm>
#include <memory>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/bug_check.h"
#include "os/miniport/miniport.h"
#include "os/miniport/physical_calls.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/dma_buffers.h"
#include "os/vidmm/dma_pieces.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/patch.h"

namespace gmmu::os {
namespace {

void RequireRoom(size_t elements, UINT room, const char* list, const char* member, const GpuProcess& process) {
  if (elements <= room) return;
  throw OsError(std::string(list) + " of " + std::to_string(elements) + " elements is too long for the context of " +
                process.name + ": DXGK_CONTEXTINFO." + member + " is " + std::to_string(room));
}

}  // namespace

HANDLE RenderCalls::Opened(const GpuProcess& process, const Allocation& allocation) {
  const auto [found, fresh] = opened_.try_emplace({process.serial, allocation.serial}, ByDevice{});
  if (!fresh) return found->second.opened.device_specific;
  HANDLE const device = process.handles.device;
  try {
    found->second = {device, vidmm_.adapter().driver_objects().OpenAllocation(
                                 device, allocation.handle, allocation.owner == process.serial, allocation.name)};
  } catch (...) {
    opened_.erase(found);
    throw;
  }
  return found->second.opened.device_specific;
}

template <typename Key>
void RenderCalls::CloseWhere(const Key& key) {
  for (auto it = opened_.begin(); it != opened_.end();) {
    if (!key(it->first)) {
      ++it;
      continue;
    }
    vidmm_.adapter().driver_objects().CloseAllocation(it->second.device, it->second.opened);
    it = opened_.erase(it);
  }
}

void RenderCalls::Close(const Allocation& allocation) {
  CloseWhere([&](const auto& key) { return key.second == allocation.serial; });
}

void RenderCalls::Close(const GpuProcess& process) {
  CloseWhere([&](const auto& key) { return key.first == process.serial; });
}

ListRoom RenderCalls::RoomOf(const GpuProcess& process) {
  const DXGK_CONTEXTINFO& info = process.handles.context_info;
  return {info.DmaBufferSize, info.AllocationListSize, info.PatchLocationListSize};
}

std::vector<DXGK_ALLOCATIONLIST> RenderCalls::ListOf(const GpuProcess& process, const ListedCommands& commands) {
  std::vector<DXGK_ALLOCATIONLIST> list;
  for (const ListedCommands::Listed& listed : commands.allocations) {
    DXGK_ALLOCATIONLIST element{};
    if (listed.allocation != nullptr) {
      element.hDeviceSpecificAllocation = Opened(process, *listed.allocation);
      element.WriteOperation = listed.write;
      element.SegmentId = listed.allocation->segment();
      if (element.SegmentId != 0) element.PhysicalAddress.QuadPart = AddressInSegment(*listed.allocation);
    }
    list.push_back(element);
  }
  return list;
}

PacketId RenderCalls::Submit(GpuProcess& process, const ListedCommands& commands, const std::string& what) {
  const DXGK_CONTEXTINFO& info = process.handles.context_info;
  RequireRoom(commands.allocations.size(), info.AllocationListSize, "an allocation list", "AllocationListSize",
              process);
  RequireRoom(commands.patches.size(), info.PatchLocationListSize, "a patch-location list", "PatchLocationListSize",
              process);
  if (!process.dma) process.dma = std::make_unique<DmaBuffers>(vidmm_, process);
  std::vector<uint64_t> sizes;
  for (const auto& listed : commands.allocations)
    sizes.push_back(listed.allocation == nullptr ? 0 : listed.allocation->bytes);
  std::vector<D3DDDI_PATCHLOCATIONLIST> in = commands.patches;
  PacketId last = 0;
  for (UINT pass = 0;;) {
    DmaBuffer& buffer = process.dma->Take();
    std::vector<DXGK_ALLOCATIONLIST> list = ListOf(process, commands);
    std::vector<D3DDDI_PATCHLOCATIONLIST> patches(info.PatchLocationListSize);
    PHYSICAL_ADDRESS address{};
    address.QuadPart = static_cast<LONGLONG>(buffer.address);
    DXGKARG_RENDER args = {commands.commands.data(),
                           static_cast<UINT>(commands.commands.size()),
                           buffer.cpu,
                           static_cast<UINT>(buffer.bytes),
                           buffer.private_begin(),
                           static_cast<UINT>(buffer.private_bytes()),
                           list.data(),
                           static_cast<UINT>(list.size()),
                           in.data(),
                           static_cast<UINT>(in.size()),
                           patches.data(),
                           static_cast<UINT>(patches.size()),
                           pass,
                           buffer.segment,
                           address};
    const NTSTATUS status = vidmm_.gpu().miniport().physical().Render(process.handles.context, args);
    buffer.CheckEnds("DxgkDdiRender");
    const bool full = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (!full) Miniport::Require(status, "DxgkDdiRender of " + what + " of " + process.name);
    const auto used = static_cast<uint8_t*>(args.pDmaBuffer) - buffer.cpu;
    const auto written = args.pPatchLocationListOut - patches.data();
    const auto data = static_cast<uint8_t*>(args.pDmaBufferPrivateData) - buffer.private_data.data();
    if (used < 0 || static_cast<uint64_t>(used) > buffer.bytes)
      throw BugCheck("DxgkDdiRender moved pDmaBuffer by " + std::to_string(used) + " bytes; the DMA buffer has " +
                     std::to_string(buffer.bytes));
    if (written < 0 || static_cast<size_t>(written) > patches.size())
      throw BugCheck("DxgkDdiRender moved pPatchLocationListOut by " + std::to_string(written) +
                     " elements; the patch-location list has " + std::to_string(patches.size()) +
                     " (DXGK_CONTEXTINFO.PatchLocationListSize)");
    patches.resize(static_cast<size_t>(written));
    const std::string broken = BrokenRuleOf(patches, static_cast<uint64_t>(used), sizes,
                                            vidmm_.gpu().answers().driver.MaxAllocationListSlotId);
    if (!broken.empty()) throw BugCheck("DxgkDdiRender of " + what + " of " + process.name + ": " + broken);
    if (used != 0) {
      ++counts_.buffers;
      DmaSubmission dma = buffer.Submission();
      dma.end = static_cast<UINT>(used);
      const bool advanced = buffer.private_bytes() != 0 && data > 0 && static_cast<uint64_t>(data) <= dma.private_bytes;
      dma.private_end = advanced ? static_cast<UINT>(data) : dma.private_bytes;
      dma.allocations = std::move(list);
      dma.patches = std::move(patches);
      DmaPieces pieces(vidmm_, process, commands, dma, what);
      while (!pieces.done()) {
        buffer.packets.push_back(last = pieces.SubmitNext());
        ++counts_.pieces;
        vidmm_.gpu().kernel().Happened("pieces");
      }
    }
    if (!full) return last;
    if (used == 0 || args.MultipassOffset == pass) {
      throw BugCheck("DxgkDdiRender of " + what + " asks for another DMA buffer of " + std::to_string(buffer.bytes) +
                     " bytes and has made no progress: it wrote " + std::to_string(used) +
                     " bytes and left MultipassOffset at " + std::to_string(pass));
    }
    pass = args.MultipassOffset;
  }
}

}  // namespace gmmu::os
