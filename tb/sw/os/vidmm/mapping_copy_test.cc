// SPDX-License-Identifier: Apache-2.0
// Tests copying of mappings. Either VidMm writes the entries of the copy, or the GPU copies them.

#include <map>
#include <string>
#include <tuple>

#include "tb/sw/os/vidmm/va_calls_bench.h"
#include "os/base/page_math.h"
#include "os/vidmm/monitored_fence.h"

namespace gmmu::os::test {
namespace {

constexpr uint64_t kBlock = 64 << 10;

// Each test runs with every kind of leaf table and both ways of copying: Windows build 22621 was
// observed to send UPDATE_PAGE_TABLE, and Microsoft's documentation specifies
// COPY_PAGE_TABLE_ENTRIES.
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
    const uint64_t edge = (va + (uint64_t{2} << 20)) / (uint64_t{2} << 20) *
                          (uint64_t{2} << 20);  // boundary between two leaf tables
    ASSERT_EQ(world.calls.Update(*world.process, {MapOf(va, 8 * kPage, world.handle, 0, 8 * kPage)}, fence, 0),
              STATUS_SUCCESS);
    if (kind() != Kind::k4k) {  // rejected: address and offset would differ in the low 16 bits
      EXPECT_EQ(world.calls.Update(*world.process, {CopyOf(va, va + 3 * kPage, 8 * kPage)}, fence, 1),
                STATUS_INVALID_PARAMETER);
      Reads(life, world.process, va, {0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107});
      return fence.Release();
    }
    ASSERT_EQ(world.calls.Update(*world.process,
                                 {CopyOf(va, va + 3 * kPage, 8 * kPage),                  // upward, overlapping
                                  CopyOf(va + 3 * kPage, edge - 4 * kPage, 8 * kPage),    // across tables
                                  CopyOf(edge - 4 * kPage, edge - 5 * kPage, 8 * kPage),  // downward, overlapping
                                  // upward, overlapping and across tables
                                  CopyOf(edge - 5 * kPage, edge - 4 * kPage, 8 * kPage)},
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
  EXPECT_EQ(copies > 3, by_gpu() && kind() == Kind::k4k);
  EXPECT_EQ(other_contexts, 0u) << "all of them on the companion";
}

// 64 KiB pages are copied as such if address and size permit, and as 4 KiB pages otherwise.
TEST_P(CopyWays, PagesOf64KiBAreCopiedWhateverIsAtTheTarget) {
  In([&](Life& life, World& world) {
    MonitoredFence fence(life.vidmm, 0);
    uint64_t value = 0;
    constexpr uint64_t kLeaf = uint64_t{2} << 20;
    const uint64_t reserved = world.Reserve(8 * kLeaf, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT);
    const uint64_t va = (reserved + kLeaf - 1) / kLeaf * kLeaf;
    std::map<uint64_t, uint32_t> expected;  // the word that each page contains
    const auto note = [&](uint64_t target, uint64_t source, uint64_t pages) {
      const auto before = expected;
      for (uint64_t at = 0; at < pages * kPage; at += kPage) {
        const auto found = before.find(source + at);
        if (found == before.end()) expected.erase(target + at);
        else expected[target + at] = found->second;
      }
    };
    const auto map = [&](uint64_t base, uint64_t first, uint64_t pages) {
      ASSERT_EQ(world.calls.Update(*world.process,
                                   {MapOf(base, pages * kPage, world.handle, first * kPage, pages * kPage)}, fence,
                                   value++),
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
    copy(va + 3 * kPage, va + 2 * kLeaf + 3 * kPage, 29);
    EXPECT_FALSE(large(va + 2 * kLeaf));
    reads("not aligned");
    copy(va, va + 3 * kLeaf - 16 * kPage, 32);
    reads("across two leaf tables");
    copy(va + 2 * kLeaf + 26 * kPage, va + kLeaf + 10 * kPage, 6);
    EXPECT_FALSE(large(va + kLeaf));
    EXPECT_EQ(large(va + kLeaf + kBlock), kind() == Kind::kDual) << "the block that it does not touch";
    reads("pages of 4 KiB into a block of 64 KiB");
    map(va + 4 * kLeaf, 0, 32);
    copy(va + 4 * kLeaf, va + 4 * kLeaf + 16 * kPage, 32);
    EXPECT_EQ(large(va + 4 * kLeaf + 32 * kPage), kind() != Kind::k4k);
    reads("upward by a block, overlapping");
    copy(va + 4 * kLeaf + 19 * kPage, va + 4 * kLeaf + 3 * kPage, 27);
    reads("downward, overlapping");
    copy(va + 4 * kLeaf + 5 * kPage, va + 4 * kLeaf + 21 * kPage, 24);
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

// The copy has the driver protection of the target's reservation, so the GPU cannot copy entries
// whose protection differs.
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
                                 {MapOf(source + 8 * kPage, 4 * kPage, world.handle, 8 * kPage, 4 * kPage),
                                  MapOf(source + kBlock, 2 * kPage, world.handle, 0, 2 * kPage)},
                                 fence, 0),
              STATUS_SUCCESS);
    given.clear();
    ASSERT_EQ(world.calls.Update(*world.process, {CopyOf(source + 9 * kPage, target + 9 * kPage, 9 * kPage)}, fence, 1),
              STATUS_SUCCESS);
    EXPECT_EQ(copied, 0u) << "another protection: by operation 11 in both ways";
    const std::vector<Given> expected = {{target + 9 * kPage, handle, 9 * kPage, 3, 0x22},
                                         {target + kBlock, handle, 0, 2, 0x22}};
    EXPECT_EQ(given, expected);
    given.clear();
    life.vidmm.mappings().Invalidate(*world.data);
    life.vidmm.mappings().Restore(*world.data);
    for (const Given& one : given)
      EXPECT_EQ(std::get<4>(one), std::get<0>(one) >= target && std::get<0>(one) < target + 2 * kBlock ? 0x22u : 0x11u);
    EXPECT_EQ(given.size(), 4u);
    Reads(life, world.process, target + 9 * kPage, {0x109, 0x10A, 0x10B});
    Reads(life, world.process, target + kBlock, {0x100, 0x101});
    // Within one reservation, all pages have the same driver protection, so the GPU can copy their
    // entries.
    given.clear();
    ASSERT_EQ(world.calls.Update(*world.process, {CopyOf(source + 8 * kPage, source + 8 * kPage + kBlock, 2 * kPage)},
                                 fence, 2),
              STATUS_SUCCESS);
    EXPECT_EQ(copied, by_gpu() ? 1u : 0u);
    if (!by_gpu()) EXPECT_EQ(given, (std::vector<Given>{{source + 8 * kPage + kBlock, handle, 8 * kPage, 2, 0x11}}));
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

// The operations of a batch are applied in order, so each is checked against the result of those
// before it.
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
    EXPECT_EQ(update({MapOf(source, kPage, world.handle, 0, kPage), protect(source + kBlock, 0, 0)}),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(update({protect(source, 0, unique | 2), CopyOf(source, source + kBlock, kPage)}),
              STATUS_INVALID_PARAMETER)
        << "the copy inherits another value";
    EXPECT_EQ(fence.Value(), 0u) << "nothing was begun";
    Faults(life, world.process, source, regs::Fault::kEntryInvalid);
    EXPECT_EQ(update({protect(source, 0, unique | 2), none, protect(source + kBlock, 0, unique | 3),
                      protect(source, kBlock, unique | 4)}),
              STATUS_SUCCESS)
        << "it is unmapped in between";
    Reads(life, world.process, source, {0x110});
    Reads(life, world.process, source + kBlock, {0x100});
    EXPECT_EQ(update({MapOf(other + 5 * kPage, kPage, world.handle, 5 * kPage, kPage),
                      CopyOf(other + 5 * kPage, other + 5 * kPage + kBlock, kPage)},
                     1),
              STATUS_SUCCESS)
        << "not unique";
    Reads(life, world.process, other + 5 * kPage, {0x105});
    Reads(life, world.process, other + 5 * kPage + kBlock, {0x105});
    fence.Release();
  });
}
INSTANTIATE_TEST_SUITE_P(All, CopyWays,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Kind::k4k, Kind::kSingle, Kind::kDual)),
                         [](const auto& info) {
                           const Kind kind = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param) ? "CopyPageTableEntries" : "UpdatePageTable") +
                                  (kind == Kind::k4k       ? ""
                                   : kind == Kind::kSingle ? "Leaf64k"
                                                           : "DualPte");
                         });

}  // namespace
}  // namespace gmmu::os::test
