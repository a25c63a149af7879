// SPDX-License-Identifier: Apache-2.0
// Tests applications' update batches, driver protections, ranges that are reserved for the driver,
// and large pages.

#include "os/vidmm/va_calls.h"

#include <map>
#include <set>
#include <tuple>

#include "os/base/page_math.h"
#include "tb/sw/os/vidmm/va_calls_bench.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/transfers.h"

namespace gmmu::os::test {
namespace {

using ::testing::SizeIs;
constexpr uint64_t kBlock = 64 << 10;

TEST_F(VaCall, UpdatesWaitForTheFenceAndRunOnThePagingCompanionContext) {
  std::set<HANDLE> contexts;
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 4);
    const uint64_t va = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      EXPECT_TRUE(args.Flags.Paging);
      EXPECT_GE(fence.Value(), 5u) << "nothing of it before the fence";
      contexts.insert(args.hContext);
    };
    EXPECT_THROW(world.calls.Update(*world.process, {MapOf(va, kPage, world.handle, 0, kPage)}, fence, 6), OsTimeout)
        << "nobody signals 6";
    seen.submission = nullptr;
    life.vidmm.work().Signal(fence.va(), 6, fence.memory());
    seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) { contexts.insert(args.hContext); };
    EXPECT_EQ(world.calls.Update(*world.process, {MapOf(va, kPage, world.handle, 0, kPage)}, fence, 6), STATUS_SUCCESS);
    seen.submission = nullptr;
    EXPECT_EQ(fence.Value(), 7u);
    EXPECT_THAT(contexts, SizeIs(1));
    EXPECT_EQ(contexts.count(life.vidmm.paging().process().handles.context), 0u) << "not the system's paging context";
    Reads(life, world.process, va, {0x100});
    fence.Release();
  });
}

TEST_F(VaCall, UpdatesThatLeaveTheirReservationAreRefusedAsAWhole) {
  In([](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    const uint64_t one = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    const uint64_t two = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    auto mapped = world.MapArgs(0, 0, 2);
    ASSERT_EQ(world.calls.Map(*world.process, mapped), STATUS_SUCCESS);
    const auto update = [&](const std::vector<Operation>& operations) {
      return world.calls.Update(*world.process, operations, fence, 0);
    };
    const Operation good = MapOf(one, kPage, world.handle, 0, kPage);
    EXPECT_EQ(update({good, MapOf(two, kPage, world.handle, 0, kPage)}), STATUS_INVALID_PARAMETER) << "two ranges";
    EXPECT_EQ(update({good, MapOf(one + 15 * kPage, 2 * kPage, world.handle, 0, 2 * kPage)}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(update({MapOf(mapped.VirtualAddress, kPage, world.handle, 0, kPage)}), STATUS_INVALID_PARAMETER)
        << "mapped, not reserved";
    EXPECT_EQ(update({MapOf(one, 3 * kPage, world.handle, 0, 2 * kPage)}), STATUS_INVALID_PARAMETER)
        << "no whole repeats";
    EXPECT_EQ(update({UnmapOf(one, kPage, Of(true, false))}), STATUS_INVALID_PARAMETER) << "Zero or NoAccess";
    EXPECT_EQ(update({CopyOf(two, one, kPage), CopyOf(one, one + kPage, kPage)}), STATUS_INVALID_PARAMETER)
        << "sources of two ranges";
    EXPECT_EQ(fence.Value(), 0u) << "nothing was begun";
    Faults(life, world.process, one, regs::Fault::kEntryInvalid);
    EXPECT_EQ(update({good, CopyOf(two, one + kPage, kPage)}), STATUS_SUCCESS);
    EXPECT_EQ(fence.Value(), 1u);
    fence.Release();
  });
}

TEST_F(VaCall, DriverProtectionComesBackInLeafUpdatesAndUpdatesInheritTheReservations) {
  std::vector<std::pair<UINT, UINT64>> given;  // level, protection
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    const uint64_t va = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, 0x77);
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hProcess == world.process->handles.process &&
          op.pPageTableEntries->Valid)
        given.emplace_back(op.PageTableLevel, op.DriverProtection);
    });
    ASSERT_EQ(world.calls.Update(*world.process, {MapOf(va, kPage, world.handle, 0, kPage)}, fence, 0), STATUS_SUCCESS);
    ASSERT_FALSE(given.empty());
    for (const auto& [level, protection] : given) EXPECT_EQ(protection, level == 0 ? 0x77u : 0u) << level;
    given.clear();
    auto args = world.MapArgs(0, 5, 1);
    args.DriverProtection = 0x123456789;
    ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    EXPECT_EQ(given.back(), (std::pair<UINT, UINT64>(0, 0x123456789)));
    fence.Release();
  });
}

// When a large page is split, the driver must still receive its allocation and driver protection.
TEST_F(VaCall, APartOfALargePageKeepsAllocationAndDriverProtection) {
  bench.config.gpu.vram_mib = 32;
  constexpr uint64_t kLarge = uint64_t{2} << 20;
  In([&](Life& life, World& world) {
    Allocation* data = Filled(life, 512, 0x400, kLarge);
    D3DDDI_MAPGPUVIRTUALADDRESS args{};
    args.hAllocation = world.calls.Open(*data);
    args.SizeInPages = 512;
    args.Protection = Of(true, true);
    args.DriverProtection = 0x99;
    ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    const uint64_t va = args.VirtualAddress;
    ASSERT_EQ(world.process->space->tables(), 2u) << "one entry of level 1";
    unsigned splits = 0;
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& operation) {
      const auto& op = operation.UpdatePageTable;
      if (operation.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || op.hProcess != world.process->handles.process)
        return;
      if (op.PageTableLevel != 0) EXPECT_EQ(op.DriverProtection, 0u);
      if (op.PageTableLevel != 0 || !op.pPageTableEntries->Valid) return;
      ++splits;
      EXPECT_EQ(op.DriverProtection, 0x99u);
      EXPECT_EQ(op.hAllocation, data->handle);
      EXPECT_EQ(op.AllocationOffsetInBytes, 0u);
      EXPECT_EQ(op.NumPageTableEntries, 512u);
    });
    life.vidmm.Unmap(*world.process, va + 5 * kPage, 1);
    seen.operation = nullptr;
    EXPECT_EQ(splits, 1u);
    Reads(life, world.process, va + 6 * kPage, {0x406, 0x407});
    life.vidmm.DestroyAllocation(data);
  });
}

TEST_F(VaCall, AUniqueDriverProtectionIsTheSameForAllMappingsAndGoesWithThePagesIntoPagingWindows) {
  constexpr uint64_t kUnique = D3DGPU_UNIQUE_DRIVER_PROTECTION;
  std::vector<std::pair<uint64_t, UINT64>> windows;  // pages, protection
  In([&](Life& life, World& world) {
    const auto map = [&](uint64_t offset, uint64_t pages, uint64_t protection) {
      auto args = world.MapArgs(0, offset, pages);
      args.DriverProtection = protection;
      return world.calls.Map(*world.process, args);
    };
    EXPECT_EQ(map(8, 4, kUnique | 5), STATUS_SUCCESS);
    EXPECT_EQ(map(10, 4, kUnique | 6), STATUS_INVALID_PARAMETER) << "another value for pages 10 and 11";
    EXPECT_EQ(map(11, 1, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(map(8, 4, kUnique | 5), STATUS_SUCCESS);
    EXPECT_EQ(map(12, 2, kUnique | 6), STATUS_SUCCESS) << "other pages";
    EXPECT_EQ(map(0, 8, 9), STATUS_SUCCESS) << "not unique: the driver's affair";
    EXPECT_EQ(map(0, 1, 8), STATUS_SUCCESS);
    SystemBuffer target(life.kernel, life.adapter.objects(), life.adapter.handle(), world.data->bytes,
                        SystemBuffer::Shape::kScattered, "test");
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hAllocation == world.data->handle)
        windows.emplace_back(op.NumPageTableEntries, op.DriverProtection);
    });
    life.vidmm.transfers().PageOut(*world.data, target, world.data->bytes);
    seen.operation = nullptr;
    const std::vector<std::pair<uint64_t, UINT64>> expected = {{8, 0},           {8, 0},           {4, kUnique | 5},
                                                               {4, kUnique | 5}, {2, kUnique | 6}, {2, kUnique | 6},
                                                               {18, 0},          {18, 0}};
    EXPECT_EQ(windows, expected) << "source and target window of each piece";
    const uint8_t* bytes = target.Map(0, target.bytes());
    for (uint64_t page = 0; page < 32; ++page) EXPECT_EQ(bytes[page * kPage], static_cast<uint8_t>(page)) << page;
    target.Release();
  });
}

// Source and target have different protections. The copy is split so that each window has a single
// protection.
TEST_F(VaCall, AUniqueDriverProtectionGoesIntoBothWindowsOfACopyInVram) {
  constexpr uint64_t kUnique = D3DGPU_UNIQUE_DRIVER_PROTECTION;
  std::vector<std::tuple<HANDLE, uint64_t, UINT64>> windows;  // allocation, pages, protection
  In([&](Life& life, World& world) {
    Allocation* target = Filled(life, 32, 0x900);
    const D3DKMT_HANDLE handle = world.calls.Open(*target);
    const auto map = [&](D3DKMT_HANDLE of, uint64_t offset, uint64_t pages, uint64_t protection) {
      auto args = world.MapArgs(0, offset, pages);
      args.hAllocation = of;
      args.DriverProtection = protection;
      ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    };
    map(world.handle, 0, 4, kUnique | 5);
    map(handle, 2, 10, kUnique | 6);
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
        windows.emplace_back(op.hAllocation, op.NumPageTableEntries, op.DriverProtection);
    });
    life.vidmm.transfers().CopyLocal(*world.data, *target, 32 * kPage);
    seen.operation = nullptr;
    const HANDLE from = world.data->handle, to = target->handle;
    const decltype(windows) expected = {{from, 2, kUnique | 5}, {to, 2, 0},   {from, 2, kUnique | 5},
                                        {to, 2, kUnique | 6},   {from, 8, 0}, {to, 8, kUnique | 6},
                                        {from, 20, 0},          {to, 20, 0}};
    EXPECT_EQ(windows, expected);
    auto args = world.MapArgs(0, 12, 20);
    args.hAllocation = handle;
    ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    Reads(life, world.process, args.VirtualAddress, {0x10C, 0x10D});
    world.calls.Forget(*world.process);
    life.vidmm.DestroyAllocation(target);
  });
}

TEST_F(VaCall, RangesOfTheDriverTakeMappingsOnlyWithAllowUserModeMapping) {
  for (const bool allowed : {false, true}) {
    bench.options.os.driver["DriverVaBytes"] = 1;
    bench.options.os.driver["DriverVaUser"] = allowed;
    In([&](Life& life, World& world) {
      const uint64_t va = world.process->driver_ranges.begin()->first;
      auto args = world.MapArgs(va + 4 * kPage, 2, 1);
      EXPECT_EQ(world.calls.Map(*world.process, args), allowed ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
      if (allowed) Reads(life, world.process, va + 4 * kPage, {0x102});
    });
  }
}

// A mapping that crosses the boundary of a driver's range, or overlaps another mapping in it, fails
// and changes nothing.
TEST_F(VaCall, MappingsInARangeOfTheDriverStayInsideAndApart) {
  bench.options.os.driver["DriverVaBytes"] = 1;
  bench.options.os.driver["DriverVaUser"] = 1;
  In([](Life& life, World& world) {
    const auto& [start, range] = *world.process->driver_ranges.begin();
    const uint64_t end = start + range.bytes;
    const auto map = [&](uint64_t base, uint64_t offset, uint64_t pages) {
      auto args = world.MapArgs(base, offset, pages);
      const NTSTATUS status = world.calls.Map(*world.process, args);
      EXPECT_EQ(args.VirtualAddress, NT_SUCCESS(status) ? base : 0);
      return status;
    };
    EXPECT_EQ(map(end - kBlock, 0, 32), STATUS_NO_MEMORY) << "over its end";
    EXPECT_EQ(map(start - kBlock, 0, 32), STATUS_NO_MEMORY) << "over its start";
    EXPECT_TRUE(world.process->space->va().AllocateAt(end, kBlock, "test")) << "nobody has what is behind it";
    world.process->space->va().Free(end);
    EXPECT_EQ(map(end - 2 * kBlock, 0, 32), STATUS_SUCCESS) << "up to its end";
    EXPECT_EQ(map(start + kBlock, 0, 16), STATUS_SUCCESS);
    EXPECT_EQ(map(start + kBlock, 0, 17), STATUS_NO_MEMORY) << "more than is there";
    EXPECT_EQ(map(start + kBlock - 2 * kPage, 0, 4), STATUS_NO_MEMORY) << "a part of it";
    EXPECT_EQ(map(start, 0, 32), STATUS_NO_MEMORY) << "around it";
    EXPECT_EQ(map(start + kBlock + kPage, 9, 1), STATUS_SUCCESS) << "inside it";
    EXPECT_EQ(map(start + 2 * kBlock, 20, 1), STATUS_SUCCESS) << "behind it";
    Reads(life, world.process, start + kBlock, {0x100, 0x109, 0x102});
    EXPECT_EQ(world.calls.Free(*world.process, start + kBlock, 16 * kPage), STATUS_SUCCESS);
    Faults(life, world.process, start + 2 * kBlock - kPage, regs::Fault::kEntryInvalid);
    Reads(life, world.process, start + 2 * kBlock, {0x114});
  });
}

TEST_F(VaCall, ContiguousAlignedMemoryIsMappedByLargePagesUnlessTheDriverForbidsIt) {
  bench.config.gpu.vram_mib = 32;
  constexpr uint64_t kLarge = uint64_t{2} << 20;
  for (const bool forbidden : {false, true}) {
    RunOnWorker([&](Life& life) {
      unsigned large = 0;
      GpuProcess* process = life.vidmm.CreateProcess("process");
      AllocationRequest request;
      request.name = "large";
      request.bytes = kLarge;
      request.no_large_pages = forbidden;
      Allocation* data = life.vidmm.CreateAllocation(request);
      data->contiguous = kLarge;
      life.vidmm.MakeResident(*data);
      for (uint64_t page = 0; page < kLarge / kPage; ++page)
        life.vidmm.transfers().Fill(*data, page * kPage, kPage, 0x51520000 + static_cast<uint32_t>(page));
      VaCalls calls(life.vidmm);
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
          large += args.UpdatePageTable.pPageTableEntries->LargePage;
      });
      D3DDDI_MAPGPUVIRTUALADDRESS args{};
      args.hAllocation = calls.Open(*data);
      args.SizeInPages = kLarge / kPage;
      args.Protection.Write = 0;
      ASSERT_EQ(calls.Map(*process, args), STATUS_SUCCESS);
      D3DDDI_MAPGPUVIRTUALADDRESS elsewhere = args;
      elsewhere.BaseAddress = 9 * kLarge + kBlock;
      ASSERT_EQ(calls.Map(*process, elsewhere), STATUS_SUCCESS);
      seen.operation = nullptr;
      EXPECT_EQ(large, forbidden ? 0u : 1u) << "once, at the address that is aligned";
      Reads(life, process, elsewhere.BaseAddress, {0x51520000, 0x51520001});
      EXPECT_EQ(args.VirtualAddress % (forbidden ? kBlock : kLarge), 0u);
      Reads(life, process, args.VirtualAddress + kLarge - 2 * kPage, {0x515201FE, 0x515201FF});
      Faults(life, process, args.VirtualAddress, regs::Fault::kWriteProtect, true);
      const size_t tables = process->space->tables();
      life.vidmm.DestroyAllocation(data);
      EXPECT_EQ(process->space->tables(), tables) << "a large entry goes without a table in its place";
      for (const auto& gone : {args, elsewhere})
        Faults(life, process, gone.VirtualAddress + kLarge - kPage, regs::Fault::kEntryInvalid);
      calls.Forget(*process);
      life.vidmm.DestroyProcess(process);
    });
  }
}

}  // namespace
}  // namespace gmmu::os::test
