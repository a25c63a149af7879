// SPDX-License-Identifier: Apache-2.0
// Tests the calls with which applications map, reserve and update GPU virtual addresses.

#include <map>

#include "tb/sw/os/vidmm/va_calls_bench.h"
#include "os/base/page_math.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/transfers.h"

namespace gmmu::os::test {
namespace {

constexpr uint64_t kBlock = 64 << 10;

TEST_F(VaCall, MapTakesAnyFreeAddressWithinBoundsOrTheOneAskedFor) {
  In([](Life& life, World& world) {
    auto args = world.MapArgs(0, 4, 2);
    args.MinimumAddress = 0x40000000;
    args.MaximumAddress = 0x40100000;
    ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    EXPECT_GE(args.VirtualAddress, 0x40000000u);
    EXPECT_LE(args.VirtualAddress + 2 * kPage, 0x40100000u);
    EXPECT_EQ(args.PagingFenceValue, 0u);
    Reads(life, world.process, args.VirtualAddress, {0x104, 0x105});
    auto fixed = world.MapArgs(0x50003000, 0, 1);
    ASSERT_EQ(world.calls.Map(*world.process, fixed), STATUS_SUCCESS);
    EXPECT_EQ(fixed.VirtualAddress, 0x50003000u);
    auto taken = world.MapArgs(0x50002000, 0, 2);  // overlaps the mapping above
    EXPECT_EQ(world.calls.Map(*world.process, taken), STATUS_NO_MEMORY);
    EXPECT_EQ(taken.VirtualAddress, 0u);
    EXPECT_EQ(world.calls.Free(*world.process, 0x50003000, kPage), STATUS_SUCCESS);
    Faults(life, world.process, 0x50003000, regs::Fault::kEntryInvalid);
    EXPECT_EQ(world.calls.Map(*world.process, taken), STATUS_SUCCESS);
  });
}

// According to the GPU virtual address documentation ("physical page size"), a page's virtual and
// physical addresses have the same low 16 bits.
TEST_F(VaCall, InASegmentOf64KiBPagesAddressesHaveTheOffsetsLow16Bits) {
  bench.options.os.driver["Leaf64k"] = 1;
  In([](Life& life, World& world) {
    for (const uint64_t offset : {0, 5, 16, 21}) {
      auto anywhere = world.MapArgs(0, offset, 3);
      ASSERT_EQ(world.calls.Map(*world.process, anywhere), STATUS_SUCCESS);
      EXPECT_EQ((anywhere.VirtualAddress - offset * kPage) % kBlock, 0u) << offset;
      Reads(life, world.process, anywhere.VirtualAddress,
            {0x100 + static_cast<uint32_t>(offset), 0x101 + static_cast<uint32_t>(offset)});
      EXPECT_EQ(world.calls.Free(*world.process, anywhere.VirtualAddress, 3 * kPage), STATUS_SUCCESS);
    }
    auto fixed = world.MapArgs(0x50003000, 2, 1);
    EXPECT_EQ(world.calls.Map(*world.process, fixed), STATUS_INVALID_PARAMETER);
    fixed.OffsetInPages = 19;
    ASSERT_EQ(world.calls.Map(*world.process, fixed), STATUS_SUCCESS);
    Reads(life, world.process, 0x50003000, {0x113});

    MonitoredFence fence(life.vidmm, 0);
    const uint64_t va = world.Reserve(8 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    const auto update = [&](const std::vector<Operation>& operations) {
      const uint64_t before = fence.Value();
      const NTSTATUS status = world.calls.Update(*world.process, operations, fence, before);
      EXPECT_EQ(fence.Value(), NT_SUCCESS(status) ? before + 1 : before);
      return status;
    };
    EXPECT_EQ(update({MapOf(va, kPage, world.handle, kPage, kPage)}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(update({MapOf(va, 2 * kPage, world.handle, 0, kPage)}), STATUS_INVALID_PARAMETER) << "a page twice";
    EXPECT_EQ(update({MapOf(va + 3 * kPage, kPage, world.handle, 3 * kPage, kPage)}), STATUS_SUCCESS);
    EXPECT_EQ(update({MapOf(va + kBlock, 3 * kBlock, world.handle, kBlock, kBlock)}), STATUS_SUCCESS);
    EXPECT_EQ(update({CopyOf(va + kBlock, va + 5 * kBlock + kPage, kBlock)}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(update({CopyOf(va + kBlock, va + 5 * kBlock, kBlock),
                      CopyOf(va + 4 * kBlock, va + 6 * kBlock + kPage, kPage)}),
              STATUS_SUCCESS)
        << "where nothing is mapped any address does";
    Reads(life, world.process, va + 5 * kBlock, {0x110, 0x111});
    Reads(life, world.process, va + 3 * kPage, {0x103});
    fence.Release();
  });
}

TEST_F(VaCall, MapRefusesWhatBreaksARule) {
  In([](Life&, World& world) {
    const auto refused = [&](const std::function<void(D3DDDI_MAPGPUVIRTUALADDRESS&)>& change) {
      auto args = world.MapArgs(0, 0, 1);
      change(args);
      return world.calls.Map(*world.process, args);
    };
    EXPECT_EQ(refused([](auto& args) { args.SizeInPages = 0; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.SizeInPages = 33; }), STATUS_INVALID_PARAMETER) << "past the allocation";
    EXPECT_EQ(refused([](auto& args) { args.OffsetInPages = 32; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.OffsetInPages = 31, args.SizeInPages = 2; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.BaseAddress = 0x1234; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.hAllocation = 0; }), STATUS_INVALID_PARAMETER) << "nothing to map";
    EXPECT_EQ(refused([](auto& args) { args.hAllocation = 0x1234; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.Protection.SystemUseOnly = 1; }), STATUS_INVALID_PARAMETER)
        << "the system's";
    EXPECT_EQ(refused([](auto& args) { args.Protection = Of(false, false, true, true); }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(refused([](auto& args) { args.Protection.Reserved = 1; }), STATUS_INVALID_PARAMETER);
  });
}

// A handle stays invalid after its allocation is destroyed, even if another object reuses the
// memory.
TEST_F(VaCall, AHandleEndsWithItsAllocation) {
  In([](Life& life, World& world) {
    Allocation* gone = Filled(life, 4, 0x900);
    const D3DKMT_HANDLE handle = world.calls.Open(*gone), second = world.calls.Open(*gone);
    const uint64_t reserved = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    life.vidmm.DestroyAllocation(gone);
    std::vector<Allocation*> others;
    for (uint32_t i = 0; i < 8; ++i) others.push_back(Filled(life, 4, 0xA00));
    MonitoredFence fence(life.vidmm, 0);
    for (const D3DKMT_HANDLE each : {handle, second}) {
      auto args = world.MapArgs(0, 0, 1);
      args.hAllocation = each;
      EXPECT_EQ(world.calls.Map(*world.process, args), STATUS_INVALID_PARAMETER);
      EXPECT_EQ(world.calls.Update(*world.process, {MapOf(reserved, kPage, each, 0, kPage)}, fence, 0),
                STATUS_INVALID_PARAMETER);
      for (Allocation* other : others) EXPECT_NE(world.calls.Open(*other), each) << "no handle comes again";
    }
    auto args = world.MapArgs(0, 0, 1);
    EXPECT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    fence.Release();
    for (Allocation* other : others) life.vidmm.DestroyAllocation(other);
  });
}

TEST_F(VaCall, ProtectionsBecomeAttributesOfTheEntries) {
  std::vector<DXGK_PTE> entries;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    const auto& op = args.UpdatePageTable;
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.PageTableLevel == 0 && op.hAllocation != nullptr &&
        op.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL)
      entries.assign(op.pPageTableEntries, op.pPageTableEntries + op.NumPageTableEntries);
  });
  In([&](Life& life, World& world) {
    auto read_only = world.MapArgs(0, 1, 1, Of(false, true));
    ASSERT_EQ(world.calls.Map(*world.process, read_only), STATUS_SUCCESS);
    EXPECT_TRUE(entries.at(0).ReadOnly && !entries.at(0).NoExecute);
    Reads(life, world.process, read_only.VirtualAddress, {0x101});
    Faults(life, world.process, read_only.VirtualAddress, regs::Fault::kWriteProtect, true);
    auto no_execute = world.MapArgs(0, 1, 1, Of(true, false));
    ASSERT_EQ(world.calls.Map(*world.process, no_execute), STATUS_SUCCESS);
    EXPECT_TRUE(!entries.at(0).ReadOnly && entries.at(0).NoExecute);
    auto zero = world.MapArgs(0, 0, 2, Of(false, false, true));
    zero.hAllocation = 0;
    ASSERT_EQ(world.calls.Map(*world.process, zero), STATUS_SUCCESS);
    Reads(life, world.process, zero.VirtualAddress, {0, 0});
    auto none = world.MapArgs(zero.VirtualAddress, 0, 1, Of(false, false, false, true));
    none.hAllocation = 0;
    ASSERT_EQ(world.calls.Map(*world.process, none), STATUS_SUCCESS) << "inside a range of its own";
    Faults(life, world.process, zero.VirtualAddress, regs::Fault::kEntryInvalid);
    Reads(life, world.process, zero.VirtualAddress + kPage, {0});
  });
}

TEST_F(VaCall, ReservationsFaultOrReadZeroOrHaveNoTables) {
  In([](Life& life, World& world) {
    const size_t before = world.process->space->tables();
    const uint64_t none = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT);
    EXPECT_EQ(world.process->space->tables(), before) << "no table until something is mapped";
    Faults(life, world.process, none, regs::Fault::kEntryInvalid);
    const uint64_t no_access = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    EXPECT_GT(world.process->space->tables(), before);
    Faults(life, world.process, no_access, regs::Fault::kEntryInvalid);
    const uint64_t zero = world.Reserve(2 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO);
    Reads(life, world.process, zero + 2 * kBlock - kPage, {0});
    auto args = world.MapArgs(zero + kPage, 7, 1);
    ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    Reads(life, world.process, zero, {0, 0x107, 0});
    D3DDDI_RESERVEGPUVIRTUALADDRESS bad{};
    bad.Size = kBlock;
    for (const auto& change : std::vector<std::function<void()>>{
             [&] { bad.Size = kPage; }, [&] { bad.BaseAddress = kPage; }, [&] { bad.MinimumAddress = kPage; },
             [&] { bad.ReservationType = static_cast<D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE>(3); }}) {
      bad = {};
      bad.Size = kBlock;
      change();
      EXPECT_EQ(world.calls.Reserve(*world.process, bad), STATUS_INVALID_PARAMETER) << "64 KiB units, three types";
    }
    bad = {};
    bad.Size = kBlock;
    bad.BaseAddress = zero;
    EXPECT_EQ(world.calls.Reserve(*world.process, bad), STATUS_NO_MEMORY) << "taken";
    EXPECT_EQ(world.calls.Free(*world.process, zero, kBlock), STATUS_INVALID_PARAMETER) << "as it was reserved, or not";
    EXPECT_EQ(world.calls.Free(*world.process, zero, 2 * kBlock), STATUS_SUCCESS);
    Faults(life, world.process, zero, regs::Fault::kEntryInvalid);
  });
}

TEST_F(VaCall, UpdatesMapRepeatUnmapAndProtectInsideOneReservation) {
  In([](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 10);
    const uint64_t va = world.Reserve(4 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO);
    Operation protect{};
    protect.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT;
    protect.MapProtect = {va + 32 * kPage, 2 * kPage, world.handle, 20 * kPage, 2 * kPage, Of(false, true), 0};
    EXPECT_EQ(world.calls.Update(*world.process,
                                 {MapOf(va, 16 * kPage, world.handle, 0, 16 * kPage),
                                  MapOf(va + 16 * kPage, 6 * kPage, world.handle, 3 * kPage, 2 * kPage),
                                  UnmapOf(va + kPage, kPage, Of(false, false, true)),
                                  UnmapOf(va + 2 * kPage, kPage, Of(false, false, false, true)), protect},
                                 fence, 10),
              STATUS_SUCCESS);
    EXPECT_EQ(fence.Value(), 11u);
    Reads(life, world.process, va, {0x100, 0});
    Faults(life, world.process, va + 2 * kPage, regs::Fault::kEntryInvalid);
    Reads(life, world.process, va + 3 * kPage, {0x103, 0x104});
    Reads(life, world.process, va + 16 * kPage, {0x103, 0x104, 0x103, 0x104, 0x103, 0x104, 0});
    Reads(life, world.process, va + 32 * kPage, {0x114, 0x115});
    Faults(life, world.process, va + 32 * kPage, regs::Fault::kWriteProtect, true);
    fence.Release();
  });
}

// While a mapped allocation is not resident, accesses to it fault, even at addresses that mapped
// something else before. Its entries are written when it becomes resident.
TEST_F(VaCall, WhatIsNotResidentTakesTheAddressesOfWhatWasThere) {
  In([](Life& life, World& world) {
    Residency residency(life.vidmm);
    Allocation* away = life.vidmm.CreateAllocation("away", 4 * kPage);
    const D3DKMT_HANDLE handle = world.calls.Open(*away);
    auto args = world.MapArgs(0, 4, 4);
    ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    const uint64_t va = args.VirtualAddress;
    Reads(life, world.process, va, {0x104, 0x105, 0x106, 0x107});
    auto over = world.MapArgs(va + kPage, 0, 2);
    over.hAllocation = handle;
    ASSERT_EQ(world.calls.Map(*world.process, over), STATUS_SUCCESS);
    Reads(life, world.process, va, {0x104});
    Faults(life, world.process, va + kPage, regs::Fault::kEntryInvalid);
    Faults(life, world.process, va + 2 * kPage, regs::Fault::kEntryInvalid);
    Reads(life, world.process, va + 3 * kPage, {0x107});
    MonitoredFence fence(life.vidmm, 0);
    const uint64_t zero = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO);
    ASSERT_EQ(world.calls.Update(*world.process, {MapOf(zero + kPage, kPage, handle, 2 * kPage, kPage)}, fence, 0),
              STATUS_SUCCESS);
    Reads(life, world.process, zero, {0});
    Faults(life, world.process, zero + kPage, regs::Fault::kEntryInvalid);
    Reads(life, world.process, zero + 2 * kPage, {0});

    residency.MakeResident({away});
    for (uint32_t page = 0; page < 4; ++page) life.vidmm.transfers().Fill(*away, page * kPage, kPage, 0x200 + page);
    Reads(life, world.process, va, {0x104, 0x200, 0x201, 0x107});
    Reads(life, world.process, zero, {0, 0x202, 0});
    fence.Release();
    world.calls.Forget(*world.process);
    life.vidmm.DestroyAllocation(away);
  });
}

// Mapping a non-resident allocation sends no operation for addresses that were unmapped. A zero
// entry above the leaf level is invalidated as a whole, or replaced by a table for the rest of its
// range.
TEST_F(VaCall, WhatIsNotResidentMakesNoTablesForItsAddresses) {
  constexpr uint64_t kLarge = uint64_t{2} << 20;
  In([](Life& life, World& world) {
    Allocation* away = life.vidmm.CreateAllocation("away", kLarge);
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve{};
    reserve.BaseAddress = 64 * kLarge;
    reserve.Size = 4 * kLarge;
    reserve.ReservationType = D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
    ASSERT_EQ(world.calls.Reserve(*world.process, reserve), STATUS_SUCCESS);
    const uint64_t va = reserve.VirtualAddress, free = 128 * kLarge;
    const size_t tables = world.process->space->tables();
    const auto map = [&](uint64_t base, uint64_t pages) {
      auto args = world.MapArgs(base, 0, pages);
      args.hAllocation = world.calls.Open(*away);
      ASSERT_EQ(world.calls.Map(*world.process, args), STATUS_SUCCESS);
    };
    const uint64_t before = life.vidmm.work().queue().operations();
    map(free, 512);
    EXPECT_EQ(life.vidmm.work().queue().operations(), before);
    map(va + kLarge, 512);
    EXPECT_EQ(world.process->space->tables(), tables);
    EXPECT_EQ(life.vidmm.work().queue().operations() - before, 3u) << "entry, flush, monitored fence";
    Reads(life, world.process, va + kLarge - kPage, {0});
    Faults(life, world.process, va + kLarge, regs::Fault::kEntryInvalid);
    Faults(life, world.process, va + 2 * kLarge - kPage, regs::Fault::kEntryInvalid);
    map(va + 2 * kLarge, 1);
    EXPECT_EQ(world.process->space->tables(), tables + 1);
    Faults(life, world.process, va + 2 * kLarge, regs::Fault::kEntryInvalid);
    Reads(life, world.process, va + 2 * kLarge + kPage, {0});
    world.calls.Forget(*world.process);
    life.vidmm.DestroyAllocation(away);
  });
}

}  // namespace
}  // namespace gmmu::os::test
