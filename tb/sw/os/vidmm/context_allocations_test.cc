// SPDX-License-Identifier: Apache-2.0
// Tests memory and GPU virtual addresses that the driver requests for itself. The expected
// behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/vidmm/context_allocations.h"

#include <tuple>

#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "tb/sw/os/driver_front.h"
#include "kmd/escape.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;

class ContextAllocation : public DriverFront {
 protected:
  ContextAllocation() { bench.options.os.driver["ContextBytes"] = 8192; }

  /// Returns the contents of a process's context allocation as words.
  static std::vector<uint64_t> Words(Life& life, GpuProcess* process) {
    Allocation* allocation = life.vidmm.context_allocations().Of(*process);
    SystemBuffer target(life.kernel, life.adapter.objects(), life.adapter.handle(), allocation->bytes,
                        SystemBuffer::Shape::kScattered, "test");
    life.vidmm.transfers().PageOut(*allocation, target, allocation->bytes);
    const auto* view = reinterpret_cast<const uint64_t*>(target.Map(0, allocation->bytes));
    std::vector<uint64_t> words(view, view + allocation->bytes / 8);
    target.Release();
    return words;
  }
  static kmd::EscapeQueryContext Query(Life& life, const GpuProcess& process) {
    kmd::EscapeQueryContext query;
    query.context = reinterpret_cast<uint64_t>(process.handles.context);
    life.adapter.lead().Escape(query, "the query of a context");
    return query;
  }
};

TEST_F(ContextAllocation, IsInitialisedMappedAndUpdatedByTheGpuBeforeTheContextIsThere) {
  std::vector<int> operations;
  RunOnWorker([&](Life& life) {
    Allocation* dirt = life.vidmm.CreateAllocation("dirt", 2 << 20);
    life.vidmm.MakeResident(*dirt);
    life.vidmm.transfers().Fill(*dirt, 0, 2 << 20, 0xDEADBEEF);
    life.vidmm.DestroyAllocation(dirt);
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ||
          args.Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION)
        operations.push_back(args.Operation);
      if (args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
        EXPECT_NE(args.InitContextResource.Destination.GpuVirtualAddress, 0u);
        EXPECT_EQ(args.InitContextResource.Destination.SegmentId, life.adapter.local_segment().id);
        EXPECT_EQ(args.InitContextResource.Destination.VirtualAddress, nullptr) << "not CpuVisible and Protected";
      }
    });
    GpuProcess* process = life.vidmm.CreateProcess("process");
    EXPECT_THAT(operations,
                ElementsAre(DXGK_OPERATION_INIT_CONTEXT_RESOURCE, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION));
    const kmd::EscapeQueryContext query = Query(life, *process);
    const std::vector<uint64_t> words = Words(life, process);
    ASSERT_THAT(words, SizeIs(1024));
    EXPECT_EQ(words[0], kmd::ContextRecord::kMagic);
    EXPECT_EQ(words[1], query.sequence);
    EXPECT_EQ(words[2], query.va);
    EXPECT_EQ(std::count(words.begin() + 3, words.end(), 0u), 1021) << "the rest is zeros";
    Allocation* made = life.vidmm.context_allocations().Of(*process);
    EXPECT_EQ(made->mappings.at(0).va, query.va) << "in the application's space";
    uint64_t record[] = {1, 2, 3};
    const DXGKARGCB_UPDATECONTEXTALLOCATION update{made, record, sizeof record};
    ASSERT_EQ(seen.interface.DxgkCbUpdateContextAllocation(life.adapter.handle(), &update), STATUS_SUCCESS);
    EXPECT_TRUE(life.adapter.vidsch().idle()) << "the GPU has written it when the call returns";
    uint64_t first = 0;
    const uint64_t place = life.adapter.function().bars[2].address + made->local->page(0) * hw::kPageSize;
    life.kernel.hal().ReadBlock(place, reinterpret_cast<uint8_t*>(&first), sizeof first);
    EXPECT_EQ(first, 1u);
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(ContextAllocation, IsResidentWhenItsContextIsScheduledAndKeepsItsContents) {
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    std::vector<uint64_t> before;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      before = Words(life, process);
      life.vidmm.context_allocations().Evict(*process);
      EXPECT_FALSE(life.vidmm.context_allocations().Of(*process)->local);
    });
    workload::RenderBuffer buffer(life, process, kPage);
    const uint64_t va = Query(life, *process).va;
    buffer.Fill(va + 4096, 64, 0x12345678);  // the context writes its own memory
    life.worker.Call([&] {
      const PacketId packet = buffer.Submit("a fill");
      const bool local = life.vidmm.context_allocations().Of(*process)->local != nullptr;
      EXPECT_TRUE(local) << "before the packet runs";
      life.adapter.vidsch().Wait(packet, 100'000'000);
      if (!local) return;  // not in VRAM, so there is nothing to check
      const std::vector<uint64_t> after = Words(life, process);
      EXPECT_THAT(std::vector<uint64_t>(after.begin(), after.begin() + 3),
                  ::testing::ElementsAreArray(before.begin(), before.begin() + 3));
      EXPECT_EQ(after[512], 0x1234567812345678u);
    });
    buffer.Release();
    life.worker.Call([&] { life.vidmm.DestroyProcess(process); });
  });
}

TEST_F(ContextAllocation, SharedAcrossContextsBelongsToTheDevice) {
  bench.options.os.driver["ContextShared"] = 1;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    ASSERT_NE(life.vidmm.context_allocations().Of(*process), nullptr);
    EXPECT_EQ(Words(life, process)[0], kmd::ContextRecord::kMagic);
    life.vidmm.DestroyProcess(process);
    EXPECT_EQ(life.vidmm.context_allocations().Of(*process), nullptr) << "gone with its device";
  });
}

TEST_F(ContextAllocation, ArgumentsThatBreakARuleAreRefusedAndChangeNothing) {
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args,
              const BuildCall& call) {  // this test's allocation is unknown to the driver
    return args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ? STATUS_SUCCESS : call(args);
  });
  bench.options.os.driver["ContextBytes"] = 0;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    const size_t open = life.kernel.ledger().open();
    DXGKARGCB_CREATECONTEXTALLOCATION good{};
    good.hAdapter = life.adapter.handle();
    good.hContext = process->handles.dxgk_context;
    good.Size = kPage;
    good.SupportedSegmentSet = 2;
    good.EvictionSegmentSet = 1;
    int driver_data = 0;
    good.hDriverAllocation = &driver_data;
    const auto refused = [&](const std::function<void(DXGKARGCB_CREATECONTEXTALLOCATION&)>& change) {
      DXGKARGCB_CREATECONTEXTALLOCATION args = good;
      change(args);
      return seen.interface.DxgkCbCreateContextAllocation(&args);
    };
    EXPECT_EQ(refused([](auto& args) { args.Size = 0; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.hContext = nullptr; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.ContextAllocationFlags.SharedAcrossContexts = 1; }),
              STATUS_INVALID_PARAMETER)
        << "of no device";
    EXPECT_EQ(refused([](auto& args) { args.Alignment = 3; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.SupportedSegmentSet = 8; }), STATUS_INVALID_PARAMETER) << "no such segment";
    EXPECT_EQ(refused([](auto& args) { args.EvictionSegmentSet = 2; }), STATUS_INVALID_PARAMETER) << "apertures only";
    EXPECT_EQ(refused([](auto& args) { args.PhysicalAdapterIndex = 1; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(life.kernel.ledger().open(), open);
    DXGKARGCB_MAPCONTEXTALLOCATION map{};
    map.SizeInPages = 1;
    EXPECT_EQ(seen.interface.DxgkCbMapContextAllocation(life.adapter.handle(), &map), 0u) << "no such allocation";
    ASSERT_EQ(seen.interface.DxgkCbCreateContextAllocation(&good), STATUS_SUCCESS) << "nothing else is wrong with it";
    EXPECT_EQ(seen.interface.DxgkCbDestroyContextAllocation(life.adapter.handle(), good.hAllocation), STATUS_SUCCESS);
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(ContextAllocation, WithoutMapGpuVirtualAddressThereIsNoMapping) {
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args,
              const BuildCall& call) {  // this test's allocation is unknown to the driver
    return args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ? STATUS_SUCCESS : call(args);
  });
  bench.options.os.driver["ContextBytes"] = 0;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    for (const bool mapped : {false, true}) {
      DXGKARGCB_CREATECONTEXTALLOCATION create{};
      create.hAdapter = life.adapter.handle();
      create.hContext = process->handles.dxgk_context;
      create.Size = 2 * kPage;
      create.SupportedSegmentSet = 2;
      create.ContextAllocationFlags.MapGpuVirtualAddress = mapped;
      ASSERT_EQ(seen.interface.DxgkCbCreateContextAllocation(&create), STATUS_SUCCESS);
      DXGKARGCB_MAPCONTEXTALLOCATION map{};
      map.hAllocation = create.hAllocation;
      map.OffsetInPages = 1;
      map.SizeInPages = 1;
      map.BaseAddress = 0x20000123;
      EXPECT_EQ(seen.interface.DxgkCbMapContextAllocation(life.adapter.handle(), &map), 0u) << "inside a page";
      map.BaseAddress = 0;
      map.MinimumAddress = 0x10000000;
      map.MaximumAddress = 0x10020000;
      const uint64_t va = seen.interface.DxgkCbMapContextAllocation(life.adapter.handle(), &map);
      EXPECT_EQ(va != 0, mapped);
      if (mapped) EXPECT_TRUE(va >= 0x10000000 && va < 0x10020000) << "within the bounds that were given";
      map.SizeInPages = 2;
      EXPECT_EQ(seen.interface.DxgkCbMapContextAllocation(life.adapter.handle(), &map), 0u) << "past its end";
      EXPECT_EQ(seen.interface.DxgkCbDestroyContextAllocation(life.adapter.handle(), create.hAllocation),
                STATUS_SUCCESS);
    }
    life.vidmm.DestroyProcess(process);
  });
}

// D3DGPU_UNIQUE_DRIVER_PROTECTION applies only to the pages that are mapped with it.
TEST_F(ContextAllocation, ItsWindowHasTheUniqueDriverProtectionOfEachPage) {
  constexpr uint64_t kUnique = D3DGPU_UNIQUE_DRIVER_PROTECTION;
  bool armed = false;
  GpuProcess* process = nullptr;
  std::vector<std::tuple<uint64_t, UINT, UINT64>> windows;  // offset, pages, protection
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    const auto& op = args.UpdatePageTable;
    if (armed && args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hProcess != process->handles.process)
      windows.emplace_back(op.AllocationOffsetInBytes, op.NumPageTableEntries, op.DriverProtection);
    const bool of_the_test = args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ||
                             args.Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
    return of_the_test ? STATUS_SUCCESS : call(args);
  });
  bench.options.os.driver["ContextBytes"] = 0;
  RunOnWorker([&](Life& life) {
    process = life.vidmm.CreateProcess("process");
    int driver_data = 0;
    DXGKARGCB_CREATECONTEXTALLOCATION create{};
    create.hAdapter = life.adapter.handle();
    create.hContext = process->handles.dxgk_context;
    create.hDriverAllocation = &driver_data;
    create.Size = 4 * kPage;
    create.SupportedSegmentSet = 2;
    create.ContextAllocationFlags.MapGpuVirtualAddress = 1;
    ASSERT_EQ(seen.interface.DxgkCbCreateContextAllocation(&create), STATUS_SUCCESS);
    DXGKARGCB_MAPCONTEXTALLOCATION map{};
    map.hAllocation = create.hAllocation;
    map.OffsetInPages = 1;
    map.SizeInPages = 1;
    map.Protection.Write = 1;
    map.DriverProtection = kUnique | 9;
    ASSERT_NE(seen.interface.DxgkCbMapContextAllocation(life.adapter.handle(), &map), 0u);
    uint64_t record = 1;
    const DXGKARGCB_UPDATECONTEXTALLOCATION update{create.hAllocation, &record, sizeof record};
    armed = true;
    ASSERT_EQ(seen.interface.DxgkCbUpdateContextAllocation(life.adapter.handle(), &update), STATUS_SUCCESS);
    armed = false;
    EXPECT_EQ(seen.interface.DxgkCbDestroyContextAllocation(life.adapter.handle(), create.hAllocation), STATUS_SUCCESS);
    life.vidmm.DestroyProcess(process);
  });
  const decltype(windows) expected = {{0, 1, 0}, {kPage, 1, kUnique | 9}, {2 * kPage, 2, 0}};
  EXPECT_EQ(windows, expected);
}

// The driver permits no memory segment for this allocation. As for other allocations, the segment
// set requests system memory either by an aperture segment or by the implicit system memory
// segment's own bit.
TEST_F(ContextAllocation, InSystemMemoryIsNamedByAnMdlAndItsAddresses) {
  bench.options.os.driver["ContextBytes"] = 0;
  for (const UINT set : {1u, 4u}) {
    PFN_NUMBER first = 0;
    Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
      if (args.Operation != DXGK_OPERATION_INIT_CONTEXT_RESOURCE) return call(args);
      EXPECT_EQ(args.InitContextResource.Destination.SegmentId, 0u);
      first = MmGetMdlPfnArray(args.InitContextResource.Destination.pMdl)[0];
      return STATUS_SUCCESS;
    });
    RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      int driver_data = 0;
      DXGKARGCB_CREATECONTEXTALLOCATION create{};
      create.hAdapter = life.adapter.handle();
      create.hContext = process->handles.dxgk_context;
      create.hDriverAllocation = &driver_data;
      create.Size = 2 * kPage;
      create.SupportedSegmentSet = set;
      create.ContextAllocationFlags.MapGpuVirtualAddress = 1;
      ASSERT_EQ(seen.interface.DxgkCbCreateContextAllocation(&create), STATUS_SUCCESS);
      const Allocation* made = life.vidmm.context_allocations().Of(*process);
      EXPECT_EQ(made->residence(), Residence::kSystem);
      EXPECT_EQ(first, made->backing->page(0));
      for (const uint32_t page : {0u, 1u}) {
        auto* words = reinterpret_cast<uint32_t*>(made->backing->Map(page * kPage, kPage));
        std::fill_n(words, kPage / 4, 0x70 + page);
        made->backing->Unmap();
      }
      DXGKARGCB_MAPCONTEXTALLOCATION map{};
      map.hAllocation = create.hAllocation;
      map.SizeInPages = 2;
      map.Protection.Write = 1;
      const uint64_t va = seen.interface.DxgkCbMapContextAllocation(life.adapter.handle(), &map);
      Reads(life, process, va, {0x70, 0x71});
      EXPECT_EQ(seen.interface.DxgkCbDestroyContextAllocation(life.adapter.handle(), create.hAllocation),
                STATUS_SUCCESS);
      life.vidmm.DestroyProcess(process);
    });
  }
}

class DriverRange : public DriverFront {};

TEST_F(DriverRange, IsReservedInsideCreateProcessOnlyAndNeverUnderTheFirstRootEntry) {
  bench.options.os.driver["DriverVaBytes"] = 3 << 20;
  RunOnWorker([&](Life& life) {
    const Geometry& geometry = life.adapter.caps().geometry;
    GpuProcess* process = life.vidmm.CreateProcess("process");
    kmd::EscapeQueryProcess query;
    query.process = reinterpret_cast<uint64_t>(process->handles.process);
    life.adapter.lead().Escape(query, "the query of a process");
    EXPECT_EQ(query.bytes, 2 * geometry.Coverage(0)) << "whole leaf tables";
    EXPECT_EQ(query.va % geometry.Coverage(0), 0u);
    EXPECT_GE(query.va, uint64_t{1} << geometry.Shift(geometry.count() - 1));
    EXPECT_FALSE(process->space->va().AllocateAt(query.va, kPage, "test")) << "given to nobody else";
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(DriverRange, SizesAndBasesAreWholeLeafTables) {
  std::vector<NTSTATUS> statuses;
  RunOnWorker([&](Life& life) {
    const Geometry& geometry = life.adapter.caps().geometry;
    const uint64_t unit = geometry.Coverage(0), first = uint64_t{1} << geometry.Shift(geometry.count() - 1);
    seen.process = [&](DXGKARG_CREATEPROCESS& created) {
      const auto reserve = [&](uint64_t size, uint64_t base, UINT alignment) {
        DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE args{};
        args.hDxgkProcess = created.hDxgkProcess;
        args.SizeInBytes = size;
        args.BaseAddress = base;
        args.Alignment = alignment;
        statuses.push_back(seen.interface.DxgkCbReserveGpuVirtualAddressRange(life.adapter.handle(), &args));
        return args.StartVirtualAddress;
      };
      EXPECT_EQ(reserve(unit, first + 4 * unit, 0), first + 4 * unit);
      EXPECT_EQ(reserve(unit, 0, 1u << 30) % (1u << 30), 0u);
      reserve(unit / 2, 0, 0);
      reserve(unit, first + unit / 2, 0);
      reserve(unit, unit, 0);  // rejected: in the range of the first root entry
      reserve(unit, 0, 3);
      reserve(unit, first + 4 * unit, 0);  // taken
      return STATUS_SUCCESS;
    };
    GpuProcess* process = life.vidmm.CreateProcess("process");
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_THAT(statuses, ElementsAre(STATUS_SUCCESS, STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER,
                                    STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY));
}

TEST_F(DriverRange, OutsideOfCreateProcessItIsABugCheck) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE args{};
    args.hDxgkProcess = process->handles.dxgk_process;
    args.SizeInBytes = life.adapter.caps().geometry.Coverage(0);
    seen.interface.DxgkCbReserveGpuVirtualAddressRange(life.adapter.handle(), &args);
  });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("outside of DxgkDdiCreateProcess"));
}

}  // namespace
}  // namespace gmmu::os::test
