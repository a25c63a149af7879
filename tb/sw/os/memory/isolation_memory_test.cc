// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ddi/wdm.h"
#include "host/ram_of_iommu.h"
#include "os/base/bug_check.h"
#include "os/base/text.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/memory/isolation_memory.h"
#include "tb/sim/iommu/translate.h"
#include "twin/fast_engine.h"

namespace gmmu::os {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

struct Machine {
  Machine() {
    kernel.iommu()->Enable([](const RemappingFault&) {});
    domain = kernel.iommu()->CreateDomain(uint64_t{1} << 40, true, "test");
    kernel.iommu()->Attach({1, 0, 0}, *domain);
  }
  bool Reaches(uint64_t pfn, bool write = true) {
    const auto result = sim::TranslateAtOnce(*platform.iommu(), ram, {0x100, pfn * hw::kPageSize, write});
    return result.ok() && result.hpa == pfn * hw::kPageSize;
  }
  sim::twin::FastMachine platform{sim::MachineConfig::Default()};
  Kernel kernel{platform, {}};
  sim::RamOfIommu ram{platform.ram()};
  RemappingDomain* domain = nullptr;
  IsolationMemory memory{kernel};
  int token = 0;
  HANDLE adapter = &token;
};

/// A machine whose adapter is attached to its domain.
struct MachineWithAdapter : Machine {
  MachineWithAdapter() { memory.AddAdapter(adapter, {domain, "test"}); }
};

TEST(IsolationMemory, ContiguousMemoryIsMappedAtItsOwnAddressUntilItIsFreed) {
  MachineWithAdapter machine;
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY args{};
  args.NumberOfBytes = 3 * 4096 + 1;
  args.LowestAcceptableAddress.QuadPart = 0x10000000;
  args.HighestAcceptableAddress.QuadPart = 0x1FFFFFFF;
  args.BoundaryAddressMultiple.QuadPart = 0x10000;
  ASSERT_EQ(machine.memory.AllocateContiguous(machine.adapter, args), STATUS_SUCCESS);
  ASSERT_NE(args.hMemoryHandle, nullptr);
  auto* words = static_cast<uint64_t*>(args.pMemory);
  words[0] = 0x0123456789ABCDEF;
  words[3 * 512] = 0xFEDCBA9876543210;
  uint64_t first = 0;
  for (uint64_t pfn = 0x10000; pfn < 0x20000 && first == 0; ++pfn) {
    if (machine.Reaches(pfn)) first = pfn;
  }
  ASSERT_NE(first, 0u);
  EXPECT_EQ(first / 16, (first + 3) / 16) << "crosses the boundary";
  uint64_t word = 0;
  ASSERT_TRUE(machine.platform.ram().Read((first + 3) * 4096, &word, 8));
  EXPECT_EQ(word, words[3 * 512]);
  EXPECT_TRUE(machine.Reaches(first + 3));
  EXPECT_FALSE(machine.Reaches(first + 4));
  machine.memory.FreeContiguous(machine.adapter, {args.hMemoryHandle});
  EXPECT_FALSE(machine.Reaches(first));
  EXPECT_EQ(machine.platform.ram().views(), 0u);
}

TEST(IsolationMemory, AnMdlCarriesPhysicalPagesThatTheGpuReachesAtTheSameNumbers) {
  MachineWithAdapter machine;
  DXGKARGCB_ALLOCATEPAGESFORMDL args{};
  args.HighAddress.QuadPart = -1;
  args.TotalBytes = 5 * 4096;
  ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_SUCCESS);
  const auto pfns = Mdl::PagesOf(args.pMdl);
  ASSERT_EQ(pfns.size(), 5u);
  for (uint64_t pfn : pfns) EXPECT_TRUE(machine.Reaches(pfn));
  machine.memory.FreePagesFromMdl(machine.adapter, {args.hMemoryHandle});
  for (uint64_t pfn : pfns) EXPECT_FALSE(machine.Reaches(pfn));
}

TEST(IsolationMemory, AnMdlIsWholeOrNotAndSmallerThan4GiB) {
  MachineWithAdapter machine;
  DXGKARGCB_ALLOCATEPAGESFORMDL args{};
  args.LowAddress.QuadPart = 0x100000;
  args.HighAddress.QuadPart = 0x104FFF;  // five pages
  args.TotalBytes = 6 * 4096;
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_NO_MEMORY);
  EXPECT_EQ(args.pMdl, nullptr);
  args.TotalBytes = (uint64_t{4} << 30) - 4095;
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_INVALID_PARAMETER);
  args.TotalBytes = 0;
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_INVALID_PARAMETER);
}

/// Returns arguments for DxgkCbAllocatePagesForMdl, which corresponds to MmAllocatePagesForMdlEx.
DXGKARGCB_ALLOCATEPAGESFORMDL Pages(uint64_t pages, LONGLONG low = 0, LONGLONG high = -1) {
  DXGKARGCB_ALLOCATEPAGESFORMDL args{};
  args.LowAddress.QuadPart = low;
  args.HighAddress.QuadPart = high;
  args.TotalBytes = pages * 4096;
  return args;
}

TEST(IsolationMemory, SkipBytesMovesTheRangeOnUntilThereAreEnoughPages) {
  MachineWithAdapter machine;
  auto args = Pages(6, 0x100000, 0x104FFF);  // five pages
  args.SkipBytes.QuadPart = 0x100000;
  ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_SUCCESS);
  auto pfns = Mdl::PagesOf(args.pMdl);
  std::sort(pfns.begin(), pfns.end());
  ASSERT_EQ(pfns.size(), 6u);
  EXPECT_EQ(pfns[4], 0x104u);
  EXPECT_GE(pfns[5], 0x200u);
  EXPECT_LE(pfns[5], 0x204u) << "from the range SkipBytes further";
  args.SkipBytes.QuadPart = 100;
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_INVALID_PARAMETER) << "no whole pages";
}

TEST(IsolationMemory, MdlFlagsAskForContiguousChunksAndForPagesAsTheyAre) {
  MachineWithAdapter machine;
  auto args = Pages(8);
  args.Flags = MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS;
  args.SkipBytes.QuadPart = 4 * 4096;  // with this flag, the size of a chunk
  ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_SUCCESS);
  const auto pfns = Mdl::PagesOf(args.pMdl);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(pfns[i], pfns[i / 4 * 4] + i % 4);
  machine.memory.FreePagesFromMdl(machine.adapter, {args.hMemoryHandle});
  args.Flags = 1u << 31;
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_INVALID_PARAMETER) << "an unknown flag";

  for (const bool zero : {true, false}) {  // frees one page and allocates it again
    auto page = Pages(1, 0x300000, 0x300FFF);
    ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, page), STATUS_SUCCESS);
    ASSERT_TRUE(machine.platform.ram().Write(0x300000, "left", 4));
    machine.memory.FreePagesFromMdl(machine.adapter, {page.hMemoryHandle});
    page.Flags = zero ? 0 : MM_DONT_ZERO_ALLOCATION;
    ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, page), STATUS_SUCCESS);
    char found[4];
    ASSERT_TRUE(machine.platform.ram().Read(0x300000, found, 4));
    EXPECT_EQ(std::string(found, 4), zero ? std::string(4, 0) : "left");
    machine.memory.FreePagesFromMdl(machine.adapter, {page.hMemoryHandle});
  }
}

TEST(IsolationMemory, TheCacheTypeIsThatOfTheView) {
  for (const auto type : {DXGK_MEMORY_CACHING_TYPE_NON_CACHED, DXGK_MEMORY_CACHING_TYPE_CACHED,
                          DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED}) {
    MachineWithAdapter machine;
    DXGKARGCB_ALLOCATECONTIGUOUSMEMORY args{};
    args.NumberOfBytes = 4096;
    args.LowestAcceptableAddress.QuadPart = 0x500000;
    args.HighestAcceptableAddress.QuadPart = 0x500FFF;
    args.CacheType = type;
    ASSERT_EQ(machine.memory.AllocateContiguous(machine.adapter, args), STATUS_SUCCESS);
    static_cast<char*>(args.pMemory)[5] = 'n';
    char seen = 0;
    ASSERT_TRUE(machine.platform.ram().DeviceRead(0x500005, &seen, 1, false));
    EXPECT_EQ(seen, type == DXGK_MEMORY_CACHING_TYPE_NON_CACHED ? 'n' : 0) << type << ", without snooping";
    ASSERT_TRUE(machine.platform.ram().DeviceRead(0x500005, &seen, 1, true));
    EXPECT_EQ(seen, type == DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED ? 0 : 'n') << type << ", with it";
    machine.memory.FreeContiguous(machine.adapter, {args.hMemoryHandle});
  }
  MachineWithAdapter machine;
  auto args = Pages(1);
  args.CacheType = static_cast<DXGK_MEMORY_CACHING_TYPE>(3);
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_INVALID_PARAMETER);
}

TEST(IsolationMemory, ABoundOfZeroIsABound) {
  MachineWithAdapter machine;
  auto args = Pages(1, 0, 0);
  EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_NO_MEMORY);
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY contiguous{};
  contiguous.NumberOfBytes = 4096;
  EXPECT_EQ(machine.memory.AllocateContiguous(machine.adapter, contiguous), STATUS_NO_MEMORY);
  EXPECT_EQ(machine.platform.ram().views(), 0u);
}

TEST(IsolationMemory, WhatIsHeldIsMappedWhenTheDomainComes) {
  Machine machine;
  machine.memory.AddAdapter(machine.adapter, {nullptr, "test"});
  auto args = Pages(2);
  ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_SUCCESS);
  const auto pfns = Mdl::PagesOf(args.pMdl);
  EXPECT_FALSE(machine.Reaches(pfns[0]));
  machine.memory.SetDomain(machine.adapter, *machine.domain);
  EXPECT_TRUE(machine.Reaches(pfns[0]) && machine.Reaches(pfns[1]));
}

/// "For WDDM 3.0 drivers that support logical remapping, these older callback functions will be
/// deprecated and cannot be used" (IOMMU DMA remapping documentation). The test applies this rule
/// in every DMA mode, not only with DMA remapping.
TEST(IsolationMemory, IsNotUsableByADriverThatSupportsRemapping) {
  Machine machine;
  RemappingDomain* remapped = machine.kernel.iommu()->CreateDomain(uint64_t{1} << 33, false, "test");
  for (RemappingDomain* domain : {static_cast<RemappingDomain*>(nullptr), machine.domain, remapped}) {
    machine.memory.AddAdapter(machine.adapter, {domain, "test"}, true);
    auto pages = Pages(1);
    DXGKARGCB_ALLOCATECONTIGUOUSMEMORY contiguous{};
    contiguous.NumberOfBytes = 4096;
    contiguous.HighestAcceptableAddress.QuadPart = -1;
    const auto pfns = *machine.kernel.pages().AllocateScattered(1, 0, ~uint64_t{0}, "driver", "test");
    Mdl list(pfns);
    DXGKARGCB_MAPMDLTOIOMMU map{list.get(), nullptr};
    EXPECT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, pages), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(machine.memory.AllocateContiguous(machine.adapter, contiguous), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(machine.memory.MapMdl(machine.adapter, map), STATUS_NOT_SUPPORTED);
    machine.kernel.pages().Free(pfns);
  }
  EXPECT_EQ(machine.memory.Live(machine.adapter), 0u);
}

TEST(IsolationMemory, PagesWithAViewAreNotGivenBack) {
  Machine machine;
  machine.memory.AddAdapter(machine.adapter, {machine.domain, "test"});
  auto args = Pages(2);
  ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, args), STATUS_SUCCESS);
  void* const view = MmGetSystemAddressForMdlSafe(args.pMdl, NormalPagePriority);
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(args.pMdl, NormalPagePriority), view) << "a list has one view";
  EXPECT_EQ(MmGetPhysicalAddress(view).QuadPart, static_cast<LONGLONG>(Mdl::PagesOf(args.pMdl)[0] * 4096));
  try {
    machine.memory.FreePagesFromMdl(machine.adapter, {args.hMemoryHandle});
    ADD_FAILURE() << "pages went while the CPU has a view of them";
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.cause(), HasSubstr("DxgkCbFreePagesFromMdl of pages that have a view"));
  }
  MmUnmapLockedPages(view, args.pMdl);
  EXPECT_EQ(machine.memory.FreePagesFromMdl(machine.adapter, {args.hMemoryHandle}), STATUS_SUCCESS);
}

TEST(IsolationMemory, NamesWhatTheDriverLeaksWithItsHandle) {
  MachineWithAdapter machine;
  auto pages = Pages(2);
  ASSERT_EQ(machine.memory.AllocatePagesForMdl(machine.adapter, pages), STATUS_SUCCESS);
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY contiguous{};
  contiguous.NumberOfBytes = 3 * 4096;
  contiguous.HighestAcceptableAddress.QuadPart = -1;
  ASSERT_EQ(machine.memory.AllocateContiguous(machine.adapter, contiguous), STATUS_SUCCESS);
  DXGKARGCB_MAPMDLTOIOMMU map{pages.pMdl, nullptr};
  ASSERT_EQ(machine.memory.MapMdl(machine.adapter, map), STATUS_SUCCESS);
  std::vector<std::string> leaks;
  for (const Leak& leak : machine.kernel.ledger().Leaks()) {
    if (leak.owner == "driver") leaks.push_back(leak.kind + " " + leak.name + " by " + leak.created_by);
  }
  const auto named = [](HANDLE handle, const char* pages) { return Hex(reinterpret_cast<uintptr_t>(handle)) + pages; };
  EXPECT_THAT(leaks,
              Contains("isolation_mdl " + named(pages.hMemoryHandle, ", 2 pages") + " by DxgkCbAllocatePagesForMdl"));
  EXPECT_THAT(leaks, Contains("isolation_memory " + named(contiguous.hMemoryHandle, ", 3 pages") +
                              " by DxgkCbAllocateContiguousMemory"));
  EXPECT_THAT(leaks, Contains("iommu_mdl " + named(map.hMemoryHandle, ", 2 pages") + " by DxgkCbMapMdlToIoMmu"));
  // Memory must be freed by the counterpart of the callback that allocated it.
  EXPECT_THROW(machine.memory.FreeContiguous(machine.adapter, {pages.hMemoryHandle}), BugCheck);
  EXPECT_THROW(machine.memory.UnmapMdl(machine.adapter, {pages.hMemoryHandle}), BugCheck);
  machine.memory.UnmapMdl(machine.adapter, {map.hMemoryHandle});
  machine.memory.FreePagesFromMdl(machine.adapter, {pages.hMemoryHandle});
  machine.memory.FreeContiguous(machine.adapter, {contiguous.hMemoryHandle});
  for (const Leak& leak : machine.kernel.ledger().Leaks()) EXPECT_NE(leak.owner, "driver") << leak.kind;
  EXPECT_THROW(machine.memory.FreeContiguous(machine.adapter, {contiguous.hMemoryHandle}), BugCheck);
}

TEST(IsolationMemory, AboveApcLevelEveryOneOfTheSixStops) {
  MachineWithAdapter machine;
  IsolationMemory& memory = machine.memory;
  const HANDLE adapter = machine.adapter;
  auto pages = Pages(1);
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY contiguous{};
  contiguous.NumberOfBytes = 4096;
  contiguous.HighestAcceptableAddress.QuadPart = -1;
  DXGKARGCB_MAPMDLTOIOMMU map{};
  auto more_pages = pages;
  auto more_contiguous = contiguous;
  DXGKARGCB_MAPMDLTOIOMMU more_maps{};
  machine.kernel.scheduler().Raise(kApc);  // APC_LEVEL is still permitted
  ASSERT_EQ(memory.AllocatePagesForMdl(adapter, pages), STATUS_SUCCESS);
  ASSERT_EQ(memory.AllocateContiguous(adapter, contiguous), STATUS_SUCCESS);
  map.pMdl = more_maps.pMdl = pages.pMdl;
  ASSERT_EQ(memory.MapMdl(adapter, map), STATUS_SUCCESS);
  const size_t open = machine.kernel.ledger().open();
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"DxgkCbAllocatePagesForMdl", [&] { memory.AllocatePagesForMdl(adapter, more_pages); }},
      {"DxgkCbAllocateContiguousMemory", [&] { memory.AllocateContiguous(adapter, more_contiguous); }},
      {"DxgkCbMapMdlToIoMmu", [&] { memory.MapMdl(adapter, more_maps); }},
      {"DxgkCbUnmapMdlFromIoMmu", [&] { memory.UnmapMdl(adapter, {map.hMemoryHandle}); }},
      {"DxgkCbFreeContiguousMemory", [&] { memory.FreeContiguous(adapter, {contiguous.hMemoryHandle}); }},
      {"DxgkCbFreePagesFromMdl", [&] { memory.FreePagesFromMdl(adapter, {pages.hMemoryHandle}); }}};
  machine.kernel.scheduler().Raise(kDispatch);
  for (const auto& [name, call] : calls) {
    try {
      call();
      ADD_FAILURE() << name << " was let pass";
    } catch (const BugCheck& stop) {
      EXPECT_EQ(stop.cause(), std::string(name) + " above APC_LEVEL (IRQL 1): called at IRQL 2");
    }
  }
  EXPECT_EQ(machine.kernel.ledger().open(), open);
}

/// An MDL that was passed to MapMdlToIoMmu must stay valid and unchanged until after the unmap. The
/// English documentation states this rule and its reason; the Japanese page states the opposite.
struct MappedMdl : Machine {
  MappedMdl() {
    memory.AddAdapter(adapter, {domain, "test"});
    pfns = *kernel.pages().AllocateScattered(3, 0, ~uint64_t{0}, "driver", "test");
    mdl = Mdl(pfns);
    map.pMdl = mdl.get();
    EXPECT_EQ(memory.MapMdl(adapter, map), STATUS_SUCCESS);
  }
  std::vector<uint64_t> pfns;
  Mdl mdl;
  DXGKARGCB_MAPMDLTOIOMMU map{};
};

TEST(Rule11, TheMdlOutlivesItsUnmap) {
  {
    MappedMdl machine;
    for (uint64_t pfn : machine.pfns) EXPECT_TRUE(machine.Reaches(pfn));
    // Pages cannot be freed while the GPU can access them.
    EXPECT_THROW(machine.kernel.pages().Free(machine.pfns[1]), BugCheck);
    machine.memory.UnmapMdl(machine.adapter, {machine.map.hMemoryHandle});
    for (uint64_t pfn : machine.pfns) EXPECT_FALSE(machine.Reaches(pfn));
    machine.kernel.pages().Free(machine.pfns);
  }
  {
    MappedMdl machine;
    MmGetMdlPfnArray(machine.map.pMdl)[2] ^= 1;  // the driver reuses the array too early
    try {
      machine.memory.UnmapMdl(machine.adapter, {machine.map.hMemoryHandle});
      ADD_FAILURE() << "the changed MDL went unnoticed";
    } catch (const BugCheck& stop) {
      EXPECT_THAT(stop.cause(), HasSubstr("the MDL was changed while it was mapped"));
    }
  }
}

}  // namespace
}  // namespace gmmu::os
