// SPDX-License-Identifier: Apache-2.0
// Tests monitored fences that the CPU, the GPU and the system use. The expected behaviour follows
// Microsoft's documentation; it has not been observed on Windows.
#include "os/vidmm/monitored_fence.h"
#include "os/base/page_math.h"
#include "os/vidmm/paging_fence.h"
#include "tb/sw/os/driver_front.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

class Fence : public DriverFront {};

TEST_F(Fence, TheCpusViewOfAMonitoredFenceIsReadOnlyAndTheGpuWritesIt) {
  RunOnWorker([&](Life& life) {
    MonitoredFence fence(life.vidmm, uint64_t{7} << 40);
    EXPECT_EQ(fence.Value(), uint64_t{7} << 40);
    EXPECT_DEATH(*const_cast<volatile uint64_t*>(fence.cpu()) = 1, "");
    GpuProcess* process = life.vidmm.CreateProcess("process");
    EXPECT_EQ(fence.SignalBehind(*process, (uint64_t{7} << 40) + 1), PacketEnd::kCompleted);
    fence.Wait((uint64_t{7} << 40) + 1, 1'000'000);
    EXPECT_GT(life.adapter.miniport().calls("DxgkDdiSignalMonitoredFence"), 0u);
    fence.Release();
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(Fence, No64BitAtomicsMakesTheSystemExtendTheValueFromItsLowHalf) {
  EXPECT_EQ(ExtendFence(0xFFFFFFF0, 5, true), uint64_t{0x100000005});
  EXPECT_EQ(ExtendFence(0xFFFFFFF0, 5, false), 5u);
  EXPECT_EQ(ExtendFence(uint64_t{3} << 32 | 9, 9, true), uint64_t{3} << 32 | 9);
  bench.options.os.driver["No64BitAtomics"] = 1;
  RunOnWorker([&](Life& life) {
    ASSERT_TRUE(life.adapter.caps().narrow_fences);
    MonitoredFence fence(life.vidmm, 0xFFFFFFFE);
    GpuProcess* process = life.vidmm.CreateProcess("process");
    for (uint64_t value = 0xFFFFFFFF; value < 0x100000003; ++value) {
      EXPECT_EQ(fence.SignalBehind(*process, value), PacketEnd::kCompleted);
      EXPECT_EQ(*fence.cpu(), value & 0xFFFFFFFF) << "what the GPU can write";
      EXPECT_EQ(fence.Value(), value);
    }
    fence.Release();
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(Fence, ASignalOfALostDeviceSaysSoAndTheValueNeverComes) {
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    uint64_t nowhere = 0;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      nowhere = life.vidmm.ReserveVa(*process, kPage);
    });
    workload::RenderBuffer buffer(life, process, kPage);
    buffer.Fill(nowhere, kPage, 1);
    const PacketId faulting = buffer.Submit("a fill that faults");
    life.worker.Call([&] {
      EXPECT_EQ(life.adapter.vidsch().Wait(faulting, 100'000'000), PacketEnd::kLost);
      MonitoredFence fence(life.vidmm, 5);
      EXPECT_EQ(fence.SignalBehind(*process, 6), PacketEnd::kLost);
      EXPECT_EQ(fence.Value(), 5u);
      fence.Release();
    });
    buffer.Release();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*process, nowhere);
      life.vidmm.DestroyProcess(process);
    });
  });
}

NTSTATUS RefuseSignal(HANDLE, DXGKARG_SIGNALMONITOREDFENCE*) { return STATUS_NOT_SUPPORTED; }
NTSTATUS EntryThatRefusesSignals(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiSignalMonitoredFence = RefuseSignal;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

TEST_F(Fence, ASignalThatTheDriverRefusesLeavesNothingBehind) {
  bench.options.driver = EntryThatRefusesSignals;
  Run([&](Life& life) {  // Run also checks for leaks
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      MonitoredFence fence(life.vidmm, 5);
      EXPECT_THROW(static_cast<void>(fence.SignalBehind(*process, 6)), OsError);
      EXPECT_EQ(fence.Value(), 5u);
      fence.Release();
      life.vidmm.DestroyProcess(process);
    });
  });
}

}  // namespace
}  // namespace gmmu::os::test
