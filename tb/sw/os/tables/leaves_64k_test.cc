// SPDX-License-Identifier: Apache-2.0
// Tests 64 KiB pages in VRAM, their page-table entries, and the windows through which they are
// transferred. The expected behaviour follows Microsoft's documentation; it has not been observed
// on Windows.
#include "os/tables/leaves_64k.h"

#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/residency.h"
#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

TEST_F(Pages64k, AllocationsHaveWholePagesOf64KiBInVram) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    for (const uint64_t pages : {1u, 17u, 100u}) {
      Allocation* data = Make(life, pages);
      for (uint64_t page = 0; page < pages; ++page)
        EXPECT_EQ(data->local->page(page), data->local->page(page / 16 * 16) + page % 16) << page;
      EXPECT_EQ(data->local->page(0) % 16, 0u);
      life.vidmm.DestroyAllocation(data);
    }
    // Fill VRAM. Fragments smaller than a 64 KiB page remain next to page tables.
    std::vector<Allocation*> all;
    do {
      all.push_back(life.vidmm.CreateAllocation("one more", 16 * kPage));
    } while (life.vidmm.placement().TryMakeResident(*all.back()));
    EXPECT_GT(life.adapter.local_segment().space->free_bytes(), 0u) << "there are such pieces";
    for (Allocation* one : all) {
      for (uint64_t page = 0; one->local && page < 16; ++page)
        EXPECT_EQ(one->local->page(page), one->local->page(0) / 16 * 16 + page);
      life.vidmm.DestroyAllocation(one);
    }
  });
  EXPECT_EQ(FaultsOf(result), "");
}

// The mapping crosses the end of a leaf table, so an update's first entry is not the allocation's first page.
TEST_F(Pages64k, AnEntryOf64KiBHasThePlaceOfItsBlockAndTheGpuReadsItThere) {
  constexpr uint64_t kVa = 0x101E0000, kBlocks = 7;
  for (const bool dual : {false, true}) {
    bench.options.os.driver["DualPte"] = dual;
    std::vector<unsigned> written(kBlocks);
    const auto result = bench.Run([&](Life& life) {
      Allocation* data = nullptr;
      GpuProcess* process = nullptr;
      life.worker.Call([&] {
        data = Make(life, kBlocks * kPagesOf64k);
        process = life.vidmm.CreateProcess("process");
        built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
          const auto& op = args.UpdatePageTable;
          if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || op.hProcess != process->handles.process) return;
          if (op.hAllocation != data->handle) return;
          EXPECT_TRUE(op.Flags.Use64KBPages);
          EXPECT_EQ(op.FirstPteVirtualAddress - kVa, op.AllocationOffsetInBytes);
          for (UINT i = 0; i < op.NumPageTableEntries; ++i) {
            const uint64_t block = op.AllocationOffsetInBytes / kBytesOf64k + i;
            ASSERT_LT(block, kBlocks);
            EXPECT_EQ(op.pPageTableEntries[op.Flags.Repeat ? 0 : i].PageAddress, data->local->page(block * kPagesOf64k))
                << block;
            ++written[block];
          }
        };
        life.vidmm.Map(*process, kVa, *data, 0, kBlocks * kPagesOf64k);
        built = nullptr;
      });
      EXPECT_TRUE(Reads(life, process, kVa, 0, kBlocks * kPagesOf64k).passed);
      life.worker.Call([&] {
        life.vidmm.DestroyProcess(process);
        life.vidmm.DestroyAllocation(data);
      });
    });
    built = nullptr;  // may still be set if the run failed
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_EQ(written, std::vector<unsigned>(kBlocks, 1));
  }
}

/// Returns an update of 4 KiB entries that starts at `va`.
TableUpdate Small(uint64_t va, std::vector<bool> used) {
  TableUpdate update;
  update.first_va = va;
  update.count = used.size();
  for (const bool one : used) {
    DXGK_PTE entry{};
    entry.Valid = one;
    update.entries.push_back(entry);
  }
  return update;
}

TEST(SmallPages, AreKnownByBlockUntilTheirLastEntryIsInvalid) {
  Geometry geometry;
  geometry.levels.resize(2);
  for (LevelDescriptor& level : geometry.levels) level.index_bits = 9;
  for (const bool dual : {true, false}) {
    geometry.dual = dual;
    SmallPages small(geometry);
    const auto blocks = [&] {
      std::vector<uint64_t> found;
      for (uint64_t block = 0; block < 96; ++block)
        if (small.AnyIn(block)) found.push_back(block);
      return found;
    };
    // The update covers the last page of block 2, all of block 3, and the first page of block 4.
    small.Note(Small(3 * kBytesOf64k - kPage, std::vector<bool>(18, true)));
    if (!dual) {
      EXPECT_THAT(blocks(), IsEmpty()) << "single entries of level 1 keep no account";
      small.NoteAll(1);
      EXPECT_THAT(blocks(), IsEmpty());
      continue;
    }
    EXPECT_THAT(blocks(), ElementsAre(2u, 3u, 4u));
    small.Note(Small(4 * kBytesOf64k, {false}));
    std::vector<bool> all_but_one(16, false);
    all_but_one[5] = true;
    small.Note(Small(3 * kBytesOf64k, all_but_one));
    EXPECT_THAT(blocks(), ElementsAre(2u, 3u)) << "one page of block 3 is left";
    TableUpdate rest = Small(3 * kBytesOf64k, {false});
    rest.repeat = true;
    rest.count = 16;
    small.Note(rest);
    EXPECT_THAT(blocks(), ElementsAre(2u));
    small.NoteAll(1);  // marks all 32 blocks of leaf table 1
    EXPECT_THAT(blocks(), SizeIs(33));
    EXPECT_TRUE(small.AnyIn(32) && small.AnyIn(63));
    small.Note(Small(64 * kBytesOf64k, {true}));
    small.Forget(1);
    EXPECT_THAT(blocks(), ElementsAre(2u, 64u));
    small.Clear();
    EXPECT_THAT(blocks(), IsEmpty());
  }
}

TEST_F(Pages64k, TransfersSayWhichSideHasPagesOf64KiB) {
  for (const bool large : {false, true}) {
    unsigned in = 0, out = 0, flags_in = 0, flags_out = 0;
    bench.options.os.driver["Leaf64k"] = large;
    const auto result = bench.RunOnWorker([&](Life& life) {
      Allocation* data = Make(life, 37);
      SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 37 * kPage,
                          SystemBuffer::Shape::kScattered, "test");
      built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return;
        const bool to_local = args.TransferVirtual.TransferDirection == DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;
        ++(to_local ? in : out);
        const auto& flags = args.TransferVirtual.Flags;
        (to_local ? flags_in : flags_out) = flags.Src64KBPages << 1 | flags.Dst64KBPages;
      };
      life.vidmm.transfers().PageOut(*data, memory, 37 * kPage);
      life.vidmm.transfers().Fill(*data, 0, 37 * kPage, 0);
      life.vidmm.transfers().PageIn(*data, memory, 37 * kPage);
      built = nullptr;
      life.vidmm.transfers().PageOut(*data, memory, 37 * kPage);
      const uint8_t* bytes = memory.Map(0, 37 * kPage);
      for (uint64_t page = 0; page < 37; ++page) {
        const uint32_t word = Word(page);
        EXPECT_EQ(std::memcmp(bytes + page * kPage + 4092, &word, 4), 0) << page;
      }
      memory.Unmap();
      memory.Release();
      life.vidmm.DestroyAllocation(data);
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_EQ(in, 1u);
    EXPECT_EQ(out, 1u);
    EXPECT_EQ(flags_in, large ? 1u : 0u) << "Dst64KBPages";
    EXPECT_EQ(flags_out, large ? 2u : 0u) << "Src64KBPages";
  }
}

// Each range is transferred through a window with the driver protection of its pages. The window
// begins at a whole 64 KiB page and maps that page with one entry.
TEST_F(Pages64k, PiecesWithADriverProtectionBeginInsideAPageOf64KiB) {
  constexpr uint64_t kUnique = D3DGPU_UNIQUE_DRIVER_PROTECTION, kVa = 0x10000000, kPages = 37;
  for (const bool dual : {false, true}) {
    bench.options.os.driver["DualPte"] = dual;
    using Piece = std::tuple<uint64_t, uint64_t, uint64_t, UINT64>;  // offset, size, offset in its block, protection
    std::vector<Piece> fills, outs, ins;
    unsigned small = 0;
    const auto result = bench.Run([&](Life& life) {
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      UINT64 last = 0;  // protection of the VRAM window
      const auto watch = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        const auto& op = args.UpdatePageTable;
        const auto& fill = args.FillVirtual;
        const auto& move = args.TransferVirtual;
        if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hProcess != process->handles.process &&
            op.hAllocation == data->handle && op.pPageTableEntries->Segment != 0) {
          last = op.DriverProtection;
          small += !op.Flags.Use64KBPages;
        }
        if (args.Operation == DXGK_OPERATION_VIRTUAL_FILL)
          fills.emplace_back(fill.AllocationOffsetInBytes, fill.FillSizeInBytes,
                             fill.DestinationVirtualAddress % kBytesOf64k, last);
        if (args.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return;
        const bool in = move.TransferDirection == DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;
        const uint64_t local = in ? move.DestinationVirtualAddress : move.SourceVirtualAddress;
        (in ? ins : outs)
            .emplace_back(move.AllocationOffsetInBytes, move.TransferSizeInBytes, local % kBytesOf64k, last);
      };
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        data = life.vidmm.CreateAllocation("data", kPages * kPage);
        const auto map = [&](uint64_t first, uint64_t pages, uint64_t protection) {
          Protection with = Protection::All();
          with.driver = protection;
          life.vidmm.Map(*process, kVa + first * kPage, *data, first, pages, with);
        };
        map(0, 1, kUnique | 5);
        map(1, 3, 7);  // not a unique protection, so windows ignore it
        map(20, 4, kUnique | 6);
        built = watch;
        Residency& residency = life.vidmm.residency();
        residency.MakeResident({data});
        built = nullptr;
        for (uint64_t page = 0; page < kPages; ++page)
          life.vidmm.transfers().Fill(*data, page * kPage, kPage, Word(page));
      });
      EXPECT_TRUE(Reads(life, process, kVa, 0, 4).passed);
      life.worker.Call([&] {
        SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), kPages * kPage,
                            SystemBuffer::Shape::kScattered, "test");
        built = watch;
        life.vidmm.transfers().PageOut(*data, memory, kPages * kPage);
        life.vidmm.transfers().PageIn(*data, memory, kPages * kPage);
        built = nullptr;
        const uint8_t* bytes = memory.Map(0, kPages * kPage);
        for (uint64_t page = 0; page < kPages; ++page) {
          const uint32_t word = Word(page);
          EXPECT_EQ(std::memcmp(bytes + page * kPage + 4092, &word, 4), 0) << page;
        }
        memory.Unmap();
        memory.Release();
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
    const std::vector<Piece> expected = {{0, kPage, 0, kUnique | 5},
                                         {kPage, 19 * kPage, kPage, 0},
                                         {20 * kPage, 4 * kPage, 4 * kPage, kUnique | 6},
                                         {24 * kPage, 13 * kPage, 8 * kPage, 0}};
    std::vector<Piece> filled = expected;  // fills cover whole 64 KiB pages
    filled.back() = {24 * kPage, 24 * kPage, 8 * kPage, 0};
    EXPECT_EQ(fills, filled);
    EXPECT_EQ(outs, expected);
    EXPECT_EQ(ins, expected);
    EXPECT_EQ(small, 0u) << "the windows of VRAM keep their pages of 64 KiB";
  }
}

}  // namespace
}  // namespace gmmu::os::test
