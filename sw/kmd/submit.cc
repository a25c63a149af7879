// SPDX-License-Identifier: Apache-2.0
// Submission. Paging buffers are physical for the hardware: the address given is the logical (bus)
// address of the first byte to run, in system memory, and the buffer is contiguous there.
#include "kmd/adapter.h"
#include "kmd/entry_points.h"

namespace gmmu::kmd {

NTSTATUS SubmitCommandVirtual(HANDLE hAdapter, const DXGKARG_SUBMITCOMMANDVIRTUAL* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  // The only ring is privileged: nothing but the system's paging work may reach it.
  if (pArgs->NodeOrdinal != Adapter::kNode || !pArgs->Flags.Paging) return STATUS_INVALID_PARAMETER;
  const bool empty = pArgs->Flags.NullRendering || pArgs->Flags.ContextSwitch;
  return adapter.ring.Submit(
      {pArgs->DmaBufferVirtualAddress, empty ? 0 : pArgs->DmaBufferSize, pArgs->SubmissionFenceId});
}

NTSTATUS SubmitCommand(HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  if (pArgs->NodeOrdinal != Adapter::kNode || !pArgs->Flags.Paging) return STATUS_INVALID_PARAMETER;
  if (pArgs->DmaBufferSegmentId != kSystemMemory ||
      pArgs->DmaBufferSubmissionEndOffset < pArgs->DmaBufferSubmissionStartOffset) {
    return STATUS_INVALID_PARAMETER;
  }
  const bool empty = pArgs->Flags.NullRendering || pArgs->Flags.ContextSwitch;
  const uint32_t bytes =
      pArgs->DmaBufferSubmissionEndOffset - pArgs->DmaBufferSubmissionStartOffset;
  return adapter.ring.Submit({static_cast<uint64_t>(pArgs->DmaBufferPhysicalAddress.QuadPart) +
                                  pArgs->DmaBufferSubmissionStartOffset,
                              empty ? 0 : bytes, pArgs->SubmissionFenceId});
}

NTSTATUS QueryCurrentFence(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pArgs) {
  if (pArgs->NodeOrdinal != Adapter::kNode) return STATUS_INVALID_PARAMETER;
  pArgs->CurrentFence = Adapter::From(hAdapter).ring.CompletedFence();
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
