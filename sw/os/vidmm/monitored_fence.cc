// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/monitored_fence.h"

#include "os/dxgkrnl/logical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/miniport.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_fence.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

MonitoredFence::MonitoredFence(VidMm& vidmm, uint64_t initial)
    : vidmm_(vidmm), page_(std::make_unique<SystemBuffer>()), last_(initial) {
  LogicalAdapter& adapter = vidmm.adapter();
  *page_ = SystemBuffer(adapter.kernel(), adapter.objects(), adapter.handle(), kPage,
                        SystemBuffer::Shape::kReadOnlyView, "vidmm");
  cpu_ = reinterpret_cast<const volatile uint64_t*>(page_->Map(0, kPage));
  va_ = vidmm.paging().Map(*page_);
  vidmm.work().Signal(va_, initial, *page_);
}

MonitoredFence::~MonitoredFence() = default;

void MonitoredFence::Release() {
  for (const auto& [process, va] : mapped_) {
    vidmm_.Unmap(*process, va, 1);
    process->FreeVa(va);
  }
  vidmm_.paging().Unmap(va_, 1);
  page_->Release();
}

uint64_t MonitoredFence::Value() {
  last_ = ExtendFence(last_, *cpu_, vidmm_.adapter().caps().narrow_fences);
  return last_;
}

std::optional<uint64_t> MonitoredFence::In(const GpuProcess& process) const {
  for (const auto& [other, va] : mapped_)
    if (other == &process) return va;
  return std::nullopt;
}

uint64_t MonitoredFence::MapInto(GpuProcess& process) {
  if (In(process)) throw BugCheck("a monitored fence is mapped into " + process.name + " twice");
  const uint64_t va = process.ReserveVa(kPage);
  mapped_.emplace_back(&process, va);
  vidmm_.mappings().MapSystem(process, va, *page_);
  return va;
}

PacketEnd MonitoredFence::SignalBehind(GpuProcess& process, uint64_t value) {
  const auto there = In(process);
  const uint64_t value_va = there ? *there : MapInto(process);
  LogicalAdapter& adapter = vidmm_.adapter();
  SystemBuffer buffer = adapter.lead().MakeBuffer(kPage);
  const uint64_t va = process.ReserveVa(kPage);
  vidmm_.mappings().MapSystem(process, va, buffer);
  DXGKARG_SIGNALMONITOREDFENCE args{};
  args.KernelSubmissionType = DXGK_KERNEL_SUBMISSION_RENDERGDI;
  args.pDmaBuffer = buffer.Map(0, kPage);
  args.DmaSize = kPage;
  args.DmaBufferGpuVirtualAddress = va;
  args.MonitoredFenceGpuVa = value_va;
  args.MonitoredFenceValue = value;
  args.MonitoredFenceCpuVa = const_cast<uint64_t*>(cpu_);
  const NTSTATUS built = adapter.miniport().SignalMonitoredFence(process.handles.context, args);
  PacketEnd end{};
  if (NT_SUCCESS(built)) {
    const PacketId packet = vidmm_.processes().SubmitRender(process, va, kPage - args.DmaSize, "a signal");
    end = adapter.vidsch().Wait(packet, VidSch::kBoundNs);
  }
  vidmm_.Unmap(process, va, 1);
  process.FreeVa(va);
  buffer.Release();
  Miniport::Require(built, "DxgkDdiSignalMonitoredFence");
  return end;
}

void MonitoredFence::Wait(uint64_t value, uint64_t bound_ns) {
  // On a removed adapter, nothing signals the fence, so the wait would time out.
  if (vidmm_.adapter().vidsch().removed()) return;
  vidmm_.adapter().kernel().WaitOrFault([&] { return Value() >= value; }, bound_ns,
                                        "monitored fence value " + std::to_string(value), 1000);
}

}  // namespace gmmu::os
