// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "ddi/wdm.h"
#include "hw/gmmu_regs.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(MemoryTypes, AnMdlKeepsToItsBounds) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 8 * 4096);
  args.Mdl.LowAddress.QuadPart = 16 * kMiB;
  args.Mdl.HighAddress.QuadPart = 16 * kMiB + 8 * 4096 - 1;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  for (uint64_t pfn : test.objects.PagesOf(args.hPhysicalMemoryObject)) {
    EXPECT_GE(pfn, 0x1000u);
    EXPECT_LT(pfn, 0x1008u);
  }
  args.Size = 4096;
  EXPECT_EQ(test.TryCreate(args), STATUS_NO_MEMORY) << "the range is full";
  args.Mdl.HighAddress.QuadPart = 15 * kMiB;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "it ends before it begins";
}

TEST(MemoryTypes, SkipBytesMovesTheRangeOnUntilThereAreEnoughPages) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 10 * 4096);
  args.Mdl.LowAddress.QuadPart = 16 * kMiB;
  args.Mdl.HighAddress.QuadPart = 16 * kMiB + 4 * 4096 - 1;
  EXPECT_EQ(test.TryCreate(args), STATUS_NO_MEMORY) << "four pages, and nowhere to go on";
  args.Mdl.SkipBytes.QuadPart = kMiB;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  std::set<uint64_t> pages;
  for (uint64_t pfn : test.objects.PagesOf(args.hPhysicalMemoryObject)) {
    EXPECT_LT(pfn % 0x100, 4u) << "outside of the ranges";
    pages.insert(pfn);
  }
  EXPECT_EQ(pages.size(), 10u);
  EXPECT_EQ(*pages.rbegin() / 0x100, 0x12u) << "the third range, and no further";
  args.Mdl.SkipBytes.QuadPart = 100;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "not whole pages";
}

TEST(MemoryTypes, MdlFlagsAskForContiguousChunks) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 64 << 10);
  args.Mdl.Flags = MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS;
  args.Mdl.SkipBytes.QuadPart = 16 << 10;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  const auto pages = test.objects.PagesOf(args.hPhysicalMemoryObject);
  for (size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(pages[i] % 4, i % 4) << "chunks stand at multiples of their size";
    EXPECT_EQ(pages[i] - i % 4, pages[i / 4 * 4]);
  }
  args.Mdl.SkipBytes.QuadPart = 0;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  const auto whole = test.objects.PagesOf(args.hPhysicalMemoryObject);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i], whole[0] + i);
  args.Mdl.SkipBytes.QuadPart = 12 << 10;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "no power of two";
  args.Mdl.SkipBytes.QuadPart = 128 << 10;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "larger than the object";
  args.Mdl.Flags = 0x40000000;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "an unknown flag";
}

TEST(MemoryTypes, PreferContiguousGivesARowOfPagesOrScatteredOnesWhereThereIsNone) {
  const auto in_a_row = [](const std::vector<uint64_t>& pages) {
    for (size_t i = 0; i < pages.size(); ++i)
      if (pages[i] != pages[0] + i) return false;
    return true;
  };
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 16 * 4096);
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  EXPECT_FALSE(in_a_row(test.objects.PagesOf(args.hPhysicalMemoryObject)));
  args.Mdl.Flags = MM_ALLOCATE_PREFER_CONTIGUOUS;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  EXPECT_TRUE(in_a_row(test.objects.PagesOf(args.hPhysicalMemoryObject)));

  // Allocate a page in the middle of the range that is requested next.
  auto middle = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  middle.Mdl.LowAddress.QuadPart = 16 * kMiB + 8 * 4096;
  middle.Mdl.HighAddress.QuadPart = 16 * kMiB + 9 * 4096 - 1;
  ASSERT_EQ(test.objects.Create(middle, "test"), STATUS_SUCCESS);
  args.Mdl.LowAddress.QuadPart = 16 * kMiB;
  args.Mdl.HighAddress.QuadPart = 16 * kMiB + 17 * 4096 - 1;
  args.Mdl.Flags = MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS;
  EXPECT_EQ(test.TryCreate(args), STATUS_NO_MEMORY) << "a page in the middle is taken";
  args.Mdl.Flags = MM_ALLOCATE_PREFER_CONTIGUOUS;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS) << "the preference is none of the conditions";
  EXPECT_THAT(test.objects.PagesOf(args.hPhysicalMemoryObject), SizeIs(16));
}

// The model has one memory node, never waits, and never returns incomplete lists. The flags for a
// local node, complete lists or no wait therefore have no effect.
TEST(MemoryTypes, LocalNodeFullyRequiredAndNoWaitAreTakenAndChangeNoPage) {
  const auto pages = [](UINT flags) {
    Objects test;
    auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 8 * 4096);
    args.Mdl.Flags = flags;
    EXPECT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS) << flags;
    std::vector<uint64_t> given = test.objects.PagesOf(args.hPhysicalMemoryObject);
    args.Mdl.LowAddress.QuadPart = 16 * kMiB;
    args.Mdl.HighAddress.QuadPart = 16 * kMiB + 4 * 4096 - 1;
    EXPECT_EQ(test.TryCreate(args), STATUS_NO_MEMORY) << flags << ": four pages of eight are not given";
    return given;
  };
  const std::vector<uint64_t> without = pages(0);
  EXPECT_THAT(without, SizeIs(8));
  for (const UINT flag : {MM_ALLOCATE_FROM_LOCAL_NODE_ONLY, MM_ALLOCATE_FULLY_REQUIRED, MM_ALLOCATE_NO_WAIT})
    EXPECT_EQ(pages(flag), without) << flag;
}

TEST(MemoryTypes, DontZeroGivesPagesAsTheirLastOwnerLeftThem) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  args.Mdl.LowAddress.QuadPart = 16 * kMiB;
  args.Mdl.HighAddress.QuadPart = 16 * kMiB + 4095;
  const auto first_byte = [&](UINT flags) {
    args.Mdl.Flags = flags;
    EXPECT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
    char byte = 0;
    EXPECT_TRUE(test.platform.ram().Read(16 * kMiB, &byte, 1));
    EXPECT_TRUE(test.platform.ram().Write(16 * kMiB, "x", 1));
    test.objects.Destroy({args.hPhysicalMemoryObject, nullptr});
    return byte;
  };
  EXPECT_EQ(first_byte(0), 0);
  EXPECT_EQ(first_byte(0), 0);
  EXPECT_EQ(first_byte(MM_DONT_ZERO_ALLOCATION), 'x');
  EXPECT_EQ(first_byte(0), 0) << "the flag holds for one call";
}

TEST(MemoryTypes, ContiguousMemoryKeepsToBoundsAndBoundary) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, 48 << 10);
  args.ContiguousMemory.LowestAcceptableAddress.QuadPart = 16 * kMiB;
  args.ContiguousMemory.HighestAcceptableAddress.QuadPart = 17 * kMiB - 1;
  args.ContiguousMemory.BoundaryAddressMultiple.QuadPart = 64 << 10;
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
    const auto& pages = test.objects.PagesOf(args.hPhysicalMemoryObject);
    ASSERT_THAT(pages, SizeIs(12));
    EXPECT_EQ(pages.back(), pages.front() + 11);
    EXPECT_EQ(pages.front() / 16, pages.back() / 16) << "across a multiple of 64 KiB";
    EXPECT_GE(pages.front(), 0x1000u);
    EXPECT_LT(pages.back(), 0x1100u);
  }
  args.ContiguousMemory.BoundaryAddressMultiple.QuadPart = 48 << 10;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "no power of two";
  args.ContiguousMemory.BoundaryAddressMultiple.QuadPart = 32 << 10;
  EXPECT_EQ(test.TryCreate(args), STATUS_INSUFFICIENT_RESOURCES) << "no 48 KiB fit between them";
  args.ContiguousMemory.BoundaryAddressMultiple.QuadPart = 0;
  args.ContiguousMemory.HighestAcceptableAddress.QuadPart = 16 * kMiB + 4095;
  EXPECT_EQ(test.TryCreate(args), STATUS_INSUFFICIENT_RESOURCES);
}

// Observed on Windows build 26100: creating a large contiguous object succeeds at cold boot and
// fails with C000009A on a system in use.
TEST(MemoryTypes, ContiguousMemoryMayFailOnALiveSystem) {
  Parameters parameters = TestParameters();
  parameters.inject.contiguous_bytes = 64 << 10;
  Objects test(parameters);
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, 64 << 10);
  EXPECT_EQ(test.TryCreate(args), STATUS_SUCCESS) << "a cold boot";
  EXPECT_EQ(static_cast<uint32_t>(test.TryCreate(args)), 0xC000009Au) << "memory has been used";
  args.Size = 60 << 10;
  EXPECT_EQ(test.TryCreate(args), STATUS_SUCCESS);
}

/// A 1:1 domain that maps all installed memory does not include device registers, so an ADL must
/// map them.
TEST(MemoryTypes, IoSpaceIsMappedInADomainOfAllMemoryToo) {
  Objects test;
  RemappingDomain* whole = test.kernel.iommu()->CreateDomain(uint64_t{1} << 46, true, "test");
  test.kernel.iommu()->MapWhole(*whole, test.kernel.pages().ranges());
  test.kernel.iommu()->Detach({1, 0, 0}, *test.domain);
  test.kernel.iommu()->Attach({1, 0, 0}, *whole);
  int token = 0;
  test.objects.AddAdapter(&token, {whole, "test"});
  const uint64_t bar = test.kernel.pci().Enumerate().front().bars[0].address;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE, 8192);
  args.CacheType = DXGK_MEMORY_CACHING_TYPE_NON_CACHED;
  args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar);
  args.hAdapter = &token;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  auto adl = test.Adl(args.hAdapterMemoryObject, 0, 8192);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  EXPECT_EQ(test.Translate(bar + 4096).hpa, bar + 4096);
  test.objects.FreeAdl({args.hAdapterMemoryObject, adl.pAdl});
  EXPECT_FALSE(test.Translate(bar + 4096).ok());
  EXPECT_TRUE(test.Translate(test.kernel.pages().ranges().front().start * 4096).ok());
  test.objects.Destroy({args.hPhysicalMemoryObject, args.hAdapterMemoryObject});
}

TEST(MemoryTypes, IoSpaceIsUncachedWhateverItsCacheType) {
  for (const auto type : {DXGK_MEMORY_CACHING_TYPE_NON_CACHED, DXGK_MEMORY_CACHING_TYPE_CACHED,
                          DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED}) {
    Objects test;
    const uint64_t bar = test.kernel.pci().Enumerate().front().bars[0].address;
    auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE, 4096);
    args.CacheType = type;
    args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar);
    ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS) << type;
    const auto view = test.Map(args.hPhysicalMemoryObject, 0, 4096);
    constexpr uint32_t kBase = regs::WindowBase::kOffset;
    auto* base = reinterpret_cast<volatile ULONG64*>(static_cast<char*>(view.pMappedAddress) + view.Offset + kBase);
    WRITE_REGISTER_ULONG64(base, 0x10000);
    EXPECT_EQ(test.platform.MmioRead(bar + kBase, 8), 0x10000u) << type;
    test.platform.MmioWrite(bar + kBase, 8, 0x20000);
    EXPECT_EQ(READ_REGISTER_ULONG64(base), 0x20000u) << type << ": no earlier word";
    test.Unmap(view);
    test.objects.Destroy({args.hPhysicalMemoryObject, nullptr});
  }
}

TEST(MemoryTypes, IoSpaceWrapsWhatADeviceDecodes) {
  Objects test;
  const uint64_t bar = test.kernel.pci().Enumerate().front().bars[0].address;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE, 8192);
  args.CacheType = DXGK_MEMORY_CACHING_TYPE_NON_CACHED;
  args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar);
  args.hAdapter = test.adapter;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  auto view = test.Map(args.hPhysicalMemoryObject, 0, 8);
  auto* id = reinterpret_cast<volatile ULONG*>(static_cast<char*>(view.pMappedAddress) + view.Offset);
  EXPECT_EQ(READ_REGISTER_ULONG(id), 0x554D4D47u);
  test.Unmap(view);
  DXGKARGCB_MAP_PHYSICAL_MEMORY user{args.hPhysicalMemoryObject, DXGK_ACCESS_MODE_USER_MODE, 0, 8, nullptr};
  EXPECT_EQ(test.objects.Map(user, "test"), STATUS_INVALID_PARAMETER) << "kernel mode only";
  auto adl = test.Adl(args.hAdapterMemoryObject, 4096, 4096, false);
  adl.Flags.RequireContiguous = 1;
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  EXPECT_EQ(test.Translate(adl.pAdl->BasePageNumber * 4096).hpa, bar + 4096);
  test.objects.FreeAdl({args.hAdapterMemoryObject, adl.pAdl});
  test.objects.Destroy({args.hPhysicalMemoryObject, args.hAdapterMemoryObject});

  args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar + 8);
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "not page aligned";
  args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar - 4096);
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "nobody decodes its first page";
  args.IOSpace.BaseAddress.QuadPart = 0x80000000;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "nobody is there";
}

/// The root complex routes no traffic between devices. An access that the domain permits ends there
/// without effect.
TEST(MemoryTypes, ADevicesAccessThroughAnAdlOfIoSpacePassesTheDomainAndReachesNobody) {
  Objects test;
  const auto refused = [&] {
    for (const hw::Counter& counter : test.platform.Counters())
      if (counter.block == "iommu" && counter.name == "faults") return counter.value;
    ADD_FAILURE() << "the unit counts no faults";
    return uint64_t{0};
  };
  const auto access = [&](uint64_t logical) {
    test.platform.StrayAccess({1, 0, 0}, hw::Stray::kWrite, logical, 0x5A5A0000);
    test.platform.StrayAccess({1, 0, 0}, hw::Stray::kRead, logical, 0);
    test.platform.WaitForMessage(100'000);  // lets the write arrive
  };
  const uint64_t bar = test.kernel.pci().Enumerate().front().bars[0].address;
  test.platform.MmioWrite(bar + regs::WindowBase::kOffset, 8, 0x10000);
  auto io = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE, 4096), memory = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  io.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar);
  for (auto* args : {&io, &memory}) {
    args->hAdapter = test.adapter;
    ASSERT_EQ(test.objects.Create(*args, "test"), STATUS_SUCCESS);
    auto adl = test.Adl(args->hAdapterMemoryObject, 0, 4096);
    ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
    const uint64_t logical = (adl.pAdl->Flags.Contiguous ? adl.pAdl->BasePageNumber : adl.pAdl->Pages[0]) * 4096 +
                             regs::WindowBase::kOffset;
    const uint64_t before = refused();
    access(logical);
    EXPECT_EQ(refused(), before);
    test.objects.FreeAdl({args->hAdapterMemoryObject, adl.pAdl});
    access(logical);
    EXPECT_EQ(refused(), before + 2) << "the write and the read, when the list is gone";
  }
  EXPECT_EQ(test.platform.MmioRead(bar + regs::WindowBase::kOffset, 8), 0x10000u) << "the register of the device";
  uint32_t word = 0;
  const uint64_t page = test.objects.PagesOf(memory.hPhysicalMemoryObject)[0];
  ASSERT_TRUE(test.platform.ram().Read(page * 4096 + regs::WindowBase::kOffset, &word, sizeof word));
  EXPECT_EQ(word, 0x5A5A0000u) << "the same way leads to memory";
}

TEST(MemoryTypes, BytesBehindTheSizeAreNobodysToView) {
  Objects test;
  const auto object = test.Create(4096 + 100, test.adapter);
  EXPECT_THAT(test.objects.PagesOf(object.hPhysicalMemoryObject), SizeIs(2));
  test.Unmap(test.Map(object.hPhysicalMemoryObject, 4096, 100));
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{object.hPhysicalMemoryObject, DXGK_ACCESS_MODE_KERNEL_MODE, 4096, 101, nullptr};
  EXPECT_EQ(test.objects.Map(map, "test"), STATUS_INVALID_PARAMETER);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 8192);
  EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS) << "ADLs count whole pages";
}

TEST(MemoryTypes, TheContextNamesTheObjectInTheAccountOfLeaks) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  args.Context = 0xC00C1E;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  EXPECT_THAT(test.kernel.ledger().Leaks().back().name, HasSubstr("context 0xc00c1e"));
}

}  // namespace
}  // namespace gmmu::os
