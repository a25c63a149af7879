// SPDX-License-Identifier: Apache-2.0
// Submission. The hardware treats the address of a paging buffer in segment 0 as physical: it is
// the logical (bus) address of the first byte to execute. Such a buffer is contiguous in system
// memory. Paging buffers in the aperture segment, and buffers of processes, are addressed by
// virtual addresses in their context's space.
#include "kmd/adapter.h"
#include "kmd/entry_points.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

/// Skips the part of a resubmitted buffer that was executed before the preemption.
void Resume(Progress& progress, bool resubmission, Submission* submission) {
  submission->progress = &progress;
  submission->buffer = submission->address;
  const uint32_t done = progress.Take(submission->address, resubmission);
  if (done > submission->bytes) return;
  submission->address += done;
  submission->bytes -= done;
  submission->skipped = done;
}

Progress& ProgressOf(Engine& engine, Context* context) {
  return context == nullptr ? engine.progress : context->progress;
}

}  // namespace

// The privileged ring accepts only the system's paging work. All other work goes to the other ring.
NTSTATUS SubmitCommandVirtual(HANDLE hAdapter, const DXGKARG_SUBMITCOMMANDVIRTUAL* pArgs) {
  Engine* engine = Adapter::FindEngine(hAdapter, pArgs->EngineOrdinal, pArgs->NodeOrdinal);
  const bool paging = pArgs->NodeOrdinal == Adapter::kPagingNode;
  if (engine == nullptr || paging != (pArgs->Flags.Paging != 0)) return STATUS_INVALID_PARAMETER;
  const Adapter& adapter = *Adapter::From(hAdapter).Member(pArgs->EngineOrdinal);
  const bool empty = pArgs->Flags.NullRendering || pArgs->Flags.ContextSwitch;
  const PrivateData data = PrivateData::Of(*pArgs);
  const BufferStart start = paging ? BufferStart::Of(data) : BufferStart{};
  if (paging && !empty && adapter.parameters.paging_private_bytes != 0 &&
      !PagingRecord::Describe(data, std::nullopt, pArgs->DmaBufferSize)) {
    return STATUS_INVALID_PARAMETER;
  }
  Submission submission{pArgs->DmaBufferVirtualAddress + start.physical, empty ? 0 : pArgs->DmaBufferSize,
                        pArgs->SubmissionFenceId};
  auto* context = static_cast<Context*>(pArgs->hContext);
  if (!paging || adapter.parameters.paging_buffer_segment != kSystemMemory) {
    if (context == nullptr || context->index != pArgs->EngineOrdinal) return STATUS_INVALID_PARAMETER;
    submission.space = adapter.SpaceOf(context);
    if (submission.space == Spaces::kNone) return STATUS_INVALID_PARAMETER;
  }
  if (!empty) Resume(ProgressOf(*engine, context), pArgs->Flags.Resubmission != 0, &submission);
  return engine->ring.Submit(submission);
}

NTSTATUS SubmitCommand(HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND* pArgs) {
  Adapter* adapter = Adapter::From(hAdapter).Member(pArgs->EngineOrdinal);
  if (adapter == nullptr || pArgs->NodeOrdinal != Adapter::kPagingNode || !pArgs->Flags.Paging)
    return STATUS_INVALID_PARAMETER;
  const uint32_t start = pArgs->DmaBufferSubmissionStartOffset, end = pArgs->DmaBufferSubmissionEndOffset;
  PrivateData data;
  if (pArgs->DmaBufferSegmentId != kSystemMemory || end < start || end > pArgs->DmaBufferSize ||
      !PrivateData::Of(*pArgs, &data)) {
    return STATUS_INVALID_PARAMETER;
  }
  const bool empty = pArgs->Flags.NullRendering || pArgs->Flags.ContextSwitch;
  const uint32_t bytes = end - start;
  if (!empty && adapter->parameters.paging_private_bytes != 0 && !PagingRecord::Describe(data, start, bytes))
    return STATUS_INVALID_PARAMETER;
  Engine& engine = adapter->engines[Adapter::kPagingNode];
  Submission submission{static_cast<uint64_t>(pArgs->DmaBufferPhysicalAddress.QuadPart) + start, empty ? 0 : bytes,
                        pArgs->SubmissionFenceId};
  if (!empty)
    Resume(ProgressOf(engine, static_cast<Context*>(pArgs->hContext)), pArgs->Flags.Resubmission != 0, &submission);
  return engine.ring.Submit(submission);
}

NTSTATUS QueryCurrentFence(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pArgs) {
  Engine* engine = Adapter::FindEngine(hAdapter, pArgs->EngineOrdinal, pArgs->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  const Adapter& adapter = *Adapter::From(hAdapter).Member(pArgs->EngineOrdinal);
  // Read at device level, because the interrupt routine may restart the ring concurrently.
  return adapter.AtDeviceLevel([&] { pArgs->CurrentFence = engine->ring.CompletedFence(); });
}

}  // namespace gmmu::kmd
