// SPDX-License-Identifier: Apache-2.0
// Tests linked adapters: sleep, bus silence, hangs, resets, and the driver's addresses and devices.
// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmd/escape.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/allocation.h"
#include "os/tables/address_space.h"
#include "os/tables/linked_tables.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/transfers.h"
#include "tb/sw/os/vidmm/vidmm_link_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::ClientRun;
using workload::Life;

void ExpectTheLeadsHandleAndAnIndex() {
  for (const uint64_t lead : {0u, 1u}) {
    LinkedBench bench;
    bench.options.os.driver["LeadAdapter"] = lead;
    const auto result = bench.Run([&](Life& life) {
      FrameBuffer& frame_buffer = life.dxgkrnl.frame_buffer();
      life.worker.Call([&] {
        for (UINT index = 0; index < 2; ++index) {
          DXGKARGCB_PINFRAMEBUFFERFORSAVE2 pin{};
          pin.PhysicalAdapterIndex = index;
          pin.CommitSize = kPage;
          EXPECT_EQ(frame_buffer.Pin2(life.adapter.physical(1 - lead).handle(), pin), STATUS_INVALID_PARAMETER);
          EXPECT_EQ(frame_buffer.Pin2(life.adapter.physical(lead).handle(), pin), STATUS_SUCCESS);
          frame_buffer.Unpin(life.adapter.physical(lead).handle(), {index});
        }
      });
    });
    ExpectGood(result);
  }
}
TEST(LinkedMemory, FrameBufferCallbacksTakeTheLeadsHandleAndAnIndex) { ExpectTheLeadsHandleAndAnIndex(); }
TEST(Rule11, OverALinkFrameBufferCallbacksTakeTheLeadsHandleAndAnIndex) { ExpectTheLeadsHandleAndAnIndex(); }

/// Adapter 0 saves four pages over a sleep, and adapter 1 saves two. `sections` are the section
/// sizes that the adapters report.
void ExpectSavedPartsSurvive(LinkedBench& bench, const std::vector<uint64_t>& sections) {
  bench.options.os.driver["Adapter1SaveAreaBytes"] = 2 * kPage;
  const auto result = bench.Run([&](Life& life) {
    EXPECT_EQ(life.adapter.lead().answers().save_areas, sections);
    std::vector<std::vector<uint8_t>> kept;
    std::vector<uint64_t> place;
    for (unsigned i = 0; i < 2; ++i) {
      PhysicalAdapter& gpu = life.adapter.physical(i);
      kmd::EscapeQuerySaveArea area;
      gpu.Escape(area, "the save area");
      EXPECT_EQ(area.bytes, i == 0 ? 4 * kPage : 2 * kPage);
      kept.push_back(workload::SeededInput(100 + i, area.bytes));
      place.push_back(gpu.function().bars[2].address + area.offset);
      life.kernel.hal().WriteBlock(place[i], kept[i].data(), kept[i].size());
    }
    life.power_cycle([] {});
    for (unsigned i = 0; i < 2; ++i) {
      std::vector<uint8_t> back(kept[i].size());
      life.kernel.hal().ReadBlock(place[i], back.data(), back.size());
      EXPECT_EQ(back, kept[i]) << "adapter " << i;
    }
  });
  ExpectGood(result);
}

TEST(LinkedMemory, EachAdaptersPartOfVramSurvivesSleepInASectionOfItsOwn) {
  LinkedBench bench;
  ExpectSavedPartsSurvive(bench, {4 * kPage, 2 * kPage});
}

/// Adapter 0 reports one section for both adapters. The section is pinned as a whole, and the
/// driver adds each adapter's offset.
TEST(LinkedMemory, OneSectionOfAdapter0ServesAllAtOffsetsOfTheirOwn) {
  for (const uint64_t lead : {0u, 1u}) {
    for (const uint64_t pin_failures : {0u, 4u}) {  // 4: all pins fail, so windows are used
      LinkedBench bench;
      bench.options.os.driver["SaveAreaShared"] = 1;
      bench.options.os.driver["LeadAdapter"] = lead;
      bench.options.os.inject.pin_failures = pin_failures;
      ExpectSavedPartsSurvive(bench, {6 * kPage, 0});
    }
  }
}

TEST(LinkedMemory, ExclusiveAccessSilencesEveryDeviceOfTheLink) {
  LinkedBench bench;
  bench.options.os.iommu = RemapPolicy::kNever;  // an IOMMU would block the noisy device
  bench.options.os.limit_bits = 40;
  bool held = false;
  const auto result = bench.Run([&](Life& life) {
    Shared shared(life, 0);
    constexpr uint64_t kPages = 256;
    SystemBuffer buffer;
    uint64_t va = 0;
    life.worker.Call([&] {
      buffer = SystemBuffer(life.kernel, life.adapter.objects(), life.adapter.handle(), kPages * kPage,
                            SystemBuffer::Shape::kScattered, "application");
      va = life.link.ReserveVa(*shared.process, kPages * kPage);
      life.link.on(1).mappings().MapSystem(*shared.process->parts[1], va, buffer);
    });
    const auto run = [&](const std::function<void()>& work) {
      life.worker.Call([&] { life.adapter.isolation().exclusive().Run("a test", work); });
    };
    // A client of GPU 1 is writing to system memory when exclusive access begins, so GPU 1 must
    // stop too.
    ClientRun writes;
    writes.process = shared.process->parts[1];
    writes.base = va;
    writes.order = workload::ShareOf(kPages * kPage / workload::kLine, 0, 1);
    writes.pattern = 9;
    writes.write = true;
    workload::ClientBatch busy(life.link.on(1), {writes}, "through exclusive access");
    run([] {});
    EXPECT_TRUE(busy.busy()) << "it was held";
    busy.Finish(life.result.checks);
    life.worker.Call([&] {
      life.link.UnmapEverywhere(*shared.process, va, kPages);
      life.link.FreeVa(*shared.process, va);
      buffer.Release();
    });
    EXPECT_EQ(life.adapter.miniport().calls("DxgkDdiBeginExclusiveAccess"), 1u) << "one call for the link";
    shared.End();
    held = true;
    run([&] {
      life.kernel.instruments()->StrayAccess(life.adapter.physical(1).function().bdf, hw::Stray::kRead, 0x1000);
    });
  });
  EXPECT_TRUE(held) << "both stood still the first time";
  EXPECT_THAT(FaultOf(result), AllOf(HasSubstr("02:00.0"), HasSubstr("was not silent")));
}

NTSTATUS CannotReset(HANDLE, DXGKARG_RESETENGINE*) { return STATUS_IO_TIMEOUT; }

Life* reset_life = nullptr;
std::vector<uint64_t> controls;  // value of register ctrl of each GPU after the adapter reset
NTSTATUS NoteReset(HANDLE context) {
  const NTSTATUS status = between.real.DxgkDdiResetFromTimeout(context);
  for (unsigned i = 0; i < reset_life->adapter.adapters(); ++i) {
    const uint64_t registers = reset_life->adapter.physical(i).function().bars[0].address;
    controls.push_back(reset_life->kernel.hal().Read(registers + regs::Ctrl::kOffset, 8));
  }
  return status;
}

TEST(LinkedMemory, AHangOfOneAdapterThatCannotBeResetAloneResetsTheWholeLink) {
  LinkedBench bench;
  bench.config.gpu.vram_mib = 4;
  bench.options.os.quantum_us = 20;
  bench.options.os.tdr_delay_us = 50;
  between.table = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiResetEngine = CannotReset;
    table.DxgkDdiResetFromTimeout = NoteReset;
  };
  controls.clear();
  const auto result = bench.Run([](Life& life) {
    reset_life = &life;
    constexpr uint64_t kPages = 1024;
    Shared guilty(life, 1, 1), innocent(life, 0, 1);
    uint64_t va = 0;
    life.worker.Call([&] {
      va = life.link.ReserveVa(*guilty.process, kPages * kPage);
      life.link.on(1).mappings().MapOnePage(*guilty.process->parts[1], va, *guilty.allocation, 0, kPages);
    });
    workload::RenderBuffer commands(life, guilty.process->parts[1], kPage);
    commands.Fill(va, kPages * kPage, 1);
    const PacketId packet = commands.Submit("an endless fill");
    EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kLost);
    life.kernel.scheduler().Wait([&] { return life.adapter.miniport().calls("DxgkDdiRestartFromTimeout") == 1; },
                                 1'000'000'000, "the restart", 1000);
    ASSERT_THAT(life.adapter.vidsch().recoveries(), SizeIs(1));
    const VidSch::Recovery& recovery = life.adapter.vidsch().recoveries()[0];
    EXPECT_EQ(recovery.kind, VidSch::Recovery::Kind::kAdapter);
    EXPECT_EQ(recovery.engine, 1u);
    EXPECT_EQ(controls, std::vector<uint64_t>(2)) << "no GPU touches memory";
    EXPECT_TRUE(guilty.process->parts[0]->handles.state->lost);
    EXPECT_TRUE(innocent.process->parts[0]->handles.state->lost) << "it never used GPU 1's engine";
    commands.Release();
    life.worker.Call([&] { life.link.FreeVa(*guilty.process, va); });
    guilty.End();
    innocent.End();
    workload::FindProcedure("linked")->run(life, {{"pages", 1}, {"sleep", 0}, {"tables", 0}});
  });
  ExpectGood(result);
}

TEST(LinkedMemory, AHangOfOneAdapterResetsItsEngineAndHarmsNobodyElse) {
  LinkedBench bench;
  bench.config.gpu.vram_mib = 4;
  bench.options.os.quantum_us = 20;
  bench.options.os.tdr_delay_us = 50;
  const auto result = bench.Run([](Life& life) {
    constexpr uint64_t kPages = 1024;
    Shared guilty(life, 1, 1), innocent(life, 0, 1);
    uint64_t va = 0;
    life.worker.Call([&] {
      va = life.link.ReserveVa(*guilty.process, kPages * kPage);
      life.link.on(1).mappings().MapOnePage(*guilty.process->parts[1], va, *guilty.allocation, 0, kPages);
    });
    workload::RenderBuffer commands(life, guilty.process->parts[1], kPage);
    commands.Fill(va, kPages * kPage, 1);
    EXPECT_EQ(life.adapter.vidsch().Wait(commands.Submit("an endless fill"), 1'000'000'000), PacketEnd::kLost);
    life.kernel.scheduler().Wait([&] { return !life.adapter.vidsch().recoveries().empty(); }, 1'000'000'000,
                                 "the recovery", 1000);
    EXPECT_EQ(life.adapter.vidsch().recoveries()[0].kind, VidSch::Recovery::Kind::kEngine);
    EXPECT_EQ(life.adapter.vidsch().recoveries()[0].engine, 1u);
    EXPECT_FALSE(innocent.process->parts[0]->handles.state->lost);
    innocent.RunClient(1, innocent.Client(1, true, 3), "the other process");
    commands.Release();
    life.worker.Call([&] { life.link.FreeVa(*guilty.process, va); });
    guilty.End();
    innocent.End();
  });
  ExpectGood(result);
}

// When the sleep begins, GPU 1 is filling GPU 0's memory. No fill may be lost, whichever GPU the
// sleep call names.
TEST(LinkedMemory, ProcessesLiveThroughTheSleepOfAllGpus) {
  for (const unsigned named : {0u, 2u}) {
    LinkedBench bench(3);
    bench.config.gpu.vram_mib = 4;
    const auto result = bench.Run([&](Life& life) {
      Shared shared(life, 0, 16), other(life, 2);
      other.RunClient(1, other.Client(1, true, 31), "written by a peer");
      workload::RenderBuffer fill(life, shared.process->parts[1], kPage);
      for (uint32_t i = 31; i-- > 0;)
        // The fills take a long time. The pattern of the last one must remain.
        fill.Fill(shared.va, 16 * kPage, 0x5C5C5C5C + i);
      std::vector<HANDLE> contexts;
      for (const GpuProcess* part : shared.process->parts) contexts.push_back(part->handles.context);
      life.worker.Call([&] {
        const PacketId packet = fill.Submit("a fill of a peer's memory");
        EXPECT_FALSE(life.adapter.vidsch().Ended(packet));
        life.link.on(named).Sleep();
        for (unsigned gpu = 0; gpu < 3; ++gpu)
          EXPECT_EQ(life.adapter.physical(gpu).local_segment().space->ranges(), 0u) << "adapter " << gpu;
        life.adapter.PowerDown(PowerActionSleep);
        life.adapter.PowerUp();
        life.link.on(named).Wake();
        EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kCompleted);
      });
      const std::vector<uint8_t> filled(16 * kPage, 0x5C);
      for (unsigned gpu = 0; gpu < 3; ++gpu) {
        EXPECT_EQ(shared.process->parts[gpu]->handles.context, contexts[gpu]);
        EXPECT_EQ(shared.process->parts[gpu]->space->root().SegmentOffset,
                  shared.process->parts[0]->space->root().SegmentOffset);
        workload::ClientRun run = workload::AllLines(shared.process->parts[gpu], shared.va, 16 * kPage);
        run.crc = workload::LineCrc(filled.data(), run.order);
        shared.RunClient(gpu, run, "awake, the fill, by adapter " + std::to_string(gpu));
        other.RunClient(gpu, other.Client(gpu, false, 31), "awake, by adapter " + std::to_string(gpu));
      }
      fill.Release();
      other.End();
      shared.End();
    });
    ExpectGood(result);
  }
}

// A process has one address space for all GPUs, in which the driver's range is reserved once. The
// range has page tables on every GPU.
TEST(LinkedMemory, AddressesThatTheDriverKeepsAreTheSameOnEveryGpu) {
  LinkedBench bench(2);
  bench.options.os.driver["DriverVaBytes"] = 3 << 20;
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    life.worker.Call([&] {
      kmd::EscapeQueryProcess query;
      query.process = reinterpret_cast<uint64_t>(shared.process->parts[0]->handles.process);
      life.adapter.lead().Escape(query, "the query of a process");
      EXPECT_EQ(query.bytes, 4u << 20) << "whole leaf tables";
      EXPECT_FALSE(shared.process->parts[0]->space->va().AllocateAt(query.va, kPage, "test")) << "nobody else's";
      for (GpuProcess* part : shared.process->parts) {
        for (uint64_t va = query.va; va < query.va + query.bytes; va += 2 << 20)
          EXPECT_NE(part->space->tree().Find(0, va), nullptr) << part->name;
      }
    });
    shared.RunClient(0, shared.Client(0, true, 51), "written by a peer");
    shared.RunClient(1, shared.Client(1, false, 51), "read");
    shared.End();
  });
  ExpectGood(result);
}

// Tests hDevice in DXGK_BUILDPAGINGBUFFER_*APERTURESEGMENT*. A linked process has one device,
// whichever GPU is named.
TEST(LinkedMemory, OperationsOnAnApertureNameTheDeviceThatOwnsTheAllocation) {
  LinkedBench bench(3);
  std::vector<std::pair<int, HANDLE>> named;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2)
      named.emplace_back(args.Operation, args.MapApertureSegment2.hDevice);
    if (args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
      named.emplace_back(args.Operation, args.UnmapApertureSegment.hDevice);
    return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
  };
  const auto result = bench.RunOnWorker([&](Life& life) {
    VidMmLink::Process* process = life.link.CreateProcess("process");
    const HANDLE device = process->parts[0]->handles.device;
    VidMm& vidmm = life.link.on(1);
    SystemBuffer buffer = vidmm.gpu().MakeBuffer(kPage);
    for (const GpuProcess* owner : process->parts) {
      Allocation* allocation = vidmm.allocations().CreateInAperture("data", kPage, owner);
      const uint64_t page = vidmm.aperture().Reserve(1);
      vidmm.aperture().Bind(page, 1, *allocation, buffer, 0);
      vidmm.aperture().Unbind(page, 1, *allocation);
      vidmm.aperture().Free(page);
      vidmm.DestroyAllocation(allocation);
    }
    buffer.Release();
    life.link.DestroyProcess(process);
    ASSERT_EQ(named.size(), 6u);
    for (const auto& [operation, handle] : named) EXPECT_EQ(handle, device) << "operation " << operation;
  });
  ExpectGood(result);
}

}  // namespace
}  // namespace gmmu::os::test
