// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {
SchedulerDriver* driver_now = nullptr;

NTSTATUS Submit(HANDLE, const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  driver_now->submitted.push_back(*args);
  if (driver_now->on_submit) driver_now->on_submit();
  return driver_now->submit_status;
}
NTSTATUS Preempt(HANDLE, const DXGKARG_PREEMPTCOMMAND* args) {
  driver_now->preempted.push_back(*args);
  return STATUS_SUCCESS;
}
NTSTATUS Reset(HANDLE, DXGKARG_RESETENGINE* args) {
  driver_now->reset.push_back(args->NodeOrdinal);
  args->LastAbortedFenceId = driver_now->last_aborted;
  return driver_now->reset_status;
}
NTSTATUS Status(HANDLE, DXGKARG_QUERYENGINESTATUS* args) {
  args->EngineStatus.Responsive = 0;
  if (driver_now->on_status) driver_now->on_status();
  return STATUS_SUCCESS;
}
NTSTATUS StopDevice(PVOID) {
  if (driver_now->on_stop) driver_now->on_stop();
  return STATUS_SUCCESS;
}
NTSTATUS ResetAdapter(HANDLE) {
  ++driver_now->adapter_resets;
  return driver_now->adapter_reset_status;
}
NTSTATUS CurrentFence(HANDLE, DXGKARG_QUERYCURRENTFENCE* args) {
  if (driver_now->on_fence) driver_now->on_fence();
  if (!driver_now->current_fence) return STATUS_NOT_SUPPORTED;
  args->CurrentFence = *driver_now->current_fence;
  return STATUS_SUCCESS;
}
NTSTATUS Dependents(HANDLE, DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
  args->DependentNodeOrdinalMask = driver_now->dependents | uint64_t{1} << args->NodeOrdinal;
  return STATUS_SUCCESS;
}
}  // namespace

SchedulerDriver::SchedulerDriver() { driver_now = this; }
SchedulerDriver::~SchedulerDriver() { driver_now = nullptr; }

DRIVER_INITIALIZATION_DATA SchedulerDriver::Table() const {
  DRIVER_INITIALIZATION_DATA table{};
  table.DxgkDdiSubmitCommandVirtual = ::gmmu::os::test::Submit;
  table.DxgkDdiPreemptCommand = Preempt;
  table.DxgkDdiResetEngine = Reset;
  table.DxgkDdiQueryEngineStatus = Status;
  table.DxgkDdiResetFromTimeout = ResetAdapter;
  table.DxgkDdiStopDevice = StopDevice;
  table.DxgkDdiQueryCurrentFence = CurrentFence;
  table.DxgkDdiQueryDependentEngineGroup = Dependents;
  return table;
}

std::vector<uint32_t> SchedulerDriver::FencesFrom(size_t first) const {
  std::vector<uint32_t> fences;
  for (size_t i = first; i < submitted.size(); ++i) fences.push_back(submitted[i].SubmissionFenceId);
  return fences;
}

SchedulerBench::SchedulerBench(uint32_t last, Parameters parameters)
    : kernel(platform, parameters), miniport(kernel, driver.Table()), vidsch(kernel, last) {
  vidsch.Connect(&miniport);
}

GpuPacket SchedulerBench::Render(uint64_t context, GpuDevice* device, uint32_t node) {
  GpuPacket packet;
  packet.node = node;
  packet.context = reinterpret_cast<HANDLE>(context);
  packet.device = device;
  packet.what = "a render packet";
  return packet;
}

GpuPacket SchedulerBench::Paging(uint32_t node) {
  GpuPacket packet;
  packet.node = node;
  packet.paging = true;
  packet.what = "a paging packet";
  return packet;
}

PacketId SchedulerBench::Submit(GpuPacket packet) {
  const auto place = std::make_shared<PacketId>(0);
  packet.on_end = [this, place](PacketEnd) { ended.push_back(*place); };
  // A packet ends inside Submit, before its id is known, only if its device is lost. Tests for that
  // case use EndOf.
  *place = vidsch.Submit(std::move(packet));
  return *place;
}

void SchedulerBench::Tell(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data, bool dpc) {
  const Irql old = kernel.scheduler().Raise(kDevice);
  vidsch.OnInterrupt(data);
  kernel.scheduler().Lower(old);
  if (dpc) vidsch.OnDpc();
}

void SchedulerBench::Complete(uint32_t fence, uint32_t node) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  Tell(data);
}

void SchedulerBench::AnswerPreemption(uint32_t last_completed, uint32_t node) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = driver.preempted.back().PreemptionFenceId;
  data.DmaPreempted.LastCompletedFenceId = last_completed;
  data.DmaPreempted.NodeOrdinal = node;
  Tell(data);
}

void SchedulerBench::PageFault(uint32_t fence, uint32_t node, unsigned flags, HANDLE process) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  data.DmaPageFaulted.FaultedFenceId = fence;
  data.DmaPageFaulted.NodeOrdinal = node;
  data.DmaPageFaulted.FaultedVirtualAddress = 0x2430000;
  data.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(flags);
  data.DmaPageFaulted.FaultedProcessHandle = process;
  Tell(data);
}

void SchedulerBench::DmaFault(uint32_t fence, uint32_t node) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
  data.DmaFaulted.FaultedFenceId = fence;
  data.DmaFaulted.NodeOrdinal = node;
  data.DmaFaulted.Status = STATUS_INVALID_PARAMETER;
  Tell(data);
}

void SchedulerBench::Run(const std::function<void()>& body) {
  vidsch.Start();
  kernel.scheduler().Spawn("test", [&] {
    body();
    vidsch.Stop();
  });
  kernel.scheduler().Run();
}

void SchedulerBench::Sleep(uint64_t ns) {
  const uint64_t end = kernel.hal().NowNs() + ns;
  kernel.scheduler().Wait([&] { return kernel.hal().NowNs() >= end; }, 2 * ns, "time to pass", ns / 8);
}

}  // namespace gmmu::os::test
