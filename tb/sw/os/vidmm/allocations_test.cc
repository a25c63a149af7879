// SPDX-License-Identifier: Apache-2.0
// Tests the size of an allocation (the driver's size, rounded up to whole pages of its segment) and
// its destruction (every entry that maps it becomes invalid). Unless a comment names a Windows
// build, the expected behaviour follows Microsoft's documentation; it has not been observed on
// Windows.
#include "os/vidmm/allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "os/base/page_math.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using workload::Life;

/// The built-in driver, with modified results of DxgkDdiCreateAllocation.
class AllocationAnswer : public DriverFront {
 protected:
  AllocationAnswer() {
    between = {};
    between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateAllocation = Create; };
    bench.options.driver = os::Entry;
    bench.config.gpu.vram_mib = 8;
  }
  ~AllocationAnswer() override {
    between = {};
    change = nullptr;
  }
  static inline std::function<void(DXGK_ALLOCATIONINFO&)> change;

 private:
  static NTSTATUS Create(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
    const NTSTATUS status = between.real.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; NT_SUCCESS(status) && change && i < args->NumAllocations; ++i) change(args->pAllocationInfo[i]);
    return status;
  }
};

// Sizes and offsets above 2 GiB must not be truncated in any structure.
TEST_F(AllocationAnswer, OfThreeGiBIsMappedAndWrittenAtItsEnds) {
  constexpr uint64_t kBytes = (uint64_t{3} << 30) + 1;
  bench.config.gpu.vram_mib = 4096;
  const auto result = Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* huge = nullptr;
    uint64_t va = 0, pages = 0;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      huge = life.vidmm.CreateAllocation("huge", kBytes);
      pages = huge->bytes / kPage;
      life.vidmm.MakeResident(*huge);
      va = life.vidmm.ReserveVa(*process, huge->bytes);
      life.vidmm.Map(*process, va, *huge, 0, pages);
      life.vidmm.transfers().Fill(*huge, 0, kPage, 0x01010101);
      life.vidmm.transfers().Fill(*huge, huge->bytes - kPage, kPage, 0x02020202);
    });
    EXPECT_EQ(pages, (kBytes - 1) / kPage + 1);
    Reads(life, process, va, {0x01010101});
    Reads(life, process, va + (pages - 1) * kPage, {0x02020202});
    life.worker.Call([&] {
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(huge);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_TRUE(result.verified);
}

TEST_F(AllocationAnswer, OfASizeIsWhatTheAllocationHas) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  RunOnWorker([&](Life& life) {
    RangeAllocator& vram = *life.adapter.local_segment().space;
    for (int i = 0; i < 20; ++i) {
      const uint64_t asked = 1 + random() % 300'000, more = i == 0 ? 1 : random() % (2 << 20);
      const uint64_t size = RoundUp(asked, kPage) + more;
      change = [&](DXGK_ALLOCATIONINFO& info) { info.Size = size; };
      const uint64_t free = vram.free_bytes();
      Allocation* data = life.vidmm.CreateAllocation("data", asked);
      life.vidmm.MakeResident(*data);
      EXPECT_EQ(data->bytes, RoundUp(size, kPage)) << asked;
      EXPECT_EQ(free - vram.free_bytes(), data->bytes);
      life.vidmm.transfers().Fill(*data, data->bytes - kPage, kPage,
                                  0x77);  // the last page must be part of the allocation
      life.vidmm.DestroyAllocation(data);
    }
  });
}

TEST_F(AllocationAnswer, OfASizeThatVramLacksEndsTheMainJob) {
  change = [](DXGK_ALLOCATIONINFO& info) { info.Size *= 1024; };
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 100'000); });
  EXPECT_FALSE(result.verified);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_THAT(result.faults[0].text, HasSubstr("no room in VRAM"));
}

TEST_F(AllocationAnswer, OfALargerSizeIsVerified) {
  change = [](DXGK_ALLOCATIONINFO& info) { info.Size += 100'001; };
  MainJobIsVerified();
}

TEST_F(AllocationAnswer, OfAnySizeIsRefusedWhereNoAddressSpaceHasIt) {
  RunOnWorker([&](Life& life) {
    change = [](DXGK_ALLOCATIONINFO& info) { info.Size = ~SIZE_T{0}; };
    try {
      life.vidmm.CreateAllocation("data", 1);
      ADD_FAILURE() << "no refusal";
    } catch (const OsError& error) {
      EXPECT_THAT(error.what(), HasSubstr("DXGK_ALLOCATIONINFO.Size is 0xffffffffffffffff"));
    }
  });
}

// According to the GPU virtual address documentation ("physical page size"), the system determines
// the size and alignment of all allocations.
TEST_F(AllocationAnswer, OfAnySizeAndAlignmentBecomesWholePagesOf64KiB) {
  bench.options.os.driver["Leaf64k"] = 1;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    for (const uint64_t pages : {1, 16, 21, 47}) {
      for (const UINT alignment : {0u, 512u, 4096u, 65536u}) {
        change = [&](DXGK_ALLOCATIONINFO& info) {
          info.Alignment = alignment;
          info.Size = pages * kPage;
        };
        Allocation* data = life.vidmm.CreateAllocation("data", pages * kPage);
        EXPECT_EQ(data->bytes, RoundUp(pages, 16) * kPage) << alignment;
        life.vidmm.MakeResident(*data);
        const uint64_t va = life.vidmm.ReserveVa(*process, data->bytes);
        life.vidmm.Map(*process, va, *data, 0, PagesOf(data->bytes));
        for (uint64_t at = va; at < va + data->bytes; at += 16 * kPage) EXPECT_TRUE(process->space->Is64k(at)) << pages;
        life.vidmm.FreeVa(*process, va);
        life.vidmm.DestroyAllocation(data);
      }
    }
    life.vidmm.DestroyProcess(process);
  });
}

// After an allocation is destroyed, no process that had mapped it may read its former pages,
// whatever they now contain.
TEST_F(TableLife, ADestroyedAllocationIsSeenByNoProcess) {
  RunOnWorker([](Life& life) {
    GpuProcess* owner = life.vidmm.CreateProcess("owner");
    GpuProcess* other = life.vidmm.CreateProcess("other");
    Allocation* data = Filled(life, 4, 0x100);
    Allocation* beside = Filled(life, 1, 0x200);
    const uint64_t va = life.vidmm.ReserveVa(*owner, 6 * kPage), second = life.vidmm.ReserveVa(*other, 4 * kPage);
    life.vidmm.Map(*owner, va, *data, 0, 4);
    life.vidmm.Map(*owner, va + 4 * kPage, *beside, 0, 1);
    life.vidmm.mappings().MapOnePage(*owner, va + 5 * kPage, *data, 3, 1);
    life.vidmm.Map(*other, second, *data, 0, 4);
    Reads(life, owner, va, {0x100, 0x101, 0x102, 0x103, 0x200, 0x103});
    life.vidmm.DestroyAllocation(data);
    std::vector<Allocation*> all;
    do {
      all.push_back(life.vidmm.CreateAllocation("one more", 16 * kPage));
    } while (life.vidmm.placement().TryMakeResident(*all.back()));
    for (const uint64_t page : {0, 3, 5}) Faults(life, owner, va + page * kPage, regs::Fault::kEntryInvalid);
    Reads(life, owner, va + 4 * kPage, {0x200});
    Faults(life, other, second + kPage, regs::Fault::kEntryInvalid);
    for (Allocation* one : all) life.vidmm.DestroyAllocation(one);
    life.vidmm.DestroyAllocation(beside);
    for (const auto& [process, address] : {std::pair(owner, va), std::pair(other, second)}) {
      life.vidmm.FreeVa(*process, address);
      life.vidmm.DestroyProcess(process);
    }
  });
}

// No entries need to be invalidated if an allocation was never resident, is evicted, or is not
// mapped.
TEST_F(TableLife, NothingIsSentForADestroyedAllocationThatNothingLeadsTo) {
  RunOnWorker([](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    const uint64_t va = life.vidmm.ReserveVa(*process, 4 * kPage);
    Allocation* unmapped = Filled(life, 1, 0x100);
    Allocation* away = life.vidmm.CreateAllocation("away", 2 * kPage);
    Allocation* replaced = Filled(life, 2, 0x200);
    life.vidmm.Map(*process, va, *away, 0, 2);
    life.vidmm.Map(*process, va + 2 * kPage, *replaced, 0, 2);
    life.vidmm.mappings().MapZero(*process, va + 2 * kPage, 2);
    const uint64_t before = life.vidmm.work().queue().operations();
    for (Allocation* allocation : {unmapped, away, replaced}) life.vidmm.DestroyAllocation(allocation);
    EXPECT_EQ(life.vidmm.work().queue().operations(), before);
    Reads(life, process, va + 2 * kPage, {0, 0});
    life.vidmm.FreeVa(*process, va);
    life.vidmm.DestroyProcess(process);
  });
}

// Observed on Windows build 22621: a system worker calls DestroyAllocation at a later time.
TEST_F(TableLife, DeferredDestructionTellsTheDriverWithOtherPagingWork) {
  for (const bool deferred : {false, true}) {
    bench.options.os.deferred_destroy = deferred;
    seen.destroyed = 0;
    Run([&](Life& life) {
      Subject subject = Make(life);
      life.worker.Call([&] {
        Allocation* other = Filled(life, 1, 5);
        const size_t ranges = life.adapter.local_segment().space->ranges();
        life.vidmm.DestroyAllocation(other);
        EXPECT_EQ(seen.destroyed, deferred ? 0u : 1u);
        EXPECT_LT(life.adapter.local_segment().space->ranges(), ranges) << "its memory is free at once";
        EXPECT_EQ(life.vidmm.work().deferred(), deferred ? 1u : 0u);
        life.vidmm.Unmap(*subject.process, subject.va, 1);
        EXPECT_EQ(seen.destroyed, 1u);
      });
      End(life, subject);
    });
    EXPECT_EQ(seen.destroyed, 2u) << "none is forgotten at power-off";
  }
}

// Driver authors reported that the GPU faults if memory is reused before the flush of its old
// entries.
TEST_P(TableKinds, EntriesAreInvalidAndFlushedBeforeTheMemoryOfADestroyedAllocationIsAnothers) {
  for (const bool deferred : {false, true}) {
    bench.options.os.deferred_destroy = deferred;
    seen.destroyed = 0;
    Run([&](Life& life) {
      Subject subject = MakeMixed(life);
      // Makes the GPU cache the translations.
      Reads(life, subject.process, kSmall, Pages(0x220, 5));
      const size_t ranges = life.adapter.local_segment().space->ranges();
      std::string order;
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) order += 'u';
        if (args.Operation == DXGK_OPERATION_FLUSH_TLB) order += 'f';
        if (args.Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) order += 's';
        EXPECT_GE(life.adapter.local_segment().space->ranges(), ranges) << "the memory is not given back yet";
        EXPECT_EQ(seen.destroyed, 0u);
      });
      life.worker.Call([&] { life.vidmm.DestroyAllocation(subject.data); });
      seen.operation = nullptr;
      EXPECT_EQ(std::count(order.begin(), order.end(), 's'), 1) << order;
      EXPECT_EQ(order.substr(order.size() - std::min<size_t>(order.size(), 2)), "fs");
      EXPECT_LT(life.adapter.local_segment().space->ranges(), ranges);
      EXPECT_EQ(seen.destroyed, deferred ? 0u : 1u);
      for (const uint64_t va : {kLarge, kLarge + 31 * kPage, kSmall, kSmall + 4 * kPage, kBeside})
        Faults(life, subject.process, va, regs::Fault::kEntryInvalid);
      life.worker.Call([&] { life.vidmm.DestroyProcess(subject.process); });
    });
    EXPECT_EQ(seen.destroyed, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TableKinds, kTableKinds, NameOfKind);

}  // namespace
}  // namespace gmmu::os::test
