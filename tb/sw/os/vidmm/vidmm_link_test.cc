// SPDX-License-Identifier: Apache-2.0
// Tests the memory of linked adapters: one domain, one address space, tables on each GPU, and peer
// memory. The expected behaviour follows Microsoft's documentation; it has not been observed on
// Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "os/dxgkrnl/domain_switch.h"
#include "os/base/bug_check.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/allocation.h"
#include "os/tables/address_space.h"
#include "os/tables/linked_tables.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/va_calls.h"
#include "workload/device_copy.h"
#include "tb/sw/os/vidmm/vidmm_link_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::ClientRun;
using workload::JobOptions;
using workload::JobResult;
using workload::Life;

class LinkedGpus : public ::testing::TestWithParam<unsigned> {};

TEST_P(LinkedGpus, ReadWriteAndCopyTheMemoryOfTheirPeers) {
  LinkedBench bench(GetParam());
  ExpectGood(bench.RunLinked(1));
}
INSTANTIATE_TEST_SUITE_P(Count, LinkedGpus, ::testing::Values(2u, 3u, 4u), ::testing::PrintToStringParamName());

TEST(LinkedMemory, TheLeadMayHaveAnyIndex) {
  LinkedBench bench(3);
  bench.options.os.driver["LeadAdapter"] = 2;
  ExpectGood(bench.RunLinked(1));
}

TEST(LinkedMemory, WhatIsForOneGpuIsRefusedByItsKey) {
  const auto refusal = [](const std::function<void(JobOptions&)>& set) {
    LinkedBench bench;
    set(bench.options);
    return FaultOf(bench.RunLinked());
  };
  EXPECT_THAT(refusal([](JobOptions& o) { o.os.bring_up = BringUp::kWindows26100; }), HasSubstr("os.bring_up"));
  EXPECT_THAT(refusal([](JobOptions& o) { o.os.physical_paging = true; }), HasSubstr("os.physical_paging"));
}

TEST(LinkedMemory, WorksInEveryModeOfDma) {
  for (const RemapPolicy policy : {RemapPolicy::kNever, RemapPolicy::kIdentity, RemapPolicy::kWhenPossible}) {
    LinkedBench bench;
    bench.options.os.iommu = policy;
    bench.options.os.limit_bits = 40;
    ExpectGood(bench.RunLinked());
  }
}

TEST(LinkedMemory, WorksWithEveryUpdateModeOfPageTables) {
  for (const uint64_t mode : {DXGK_PAGETABLEUPDATE_CPU_VIRTUAL, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL}) {
    LinkedBench bench;
    bench.options.os.driver["PageTableUpdateMode"] = mode;
    ExpectGood(bench.RunLinked());
  }
}

TEST(LinkedMemory, AnObjectThatOneAdapterOpenedIsVisibleToAll) {
  LinkedBench bench(3);
  const auto result = bench.Run([](Life& life) {
    ASSERT_TRUE(life.adapter.remapped());
    Shared shared(life, 0);
    const uint64_t bytes = 2 * kPage;
    SystemBuffer buffer;
    uint64_t va = 0;
    life.worker.Call([&] {
      buffer = SystemBuffer(life.kernel, life.adapter.objects(), life.adapter.physical(2).handle(), bytes,
                            SystemBuffer::Shape::kScattered, "application");
      const std::vector<uint8_t> pattern = workload::PatternAt(0, bytes, 5);
      std::memcpy(buffer.Map(0, bytes), pattern.data(), bytes);
      buffer.Unmap();
      va = life.link.ReserveVa(*shared.process, bytes);
      for (unsigned gpu = 0; gpu < 3; ++gpu)
        life.link.on(gpu).mappings().MapSystem(*shared.process->parts[gpu], va, buffer);
    });
    for (unsigned gpu = 0; gpu < 3; ++gpu) {
      ClientRun run = workload::AllLines(shared.process->parts[gpu], va, bytes);
      run.crc = workload::LineCrc(workload::PatternAt(0, bytes, 5).data(), run.order);
      shared.RunClient(gpu, run, "read by adapter " + std::to_string(gpu));
    }
    life.worker.Call([&] {
      life.link.UnmapEverywhere(*shared.process, va, 2);
      life.link.FreeVa(*shared.process, va);
      buffer.Release();
    });
    shared.End();
  });
  ExpectGood(result);
}

/// An UPDATE_PAGE_TABLE call: its system context, and the table's level, address and entries.
struct Seen {
  HANDLE context;
  UINT level;
  uint64_t offset;
  std::vector<DXGK_PTE> entries;
};
std::vector<Seen> updates;

void NoteUpdates() {
  updates.clear();
  between.build = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args.MultipassOffset == 0 &&
        args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
      const auto& op = args.UpdatePageTable;
      updates.push_back(
          {args.hSystemContext,
           op.PageTableLevel,
           op.PageTableAddress.GpuPhysical.SegmentOffset,
           {op.pPageTableEntries, op.pPageTableEntries + (op.Flags.Repeat ? 1 : op.NumPageTableEntries)}});
    }
    return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
  };
}

// According to the GPU virtual address documentation, the root is LinkMirrored and the tables below
// are LinkInstanced.
TEST(LinkedMemory, RootsAreMirroredAtOneAddressAndLowerTablesHaveContentsOfTheirOwn) {
  LinkedBench bench;
  NoteUpdates();
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    uint64_t on_one = 0;  // mapped on GPU 1 only; both GPUs have its tables
    life.worker.Call([&] {
      on_one = life.link.ReserveVa(*shared.process, 2 * kPage);
      life.link.Map(*shared.process, 1, on_one, *shared.allocation, 0, 2);
      life.link.on(0).transfers().CopyLocal(*shared.allocation, *shared.allocation, kPage);  // drains its queue
    });
    std::vector<std::vector<uint64_t>> roots;
    for (unsigned gpu = 0; gpu < 2; ++gpu) {
      const AddressSpace& space = *shared.process->parts[gpu]->space;
      EXPECT_EQ(space.root().SegmentOffset, shared.process->parts[0]->space->root().SegmentOffset);
      std::vector<uint64_t> root(512);
      for (size_t i = 0; i < root.size(); ++i) {
        const uint8_t* at = life.adapter.physical(gpu).local_segment().cpu_view + space.root().SegmentOffset + 8 * i;
        root[i] = READ_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(const_cast<uint8_t*>(at)));
      }
      roots.push_back(root);
    }
    EXPECT_EQ(roots[0], roots[1]) << "the same content";
    EXPECT_NE(roots[0], std::vector<uint64_t>(512)) << "that is not nothing";
    // The same root entry leads each GPU to its own instance of a table.
    shared.RunClient(0, shared.Client(0, true, 11), "written through the addresses that both have");
    ClientRun page = shared.Client(1, false, 11);
    std::vector<uint8_t> bytes = workload::PatternAt(shared.va, 2 * kPage, 11);
    page.base = on_one;
    page.pattern.reset();
    page.crc = workload::LineCrc(bytes.data(), page.order);
    shared.RunClient(1, page, "the bytes through the addresses that only GPU 1 has");
    page.process = shared.process->parts[0];
    page.order.count = 1;
    page.fault = regs::Fault::kEntryInvalid;
    shared.RunClient(0, page, "a fault of GPU 0 there");
    life.worker.Call([&] {
      life.link.UnmapEverywhere(*shared.process, on_one, 2);
      life.link.FreeVa(*shared.process, on_one);
    });
    shared.End();
  });
  ExpectGood(result);
  // Every table has the same address on both GPUs, and each GPU's paging context wrote that GPU's
  // instance.
  std::map<HANDLE, std::set<std::pair<UINT, uint64_t>>> places;
  for (const Seen& seen : updates) places[seen.context].insert({seen.level, seen.offset});
  ASSERT_THAT(places, SizeIs(2));
  EXPECT_EQ(places.begin()->second, places.rbegin()->second);
}

TEST(LinkedMemory, EntriesNameTheOwnerOfThePage) {
  LinkedBench bench;
  NoteUpdates();
  std::set<uint64_t> owners;
  const auto result = bench.Run([&](Life& life) {
    Shared shared(life, 1);
    for (const Seen& seen : updates) {
      for (const DXGK_PTE& entry : seen.entries) {
        if (seen.level == 0 && entry.Valid && entry.Segment == 2) owners.insert(entry.PhysicalAdapterIndex);
      }
    }
    shared.End();
  });
  ExpectGood(result);
  EXPECT_EQ(owners, std::set<uint64_t>{1}) << "whoever maps it";
}

TEST(LinkedMemory, WhatIsEvictedGoesFromTheTablesOfEveryGpuAndComesBackThere) {
  LinkedBench bench(3);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.RunClient(2, shared.Client(2, true, 77), "written by a peer");
    Residency& residency = life.link.on(1).residency();
    life.worker.Call([&] {
      residency.MakeResident({shared.allocation});
      residency.Evict(*shared.allocation);
    });
    EXPECT_FALSE(shared.allocation->local);
    for (unsigned gpu = 0; gpu < 3; ++gpu) {
      ClientRun run = shared.Client(gpu, false, 77);
      run.order.count = 1;
      run.fault = regs::Fault::kEntryInvalid;
      shared.RunClient(gpu, run, "evicted, read by adapter " + std::to_string(gpu));
    }
    life.worker.Call([&] { residency.MakeResident({shared.allocation}); });
    for (unsigned gpu = 0; gpu < 3; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 77), "back, read by adapter " + std::to_string(gpu));
    shared.End();
  });
  ExpectGood(result);
}

TEST(LinkedMemory, WhatIsDestroyedGoesFromTheTablesOfEveryGpu) {
  LinkedBench bench(3);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.RunClient(2, shared.Client(2, true, 77), "written by a peer");
    for (unsigned gpu = 0; gpu < 3; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 77), "read by adapter " + std::to_string(gpu));
    life.worker.Call([&] { life.link.on(1).DestroyAllocation(shared.allocation); });
    for (unsigned gpu = 0; gpu < 3; ++gpu) {
      ClientRun run = shared.Client(gpu, false, 77);
      run.order.count = 1;
      run.fault = regs::Fault::kEntryInvalid;
      shared.RunClient(gpu, run, "destroyed, read by adapter " + std::to_string(gpu));
    }
    life.worker.Call([&] { shared.allocation = life.link.on(1).CreateAllocation("another", kPage); });
    shared.End();
  });
  ExpectGood(result);
}

TEST(LinkedMemory, EachAdapterHasItsOwnBudget) {
  LinkedBench bench;
  const auto result = bench.RunOnWorker([](Life& life) {
    std::vector<Allocation*> fill;
    for (bool fits = true; fits;) {
      fill.push_back(life.link.on(0).CreateAllocation("fill", 256 << 10));
      fits = life.link.on(0).placement().TryMakeResident(*fill.back());
    }
    Allocation* other = life.link.on(1).CreateAllocation("other", 256 << 10);
    EXPECT_TRUE(life.link.on(1).placement().TryMakeResident(*other)) << "GPU 0 is full, GPU 1 is not";
    life.link.on(1).DestroyAllocation(other);
    for (Allocation* allocation : fill) life.link.on(0).DestroyAllocation(allocation);
  });
  ExpectGood(result);
}

TEST(LinkedMemory, PagingWorkAndFencesAreEachAdaptersOwn) {
  LinkedBench bench(3);
  bench.options.os.quantum_us = 1'000'000;                    // prevents preemption, which would use a fence id
  std::map<std::pair<UINT, UINT>, std::vector<UINT>> fences;  // engine, node
  between.submit = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    fences[{args.EngineOrdinal, args.NodeOrdinal}].push_back(args.SubmissionFenceId);
    return between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
  };
  ExpectGood(bench.RunLinked());
  ASSERT_THAT(fences, SizeIs(6)) << "two nodes on each of three adapters";
  for (const auto& [node, given] : fences) {
    for (size_t i = 0; i < given.size(); ++i)
      EXPECT_EQ(given[i], i + 1) << "engine " << node.first << ", node " << node.second;
  }
}

TEST(LinkedMemory, APlaceThatOneGpuHasNotFreeIsGivenToNone) {
  LinkedBench bench;
  const auto result = bench.Run([](Life& life) {
    Segment& first = life.adapter.physical(0).local_segment();
    Segment& second = life.adapter.physical(1).local_segment();
    LinkedTables tables({&first, &second}, true);
    std::vector<uint64_t> blocked;
    const uint64_t free_first = first.space->free_bytes();
    // Allocate most of GPU 1's VRAM, so that the range that GPU 0 would choose is not free on GPU
    // 1.
    while (const auto offset = second.space->Allocate(64 << 10, 64 << 10, "test")) blocked.push_back(*offset);
    second.space->Free(blocked.back());  // makes a hole
    blocked.pop_back();
    std::set<uint64_t> places;
    for (uint64_t slot = 0; slot < 4; ++slot) {
      const uint64_t a = tables.Take(0, false, 0, slot, kPage, kPage, "table");
      for (const uint64_t offset : blocked) EXPECT_FALSE(a >= offset && a < offset + (64 << 10)) << "taken on GPU 1";
      EXPECT_EQ(tables.Take(1, false, 0, slot, kPage, kPage, "table"), a);
      EXPECT_TRUE(places.insert(a).second);
    }
    for (const uint64_t place : places) {
      first.space->Free(place);
      second.space->Free(place);
    }
    tables.ReleaseReserved();
    for (const uint64_t offset : blocked) second.space->Free(offset);
    EXPECT_EQ(first.space->free_bytes(), free_first) << "what was tried was given back";
  });
  ExpectGood(result);
}

TEST(LinkedMemory, ALeakNamesItsAdapter) {
  LinkedBench bench;
  bench.options.os.inject.leak = "vram_range";
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.End();
  });
  ASSERT_FALSE(result.leaks.empty());
  std::vector<std::string> owners;
  for (const Leak& leak : result.leaks) owners.push_back(leak.owner + " " + leak.name);
  EXPECT_THAT(owners, ::testing::Contains(HasSubstr("segment2 of adapter 1")));
}

TEST(LinkedMemory, AnAllocationLivesOnTheAdapterThatItNames) {
  LinkedBench bench;
  std::vector<UINT> indices;
  const auto result = bench.RunOnWorker([&](Life& life) {
    for (unsigned gpu = 0; gpu < 2; ++gpu) {
      Allocation* allocation = life.link.on(gpu).CreateAllocation("data", kPage);
      EXPECT_EQ(allocation->vidmm, &life.link.on(gpu));
      const uint64_t free = life.adapter.physical(gpu).local_segment().space->free_bytes();
      life.link.on(gpu).MakeResident(*allocation);
      EXPECT_LT(life.adapter.physical(gpu).local_segment().space->free_bytes(), free);
      life.link.on(gpu).DestroyAllocation(allocation);
    }
    AllocationRequest request;
    request.name = "nowhere";
    request.bytes = kPage;
    request.physical_adapter = 2;
    EXPECT_THROW(life.adapter.driver_objects().CreateAllocation(request), OsError);
  });
  ExpectGood(result);
}

}  // namespace
}  // namespace gmmu::os::test
