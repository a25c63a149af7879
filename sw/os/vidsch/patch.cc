// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/patch.h"

#include "os/base/text.h"
#include "os/miniport/miniport.h"
#include "os/miniport/physical_calls.h"

namespace gmmu::os {

std::string BrokenRuleOf(const std::vector<D3DDDI_PATCHLOCATIONLIST>& patches, uint64_t used,
                         const std::vector<uint64_t>& sizes, UINT last_slot) {
  UINT split = 0;
  for (size_t i = 0; i < patches.size(); ++i) {
    const D3DDDI_PATCHLOCATIONLIST& patch = patches[i];
    const auto broken = [&](const char* member, uint64_t value, const std::string& rule) {
      return std::string("D3DDDI_PATCHLOCATIONLIST.") + member + " of patch location " + std::to_string(i) + " is " +
             Hex(value) + "; " + rule;
    };
    if (patch.AllocationIndex >= sizes.size())
      return broken("AllocationIndex", patch.AllocationIndex,
                    "the allocation list has " + std::to_string(sizes.size()) + " elements");
    if (patch.SlotId > last_slot)
      return broken("SlotId", patch.SlotId, "DXGK_DRIVERCAPS.MaxAllocationListSlotId is " + Hex(last_slot));
    if (patch.PatchOffset >= used)
      return broken("PatchOffset", patch.PatchOffset, "the DMA buffer ends at " + Hex(used));
    if (patch.SplitOffset > used)
      return broken("SplitOffset", patch.SplitOffset, "the DMA buffer ends at " + Hex(used));
    if (patch.SplitOffset < split)
      return broken("SplitOffset", patch.SplitOffset,
                    "that of the location before is " + Hex(split) + ", and they must not fall");
    split = patch.SplitOffset;
    if (const uint64_t size = sizes[patch.AllocationIndex]; size != 0 && patch.AllocationOffset >= size)
      return broken("AllocationOffset", patch.AllocationOffset, "the allocation has " + Hex(size) + " bytes");
  }
  return "";
}

void PatchAndSubmit(Miniport& miniport, const DmaSubmission& dma, const DXGKARG_SUBMITCOMMANDVIRTUAL& packet) {
  std::vector<DXGK_ALLOCATIONLIST> allocations = dma.allocations;
  if (dma.place) dma.place(allocations);
  DXGKARG_PATCH patch{};
  patch.hContext = packet.hContext;
  patch.DmaBufferSegmentId = dma.segment;
  patch.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(dma.address);
  patch.pDmaBuffer = dma.cpu;
  patch.DmaBufferSize = dma.bytes;
  patch.DmaBufferSubmissionStartOffset = dma.start;
  patch.DmaBufferSubmissionEndOffset = dma.end;
  patch.pDmaBufferPrivateData = dma.private_data;
  patch.DmaBufferPrivateDataSize = dma.private_bytes;
  patch.DmaBufferPrivateDataSubmissionStartOffset = dma.private_start;
  patch.DmaBufferPrivateDataSubmissionEndOffset = dma.private_end;
  if (dma.place) {
    patch.pAllocationList = allocations.data();
    patch.AllocationListSize = static_cast<UINT>(allocations.size());
    patch.pPatchLocationList = dma.patches.data();
    patch.PatchLocationListSize = static_cast<UINT>(dma.patches.size());
    patch.PatchLocationListSubmissionStart = dma.first_patch;
    patch.PatchLocationListSubmissionLength = dma.patch_count;
  }
  patch.SubmissionFenceId = packet.SubmissionFenceId;
  patch.Flags.Paging = packet.Flags.Paging;
  patch.EngineOrdinal = packet.EngineOrdinal;
  miniport.physical().Patch(patch);

  DXGKARG_SUBMITCOMMAND submit{};
  submit.hContext = packet.hContext;
  submit.DmaBufferSegmentId = dma.segment;
  submit.DmaBufferPhysicalAddress = patch.DmaBufferPhysicalAddress;
  submit.DmaBufferSize = dma.bytes;
  submit.DmaBufferSubmissionStartOffset = dma.start;
  submit.DmaBufferSubmissionEndOffset = dma.end;
  submit.pDmaBufferPrivateData = dma.private_data;
  submit.DmaBufferPrivateDataSize = dma.private_bytes;
  submit.DmaBufferPrivateDataSubmissionStartOffset = dma.private_start;
  submit.DmaBufferPrivateDataSubmissionEndOffset = dma.private_end;
  submit.SubmissionFenceId = packet.SubmissionFenceId;
  submit.Flags = packet.Flags;
  submit.EngineOrdinal = packet.EngineOrdinal;
  submit.NodeOrdinal = packet.NodeOrdinal;
  miniport.SubmitCommand(submit);
}

}  // namespace gmmu::os
