// SPDX-License-Identifier: Apache-2.0
// Tests rules about operations and flushes that implementers often get wrong. Unless a comment says
// otherwise, the expected behaviour follows Microsoft's documentation; it has not been observed on
// Windows.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "os/vidmm/gpu_process.h"
#include "tb/sw/os/driver_front.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

using Rule11Paging = DriverFront;

TEST_F(Rule11Paging, MultipassGoesOnWithAnUnchangedOperandInAFreshBuffer) {
  bench.options.os.driver["PagingBufferBytes"] = 64;
  std::vector<uint8_t> operand;
  UINT cookie = 0;
  unsigned passes = 0, submissions = 0, before = 0;
  seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL&) { ++submissions; };
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&args.Transfer);
    const std::vector<uint8_t> now(bytes, bytes + 256);
    const bool continued = !operand.empty();
    if (continued) {
      ++passes;
      EXPECT_EQ(now, operand) << "the operand does not change between passes";
      EXPECT_EQ(args.MultipassOffset, cookie) << "the driver's cookie comes back";
      EXPECT_EQ(reinterpret_cast<uint64_t>(args.pDmaBuffer) % 4096, 0u);
      EXPECT_EQ(args.DmaBufferWriteOffset, 0u) << "a new buffer";
      EXPECT_EQ(submissions, before + 1) << "each pass is a submission of its own";
    } else {
      EXPECT_EQ(args.MultipassOffset, 0u);
    }
    const NTSTATUS status = call(args);
    cookie = args.MultipassOffset;
    before = submissions;
    operand = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? now : std::vector<uint8_t>();
    return status;
  });
  MainJobIsVerified(20'000);
  EXPECT_GT(passes, 20u);
}

TEST_F(Rule11Paging, ImmediateUpdatesWithNullBuffersAreDoneInsideTheCall) {
  unsigned immediate = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
        args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
      EXPECT_EQ(args.pDmaBuffer, nullptr);
      ++immediate;
    }
    return call(args);
  });
  MainJobIsVerified();
  EXPECT_GT(immediate, 0u);
}

// Observed on Windows build 26100: whether an update is immediate depends on the update mode, not
// on the buffer pointers.
TEST_F(Rule11Paging, ImmediateUpdatesWithBuffersAreDoneInsideTheCallAndLeaveThemAlone) {
  bench.options.os.immediate_updates_have_a_buffer = true;
  unsigned immediate = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    const bool now = args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                     args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    const DXGKARG_BUILDPAGINGBUFFER before = args;
    const NTSTATUS status = call(args);
    if (now) {
      ++immediate;
      EXPECT_NE(before.pDmaBuffer, nullptr);
      EXPECT_NE(before.pDmaBufferPrivateData, nullptr);
      EXPECT_EQ(args.pDmaBuffer, before.pDmaBuffer);
      for (size_t i = 0; i < 4096; ++i) EXPECT_EQ(static_cast<uint8_t*>(before.pDmaBuffer)[i], 0) << i;
    }
    return status;
  });
  MainJobIsVerified();
  EXPECT_GT(immediate, 0u);
}

TEST_F(Rule11Paging, AllocationOffsetInBytesNeverShiftsVirtualAddresses) {
  unsigned changed = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    DXGKARG_BUILDPAGINGBUFFER shifted = args;
    if (args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) shifted.TransferVirtual.AllocationOffsetInBytes += 0x3000;
    if (args.Operation == DXGK_OPERATION_VIRTUAL_FILL) shifted.FillVirtual.AllocationOffsetInBytes += 0x3000;
    changed += std::memcmp(&shifted, &args, sizeof args) != 0;
    const NTSTATUS status = call(shifted);
    args.pDmaBuffer = shifted.pDmaBuffer;
    args.DmaSize = shifted.DmaSize;
    args.MultipassOffset = shifted.MultipassOffset;
    return status;
  });
  MainJobIsVerified();
  EXPECT_GE(changed, 3u);
}

TEST_F(Rule11Paging, AFlushOfZeroToZeroIsOfEverything) {
  unsigned flushes = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB) {
      args.FlushTlb.StartVirtualAddress = args.FlushTlb.EndVirtualAddress = 0;
      ++flushes;
    }
    return call(args);
  });
  MainJobIsVerified();  // reuses addresses for different pages, so it needs the flushes
  EXPECT_GT(flushes, 5u);
}

/// The driver finds a flush's address space by the process, and compares the flush's root with that
/// space's root.
TEST_F(Rule11Paging, AFlushThatNamesTheRootOfAnotherProcessStopsTheSystem) {
  HANDLE flushed = nullptr;
  D3DGPU_PHYSICAL_ADDRESS other{};
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB && flushed != nullptr && args.FlushTlb.hProcess == flushed)
      args.FlushTlb.RootPageTableAddress = other;
    return call(args);
  });
  const auto result = bench.RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    other = life.vidmm.CreateProcess("other")->space->root();
    const uint64_t va = life.vidmm.ReserveVa(*process, hw::kPageSize);
    life.vidmm.mappings().MapZero(*process, va, 1);
    flushed = process->handles.process;
    life.vidmm.Unmap(*process, va, 1);
  });
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].stop_code, 0x10Eu) << result.faults[0].text;
}

using PagingWorkSignals = DriverFront;

// Operation 16 (SIGNAL_MONITORED_FENCE) has been observed on neither Windows build 22621 nor 26100,
// so os.gpu_signals can turn it off.
TEST_F(PagingWorkSignals, TheSystemWritesTheFenceWhereNoDriverIsAskedTo) {
  for (const bool by_gpu : {true, false}) {
    bench.options.os.gpu_signals = by_gpu;
    unsigned signals = 0;
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      signals += args.Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
    });
    MainJobIsVerified();
    EXPECT_EQ(signals != 0, by_gpu);
  }
}

TEST_F(Rule11Paging, ResidentAndReservedOfNotifyResidencyShareBit0) {
  DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY operand{};
  operand.Resident = 1;
  EXPECT_EQ(operand.Reserved, 1u);
  operand.Reserved = 0x7FFFFFFE;
  EXPECT_EQ(operand.Resident, 0u);
}

// If the caps require it, contexts are suspended around table updates.
TEST_F(TableLife, PageTableUpdateRequireAddressSpaceIdleSuspendsTheContextsAroundUpdates) {
  for (const bool asked : {false, true}) {
    bench.options.os.driver["IdleForUpdates"] = asked;
    unsigned during = 0, updates = 0;
    Run([&](Life& life) {
      Subject subject = Make(life);
      workload::RenderBuffer buffer(life, subject.process, kPage);
      for (int i = 0; i < 20; ++i) buffer.Copy(subject.va, subject.va + 10 * kPage, 8 * kPage);
      life.worker.Call([&] {
        const PacketId packet = buffer.Submit("copies");
        Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
          if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) return;
          ++updates;
          during += !life.adapter.vidsch().Ended(packet);
        });
        const uint64_t va = life.vidmm.ReserveVa(*subject.process, kPage);
        life.vidmm.Map(*subject.process, va, *subject.data, 0, 1);
        life.adapter.vidsch().Wait(packet, 100'000'000);
        // After the updates, the process's packets run again.
        EXPECT_EQ(life.adapter.vidsch().Wait(buffer.Submit("again"), 100'000'000), PacketEnd::kCompleted);
        life.vidmm.FreeVa(*subject.process, va);
      });
      seen.operation = nullptr;
      buffer.Release();
      End(life, subject);
    });
    EXPECT_GT(updates, 0u);
    EXPECT_EQ(during > 0, !asked);
  }
}

}  // namespace
}  // namespace gmmu::os::test
