// SPDX-License-Identifier: Apache-2.0
// Tests when root tables grow, and when the hardware receives a new root. Unless a comment names a
// Windows build, the expected behaviour follows Microsoft's documentation; it has not been observed
// on Windows.
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/processes.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

TEST_F(TableLife, ARootThatFindsNoRoomLeavesTheOldOneWithItsNumberOfEntries) {
  TwoLevels();
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    const auto tell = [&] {
      life.adapter.lead().SetRootPageTable(process->handles.context, process->space->root(),
                                           process->space->root_entries());
    };
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1);
      data = Filled(life, 1, 0x500);
      life.vidmm.Map(*process, 3 * unit, *data, 0, 1);
      ASSERT_EQ(process->space->root_entries(), 512u);
      Allocation* rest = TakeAllBut(life, 1);
      EXPECT_THROW(life.vidmm.tables().ReplaceRoot(*process, 1024), NoRoom);
      EXPECT_EQ(process->space->root_entries(), 512u);
      tell();
      life.vidmm.DestroyAllocation(rest);
    });
    Reads(life, process, 3 * unit, {0x500});
    Faults(life, process, 600 * unit, regs::Fault::kRootBound);
    life.worker.Call([&] { life.vidmm.tables().ReplaceRoot(*process, 1024); });
    Reads(life, process, 3 * unit, {0x500});
    Faults(life, process, 600 * unit, regs::Fault::kEntryInvalid);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(TableLife, ARootShrinksWhenItsUpperHalfIsFree) {
  TwoLevels();
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1);
      data = Filled(life, 1, 0x700);
      life.vidmm.Map(*process, 3 * unit, *data, 0, 1);
      const uint64_t va = life.vidmm.ReserveVa(*process, unit, 600 * unit);
      life.vidmm.Map(*process, va, *data, 0, 1);
      EXPECT_EQ(process->space->root_entries(), 1024u);
      life.vidmm.mappings().UnmapAndFreeTables(*process, va, unit / hw::kPageSize);
      EXPECT_EQ(process->space->root_entries(), 1024u) << "its addresses are reserved";
      life.vidmm.FreeVa(*process, va);
      EXPECT_EQ(process->space->root_entries(), 512u);
    });
    Reads(life, process, 3 * unit, {0x700});
    Faults(life, process, 600 * unit, regs::Fault::kRootBound);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(TableLife, ARootGrowsWithTheAddressesThatAreMapped) {
  TwoLevels();
  std::vector<UINT> told;
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1);
      data = Filled(life, 4, 0x600);
      life.vidmm.Map(*process, 3 * unit, *data, 0, 4);
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE& args) { told.push_back(args.NumEntries); };
      life.vidmm.Unmap(*process, 600 * unit, 4);
      EXPECT_EQ(process->space->root_entries(), 512u) << "nothing is mapped beyond it";
      life.vidmm.Map(*process, 600 * unit, *data, 2, 2);
      EXPECT_EQ(process->space->root_entries(), 1024u);
      life.vidmm.mappings().MapZero(*process, 1500 * unit, 600 * unit / kPage);
      EXPECT_EQ(process->space->root_entries(), 2560u) << "as many pages of entries as it takes";
    });
    EXPECT_EQ(told.back(), 2560u);
    Reads(life, process, 3 * unit, Pages(0x600, 4));
    Reads(life, process, 600 * unit, Pages(0x602, 2));
    Reads(life, process, 1500 * unit, {0});
    Reads(life, process, 2100 * unit - kPage, {0});
    Faults(life, process, 2100 * unit, regs::Fault::kEntryInvalid);
    Faults(life, process, 2560 * unit, regs::Fault::kRootBound);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

// With two levels, DXGK_PAGE_TABLE_LEVEL_DESC states the index bits and the size of the initial
// root. Both may be 0.
TEST_F(TableLife, ARootWithoutBitsInItsDescriptorStartsSmallAndReachesAllAddresses) {
  TwoLevels();
  for (const UINT bits : {0u, 10u}) {
    seen.answer = [&](const DXGKARG_QUERYADAPTERINFO& args) {
      if (args.Type != DXGKQAITYPE_PAGETABLELEVELDESC) return;
      if (static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(args.pInputData)->LevelIndex != 1) return;
      auto* desc = static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(args.pOutputData);
      desc->PageTableIndexBitCount = bits;
      desc->PageTableSizeInBytes = bits == 0 ? 0 : 8u << bits;
    };
    Run([&](Life& life) {
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        EXPECT_EQ(process->space->root_entries(), bits == 0 ? 512u : 1024u);
        data = Filled(life, 1, 0x800);
        life.vidmm.Map(*process, 8191 * unit, *data, 0, 1);
        EXPECT_EQ(process->space->root_entries(), 8192u);
      });
      Reads(life, process, 8191 * unit, {0x800});
      life.worker.Call([&] {
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    });
  }
}

TEST_F(TableLife, ARootGrowsWhileTheContextIsSuspendedWhetherThereIsRoomOrNot) {
  TwoLevels();
  Run([&](Life& life) {
    Subject subject;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    life.worker.Call([&] {
      subject.process = life.vidmm.CreateProcess("process", 1);
      subject.data = Filled(life, 20, 0x700);
      // This range is beyond the current root.
      subject.va = life.vidmm.ReserveVa(*subject.process, 7680 * unit, 512 * unit);
      life.vidmm.Map(*subject.process, 3 * unit, *subject.data, 0, 20);
    });
    workload::RenderBuffer buffer(life, subject.process, kPage);
    for (int i = 0; i < 8; ++i) buffer.Copy(3 * unit, 3 * unit + 10 * kPage, 8 * kPage);
    life.worker.Call([&] {
      VidSch& vidsch = life.adapter.vidsch();
      unsigned told = 0;
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE&) {
        ++told;
        EXPECT_FALSE(vidsch.Holds(subject.process->handles.context));
      };
      const PacketId running = buffer.Submit("copies");
      EXPECT_TRUE(vidsch.Holds(subject.process->handles.context));
      life.vidmm.Map(*subject.process, 600 * unit, *subject.data, 0, 4);
      EXPECT_EQ(told, 1u);
      EXPECT_EQ(vidsch.Wait(running, 100'000'000), PacketEnd::kCompleted);
      Allocation* rest = TakeAllBut(life, 0);
      EXPECT_THROW(life.vidmm.Map(*subject.process, 1200 * unit, *subject.data, 0, 4), NoRoom);
      EXPECT_EQ(subject.process->space->root_entries(), 1024u);
      life.vidmm.DestroyAllocation(rest);
      EXPECT_EQ(vidsch.Wait(buffer.Submit("again"), 100'000'000), PacketEnd::kCompleted);
      seen.root = nullptr;
    });
    Reads(life, subject.process, 600 * unit, Pages(0x700, 4));
    buffer.Release();
    End(life, subject);
  });
}

// Observed on Windows build 22621: a process gets no root before its first context.
TEST_F(TableLife, AProcessWithoutContextGetsNoRootUntilItHasOne) {
  unsigned roots = 0;
  RunOnWorker([&](Life& life) {
    seen.root = [&](const DXGKARG_SETROOTPAGETABLE&) { ++roots; };
    GpuProcess* process = life.vidmm.CreateProcess("process", 0, false);
    Allocation* data = Filled(life, 1, 1);
    const uint64_t va = life.vidmm.ReserveVa(*process, kPage);
    life.vidmm.Map(*process, va, *data, 0, 1);
    EXPECT_EQ(roots, 0u);
    life.vidmm.processes().CreateContext(*process);
    EXPECT_EQ(roots, 1u);
    Reads(life, process, va, {1});
    life.vidmm.FreeVa(*process, va);
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
    GpuProcess* never = life.vidmm.CreateProcess("without context", 0, false);
    life.vidmm.DestroyProcess(never);
  });
  EXPECT_EQ(roots, 1u);
}

// Observed on Windows build 22621: SetRootPageTable is called before every render packet. A switch
// selects this.
TEST_F(TableLife, TheRootIsSetBeforeEveryRenderPacketWhenTheSystemDoesSo) {
  for (const bool before : {false, true}) {
    bench.options.os.root_before_submission = before;
    std::vector<char> order;
    Run([&](Life& life) {
      Subject subject = Make(life);
      workload::RenderBuffer buffer(life, subject.process, kPage);
      buffer.Fill(subject.va, 64, 1);
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE&) { order.push_back('r'); };
      seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
        if (!args.Flags.Paging) order.push_back('s');
      };
      life.worker.Call([&] {
        for (int i = 0; i < 3; ++i) life.adapter.vidsch().Wait(buffer.Submit("a fill"), 100'000'000);
      });
      seen.root = nullptr;
      seen.submission = nullptr;
      buffer.Release();
      End(life, subject);
    });
    EXPECT_EQ(std::string(order.begin(), order.end()), before ? "rsrsrs" : "sss");
  }
}

}  // namespace
}  // namespace gmmu::os::test
