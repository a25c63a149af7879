// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/monitored_fence.h"

#include "os/kernel/bug_check.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
MonitoredFence::MonitoredFence(VidMm& vidmm, uint64_t initial) : vidmm_(vidmm), last_(initial) {
  LogicalAdapter& adapter = vidmm.adapter();
  page_ = SystemBuffer(adapter.kernel(), adapter.objects(), adapter.handle(), kPage,
                       SystemBuffer::Shape::kReadOnlyView, "vidmm");
  cpu_ = reinterpret_cast<const volatile uint64_t*>(page_.Map(0, kPage));
  va_ = vidmm.MapForPaging(page_);
  vidmm.Signal(va_, initial);
}

void MonitoredFence::Release() {
  for (const auto& [process, va] : mapped_) {
    vidmm_.Unmap(*process, va, 1);
    vidmm_.FreeVa(*process, va);
  }
  vidmm_.UnmapForPaging(va_, 1);
  page_.Release();
}

uint64_t MonitoredFence::Value() {
  last_ = ExtendFence(last_, *cpu_, vidmm_.adapter().caps().narrow_fences);
  return last_;
}

uint64_t MonitoredFence::MapInto(VidMm::Process& process) {
  if (mapped_.count(&process) != 0) throw BugCheck("a monitored fence is mapped into " + process.name + " twice");
  const uint64_t va = mapped_[&process] = vidmm_.ReserveVa(process, kPage);
  vidmm_.MapSystem(process, va, page_);
  return va;
}

PacketEnd MonitoredFence::SignalBehind(VidMm::Process& process, uint64_t value) {
  if (mapped_.count(&process) == 0) MapInto(process);
  LogicalAdapter& adapter = vidmm_.adapter();
  SystemBuffer buffer(adapter.kernel(), adapter.objects(), adapter.handle(), kPage, SystemBuffer::Shape::kScattered,
                      "vidmm");
  const uint64_t va = vidmm_.ReserveVa(process, kPage);
  vidmm_.MapSystem(process, va, buffer);
  DXGKARG_SIGNALMONITOREDFENCE args{};
  args.KernelSubmissionType = DXGK_KERNEL_SUBMISSION_RENDERGDI;
  args.pDmaBuffer = buffer.Map(0, kPage);
  args.DmaSize = kPage;
  args.DmaBufferGpuVirtualAddress = va;
  args.MonitoredFenceGpuVa = mapped_[&process];
  args.MonitoredFenceValue = value;
  args.MonitoredFenceCpuVa = const_cast<uint64_t*>(cpu_);
  const NTSTATUS built = adapter.miniport().SignalMonitoredFence(process.handles.context, args);
  PacketEnd end{};
  if (NT_SUCCESS(built)) {
    const PacketId packet = vidmm_.SubmitRender(process, va, kPage - args.DmaSize, "a signal");
    end = adapter.vidsch().Wait(packet, VidSch::kBoundNs);
  }
  vidmm_.Unmap(process, va, 1);
  vidmm_.FreeVa(process, va);
  buffer.Release();
  Miniport::Require(built, "DxgkDdiSignalMonitoredFence");
  return end;
}

void MonitoredFence::Wait(uint64_t value, uint64_t bound_ns) {
  vidmm_.adapter().kernel().WaitOrFault([&] { return Value() >= value; }, bound_ns,
                                        "monitored fence value " + std::to_string(value), 1000);
}

}  // namespace gmmu::os
