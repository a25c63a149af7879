// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>

#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

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

// The documentation does not say whether attributes other than SEC_COMMIT are rejected or ignored.
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

// Commit charge is limited to installed memory plus the page file, no matter how much is resident.
TEST(MemoryTypes, ASectionIsChargedForFromItsCreationToItsEnd) {
  Parameters parameters = TestParameters();
  parameters.page_file_mib = 0;
  Objects test(parameters);
  const size_t before = test.kernel.pages().allocated();
  ASSERT_TRUE(test.kernel.pages().Charge(test.kernel.pages().installed_pages() - before - 10)) << "others have it";
  auto section = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 8 * 4096);
  section.hAdapter = test.adapter;
  ASSERT_EQ(test.objects.Create(section, "test"), STATUS_SUCCESS);
  EXPECT_EQ(test.kernel.pages().allocated(), before) << "nothing of it is in memory";
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 3 * 4096)), STATUS_COMMITMENT_LIMIT);
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 3 * 4096)), STATUS_NO_MEMORY);
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, 3 * 4096)),
            STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 2 * 4096)), STATUS_SUCCESS);
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 2 * 4096)), STATUS_SUCCESS)
      << "a charge comes back with its section";

  const auto view = test.Map(section.hPhysicalMemoryObject, 0, 4096);
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 3 * 4096)), STATUS_COMMITMENT_LIMIT)
      << "a page that is in memory is charged for once";
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 2 * 4096)), STATUS_SUCCESS);
  test.Unmap(view);
  test.objects.Destroy({section.hPhysicalMemoryObject, section.hAdapterMemoryObject});
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 3 * 4096)), STATUS_SUCCESS);
}

TEST(MemoryTypes, ThePageFileIsPartOfTheCommitLimit) {
  Parameters parameters = TestParameters();
  parameters.page_file_mib = 1;
  Objects test(parameters);
  ASSERT_TRUE(test.kernel.pages().Charge(test.kernel.pages().installed_pages() - test.kernel.pages().allocated()));
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 256 * 4096)), STATUS_SUCCESS);
  EXPECT_EQ(test.TryCreate(Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, 257 * 4096)), STATUS_COMMITMENT_LIMIT);
}

}  // namespace
}  // namespace gmmu::os
