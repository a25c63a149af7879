// SPDX-License-Identifier: Apache-2.0
#include "os/memory/memory_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

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

/// Allocates the whole logical space (8 GiB) except for `left` single pages, no two of them
/// adjacent.
std::vector<uint64_t> FragmentLogicalSpace(RemappingDomain& domain, unsigned left) {
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
  EXPECT_TRUE(test.domain->empty());
  auto required = test.Adl(contiguous.hAdapterMemoryObject, 0, 2 * 4096);
  required.Flags.RequireContiguous = 1;
  EXPECT_EQ(test.objects.AllocateAdl(required, "test"), STATUS_INSUFFICIENT_RESOURCES)
      << "two pages are free, but not beside each other";
  EXPECT_EQ(test.domain->logical().free_bytes(), free_bytes);
}

TEST(MemoryObjects, InA1To1DomainTheGpuReachesWhatItHasAndNothingElse) {
  Machine machine;
  Kernel& kernel = machine.kernel;
  kernel.iommu()->Enable([](const RemappingFault&) {});
  RemappingDomain* domain = kernel.iommu()->CreateDomain(uint64_t{1} << 40, true, "test");
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

// RequireContiguous was observed on Windows build 26100; the other expected results follow
// Microsoft's documentation.
TEST(Rule11, ContiguousAdlHasNoArray) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY);
  auto args = test.Adl(object.hAdapterMemoryObject, 2 * 4096, 3 * 4096, false);
  args.Flags.RequireContiguous = 1;
  ASSERT_EQ(test.objects.AllocateAdl(args, "test"), STATUS_SUCCESS);
  EXPECT_EQ(args.pAdl->Flags.Value, 1u);
  EXPECT_EQ(args.pAdl->PageCount, 3u) << "exactly what was asked for";
  // `Pages` of a contiguous ADL is not a pointer: it holds the base page number.
  const auto pages = reinterpret_cast<uintptr_t>(args.pAdl->Pages);
  EXPECT_EQ(pages, args.pAdl->BasePageNumber);
  EXPECT_EQ(test.Translate(pages * 4096).hpa, (test.objects.PagesOf(object.hPhysicalMemoryObject)[0] + 2) * 4096);
  test.objects.FreeAdl({object.hAdapterMemoryObject, args.pAdl});
}

// On Windows build 26100, the ADL was observed to be freed first. The bug check follows Microsoft's
// documentation.
TEST(Rule11, AnAdlMustBeFreedBeforeItsObject) {
  for (bool stops : {true, false}) {  // the bug check does not depend on this setting
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

// The configuration limits the size of contiguous ranges in the logical space.
TEST(MemoryAdls, ComeInPiecesOfTheSizeThatTheConfigurationSays) {
  Parameters parameters = TestParameters();
  parameters.logical_piece_kib = 8;
  Objects test(parameters);
  const auto object = test.Create(5 * 4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 5 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_FALSE(adl.pAdl->Flags.Contiguous);
  const auto& pfns = test.objects.PagesOf(object.hPhysicalMemoryObject);
  unsigned joins = 0;
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(test.Translate(adl.pAdl->Pages[i] * 4096).hpa, pfns[i] * 4096);
    joins += i != 0 && adl.pAdl->Pages[i] == adl.pAdl->Pages[i - 1] + 1;
  }
  EXPECT_EQ(joins, 2u) << "two pieces of two pages and one of one";
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  auto fits = test.Adl(object.hAdapterMemoryObject, 0, 2 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(fits, "test"), STATUS_SUCCESS);
  EXPECT_TRUE(fits.pAdl->Flags.Contiguous);
  test.objects.FreeAdl({object.hAdapterMemoryObject, fits.pAdl});

  const auto whole = test.Create(5 * 4096, test.adapter, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY);
  auto required = test.Adl(whole.hAdapterMemoryObject, 0, 5 * 4096);
  required.Flags.RequireContiguous = 1;
  EXPECT_EQ(test.objects.AllocateAdl(required, "test"), STATUS_INSUFFICIENT_RESOURCES);
}

}  // namespace
}  // namespace gmmu::os
