// SPDX-License-Identifier: Apache-2.0
// Tests how leaf tables change between 64 KiB and 4 KiB entries, as seen by the driver. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/residency.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

/// A leaf table is never converted back to 64 KiB entries: memory that is later mapped in 64 KiB
/// pages still uses 4 KiB entries.
TEST_F(Rule11Pages64k, SinglePteConversionIsOneWay) {
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t va = 0x10000000;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      data = Make(life, 32);
      life.vidmm.Map(*process, va, *data, 0, 32);
      EXPECT_EQ(process->space->tables_64k(), 1u);
      life.vidmm.Map(*process, va + 0x107000, *data, 7, 1);
      EXPECT_EQ(process->space->tables_64k(), 0u);
      life.vidmm.Map(*process, va, *data, 0, 32);
      EXPECT_EQ(process->space->tables_64k(), 0u);
      life.vidmm.Map(*process, va + 0x200000, *data, 0, 32);
      EXPECT_EQ(process->space->tables_64k(), 1u) << "the next leaf table is another one";
    });
    EXPECT_TRUE(Reads(life, process, va, 0, 32).passed);
    EXPECT_TRUE(Reads(life, process, va + 0x107000, 7, 1).passed);
    EXPECT_TRUE(Reads(life, process, va + 0x200000, 0, 32).passed);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

/// While a leaf table of a process is converted, the process's packets wait.
TEST_F(Rule11Pages64k, SinglePteConversionSuspendsTheContextsWritesLevel0ThenLevel1AndResumes) {
  enum Event { kSmall, kLink4k, kRender };
  std::vector<Event> events;
  bool converting = false;
  unsigned held = 0, link_again = 0;
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation *data = nullptr, *other = nullptr;
    const uint64_t va = 0x10000000, target = 0x20000000;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      data = Make(life, 32);
      other = Make(life, 32);
      life.vidmm.Map(*process, va, *data, 0, 32);
      life.vidmm.Map(*process, target, *other, 0, 32);
    });
    workload::RenderBuffer buffer(life, process, 4096);
    for (int i = 0; i < 16; ++i) buffer.Copy(va, target, 32 * kPage);
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || op.hProcess != process->handles.process) return;
      if (op.FirstPteVirtualAddress / 0x200000 != va / 0x200000) return;
      if (op.PageTableLevel == 0 && !op.Flags.Use64KBPages && link_again == 0) {
        events.push_back(kSmall);
        converting = true;
        held += life.adapter.vidsch().Holds(process->handles.context);
      }
      if (op.PageTableLevel == 1 && op.pPageTableEntries->PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_4KB) {
        events.push_back(kLink4k);
        ++link_again;
        converting = false;
        held += life.adapter.vidsch().Holds(process->handles.context);
      }
    };
    unsigned renders = 0;
    seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      if (args.Flags.Paging) return;
      ++renders;
      if (converting) events.push_back(kRender);
    };
    std::vector<PacketId> packets;
    for (int i = 0; i < 6; ++i) packets.push_back(buffer.Submit("copies"));
    EXPECT_GE(renders, 1u);
    EXPECT_TRUE(life.adapter.vidsch().Holds(process->handles.context)) << "packets run when the conversion begins";
    life.worker.Call([&] { life.vidmm.Map(*process, va + 0x107000, *data, 7, 1); });
    for (const PacketId packet : packets)
      EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kCompleted);
    EXPECT_TRUE(Reads(life, process, target, 0, 32).passed);
    EXPECT_TRUE(Reads(life, process, va, 0, 32).passed);
    built = nullptr;
    buffer.Release();
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyAllocation(other);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_EQ(held, 0u) << "suspended while entries change";
  EXPECT_EQ(link_again, 1u);
  ASSERT_THAT(events, SizeIs(::testing::Ge(3u)));
  EXPECT_EQ(events.back(), kLink4k) << "level 1 is the last";
  EXPECT_EQ(std::count(events.begin(), events.end(), kRender), 0);
}

/// The test keeps its own record of which 4 KiB entries are in use in each block.
TEST_F(Rule11Pages64kDual, DualPteExclusionHoldsAfterEveryUpdate) {
  std::map<uint64_t, uint16_t> small;
  std::map<uint64_t, bool> large;
  unsigned both = 0, large_updates = 0, without_array = 0;
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    constexpr uint64_t kVa = 0x10000000, kBlocks = 8;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      data = Make(life, 16 * kBlocks);
    });
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || op.hProcess != process->handles.process) return;
      without_array += op.PageTableLevel == 1 && op.pPageTableEntries64KB == nullptr;
      if (op.PageTableLevel != 0) return;
      for (UINT i = 0; i < op.NumPageTableEntries; ++i) {
        const DXGK_PTE& entry = op.pPageTableEntries[op.Flags.Repeat ? 0 : i];
        const uint64_t page = op.FirstPteVirtualAddress / kPage + (op.Flags.Use64KBPages ? 16 * i : i),
                       block = page / 16;
        const auto bit = static_cast<uint16_t>(1u << page % 16);
        if (op.Flags.Use64KBPages) large[block] = entry.Valid;
        else small[block] = static_cast<uint16_t>(entry.Valid ? small[block] | bit : small[block] & ~bit);
        large_updates += op.Flags.Use64KBPages && entry.Valid;
        both += large[block] && small[block] != 0;
      }
    };
    std::mt19937 random(7);
    std::vector<int64_t> expected(16 * kBlocks, -1);  // page of the allocation at each address, or -1
    for (int step = 0; step < 120; ++step) {
      const bool whole = random() % 2 == 0;
      const uint64_t first = whole ? random() % kBlocks * 16 : random() % (16 * kBlocks);
      const uint64_t most = 16 * kBlocks - first;
      const uint64_t pages = whole ? std::min<uint64_t>(most, (1 + random() % 3) * 16)
                                   : 1 + random() % std::min<uint64_t>(most, 20);
      const bool unmap = random() % 3 == 0;
      // The address and the page that it maps have the same offset within their blocks.
      const uint64_t in_block = first % 16;
      const uint64_t from = in_block + random() % ((16 * kBlocks - pages - in_block) / 16 + 1) * 16;
      life.worker.Call([&] {
        if (unmap) life.vidmm.Unmap(*process, kVa + first * kPage, pages);
        else life.vidmm.Map(*process, kVa + first * kPage, *data, from, pages);
      });
      for (uint64_t i = 0; i < pages; ++i) expected[first + i] = unmap ? -1 : static_cast<int64_t>(from + i);
      if (step % 10 != 9) continue;
      for (uint64_t page = 0; page < expected.size(); ++page) {
        if (expected[page] >= 0)
          ASSERT_TRUE(Reads(life, process, kVa + page * kPage, static_cast<uint64_t>(expected[page]), 1).passed)
              << step;
      }
    }
    built = nullptr;
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_EQ(both, 0u);
  EXPECT_EQ(without_array, 0u) << "level 1 passes both arrays";
  EXPECT_GT(large_updates, 50u);
}

/// First the 64 KiB entry is invalidated, then the 4 KiB entries become valid, and the level-1
/// entry is written last.
TEST_F(Rule11Pages64kDual, AMoveToMemoryWithout64KiBPagesEndsAtLevel1) {
  std::vector<std::string> events;
  const auto result = bench.RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation* data = Make(life, 16);
    SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 16 * kPage,
                        SystemBuffer::Shape::kScattered, "test");
    life.vidmm.Map(*process, 0x10000000, *data, 0, 16);
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_FLUSH_TLB && args.FlushTlb.hProcess == process->handles.process)
        events.push_back("flush");
      if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || op.hProcess != process->handles.process) return;
      events.push_back(std::to_string(op.PageTableLevel) + (op.Flags.Use64KBPages ? " 64K " : " 4K ") +
                       (op.PageTableLevel == 1 ? std::to_string(op.pPageTableEntries64KB->Valid) : "") +
                       std::to_string(op.pPageTableEntries->Valid));
    };
    life.vidmm.mappings().MapSystem(*process, 0x10000000, memory);
    built = nullptr;
    memory.Release();
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(events, ::testing::ElementsAre("0 64K 0", "flush", "0 4K 0", "0 4K 1", "1 4K 11", "flush", "flush"));
}

// A block that an unmap covers only partly is converted to 4 KiB entries; whole blocks are unmapped
// through their 64 KiB entries.
TEST_F(Rule11Pages64kDual, AnUnmapTakesWholeBlocksByTheirEntriesAndPartsOfBlocksByPages) {
  std::vector<std::string> events;
  const auto result = bench.RunOnWorker([&](Life& life) {
    constexpr uint64_t kVa = 0x10000000;
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation* data = Make(life, 64);
    life.vidmm.Map(*process, kVa, *data, 0, 64);
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || op.hProcess != process->handles.process) return;
      events.push_back(std::to_string(op.PageTableLevel) + (op.Flags.Use64KBPages ? " 64K " : " 4K ") +
                       std::to_string(op.StartIndex % 128) + "+" + std::to_string(op.NumPageTableEntries));
    };
    life.vidmm.Unmap(*process, kVa + 16 * kPage, 32);
    EXPECT_THAT(events, ::testing::ElementsAre("0 64K 1+2"));
    EXPECT_TRUE(Reads(life, process, kVa, 0, 16).passed);
    EXPECT_TRUE(Reads(life, process, kVa + 48 * kPage, 48, 16).passed);
    life.vidmm.Map(*process, kVa, *data, 0, 64);
    life.vidmm.Unmap(*process, kVa + 8 * kPage, 40);
    built = nullptr;
    EXPECT_EQ(events.back(), "1 4K 0+1") << "of a move level 1 is the last";
    EXPECT_TRUE(Reads(life, process, kVa, 0, 8).passed);
    EXPECT_TRUE(Reads(life, process, kVa + 48 * kPage, 48, 16).passed);
    EXPECT_FALSE(process->space->tree().leaves_64k().Any64k(kVa, 48));
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

// A 4 KiB page becomes resident in the range of a leaf table of 64 KiB entries, so the table must
// be converted. Another allocation is evicted to make room for the new table.
TEST_F(Rule11Pages64k, AConversionForWhatComesBackEvictsMoreWhenThereIsNoRoom) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    constexpr uint64_t kVa = 0x10000000, kOthers = 0x20000000;
    Residency& residency = life.vidmm.residency();
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation *blocks = Make(life, 16), *page = life.vidmm.CreateAllocation(LocalOnly("page", kPage));
    life.vidmm.Map(*process, kVa, *blocks, 0, 16);
    life.vidmm.Map(*process, kVa + 0x100000, *page, 0, 1);
    std::vector<Allocation*> others;
    while (residency.counts().evictions == 0) {
      others.push_back(life.vidmm.CreateAllocation(LocalOnly("other", 16 * kPage)));
      life.vidmm.Map(*process, kOthers + others.size() * kBytesOf64k, *others.back(), 0, 16);
      residency.MakeResident({others.back()});
    }
    residency.MakeResident({page});
    EXPECT_EQ(residency.counts().evictions, 3u) << "for the first that had no room, the page, and its table";
    EXPECT_FALSE(process->space->Is64k(kVa));
    life.vidmm.transfers().Fill(*page, 0, kPage, Word(3));
    EXPECT_TRUE(Reads(life, process, kVa, 0, 16).passed);
    EXPECT_TRUE(Reads(life, process, kVa + 0x100000, 3, 1).passed);
    others.insert(others.end(), {blocks, page});
    for (Allocation* one : others) life.vidmm.DestroyAllocation(one);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

// A 4 KiB page that requires a conversion becomes resident while the tables are evicted. The
// restore succeeds only when there is also room for the conversion.
TEST_F(Rule11Pages64k, WhatCameWhileTablesWereAwayIsMappedByTheRestoreThatFindsRoomForIt) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    constexpr uint64_t kVa = 0x10000000, kPageVa = kVa + 0x100000;
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation *blocks = Make(life, 16), *page = life.vidmm.CreateAllocation(LocalOnly("page", kPage));
    life.vidmm.Map(*process, kVa, *blocks, 0, 16);
    life.vidmm.Map(*process, kPageVa, *page, 0, 1);
    const size_t tables = process->space->tables();
    life.vidmm.tables().Evict(*process);
    life.vidmm.residency().MakeResident({page});
    life.vidmm.transfers().Fill(*page, 0, kPage, Word(3));
    RangeAllocator& vram = *life.adapter.local_segment().space;
    std::vector<uint64_t> taken;
    while (const auto offset = vram.Allocate(kPage, kPage, "test")) taken.push_back(*offset);
    size_t refused = 0;
    for (bool back = false; !back; ++refused) {
      try {
        life.vidmm.tables().Restore(*process);
        back = true;
      } catch (const NoRoom&) {
        ASSERT_FALSE(taken.empty());
        vram.Free(taken.back());
        taken.pop_back();
      }
    }
    EXPECT_GT(refused, tables) << "once for each, and for the table of 4 KiB entries";
    for (const uint64_t offset : taken) vram.Free(offset);
    EXPECT_TRUE(Reads(life, process, kPageVa, 3, 1).passed);
    EXPECT_TRUE(Reads(life, process, kVa, 0, 16).passed);
    for (Allocation* one : {blocks, page}) life.vidmm.DestroyAllocation(one);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Rule11Pages64k, VidMmsOwnStreamIsHeldAgainstTheOrder) {
  for (const bool dual : {false, true}) {
    for (const bool wrong : {false, true}) {
      bench.options.os.driver["DualPte"] = dual;
      bench.options.os.inject.table_order = wrong;
      const auto result = bench.RunOnWorker([&](Life& life) {
        GpuProcess* process = life.vidmm.CreateProcess("process");
        Allocation* data = Make(life, 16);
        life.vidmm.Map(*process, 0x10000000, *data, 0, 16);
        life.vidmm.Unmap(*process, 0x10001000, 1);
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
      if (!wrong) {
        EXPECT_EQ(FaultsOf(result), "");
        continue;
      }
      ASSERT_THAT(result.faults, SizeIs(::testing::Ge(1u)));
      EXPECT_THAT(result.faults[0].text, HasSubstr("VidMm breaks the order of 64 KiB pages"));
      EXPECT_THAT(result.faults[0].text,
                  HasSubstr(dual ? "for a block with a 64 KiB entry" : "before its entries are written"));
    }
  }
}

}  // namespace
}  // namespace gmmu::os::test
