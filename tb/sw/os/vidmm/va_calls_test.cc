// SPDX-License-Identifier: Apache-2.0
// What applications ask of their GPU virtual addresses. Documents only, unless a comment names a build.
#include "os/vidmm/va_calls.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tb/sw/os/driver_front.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/allocation.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/transfers.h"

namespace gmmu::os::test {
namespace {

using ::testing::SizeIs;
using workload::Life;
constexpr uint64_t kPage = hw::kPageSize;
constexpr uint64_t kBlock = 64 << 10;
using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;
using Type = D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE;

Type Of(bool write, bool execute, bool zero = false, bool no_access = false) {
  Type type{};
  type.Write = write;
  type.Execute = execute;
  type.Zero = zero;
  type.NoAccess = no_access;
  return type;
}

class VaCall : public DriverFront {
 protected:
  struct World {
    explicit World(Life& life) : calls(life.vidmm) {
      process = life.vidmm.CreateProcess("process");
      data = Filled(life, 32, 0x100);
      handle = calls.Open(*data);
    }
    void End(Life& life) {
      calls.Forget(*process);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    }
    D3DDDI_MAPGPUVIRTUALADDRESS MapArgs(uint64_t base, uint64_t offset, uint64_t pages,
                                        Type type = Of(true, true)) const {
      D3DDDI_MAPGPUVIRTUALADDRESS args{};
      args.BaseAddress = base;
      args.hAllocation = handle;
      args.OffsetInPages = offset;
      args.SizeInPages = pages;
      args.Protection = type;
      return args;
    }
    uint64_t Reserve(uint64_t bytes, D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE type, uint64_t driver = 0) {
      D3DDDI_RESERVEGPUVIRTUALADDRESS args{};
      args.Size = bytes;
      args.ReservationType = type;
      args.DriverProtection = driver;
      EXPECT_EQ(calls.Reserve(*process, args), STATUS_SUCCESS);
      EXPECT_EQ(args.PagingFenceValue, 0u) << "done";
      return args.VirtualAddress;
    }
    VaCalls calls;
    GpuProcess* process;
    Allocation* data;
    D3DKMT_HANDLE handle;
  };
  /// `body` on the worker.
  void In(const std::function<void(Life&, World&)>& body) {
    Run([&](Life& life) {
      life.worker.Call([&] {
        World world(life);
        body(life, world);
        world.End(life);
      });
    });
  }
  static Operation MapOf(uint64_t base, uint64_t bytes, D3DKMT_HANDLE handle, uint64_t offset, uint64_t size) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
    operation.Map = {base, bytes, handle, offset, size};
    return operation;
  }
  static Operation CopyOf(uint64_t source, uint64_t target, uint64_t bytes) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY;
    operation.Copy = {source, bytes, target};
    return operation;
  }
  static Operation UnmapOf(uint64_t base, uint64_t bytes, Type type) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP;
    operation.Unmap = {base, bytes, type};
    return operation;
  }
};

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
    auto taken = world.MapArgs(0x50002000, 0, 2);  // reaches out of the range that is there
    EXPECT_EQ(world.calls.Map(*world.process, taken), STATUS_NO_MEMORY);
    EXPECT_EQ(taken.VirtualAddress, 0u);
    EXPECT_EQ(world.calls.Free(*world.process, 0x50003000, kPage), STATUS_SUCCESS);
    Faults(life, world.process, 0x50003000, regs::Fault::kEntryInvalid);
    EXPECT_EQ(world.calls.Map(*world.process, taken), STATUS_SUCCESS);
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

// Whatever has its place in memory since then.
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

// What is mapped and not resident faults, whatever was mapped there before; it has its entries when it is resident.
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
    for (uint32_t page = 0; page < 4; ++page) life.vidmm.Fill(*away, page * kPage, kPage, 0x200 + page);
    Reads(life, world.process, va, {0x104, 0x200, 0x201, 0x107});
    Reads(life, world.process, zero, {0, 0x202, 0});
    fence.Release();
    world.calls.Forget(*world.process);
    life.vidmm.DestroyAllocation(away);
  });
}

// Where nothing is mapped nothing is sent. A zero entry above the leaf goes as it is, or leaves a table of its rest.
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

// Build 22621 sends UPDATE_PAGE_TABLE for a copy; the documents say COPY_PAGE_TABLE_ENTRIES.
enum class Kind { k4k, kSingle, kDual };

class CopyWays : public VaCall, public ::testing::WithParamInterface<std::tuple<bool, Kind>> {
 protected:
  CopyWays() {
    bench.options.os.copies_entries = by_gpu();
    if (by_gpu()) bench.options.os.driver["ContiguousPages"] = 0;
    bench.config.gpu.vram_mib = 8;
    bench.options.os.driver["Leaf64k"] = kind() != Kind::k4k;
    bench.options.os.driver["DualPte"] = kind() == Kind::kDual;
  }
  static bool by_gpu() { return std::get<0>(GetParam()); }
  static Kind kind() { return std::get<1>(GetParam()); }
};

TEST_P(CopyWays, ACopyTakesTheMappingsAsTheyAreWithOverlapAndAcrossTables) {
  unsigned copies = 0, other_contexts = 0;
  HANDLE companion = nullptr;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) return;
    ++copies;
    other_contexts += companion != nullptr && args.hSystemContext != companion;
    companion = args.hSystemContext;
    for (UINT i = 0; i < args.CopyPageTableEntries.NumRanges; ++i) {
      EXPECT_EQ(args.CopyPageTableEntries.pRanges[i].SrcPageTableAddress % kBlock, 0u);
      EXPECT_EQ(args.CopyPageTableEntries.pRanges[i].DstPageTableAddress % kBlock, 0u);
    }
  });
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    const uint64_t va = world.Reserve(uint64_t{8} << 20, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS);
    const uint64_t edge =
        (va + (uint64_t{2} << 20)) / (uint64_t{2} << 20) * (uint64_t{2} << 20);  // between two leaf tables
    ASSERT_EQ(world.calls.Update(*world.process, {MapOf(va, 8 * kPage, world.handle, 0, 8 * kPage)}, fence, 0),
              STATUS_SUCCESS);
    ASSERT_EQ(world.calls.Update(*world.process,
                                 {CopyOf(va, va + 3 * kPage, 8 * kPage),    // upward, overlapping
                                  CopyOf(va + 3 * kPage, edge - 4 * kPage, 8 * kPage),  // across tables
                                  CopyOf(edge - 4 * kPage, edge - 5 * kPage, 8 * kPage),   // downward, overlapping
                                  CopyOf(edge - 5 * kPage, edge - 4 * kPage, 8 * kPage)},  // upward, both
                                 fence, 1),
              STATUS_SUCCESS);
    EXPECT_EQ(fence.Value(), 2u);
    Reads(life, world.process, va, {0x100, 0x101, 0x102, 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107});
    Reads(life, world.process, edge - 5 * kPage, {0x100, 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107});
    size_t pages = 0;
    for (const auto& mapping : world.data->mappings) pages += mapping.pages;
    EXPECT_EQ(pages, 3u + 8 + 9) << "copies are mappings as well";
    fence.Release();
  });
  EXPECT_EQ(copies > 3, by_gpu());
  EXPECT_EQ(other_contexts, 0u) << "all of them on the companion";
}

// Pages of 64 KiB are copied as such where address and size allow, else page by page.
TEST_P(CopyWays, PagesOf64KiBAreCopiedWhateverIsAtTheTarget) {
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    uint64_t value = 0;
    constexpr uint64_t kLeaf = uint64_t{2} << 20;
    const uint64_t reserved = world.Reserve(8 * kLeaf, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT);
    const uint64_t va = (reserved + kLeaf - 1) / kLeaf * kLeaf;
    std::map<uint64_t, uint32_t> expected;  // word of each page
    const auto note = [&](uint64_t target, uint64_t source, uint64_t pages) {
      const auto before = expected;
      for (uint64_t at = 0; at < pages * kPage; at += kPage) {
        const auto found = before.find(source + at);
        if (found == before.end()) expected.erase(target + at);
        else expected[target + at] = found->second;
      }
    };
    const auto map = [&](uint64_t base, uint64_t first, uint64_t pages) {
      ASSERT_EQ(
          world.calls.Update(*world.process, {MapOf(base, pages * kPage, world.handle, first * kPage, pages * kPage)},
                             fence, value++),
          STATUS_SUCCESS);
      for (uint64_t i = 0; i < pages; ++i) expected[base + i * kPage] = 0x100 + static_cast<uint32_t>(first + i);
    };
    const auto copy = [&](uint64_t source, uint64_t target, uint64_t pages) {
      ASSERT_EQ(world.calls.Update(*world.process, {CopyOf(source, target, pages * kPage)}, fence, value++),
                STATUS_SUCCESS);
      note(target, source, pages);
    };
    const auto reads = [&](const char* what) {
      SCOPED_TRACE(what);
      for (auto first = expected.begin(); first != expected.end();) {
        std::vector<uint32_t> words;
        auto next = first;
        for (; next != expected.end() && next->first == first->first + words.size() * kPage; ++next)
          words.push_back(next->second);
        Reads(life, world.process, first->first, words);
        first = next;
      }
    };
    const auto large = [&](uint64_t at) { return world.process->space->Is64k(at); };
    map(va, 0, 32);
    EXPECT_EQ(large(va), kind() != Kind::k4k);
    copy(va, va + kLeaf, 32);
    EXPECT_EQ(large(va + kLeaf), kind() != Kind::k4k) << "aligned, whole, and no table was there";
    reads("aligned");
    copy(va, va + 2 * kLeaf + 3 * kPage, 32);
    EXPECT_FALSE(large(va + 2 * kLeaf));
    reads("not aligned");
    copy(va, va + 3 * kLeaf - 16 * kPage, 32);
    reads("across two leaf tables");
    copy(va + 2 * kLeaf + 3 * kPage, va + kLeaf + 10 * kPage, 6);
    EXPECT_FALSE(large(va + kLeaf));
    EXPECT_EQ(large(va + kLeaf + kBlock), kind() == Kind::kDual) << "the block that it does not touch";
    reads("pages of 4 KiB into a block of 64 KiB");
    map(va + 4 * kLeaf, 0, 32);
    copy(va + 4 * kLeaf, va + 4 * kLeaf + 16 * kPage, 32);
    EXPECT_EQ(large(va + 4 * kLeaf + 32 * kPage), kind() != Kind::k4k);
    reads("upward by a block, overlapping");
    copy(va + 4 * kLeaf + 16 * kPage, va + 4 * kLeaf + 11 * kPage, 32);
    reads("downward, overlapping");
    copy(va + 4 * kLeaf + 11 * kPage, va + 4 * kLeaf + 14 * kPage, 32);
    reads("upward, overlapping");
    map(va + 5 * kLeaf, 16, 16);
    copy(va + 6 * kLeaf, va + 5 * kLeaf + 4 * kPage, 2);
    Faults(life, world.process, va + 5 * kLeaf + 4 * kPage, regs::Fault::kEntryInvalid);
    reads("nothing into a block of 64 KiB");
    map(va + 5 * kLeaf, 0, 32);
    EXPECT_EQ(large(va + 5 * kLeaf), kind() == Kind::kDual) << "with single entries there is no way back";
    reads("mapped as a whole again");
    life.vidmm.mappings().Invalidate(*world.data);
    Faults(life, world.process, va + kLeaf + 10 * kPage, regs::Fault::kEntryInvalid);
    life.vidmm.mappings().Restore(*world.data);
    reads("copies are mappings as well");
    fence.Release();
  });
}

// Updates inherit the target reservation's; entries of another one are not copied as they are.
TEST_P(CopyWays, TheCopyHasTheDriverProtectionOfItsReservationAndTheAllocationOfItsSource) {
  using Given =
      std::tuple<uint64_t, HANDLE, uint64_t, uint64_t, UINT64>;  // address, allocation, offset, pages, protection
  std::vector<Given> given;
  unsigned copied = 0;
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    const HANDLE handle = world.data->handle;
    const uint64_t source = world.Reserve(2 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, 0x11);
    const uint64_t target = world.Reserve(2 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, 0x22);
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      copied += args.Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hProcess == world.process->handles.process &&
          op.PageTableLevel == 0 && op.pPageTableEntries->Valid)
        given.emplace_back(op.FirstPteVirtualAddress, op.hAllocation, op.AllocationOffsetInBytes,
                           op.NumPageTableEntries, op.DriverProtection);
    });
    ASSERT_EQ(world.calls.Update(*world.process,
                                 {MapOf(source, 4 * kPage, world.handle, 8 * kPage, 4 * kPage),
                                  MapOf(source + 4 * kPage, 2 * kPage, world.handle, 0, 2 * kPage)},
                                 fence, 0),
              STATUS_SUCCESS);
    given.clear();
    ASSERT_EQ(world.calls.Update(*world.process, {CopyOf(source + kPage, target, 6 * kPage)}, fence, 1),
              STATUS_SUCCESS);
    EXPECT_EQ(copied, 0u) << "another protection: by operation 11 in both ways";
    const std::vector<Given> expected = {{target, handle, 9 * kPage, 3, 0x22},
                                         {target + 3 * kPage, handle, 0, 2, 0x22}};
    EXPECT_EQ(given, expected);
    given.clear();
    life.vidmm.mappings().Invalidate(*world.data);
    life.vidmm.mappings().Restore(*world.data);
    for (const Given& one : given)
      EXPECT_EQ(std::get<4>(one), std::get<0>(one) >= target && std::get<0>(one) < target + 2 * kBlock ? 0x22u : 0x11u);
    EXPECT_EQ(given.size(), 4u);
    Reads(life, world.process, target, {0x109, 0x10A, 0x10B, 0x100, 0x101});
    // Inside one reservation it is the same.
    given.clear();
    ASSERT_EQ(world.calls.Update(*world.process, {CopyOf(source, source + 8 * kPage, 2 * kPage)}, fence, 2),
              STATUS_SUCCESS);
    EXPECT_EQ(copied, by_gpu() ? 1u : 0u);
    if (!by_gpu()) EXPECT_EQ(given, (std::vector<Given>{{source + 8 * kPage, handle, 8 * kPage, 2, 0x11}}));
    seen.operation = nullptr;
    fence.Release();
  });
}

TEST_P(CopyWays, ACopyThatWouldGiveAPageASecondUniqueDriverProtectionIsRefused) {
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    const UINT64 unique = D3DGPU_UNIQUE_DRIVER_PROTECTION;
    const uint64_t source = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, unique | 1);
    const uint64_t same = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, unique | 1);
    const uint64_t other = world.Reserve(kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, unique | 2);
    ASSERT_EQ(world.calls.Update(*world.process, {MapOf(source, kPage, world.handle, 0, kPage)}, fence, 0),
              STATUS_SUCCESS);
    EXPECT_EQ(world.calls.Update(*world.process, {CopyOf(source, other, kPage)}, fence, 1), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(world.calls.Update(*world.process, {CopyOf(source, same, kPage)}, fence, 1), STATUS_SUCCESS);
    Reads(life, world.process, same, {0x100});
    EXPECT_EQ(world.calls.Update(*world.process, {CopyOf(source + kPage, other, kPage)}, fence, 2), STATUS_SUCCESS)
        << "nothing is mapped there";
    fence.Release();
  });
}

// Operations of a batch are done one after another: each finds what those before it have mapped and unmapped.
TEST_P(CopyWays, ABatchThatWouldGiveAPageTwoUniqueDriverProtectionsIsRefusedAsAWhole) {
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    const UINT64 unique = D3DGPU_UNIQUE_DRIVER_PROTECTION;
    const uint64_t source = world.Reserve(2 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT, unique | 1);
    const uint64_t other = world.Reserve(2 * kBlock, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT);
    const auto protect = [&](uint64_t va, uint64_t offset, uint64_t protection) {
      Operation operation{};
      operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT;
      operation.MapProtect = {va, kPage, world.handle, offset, kPage, Of(true, true), protection};
      return operation;
    };
    const auto update = [&](const std::vector<Operation>& operations, uint64_t value = 0) {
      return world.calls.Update(*world.process, operations, fence, value);
    };
    const Operation none = UnmapOf(source, kPage, Of(false, false, false, true));
    EXPECT_EQ(update({protect(source, 0, unique | 1), protect(source + kBlock, 0, unique | 2)}),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(update({MapOf(source, kPage, world.handle, 0, kPage), protect(source + kPage, 0, 0)}),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(update({protect(source, 0, unique | 2), CopyOf(source, source + kPage, kPage)}), STATUS_INVALID_PARAMETER)
        << "the copy inherits another value";
    EXPECT_EQ(fence.Value(), 0u) << "nothing was begun";
    Faults(life, world.process, source, regs::Fault::kEntryInvalid);
    EXPECT_EQ(update({protect(source, 0, unique | 2), none, protect(source + kPage, 0, unique | 3),
                      protect(source, 3 * kPage, unique | 4)}),
              STATUS_SUCCESS)
        << "it is unmapped in between";
    Reads(life, world.process, source, {0x103, 0x100});
    EXPECT_EQ(update({MapOf(other, 2 * kPage, world.handle, 5 * kPage, kPage), CopyOf(other + kPage, other, kPage)}, 1),
              STATUS_SUCCESS)
        << "not unique";
    Reads(life, world.process, other, {0x105, 0x105});
    fence.Release();
  });
}
INSTANTIATE_TEST_SUITE_P(All, CopyWays,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Kind::k4k, Kind::kSingle, Kind::kDual)),
                         [](const auto& info) {
                           const Kind kind = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param) ? "CopyPageTableEntries" : "UpdatePageTable") +
                                  (kind == Kind::k4k ? "" : kind == Kind::kSingle ? "Leaf64k" : "DualPte");
                         });

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
    life.vidmm.work().Signal(fence.va(), 6);
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

// A large page that is split says the same as before, to the driver too.
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
    life.vidmm.PageOut(*world.data, target, world.data->bytes, nullptr);
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

// Source and target of a copy have protections of their own; a piece has one of each.
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
    const decltype(windows) expected = {{from, 2, kUnique | 5}, {to, 2, 0},           {from, 2, kUnique | 5},
                                        {to, 2, kUnique | 6},   {from, 8, 0},         {to, 8, kUnique | 6},
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

// What reaches out of such a range, or into something that is mapped there, is taken; it changes nothing.
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
    Run([&](Life& life) {
      life.worker.Call([&] {
        unsigned large = 0;
        GpuProcess* process = life.vidmm.CreateProcess("process");
        AllocationRequest request;
        request.name = "large";
        request.bytes = kLarge;
        request.no_large_pages = forbidden;
        Allocation* data = life.vidmm.CreateAllocation(request);
        data->contiguous = kLarge;
        life.vidmm.MakeResident(*data);
        life.vidmm.Fill(*data, 0, kLarge, 0x51525354);
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
        Reads(life, process, elsewhere.BaseAddress, {0x51525354, 0x51525354});
        EXPECT_EQ(args.VirtualAddress % (forbidden ? kBlock : kLarge), 0u);
        Reads(life, process, args.VirtualAddress + kLarge - 2 * kPage, {0x51525354, 0x51525354});
        Faults(life, process, args.VirtualAddress, regs::Fault::kWriteProtect, true);
        const size_t tables = process->space->tables();
        life.vidmm.DestroyAllocation(data);
        EXPECT_EQ(process->space->tables(), tables) << "a large entry goes without a table in its place";
        for (const auto& gone : {args, elsewhere})
          Faults(life, process, gone.VirtualAddress + kLarge - kPage, regs::Fault::kEntryInvalid);
        calls.Forget(*process);
        life.vidmm.DestroyProcess(process);
      });
    });
  }
}

}  // namespace
}  // namespace gmmu::os::test
