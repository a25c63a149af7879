// SPDX-License-Identifier: Apache-2.0
#include "os/memory/memory_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ddi/wdm.h"
#include "os/kernel/bug_check.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(MemoryObjects, CpuAndDeviceSeeTheSameBytesInTheSameOrder) {
  Objects test;
  const auto object = test.Create(5 * 4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 5 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_EQ(adl.pAdl->PageCount, 5u);
  ASSERT_TRUE(adl.pAdl->Flags.Contiguous);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Offset = 4096 + 100;
  map.Size = 8192;
  ASSERT_EQ(test.objects.Map(map, "test"), STATUS_SUCCESS);
  std::memcpy(static_cast<char*>(map.pMappedAddress) + map.Offset + 4090, "across", 6);
  char text[7] = {};
  for (uint64_t i = 0; i < 6; ++i) {
    const uint64_t logical = (adl.pAdl->BasePageNumber + 1) * 4096 + 100 + 4090 + i;
    const auto result = test.Translate(logical);
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(test.platform.ram().Read(result.hpa, &text[i], 1));
  }
  EXPECT_STREQ(text, "across");

  test.objects.Unmap({object.hPhysicalMemoryObject, map.pMappedAddress, map.Size});
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject});
  EXPECT_EQ(test.domain->tables().leaves(0), 0u);
}

TEST(MemoryObjects, GiveBothFormsOfAnAdlToWhoAsksForNone) {
  Objects test;
  const auto object = test.Create(3 * 4096, test.adapter);
  bool base = false, list = false;
  for (int i = 0; i < 32; ++i) {
    auto adl = test.Adl(object.hAdapterMemoryObject, 4096, 2 * 4096, false);
    ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
    (adl.pAdl->Flags.Contiguous ? base : list) = true;
    test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  }
  EXPECT_TRUE(base);
  EXPECT_TRUE(list);
}

/// Takes the logical space (8 GiB) but for `left` single pages with a page between them.
std::vector<uint64_t> FragmentLogicalSpace(IommuDomain& domain, unsigned left) {
  constexpr uint64_t kFirst = 0x100000;
  std::vector<uint64_t> taken;
  const auto take = [&](uint64_t start, uint64_t end) {
    EXPECT_TRUE(domain.logical().AllocateAt(start, end - start, "filler"));
    taken.push_back(start);
  };
  take(0x1000, kFirst);
  for (unsigned i = 0; i < left; ++i) take(kFirst + 0x2000 * i + 0x1000, kFirst + 0x2000 * (i + 1));
  take(kFirst + 0x2000 * left, 0xFEE00000);
  take(0xFEF00000, uint64_t{1} << 33);
  EXPECT_EQ(domain.logical().free_bytes(), left * 0x1000u);
  return taken;
}

TEST(MemoryObjects, AFragmentedLogicalSpaceMakesPageArrays) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter);
  const auto taken = FragmentLogicalSpace(*test.domain, 8);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 6 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_FALSE(adl.pAdl->Flags.Contiguous) << "preferred, but there is no room for it";
  const auto& pfns = test.objects.PagesOf(object.hPhysicalMemoryObject);
  std::set<uint64_t> logical;
  for (unsigned i = 0; i < 6; ++i) {
    logical.insert(adl.pAdl->Pages[i]);
    EXPECT_EQ(test.Translate(adl.pAdl->Pages[i] * 4096).hpa, pfns[i] * 4096);
  }
  EXPECT_EQ(logical.size(), 6u);
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  for (uint64_t page : logical) EXPECT_FALSE(test.Translate(page * 4096).ok());
  test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject});
  for (uint64_t start : taken) test.domain->logical().Free(start);
}

TEST(MemoryObjects, AnExhaustedLogicalSpaceRefusesAndTakesNothing) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter);
  const auto contiguous = test.Create(6 * 4096, test.adapter, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY);
  FragmentLogicalSpace(*test.domain, 4);
  const uint64_t free_bytes = test.domain->logical().free_bytes();
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 6 * 4096);
  EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(adl.pAdl, nullptr);
  EXPECT_EQ(test.domain->logical().free_bytes(), free_bytes);
  EXPECT_EQ(test.domain->tables().leaves(0), 0u);
  auto required = test.Adl(contiguous.hAdapterMemoryObject, 0, 2 * 4096);
  required.Flags.RequireContiguous = 1;
  EXPECT_EQ(test.objects.AllocateAdl(required, "test"), STATUS_INSUFFICIENT_RESOURCES)
      << "two pages are free, but not beside each other";
  EXPECT_EQ(test.domain->logical().free_bytes(), free_bytes);
}

TEST(MemoryObjects, InA1To1DomainTheGpuReachesWhatItHasAndNothingElse) {
  Machine machine;
  Kernel& kernel = machine.kernel;
  kernel.iommu()->Enable([](const IommuFault&) {});
  IommuDomain* domain = kernel.iommu()->CreateDomain(uint64_t{1} << 40, true, "test");
  kernel.iommu()->Attach({1, 0, 0}, *domain);
  int token = 0;
  MemoryObjects objects(kernel);
  objects.AddAdapter(&token, {domain, "test"});
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  create.hAdapter = &token;
  create.Size = 3 * 4096;
  create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  create.Mdl.HighAddress.QuadPart = -1;
  ASSERT_EQ(objects.Create(create, "test"), STATUS_SUCCESS);
  const std::vector<uint64_t> pfns = objects.PagesOf(create.hPhysicalMemoryObject);
  EXPECT_FALSE(machine.Translate(pfns[0] * 4096).ok()) << "an object without an ADL is nobody's";
  DXGKARGCB_ALLOCATE_ADL whole{}, part{};
  whole.hAdapterMemoryObject = part.hAdapterMemoryObject = create.hAdapterMemoryObject;
  whole.Size = 3 * 4096;
  part.Offset = 4096, part.Size = 4096;
  ASSERT_EQ(objects.AllocateAdl(whole, "test"), STATUS_SUCCESS);
  ASSERT_EQ(objects.AllocateAdl(part, "test"), STATUS_SUCCESS);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(whole.pAdl->Pages[i], pfns[i]);
    EXPECT_EQ(machine.Translate(pfns[i] * 4096 + 8, true).hpa, pfns[i] * 4096 + 8);
  }
  objects.FreeAdl({create.hAdapterMemoryObject, whole.pAdl});
  EXPECT_FALSE(machine.Translate(pfns[0] * 4096).ok());
  EXPECT_TRUE(machine.Translate(pfns[1] * 4096).ok()) << "the other ADL has it still";
  objects.FreeAdl({create.hAdapterMemoryObject, part.pAdl});
  EXPECT_FALSE(machine.Translate(pfns[1] * 4096).ok());
  objects.Destroy({create.hPhysicalMemoryObject, create.hAdapterMemoryObject});
}

TEST(MemoryObjects, RefuseBadArgumentsAndChangeNothing) {
  Objects test;
  const auto object = test.Create(2 * 4096, test.adapter);
  const size_t open = test.kernel.ledger().open();
  for (const auto& [offset, size] : std::vector<std::pair<uint64_t, uint64_t>>{
           {1, 4096}, {0, 4095}, {0, 0}, {4096, 8192}, {8192, 4096}, {0, 3 * 4096}}) {
    auto adl = test.Adl(object.hAdapterMemoryObject, offset, size);
    EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INVALID_PARAMETER)
        << offset << " " << size;
    EXPECT_EQ(adl.pAdl, nullptr);
  }
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  adl.Flags.RequireContiguous = 1;  // legal for contiguous memory and I/O space only
  EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INVALID_PARAMETER);

  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "no size";
  create.Size = 4096;
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "an uncached section";
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
  create.IOSpace.BaseAddress.QuadPart = 0x100000;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "RAM as I/O space";
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
  create.hAdapter = &create;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "an unknown adapter";
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT again{object.hPhysicalMemoryObject, test.adapter, nullptr};
  EXPECT_EQ(test.objects.Open(again, "test"), STATUS_INVALID_PARAMETER) << "opened already";
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Offset = 4096;
  map.Size = 8192;
  EXPECT_EQ(test.objects.Map(map, "test"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(test.kernel.ledger().open(), open);
}

TEST(MemoryObjects, BugCheckOnMisuse) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  const auto other = test.Create(4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Size = 4096;
  ASSERT_EQ(test.objects.Map(map, "test"), STATUS_SUCCESS);

  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, nullptr}), BugCheck)
      << "open on an adapter";
  EXPECT_THROW(test.objects.Close({object.hAdapterMemoryObject}), BugCheck) << "an ADL exists";
  EXPECT_THROW(test.objects.FreeAdl({other.hAdapterMemoryObject, adl.pAdl}), BugCheck)
      << "another object's handle";
  EXPECT_THROW(test.objects.Unmap({other.hPhysicalMemoryObject, map.pMappedAddress, 4096}),
               BugCheck);
  EXPECT_THROW(test.objects.Unmap({object.hPhysicalMemoryObject, map.pMappedAddress, 8192}),
               BugCheck)
      << "wrong size";
  EXPECT_THROW(test.objects.Destroy({&test, nullptr}), BugCheck) << "unknown handle";
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  EXPECT_THROW(test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}), BugCheck)
      << "freed twice";
  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}),
               BugCheck)
      << "a view";

  test.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(test.Create(4096, test.adapter), BugCheck) << "above APC level";
}

TEST(MemoryObjects, StayUnattachedUntilOpened) {
  Objects test;
  const auto object = test.Create(4096, nullptr);
  EXPECT_EQ(object.hAdapterMemoryObject, nullptr);
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  ASSERT_EQ(test.objects.Open(open, "test"), STATUS_SUCCESS);
  test.objects.Close({open.hAdapterMemoryObject});
  test.objects.Destroy({object.hPhysicalMemoryObject, nullptr});
}

TEST(MemoryObjects, NameWhatIsLeft) {
  Objects test;
  const size_t before = test.kernel.ledger().Leaks().size();
  const auto object = test.Create(4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "somebody"), STATUS_SUCCESS);
  const auto leaks = test.kernel.ledger().Leaks();
  std::string kinds;
  for (size_t i = before; i < leaks.size(); ++i)
    kinds += leaks[i].kind + "/" + leaks[i].owner + "/" + leaks[i].created_by + " ";
  EXPECT_THAT(kinds, HasSubstr("memory_object/test/DxgkCbCreatePhysicalMemoryObject"));
  EXPECT_THAT(kinds, HasSubstr("adl/somebody/DxgkCbAllocateAdl"));
  EXPECT_THAT(kinds, HasSubstr("domain_mapping/somebody/DxgkCbAllocateAdl"));
  EXPECT_THAT(kinds, HasSubstr("pinned_page/somebody/DxgkCbAllocateAdl"));
}

// ---- types (DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT; documents, contiguous memory as seen on build 26100)

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

// Seen on build 26100: a large contiguous object fails with C000009A on a live system and passes at cold boot.
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

TEST(MemoryTypes, ASectionIsInMemoryOnlyWhileItIsLockedOrViewed) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 3 * 4096);
  args.hAdapter = test.adapter;
  const size_t before = test.kernel.pages().allocated();
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  EXPECT_EQ(test.kernel.pages().allocated(), before) << "pageable: nothing is locked yet";
  auto view = test.Map(args.hPhysicalMemoryObject, 0, 3 * 4096);
  std::memcpy(static_cast<char*>(view.pMappedAddress) + view.Offset + 4096, "kept", 4);
  test.Unmap(view);
  EXPECT_EQ(test.objects.PagesOf(args.hPhysicalMemoryObject)[1], Section::kAway);
  auto adl = test.Adl(args.hAdapterMemoryObject, 4096, 8192);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  const uint64_t first_place = test.objects.PagesOf(args.hPhysicalMemoryObject)[1];
  const auto found = test.Translate(adl.pAdl->BasePageNumber * 4096);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.hpa, first_place * 4096);
  char text[5] = {};
  ASSERT_TRUE(test.platform.ram().DeviceRead(found.hpa, text, 4, true));
  EXPECT_STREQ(text, "kept") << "as it came from the page file";
  view = test.Map(args.hPhysicalMemoryObject, 4096, 4096);
  test.objects.FreeAdl({args.hAdapterMemoryObject, adl.pAdl});
  EXPECT_EQ(test.objects.PagesOf(args.hPhysicalMemoryObject)[1], first_place) << "viewed";
  EXPECT_STREQ(static_cast<char*>(view.pMappedAddress) + view.Offset, "kept");
  test.Unmap(view);
  EXPECT_EQ(test.kernel.pages().allocated(), before);
  test.objects.Destroy({args.hPhysicalMemoryObject, args.hAdapterMemoryObject});
}

TEST(MemoryTypes, ASectionTakesFourProtectionsAndTwoCacheTypes) {
  Objects test;
  for (ULONG protection : {PAGE_READONLY, PAGE_READWRITE, PAGE_EXECUTE, PAGE_WRITECOPY}) {
    auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 4096);
    args.Section.PageProtection = protection;
    EXPECT_EQ(test.TryCreate(args), STATUS_SUCCESS) << protection;
    args.CacheType = DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED;
    EXPECT_EQ(test.TryCreate(args), STATUS_SUCCESS) << protection;
    args.CacheType = DXGK_MEMORY_CACHING_TYPE_NON_CACHED;
    EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << protection;
    args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    args.Section.PageProtection = protection | PAGE_WRITECOMBINE;
    EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER) << "the cache type says so, not this";
  }
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 4096);
  args.Section.PageProtection = 0;
  EXPECT_EQ(test.TryCreate(args), STATUS_INVALID_PARAMETER);
}

// Open: whether other attributes than SEC_COMMIT are refused or ignored. Documents only.
TEST(MemoryTypes, ASectionIsAlwaysCommitted) {
  for (bool refused : {true, false}) {
    Parameters parameters = TestParameters();
    parameters.section_attributes_refused = refused;
    Objects test(parameters);
    auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 4096);
    args.Section.AllocationAttributes = SEC_COMMIT | SEC_NOCACHE;
    EXPECT_EQ(test.TryCreate(args), refused ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS);
    args.Section.AllocationAttributes = 0;
    EXPECT_EQ(test.TryCreate(args), STATUS_SUCCESS) << "it is SEC_COMMIT whether asked for or not";
  }
}

TEST(MemoryTypes, TheProtectionOfASectionHoldsForItsViews) {
  Objects test;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 4096);
  args.Section.PageProtection = PAGE_READONLY;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  auto view = test.Map(args.hPhysicalMemoryObject, 0, 4096);
  EXPECT_DEATH(*static_cast<volatile char*>(view.pMappedAddress) = 1, "");
  test.Unmap(view);

  args.Section.PageProtection = PAGE_WRITECOPY;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  view = test.Map(args.hPhysicalMemoryObject, 0, 4096);
  auto other = test.Map(args.hPhysicalMemoryObject, 0, 4096);
  static_cast<char*>(view.pMappedAddress)[0] = 'w';
  EXPECT_EQ(static_cast<char*>(other.pMappedAddress)[0], 0) << "the copy is the writer's own";
  test.Unmap(view);
  test.Unmap(other);

  args.Section.PageProtection = PAGE_READWRITE;
  args.Section.DesiredAccess = SECTION_MAP_READ;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  view = test.Map(args.hPhysicalMemoryObject, 0, 4096);
  EXPECT_DEATH(*static_cast<volatile char*>(view.pMappedAddress) = 1, "");
  test.Unmap(view);
  args.Section.DesiredAccess = 0;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{args.hPhysicalMemoryObject, DXGK_ACCESS_MODE_KERNEL_MODE, 0, 4096, nullptr};
  EXPECT_EQ(test.objects.Map(map, "test"), STATUS_INVALID_PARAMETER);
}

/// A 1:1 domain that maps all installed memory: what a device decodes is not among it, and is mapped for its ADL.
TEST(MemoryTypes, IoSpaceIsMappedInADomainOfAllMemoryToo) {
  Objects test;
  IommuDomain* whole = test.kernel.iommu()->CreateDomain(uint64_t{1} << 46, true, "test");
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

/// A bug check names the call; the memory is not touched.
TEST(MemoryObjects, OfAnAdapterThatWasRemovedAreABugCheck) {
  Objects test;
  const auto object = test.Create(8192, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  test.objects.RemoveAdapter(test.adapter);
  const auto stop_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const BugCheck& stop) {
      return stop.what();
    }
    return "";
  };
  EXPECT_THAT(stop_of([&] { test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}); }),
              HasSubstr("DxgkCbFreeAdl for an adapter that is not started"));
  auto more = test.Adl(object.hAdapterMemoryObject, 4096, 4096);
  EXPECT_THAT(stop_of([&] { test.objects.AllocateAdl(more, "test"); }),
              HasSubstr("DxgkCbAllocateAdl for an adapter that is not started"));
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

// ---- cache types

TEST(MemoryCaching, TheTypeOfTheObjectDecidesWhatDevicesSee) {
  for (const auto& [type, no_snoop, snoop] : std::vector<std::tuple<DXGK_MEMORY_CACHING_TYPE, char, char>>{
           {DXGK_MEMORY_CACHING_TYPE_NON_CACHED, 'n', 'n'},
           {DXGK_MEMORY_CACHING_TYPE_CACHED, 0, 'n'},
           {DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED, 0, 0}}) {
    Objects test;
    auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
    args.CacheType = type;
    ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
    const uint64_t at = test.objects.PagesOf(args.hPhysicalMemoryObject)[0] * 4096;
    const auto view = test.Map(args.hPhysicalMemoryObject, 0, 4096);
    static_cast<char*>(view.pMappedAddress)[0] = 'n';
    char seen = 0;
    ASSERT_TRUE(test.platform.ram().DeviceRead(at, &seen, 1, false));
    EXPECT_EQ(seen, no_snoop) << type;
    ASSERT_TRUE(test.platform.ram().DeviceRead(at, &seen, 1, true));
    EXPECT_EQ(seen, snoop) << type;
    test.Unmap(view);
  }
}

TEST(MemoryCaching, AnUncachedStoreDrainsWriteCombiningAndAWbinvdWritesAllBack) {
  Objects test;
  const uint64_t doorbell = test.kernel.pci().Enumerate().front().bars[0].address;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  const auto byte_without_snoop = [&] {
    char seen = 0;
    EXPECT_TRUE(test.platform.ram().DeviceRead(test.objects.PagesOf(args.hPhysicalMemoryObject)[0] * 4096, &seen,
                                               1, false));
    return seen;
  };
  args.CacheType = DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  static_cast<char*>(test.Map(args.hPhysicalMemoryObject, 0, 4096).pMappedAddress)[0] = 'w';
  EXPECT_EQ(byte_without_snoop(), 0);
  test.kernel.hal().Write(doorbell, 4, 0);
  EXPECT_EQ(byte_without_snoop(), 'w');

  args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  static_cast<char*>(test.Map(args.hPhysicalMemoryObject, 0, 4096).pMappedAddress)[0] = 'c';
  test.kernel.hal().Write(doorbell, 4, 0);
  EXPECT_EQ(byte_without_snoop(), 0) << "a cached line stays";
  EXPECT_TRUE(KeInvalidateAllCaches());
  EXPECT_EQ(byte_without_snoop(), 'c');
}

// ---- views (DXGKARGCB_MAP_PHYSICAL_MEMORY)

TEST(MemoryViews, BeginAtOrBeforeWhatIsAskedForAndCoverIt) {
  Objects test;
  const auto object = test.Create(40 * 4096, test.adapter);
  std::set<uint64_t> cuts;
  for (int i = 0; i < 32; ++i) {
    const auto view = test.Map(object.hPhysicalMemoryObject, 20 * 4096 + 100, 5000);
    EXPECT_EQ(view.Offset % 4096, 100u);
    EXPECT_GE(view.Size, view.Offset + 5000);
    EXPECT_EQ(view.Size % 4096, 0u);
    cuts.insert(view.Offset - 100);
    test.Unmap(view);
  }
  EXPECT_EQ(cuts, (std::set<uint64_t>{0, 4 * 4096})) << "4 KiB and 64 KiB, drawn by seed";
}

TEST(MemoryViews, AUserViewBelongsToItsProcess) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  bool refused = false;
  test.kernel.scheduler().Spawn("driver", [&] {
    test.kernel.scheduler().AttachProcess(7);
    const auto user = test.Map(object.hPhysicalMemoryObject, 0, 4096, DXGK_ACCESS_MODE_USER_MODE);
    const auto kernel = test.Map(object.hPhysicalMemoryObject, 0, 4096);
    EXPECT_EQ(test.kernel.scheduler().AttachProcess(8), 7u);
    test.Unmap(kernel);  // in any process
    try {
      test.Unmap(user);
    } catch (const BugCheck& stop) {
      refused = true;
      EXPECT_THAT(stop.cause(), HasSubstr("of a user view of process 7 in process 8"));
    }
    test.kernel.scheduler().AttachProcess(7);
    test.Unmap(user);
  });
  test.kernel.scheduler().Run();
  EXPECT_TRUE(refused);
}

// ---- ADLs

TEST(MemoryAdls, MayBeManyOfOneObjectAndOverlap) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter);
  const auto& pfns = test.objects.PagesOf(object.hPhysicalMemoryObject);
  auto whole = test.Adl(object.hAdapterMemoryObject, 0, 6 * 4096);
  auto part = test.Adl(object.hAdapterMemoryObject, 2 * 4096, 3 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(whole, "test"), STATUS_SUCCESS);
  ASSERT_EQ(test.objects.AllocateAdl(part, "test"), STATUS_SUCCESS);
  const uint64_t first = part.pAdl->BasePageNumber, other = whole.pAdl->BasePageNumber;
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(test.Translate((first + i) * 4096).hpa, pfns[2 + i] * 4096);
  test.objects.FreeAdl({object.hAdapterMemoryObject, whole.pAdl});
  EXPECT_FALSE(test.Translate(other * 4096).ok());
  EXPECT_TRUE(test.Translate(first * 4096).ok()) << "the other ADL has it still";
  test.objects.FreeAdl({object.hAdapterMemoryObject, part.pAdl});
}

TEST(MemoryAdls, PreferContiguousIsAHintWithoutRemapping) {
  Machine machine;
  MemoryObjects objects(machine.kernel);
  int token = 0;
  objects.AddAdapter(&token, {nullptr, "test"});
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 5 * 4096);
  args.hAdapter = &token;
  ASSERT_EQ(objects.Create(args, "test"), STATUS_SUCCESS);
  DXGKARGCB_ALLOCATE_ADL adl{};
  adl.hAdapterMemoryObject = args.hAdapterMemoryObject;
  adl.Offset = 4096, adl.Size = 3 * 4096;
  adl.Flags.PreferContiguous = 1;
  ASSERT_EQ(objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_EQ(adl.pAdl->Flags.Contiguous, 0u) << "the pages are scattered";
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(adl.pAdl->Pages[i], objects.PagesOf(args.hPhysicalMemoryObject)[1 + i]);
  objects.FreeAdl({args.hAdapterMemoryObject, adl.pAdl});
  objects.Destroy({args.hPhysicalMemoryObject, args.hAdapterMemoryObject});
}

// ---- misuse

// Open: what happens to a CPU view, and to an object that is open. Documents only.
TEST(MemoryMisuse, DestroyInUseStopsOrTheMemoryGoesWithItsLastView) {
  for (bool stops : {true, false}) {
    Parameters parameters = TestParameters();
    parameters.destroy_in_use_stops = stops;
    Objects test(parameters);
    const size_t before = test.kernel.pages().allocated();
    const auto viewed = test.Create(4096, nullptr);
    const auto opened = test.Create(4096, test.adapter);
    const auto view = test.Map(viewed.hPhysicalMemoryObject, 0, 4096);
    if (stops) {
      EXPECT_THROW(test.objects.Destroy({viewed.hPhysicalMemoryObject, nullptr}), BugCheck);
      EXPECT_THROW(test.objects.Destroy({opened.hPhysicalMemoryObject, nullptr}), BugCheck);
      continue;
    }
    test.objects.Destroy({viewed.hPhysicalMemoryObject, nullptr});
    test.objects.Destroy({opened.hPhysicalMemoryObject, nullptr});
    static_cast<char*>(view.pMappedAddress)[0] = 1;
    EXPECT_EQ(test.kernel.pages().allocated(), before + 1);
    DXGKARGCB_MAP_PHYSICAL_MEMORY again{viewed.hPhysicalMemoryObject, DXGK_ACCESS_MODE_KERNEL_MODE, 0, 1, nullptr};
    EXPECT_THROW(test.objects.Map(again, "test"), BugCheck) << "the handle is gone";
    test.Unmap(view);
    EXPECT_EQ(test.kernel.pages().allocated(), before);
  }
}

TEST(MemoryMisuse, AnAdapterObjectIsClosedOnce) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  test.objects.Close({object.hAdapterMemoryObject});
  EXPECT_THROW(test.objects.Close({object.hAdapterMemoryObject}), BugCheck);
  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}), BugCheck)
      << "by close or by destroy, not both";
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  EXPECT_THROW(test.objects.AllocateAdl(adl, "test"), BugCheck) << "it must be opened again first";
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  ASSERT_EQ(test.objects.Open(open, "test"), STATUS_SUCCESS);
  adl = test.Adl(open.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  test.objects.FreeAdl({open.hAdapterMemoryObject, adl.pAdl});
  test.objects.Destroy({object.hPhysicalMemoryObject, open.hAdapterMemoryObject});
}

TEST(MemoryMisuse, AboveApcLevelEveryOneOfTheEightStops) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  const auto view = test.Map(object.hPhysicalMemoryObject, 0, 4096);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  auto create = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  auto map = view;
  auto more = adl;
  test.kernel.scheduler().Raise(kApc);
  test.Unmap(test.Map(object.hPhysicalMemoryObject, 0, 4096));  // APC level is low enough
  test.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(test.objects.Create(create, "test"), BugCheck);
  EXPECT_THROW(test.objects.Open(open, "test"), BugCheck);
  EXPECT_THROW(test.objects.AllocateAdl(more, "test"), BugCheck);
  EXPECT_THROW(test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}), BugCheck);
  EXPECT_THROW(test.objects.Map(map, "test"), BugCheck);
  EXPECT_THROW(test.Unmap(view), BugCheck);
  EXPECT_THROW(test.objects.Close({object.hAdapterMemoryObject}), BugCheck);
  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}), BugCheck);
}

// ---- points that are easily got wrong, by their numbers in the list of the reference

// Seen on build 26100 for RequireContiguous; the rest is documents only.
TEST(Rule11, ContiguousAdlHasNoArray) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY);
  auto args = test.Adl(object.hAdapterMemoryObject, 2 * 4096, 3 * 4096, false);
  args.Flags.RequireContiguous = 1;
  ASSERT_EQ(test.objects.AllocateAdl(args, "test"), STATUS_SUCCESS);
  EXPECT_EQ(args.pAdl->Flags.Value, 1u);
  EXPECT_EQ(args.pAdl->PageCount, 3u) << "exactly what was asked for";
  // The one word is a page number, which is no address that software could follow.
  const auto pages = reinterpret_cast<uintptr_t>(args.pAdl->Pages);
  EXPECT_EQ(pages, args.pAdl->BasePageNumber);
  EXPECT_EQ(test.Translate(pages * 4096).hpa,
            (test.objects.PagesOf(object.hPhysicalMemoryObject)[0] + 2) * 4096);
  test.objects.FreeAdl({object.hAdapterMemoryObject, args.pAdl});
}

// Seen on build 26100: base + Offset(out), unmap with Size(out).
TEST(Rule11, MapResultsAreRelativeToTheReturnedBaseAndUnmapTakesTheOutputSize) {
  Objects test;
  const auto object = test.Create(40 * 4096, test.adapter);
  const auto& pfns = test.objects.PagesOf(object.hPhysicalMemoryObject);
  const uint64_t offset = 21 * 4096 + 8;
  ASSERT_TRUE(test.platform.ram().Write(pfns[21] * 4096 + 8, "here", 4));
  for (int i = 0; i < 8; ++i) {
    const auto view = test.Map(object.hPhysicalMemoryObject, offset, 4);
    EXPECT_LT(view.Offset, offset) << "a distance in the view, not in the object";
    EXPECT_EQ(std::memcmp(static_cast<char*>(view.pMappedAddress) + view.Offset, "here", 4), 0);
    EXPECT_THROW(test.objects.Unmap({view.hPhysicalMemoryObject, view.pMappedAddress, 4}), BugCheck)
        << "the size that was asked for";
    EXPECT_THROW(test.objects.Unmap({view.hPhysicalMemoryObject,
                                     static_cast<char*>(view.pMappedAddress) + view.Offset, view.Size}),
                 BugCheck)
        << "the data's address";
    test.Unmap(view);
  }
}

// Order of release as seen on build 26100; the bug check is documents only.
TEST(Rule11, AnAdlMustBeFreedBeforeItsObject) {
  for (bool stops : {true, false}) {  // no switch changes it
    Parameters parameters = TestParameters();
    parameters.destroy_in_use_stops = stops;
    Objects test(parameters);
    const auto object = test.Create(4096, test.adapter);
    auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
    ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
    const uint64_t logical = adl.pAdl->BasePageNumber * 4096;
    for (HANDLE given : {object.hAdapterMemoryObject, HANDLE{nullptr}}) {
      try {
        test.objects.Destroy({object.hPhysicalMemoryObject, given});
        ADD_FAILURE() << "destroyed with an ADL";
      } catch (const BugCheck& stop) {
        EXPECT_THAT(stop.cause(), HasSubstr("while an ADL of the object exists"));
      }
    }
    EXPECT_TRUE(test.Translate(logical).ok()) << "nothing was taken back";
    test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
    test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject});
  }
}

}  // namespace
}  // namespace gmmu::os
