// SPDX-License-Identifier: Apache-2.0
// Tests paging operations 5, 6 and 17. Operation 5 was observed with a WDDM 1.3 driver. Operation
// 17 has not been observed; its expected behaviour follows Microsoft's documentation.
#include "os/vidmm/aperture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "os/base/bug_check.h"
#include "os/miniport/segments.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr uint64_t kDummyLogical = 0x7000, kDummyHost = 0x9000;

/// A segment of 64 pages, an object of eight pages with an ADL for the last seven, and a driver
/// that records its operations.
struct Bound : Objects {
  explicit Bound(bool aperture2 = true, DXGK_MEMORY_CACHING_TYPE type = DXGK_MEMORY_CACHING_TYPE_CACHED,
                 const Parameters& parameters = TestParameters())
      : Objects(parameters) {
    if (!aperture2) {  // without MapAperture2, the adapter never uses DMA remapping
      objects.RemoveAdapter(adapter);
      objects.AddAdapter(adapter, {nullptr, "test"});
    }
    segment.id = 3;
    segment.aperture = true;
    segment.cache_coherent = true;
    segment.size = 64 * 4096;
    segment.space = std::make_unique<RangeAllocator>(0, segment.size, 1, "aperture_range", "segment3", kernel.ledger());
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
    create.hAdapter = adapter;
    create.Size = 8 * 4096;
    create.CacheType = type;
    create.Mdl.HighAddress.QuadPart = -1;
    EXPECT_EQ(objects.Create(create, "test"), STATUS_SUCCESS);
    object = create.hPhysicalMemoryObject;
    on_adapter = create.hAdapterMemoryObject;
    DXGKARGCB_ALLOCATE_ADL allocate = Adl(create.hAdapterMemoryObject, 4096, 7 * 4096);
    EXPECT_EQ(objects.AllocateAdl(allocate, "test"), STATUS_SUCCESS);
    adl = allocate.pAdl;
    facts.map_aperture2 = aperture2;
    facts.remapped = aperture2;
    facts.dummy_logical = kDummyLogical;
    Make();
  }
  void Make() {
    aperture =
        std::make_unique<Aperture>(kernel, objects, segment, facts,
                                   Aperture::Work{[this](DXGKARG_BUILDPAGINGBUFFER& operation) {
                                                    operations.push_back(operation);
                                                    if (operation.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
                                                      const auto& map = operation.MapApertureSegment;
                                                      const auto* pages = MmGetMdlPfnArray(map.pMdl) + map.MdlOffset;
                                                      mdl_pages.assign(pages, pages + map.NumberOfPages);
                                                    }
                                                    if (during) during(operation);
                                                  },
                                                  [this] { ++finished; }});
  }

  Segment segment;
  HANDLE object = nullptr, on_adapter = nullptr;
  DXGK_ADL* adl = nullptr;
  Aperture::Facts facts;
  std::unique_ptr<Aperture> aperture;
  std::vector<DXGKARG_BUILDPAGINGBUFFER> operations;
  std::function<void(DXGKARG_BUILDPAGINGBUFFER&)> during;
  std::vector<uint64_t> mdl_pages;
  unsigned finished = 0;
  const Aperture::Owner owner{&finished, &operations, false};
};

TEST(Aperture, MapsByAdlWithTheOffsetsInPages) {
  Bound test;
  const uint64_t first = test.aperture->Reserve(8);
  test.aperture->Map(test.owner, first + 2, 3, *test.adl, 4);
  ASSERT_THAT(test.operations, SizeIs(1));
  ASSERT_EQ(test.operations[0].Operation, DXGK_OPERATION_MAP_APERTURE_SEGMENT2);
  const auto& args = test.operations[0].MapApertureSegment2;
  EXPECT_EQ(args.hDevice, test.owner.device);
  EXPECT_EQ(args.hAllocation, test.owner.allocation);
  EXPECT_EQ(args.SegmentId, 3u);
  EXPECT_EQ(args.OffsetInPages, first + 2);
  EXPECT_EQ(args.NumberOfPages, 3u);
  EXPECT_EQ(args.AdlOffset, 4u);
  EXPECT_EQ(args.CpuVisibleAddress, nullptr) << "the allocation did not ask for one";
  EXPECT_EQ(args.Adl.PageCount, 7u);
  ASSERT_TRUE(args.Adl.Flags.Contiguous) << "always, behind a remapping IOMMU with room";
  EXPECT_EQ(test.Translate((args.Adl.BasePageNumber + 4) * 4096).hpa, test.objects.PagesOf(test.object)[1 + 4] * 4096);
  EXPECT_EQ(test.finished, 1u);
}

TEST(Aperture, ListsOfLogicalAddressesAreContiguousAlsoWhereTheLogicalSpaceIsInPieces) {
  Bound test;
  // Every second logical page is in use, so the ADL of seven pages has seven separate ranges.
  test.objects.FreeAdl({test.on_adapter, test.adl});
  std::vector<uint64_t> taken;
  while (const auto page = test.domain->logical().Allocate(4096, 4096, "test", RangeAllocator::Place::kLowest)) {
    taken.push_back(*page);
    if (taken.size() == 64) break;
  }
  test.domain->logical().Exclude(taken.back() + 4096, uint64_t{1} << 33);
  for (size_t i = 0; i < taken.size(); i += 2) test.domain->logical().Free(taken[i]);
  DXGKARGCB_ALLOCATE_ADL allocate = test.Adl(test.on_adapter, 4096, 7 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(allocate, "test"), STATUS_SUCCESS);
  ASSERT_FALSE(allocate.pAdl->Flags.Contiguous);
  const uint64_t first = test.aperture->Reserve(8);
  test.aperture->Map(test.owner, first + 2, 3, *allocate.pAdl, 4);
  ASSERT_THAT(test.operations, SizeIs(3));
  for (uint64_t i = 0; i < 3; ++i) {
    const auto& args = test.operations[i].MapApertureSegment2;
    EXPECT_TRUE(args.Adl.Flags.Contiguous);
    EXPECT_EQ(args.OffsetInPages, first + 2 + i);
    EXPECT_EQ(args.NumberOfPages, 1u);
    EXPECT_EQ(test.Translate((args.Adl.BasePageNumber + args.AdlOffset) * 4096).hpa,
              test.objects.PagesOf(test.object)[1 + 4 + i] * 4096);
  }
  EXPECT_EQ(test.finished, 1u);
  test.aperture->Unmap(test.owner, first + 2, 3);
  EXPECT_EQ(test.aperture->mapped_pages(), 0u);
}

TEST(Aperture, ADriverWithoutMapAperture2SupportedGetsAnMdl) {
  Bound test(false);
  const uint64_t first = test.aperture->Reserve(8);
  test.aperture->Map(test.owner, first, 3, *test.adl, 4);
  ASSERT_THAT(test.operations, SizeIs(1));
  ASSERT_EQ(test.operations[0].Operation, DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  const auto& args = test.operations[0].MapApertureSegment;
  EXPECT_EQ(args.hDevice, test.owner.device);
  EXPECT_EQ(args.hAllocation, test.owner.allocation);
  EXPECT_EQ(args.OffsetInPages, first);
  EXPECT_EQ(args.MdlOffset, 4u);
  EXPECT_EQ(args.Flags.CacheCoherent, 1u);
  const auto& pfns = test.objects.PagesOf(test.object);
  EXPECT_THAT(test.mdl_pages, ElementsAre(pfns[5], pfns[6], pfns[7])) << "physical pages";
  DXGK_ADL list{};
  list.PageCount = 7;
  list.Flags.Contiguous = 1;
  list.BasePageNumber = 0x1230;
  *test.adl = list;  // as if the object were contiguous
  test.aperture->Map(test.owner, first + 3, 3, *test.adl, 4);
  EXPECT_THAT(test.mdl_pages, ElementsAre(0x1234, 0x1235, 0x1236)) << "a contiguous list becomes an array";
  test.facts.remapped = true;
  EXPECT_THROW(test.Make(), BugCheck) << "an MDL cannot carry logical pages";
}

// CacheCoherent is set only for cached memory in a cache-coherent segment.
TEST(Aperture, SetsCacheCoherentForCachedMemoryInACoherentSegmentOnly) {
  for (const auto type : {DXGK_MEMORY_CACHING_TYPE_NON_CACHED, DXGK_MEMORY_CACHING_TYPE_CACHED,
                          DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED}) {
    for (const bool coherent : {false, true}) {
      Bound test(true, type);
      test.segment.cache_coherent = coherent;
      test.aperture->Map(test.owner, test.aperture->Reserve(1), 1, *test.adl, 0);
      EXPECT_EQ(test.operations[0].MapApertureSegment2.Flags.CacheCoherent,
                coherent && type == DXGK_MEMORY_CACHING_TYPE_CACHED ? 1u : 0u)
          << type << coherent;
    }
  }
}

// The documentation does not say who writes back the CPU's caches before a device reads without
// snooping.
TEST(Aperture, WritesTheCachesBackBeforeAMapIntoASegmentThatIsNotCoherent) {
  for (const bool writes_back : {true, false}) {
    Parameters parameters = TestParameters();
    parameters.aperture_writes_back = writes_back;
    Bound test(true, DXGK_MEMORY_CACHING_TYPE_CACHED, parameters);
    test.segment.cache_coherent = false;
    const auto view = test.Map(test.object, 3 * 4096, 4096);
    static_cast<char*>(view.pMappedAddress)[view.Offset] = 'n';
    test.aperture->Map(test.owner, test.aperture->Reserve(1), 1, *test.adl, 2);
    char seen = 0;
    ASSERT_TRUE(test.platform.ram().DeviceRead(test.objects.PagesOf(test.object)[3] * 4096, &seen, 1, false));
    EXPECT_EQ(seen, writes_back ? 'n' : 0);
    test.Unmap(view);
  }
}

TEST(Aperture, TheCpuAddressLivesUntilTheUnmapReturns) {
  Bound test;
  const Aperture::Owner visible{nullptr, &test, true};
  const uint64_t first = test.aperture->Reserve(8);
  ASSERT_TRUE(test.platform.ram().Write(test.objects.PagesOf(test.object)[1 + 3] * 4096, "here", 4));
  test.aperture->Map(visible, first, 4, *test.adl, 3);
  const auto* address = static_cast<char*>(test.operations[0].MapApertureSegment2.CpuVisibleAddress);
  ASSERT_NE(address, nullptr);
  EXPECT_EQ(std::memcmp(address, "here", 4), 0) << "of the first page that was mapped";
  const size_t views = test.platform.ram().views();
  bool readable = false;
  test.during = [&](DXGKARG_BUILDPAGINGBUFFER&) { readable = std::memcmp(address, "here", 4) == 0; };
  test.aperture->Unmap(visible, first + 1, 3);
  EXPECT_EQ(test.platform.ram().views(), views) << "one page is mapped still";
  test.aperture->Unmap(visible, first, 1);
  EXPECT_TRUE(readable) << "the driver may use it in the unmap itself";
  EXPECT_EQ(test.platform.ram().views(), views - 1);
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile char*>(address)), "");
}

TEST(Aperture, BugChecksOnPagesThatAreNotTheCallers) {
  Bound test;
  const uint64_t first = test.aperture->Reserve(8);
  const Aperture::Owner other{nullptr, &test.segment, false};
  EXPECT_THROW(test.aperture->Map(test.owner, first + 6, 3, *test.adl, 0), BugCheck) << "behind the range";
  EXPECT_THROW(test.aperture->Map(test.owner, first, 4, *test.adl, 4), BugCheck) << "behind the list";
  EXPECT_THROW(test.aperture->Unmap(test.owner, first, 1), BugCheck) << "not mapped";
  test.aperture->Map(test.owner, first + 2, 2, *test.adl, 0);
  EXPECT_THROW(test.aperture->Map(test.owner, first, 3, *test.adl, 0), BugCheck) << "mapped already";
  EXPECT_THROW(test.aperture->Unmap(other, first + 2, 2), BugCheck) << "another allocation's";
  EXPECT_THROW(test.aperture->Unmap(test.owner, first + 2, 3), BugCheck) << "a page of it is not mapped";
  EXPECT_THROW(test.aperture->Free(first), BugCheck) << "pages are mapped";
  DXGK_ADL copy = *test.adl;
  EXPECT_THROW(test.aperture->Map(test.owner, first, 1, copy, 0), BugCheck) << "nobody's list";
  EXPECT_THAT(test.operations, SizeIs(1));
  test.aperture->Unmap(test.owner, first + 2, 2);
  test.aperture->Free(first);
  EXPECT_THROW(test.aperture->Free(first), BugCheck);
}

TEST(Aperture, KeepsToItsCommitLimit) {
  Bound test;
  test.facts.commit_limit = 8 * 4096;
  test.Make();
  const uint64_t first = test.aperture->Reserve(6);
  EXPECT_THROW(test.aperture->Reserve(3), OsError);
  test.aperture->Free(first);
  EXPECT_NO_THROW(test.aperture->Reserve(8));
}

// The documentation does not say whether DummyPage is a logical or a physical address. With DMA
// remapping, the GPU could not reach a physical one.
TEST(Aperture, TheDummyPageIsALogicalAddress) {
  for (const bool remapped : {true, false}) {
    Bound test(remapped, DXGK_MEMORY_CACHING_TYPE_CACHED, TestParameters());
    // Without remapping, logical and physical addresses are the same.
    if (!remapped) test.facts.dummy_logical = kDummyHost;
    test.Make();
    const uint64_t first = test.aperture->Reserve(1);
    test.aperture->Map(test.owner, first, 1, *test.adl, 0);
    test.aperture->Unmap(test.owner, first, 1);
    ASSERT_EQ(test.operations.back().Operation, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
    EXPECT_EQ(test.operations.back().UnmapApertureSegment.DummyPage.QuadPart,
              static_cast<LONGLONG>(remapped ? kDummyLogical : kDummyHost));
  }
}

}  // namespace
}  // namespace gmmu::os
