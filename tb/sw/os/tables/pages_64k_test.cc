// SPDX-License-Identifier: Apache-2.0
// Pages of 64 KiB as VidMm chooses, converts and moves them, seen between it and the driver. Documents only, unless a
// comment says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "tb/sw/os/driver_front.h"
#include "os/dxgkrnl/adapter.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/memory/system_buffer.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/residency.h"
#include "workload/clients.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::ClientRun;
using workload::Life;

constexpr uint64_t kPage = hw::kPageSize;
std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> built;

class Pages64k : public DriverFront {
 protected:
  explicit Pages64k(bool dual = false) {
    built = nullptr;
    Watch([](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (built && args.MultipassOffset == 0) built(args);
    });
    bench.options.os.driver["Leaf64k"] = 1;
    bench.options.os.driver["DualPte"] = dual;
    bench.config.gpu.vram_mib = 8;
  }
  ~Pages64k() override { built = nullptr; }
  static uint32_t Word(uint64_t page) { return 0x77000000 + static_cast<uint32_t>(page); }
  static Allocation* Make(Life& life, uint64_t pages) {
    Allocation* made = life.vidmm.CreateAllocation("data", pages * kPage);
    life.vidmm.MakeResident(*made);
    for (uint64_t page = 0; page < pages; ++page) life.vidmm.Fill(*made, page * kPage, kPage, Word(page));
    return made;
  }
  /// Client 0 reads pages of an allocation of Make.
  static workload::Check Reads(Life& life, GpuProcess* process, uint64_t va, uint64_t first, uint64_t pages) {
    std::vector<uint8_t> expected(pages * kPage);
    for (size_t i = 0; i < expected.size(); i += 4) {
      const uint32_t word = Word(first + i / kPage);
      std::memcpy(&expected[i], &word, 4);
    }
    ClientRun run = workload::AllLines(process, va, pages * kPage);
    run.crc = workload::LineCrc(expected.data(), run.order);
    std::vector<workload::Check> checks;
    RunClients(life.vidmm, {run}, "pages", checks);
    return checks.at(0);
  }
};
class Rule11Pages64k : public Pages64k {};
class Rule11Pages64kDual : public Pages64k {
 protected:
  Rule11Pages64kDual() : Pages64k(true) {}
};

TEST_F(Pages64k, AreChosenWhenAddressSizeAndSegmentAllow) {
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
      Allocation* data = Make(life, 48);
      SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 16 * kPage,
                          SystemBuffer::Shape::kScattered, "test");
      const auto chosen = [&](const std::function<void(GpuProcess&)>& map, uint64_t va) {
        GpuProcess* process = life.vidmm.CreateProcess("process");
        map(*process);
        const bool large = process->space->Is64k(va);
        life.vidmm.DestroyProcess(process);
        return large;
      };
      const auto local = [&](uint64_t va, uint64_t first, uint64_t pages) {
        return chosen([&](auto& process) { life.vidmm.Map(process, va, *data, first, pages); }, va);
      };
      EXPECT_TRUE(local(0x10000000, 0, 16));
      EXPECT_TRUE(local(0x10010000, 16, 32));
      EXPECT_TRUE(local(0x101F0000, 0, 48)) << "over the end of a leaf table";
      EXPECT_FALSE(local(0x10001000, 0, 16)) << "address";
      EXPECT_FALSE(local(0x10000000, 0, 20)) << "size";
      Allocation* row = life.vidmm.CreateAllocation("row", 48 * kPage);
      row->contiguous = kPage;
      life.vidmm.MakeResident(*row);
      EXPECT_FALSE(chosen([&](auto& process) { life.vidmm.Map(process, 0x10000000, *row, 1, 16); }, 0x10000000))
          << "place in the segment";
      life.vidmm.DestroyAllocation(row);
      Mappings& mappings = life.vidmm.mappings();
      EXPECT_FALSE(chosen([&](auto& process) { mappings.MapSystem(process, 0x10000000, memory); }, 0x10000000));
      EXPECT_FALSE(
          chosen([&](auto& process) { mappings.MapOnePage(process, 0x10000000, *data, 0, 16); }, 0x10000000));
      memory.Release();
      life.vidmm.DestroyAllocation(data);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Pages64k, AllocationsHaveWholePagesOf64KiBInVram) {
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
      for (const uint64_t pages : {1u, 17u, 100u}) {
        Allocation* data = Make(life, pages);
        for (uint64_t page = 0; page < pages; ++page)
          EXPECT_EQ(data->local->page(page), data->local->page(page / 16 * 16) + page % 16) << page;
        EXPECT_EQ(data->local->page(0) % 16, 0u);
        life.vidmm.DestroyAllocation(data);
      }
      // Until nothing is left: pieces beside page tables are no pages of 64 KiB.
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
  });
  EXPECT_EQ(FaultsOf(result), "");
}

/// One way: what is mapped with 64 KiB afterwards stays at 4 KiB, and an update at level 1 never goes back.
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
      life.vidmm.Map(*process, va + 0x100000, *data, 7, 1);
      EXPECT_EQ(process->space->tables_64k(), 0u);
      life.vidmm.Map(*process, va, *data, 0, 32);
      EXPECT_EQ(process->space->tables_64k(), 0u);
      life.vidmm.Map(*process, va + 0x200000, *data, 0, 32);
      EXPECT_EQ(process->space->tables_64k(), 1u) << "the next leaf table is another one";
    });
    EXPECT_TRUE(Reads(life, process, va, 0, 32).passed);
    EXPECT_TRUE(Reads(life, process, va + 0x100000, 7, 1).passed);
    EXPECT_TRUE(Reads(life, process, va + 0x200000, 0, 32).passed);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

/// Packets of the process run and wait while its leaf table is converted.
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
    life.worker.Call([&] { life.vidmm.Map(*process, va + 0x100000, *data, 7, 1); });
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

/// A shadow of its own: which entries of a block are in use.
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
    std::vector<int64_t> expected(16 * kBlocks, -1);  // page of the allocation at each address
    for (int step = 0; step < 120; ++step) {
      const bool whole = random() % 2 == 0;
      const uint64_t first = whole ? random() % kBlocks * 16 : random() % (16 * kBlocks);
      const uint64_t most = 16 * kBlocks - first;
      const uint64_t pages =
          whole ? std::min<uint64_t>(most, (1 + random() % 3) * 16) : 1 + random() % std::min<uint64_t>(most, 20);
      const bool unmap = random() % 3 == 0;
      const uint64_t from = whole ? random() % (kBlocks - pages / 16 + 1) * 16 : random() % (16 * kBlocks - pages + 1);
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

/// The 64 KiB entry becomes invalid, the 4 KiB ones valid, level 1 is last.
TEST_F(Rule11Pages64kDual, AMoveToMemoryWithout64KiBPagesEndsAtLevel1) {
  std::vector<std::string> events;
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
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
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(events, ::testing::ElementsAre("0 64K 0", "flush", "0 4K 0", "0 4K 1", "1 4K 11", "flush", "flush"));
}

// Either kind of level 1: whole blocks become invalid as such, so that an eviction takes no memory itself.
TEST_F(Pages64k, AreEvictedWhenVideoMemoryIsFull) {
  for (const bool dual : {false, true}) {
    bench.options.os.driver["DualPte"] = dual;
    const auto result = bench.Run([&](Life& life) {
      life.worker.Call([&] {
        constexpr uint64_t kVa = 0x10000000, kSize = 1 << 20;
        Residency residency(life.vidmm);
        GpuProcess* process = life.vidmm.CreateProcess("process");
        std::vector<Allocation*> all;
        for (uint64_t i = 0; i < 10; ++i) {
          all.push_back(life.vidmm.CreateAllocation(std::to_string(i), kSize));
          life.vidmm.Map(*process, kVa + i * kSize, *all[i], 0, kSize / kPage);
          residency.MakeResident({all[i]});
          EXPECT_TRUE(process->space->Is64k(kVa + i * kSize));
          for (uint64_t page = 0; page < 16; ++page) life.vidmm.Fill(*all[i], page * kPage, kPage, Word(page));
        }
        EXPECT_GT(residency.counts().evictions, 1u) << "not all of them fit";
        std::vector<Allocation*> rest;
        do {
          rest.push_back(life.vidmm.CreateAllocation("rest", 16 * kPage));
        } while (life.vidmm.placement().TryMakeResident(*rest.back()));
        const size_t tables = process->space->tables();
        for (Allocation* one : all) residency.Evict(*one);
        EXPECT_EQ(process->space->tables(), tables) << "an eviction makes no table";
        EXPECT_EQ(process->space->Any64k(kVa, 10 * kSize / kPage), !dual) << "a single table keeps its kind";
        for (uint64_t i = 0; i < all.size(); ++i) {
          residency.MakeResident({all[i]});
          EXPECT_TRUE(Reads(life, process, kVa + i * kSize, 0, 16).passed) << i;
        }
        for (Allocation* one : all) {
          residency.Drop(*one);
          life.vidmm.DestroyAllocation(one);
        }
        for (Allocation* one : rest) life.vidmm.DestroyAllocation(one);
        life.vidmm.DestroyProcess(process);
      });
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
  }
}

// What begins or ends inside a block takes the block to 4 KiB entries; whole blocks beside it go by their own entries.
TEST_F(Rule11Pages64kDual, AnUnmapTakesWholeBlocksByTheirEntriesAndPartsOfBlocksByPages) {
  std::vector<std::string> events;
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
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
      EXPECT_FALSE(process->space->Any64k(kVa, 48));
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

// A page that comes back between blocks of 64 KiB takes a leaf table of 4 KiB entries, and another allocation leaves
// for it.
TEST_F(Rule11Pages64k, AConversionForWhatComesBackEvictsMoreWhenThereIsNoRoom) {
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
      constexpr uint64_t kVa = 0x10000000, kOthers = 0x20000000;
      Residency residency(life.vidmm);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation *blocks = Make(life, 16), *page = life.vidmm.CreateAllocation("page", kPage);
      life.vidmm.Map(*process, kVa, *blocks, 0, 16);
      life.vidmm.Map(*process, kVa + 0x100000, *page, 0, 1);
      std::vector<Allocation*> others;
      while (residency.counts().evictions == 0) {
        others.push_back(life.vidmm.CreateAllocation("other", 16 * kPage));
        life.vidmm.Map(*process, kOthers + others.size() * kBytesOf64k, *others.back(), 0, 16);
        residency.MakeResident({others.back()});
      }
      residency.MakeResident({page});
      EXPECT_EQ(residency.counts().evictions, 3u) << "for the first that had no room, the page, and its table";
      EXPECT_FALSE(process->space->Is64k(kVa));
      life.vidmm.Fill(*page, 0, kPage, Word(3));
      EXPECT_TRUE(Reads(life, process, kVa, 0, 16).passed);
      EXPECT_TRUE(Reads(life, process, kVa + 0x100000, 3, 1).passed);
      others.insert(others.end(), {blocks, page});
      for (Allocation* one : others) {
        residency.Drop(*one);
        life.vidmm.DestroyAllocation(one);
      }
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Rule11Pages64k, VidMmsOwnStreamIsHeldAgainstTheOrder) {
  for (const bool dual : {false, true}) {
    for (const bool wrong : {false, true}) {
      bench.options.os.driver["DualPte"] = dual;
      bench.options.os.inject.table_order = wrong;
      const auto result = bench.Run([&](Life& life) {
        life.worker.Call([&] {
          GpuProcess* process = life.vidmm.CreateProcess("process");
          Allocation* data = Make(life, 16);
          life.vidmm.Map(*process, 0x10000000, *data, 0, 16);
          life.vidmm.Unmap(*process, 0x10001000, 1);
          life.vidmm.DestroyAllocation(data);
          life.vidmm.DestroyProcess(process);
        });
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

TEST_F(Pages64k, TransfersSayWhichSideHasPagesOf64KiB) {
  for (const bool large : {false, true}) {
    unsigned in = 0, out = 0, flags_in = 0, flags_out = 0;
    bench.options.os.driver["Leaf64k"] = large;
    const auto result = bench.Run([&](Life& life) {
      life.worker.Call([&] {
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
        life.vidmm.PageOut(*data, memory, 37 * kPage, nullptr);
        life.vidmm.Fill(*data, 0, 37 * kPage, 0);
        life.vidmm.PageIn(*data, memory, 37 * kPage, nullptr);
        built = nullptr;
        life.vidmm.PageOut(*data, memory, 37 * kPage, nullptr);
        const uint8_t* bytes = memory.Map(0, 37 * kPage);
        for (uint64_t page = 0; page < 37; ++page) {
          const uint32_t word = Word(page);
          EXPECT_EQ(std::memcmp(bytes + page * kPage + 4092, &word, 4), 0) << page;
        }
        memory.Unmap();
        memory.Release();
        life.vidmm.DestroyAllocation(data);
      });
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_EQ(in, 1u);
    EXPECT_EQ(out, 1u);
    EXPECT_EQ(flags_in, large ? 1u : 0u) << "Dst64KBPages";
    EXPECT_EQ(flags_out, large ? 2u : 0u) << "Src64KBPages";
  }
}

// Each piece has the protection of its pages; the window begins with a whole page of 64 KiB and is mapped by one.
TEST_F(Pages64k, PiecesWithADriverProtectionBeginInsideAPageOf64KiB) {
  constexpr uint64_t kUnique = D3DGPU_UNIQUE_DRIVER_PROTECTION, kVa = 0x10000000, kPages = 37;
  for (const bool dual : {false, true}) {
    bench.options.os.driver["DualPte"] = dual;
    using Piece = std::tuple<uint64_t, uint64_t, uint64_t, UINT64>;  // offset, size, place in its block, protection
    std::vector<Piece> fills, outs, ins;
    unsigned small = 0;
    const auto result = bench.Run([&](Life& life) {
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      UINT64 last = 0;  // protection of the window of VRAM
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
        map(1, 3, 7);  // not unique: nothing in the windows
        map(20, 4, kUnique | 6);
        built = watch;
        Residency residency(life.vidmm);
        residency.MakeResident({data});
        built = nullptr;
        for (uint64_t page = 0; page < kPages; ++page) life.vidmm.Fill(*data, page * kPage, kPage, Word(page));
      });
      EXPECT_TRUE(Reads(life, process, kVa, 0, 4).passed);
      life.worker.Call([&] {
        SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), kPages * kPage,
                            SystemBuffer::Shape::kScattered, "test");
        built = watch;
        life.vidmm.PageOut(*data, memory, kPages * kPage, nullptr);
        life.vidmm.PageIn(*data, memory, kPages * kPage, nullptr);
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
    EXPECT_EQ(fills, expected);
    EXPECT_EQ(outs, expected);
    EXPECT_EQ(ins, expected);
    EXPECT_EQ(small, 0u) << "the windows of VRAM keep their pages of 64 KiB";
  }
}

// The documents speak of 64 KiB management only: os.system_64k_mapped.
TEST_F(Pages64k, SystemMemoryHasThemWhenTheCapAndTheReadingOfItSaySo) {
  struct Case {
    bool cap, mapped, expected;
  };
  for (const Case& each : {Case{false, true, false}, Case{true, false, false}, Case{true, true, true}}) {
    bench.options.os.driver["System64k"] = each.cap;
    bench.options.os.open.system_64k_mapped = each.mapped;
    const auto result = bench.Run([&](Life& life) {
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 2 << 20,
                          SystemBuffer::Shape::kScattered, "test");
      const uint64_t first = (16 - memory.page(0) % 16) % 16;  // aligned for the device
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        data = Make(life, 32);
        life.vidmm.PageOut(*data, memory, 32 * kPage, nullptr);
        life.vidmm.mappings().MapSystem(*process, 0x10000000, memory, first, 16);
        EXPECT_EQ(process->space->Is64k(0x10000000), each.expected);
      });
      EXPECT_TRUE(Reads(life, process, 0x10000000, first, 16).passed);
      life.worker.Call([&] {
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
      memory.Release();
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
  }
}

}  // namespace
}  // namespace gmmu::os::test
