// SPDX-License-Identifier: Apache-2.0
// Where allocations live: sets, preferences, alignment, contiguity, eviction; what of a segment must not be used;
// bases of segments. Documents only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/miniport/allocation.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/residency.h"
#include "workload/procedures/procedures.h"
#include "os/kernel/iommu.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

std::vector<UINT> OrderOf(const DXGK_ALLOCATIONINFO& info, const AdapterAnswers& answers) {
  std::vector<UINT> order;
  for (const Homes::Place& place : HomesOf(info, answers).places) order.push_back(place.segment);
  return order;
}

TEST(Placement, PreferredSegmentsOfTheWriteSetComeFirst) {
  AdapterAnswers answers;
  answers.segments.resize(4);
  answers.segments[0].Flags.Aperture = 1;
  DXGK_ALLOCATIONINFO info{};
  info.SupportedWriteSegmentSet = 0xF;
  info.FlagsWddm2.AccessedPhysically = 1;
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(2u, 3u, 4u)) << "the aperture is no memory segment";
  info.PreferredSegment.SegmentId0 = 4;
  info.PreferredSegment.Direction0 = 1;
  info.PreferredSegment.SegmentId1 = 3;
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(4u, 3u, 2u));
  EXPECT_TRUE(HomesOf(info, answers).places[0].from_end);
  EXPECT_FALSE(HomesOf(info, answers).places[1].from_end);
  info.SupportedWriteSegmentSet = 0x5;  // what is preferred and not in the set does not count
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(3u));
  info.FlagsWddm2.FromEndOfSegment = 1;
  EXPECT_TRUE(HomesOf(info, answers).places[0].from_end);
}

class Placed : public DriverWithAFront {
 protected:
  static inline UINT alignment, direction, set;
  Placed() {
    alignment = hw::kPageSize;
    direction = 0;
    set = 3;
    bench.options.driver = Entry;
    between.table = [](DRIVER_INITIALIZATION_DATA& table) {
      table.DxgkDdiCreateAllocation = [](HANDLE context, DXGKARG_CREATEALLOCATION* args) {
        const NTSTATUS status = between.real.DxgkDdiCreateAllocation(context, args);
        args->pAllocationInfo[0].Alignment = alignment;
        args->pAllocationInfo[0].PreferredSegment.Direction0 = direction;
        args->pAllocationInfo[0].SupportedWriteSegmentSet = set;
        return status;
      };
    };
  }
  /// Page numbers of an allocation of 9 pages in VRAM.
  std::vector<uint64_t> Pages(bool accessed_physically, bool told = false) {
    std::vector<uint64_t> pages;
    const auto result = bench.Run([&](Life& life) {
      life.worker.Call([&] {
        Allocation* some = life.vidmm.CreateAllocation("some", 5 * hw::kPageSize);  // so that it begins anywhere
        life.vidmm.MakeResident(*some);
        AllocationRequest request;
        request.name = "placed";
        request.bytes = 9 * hw::kPageSize;
        request.accessed_physically = accessed_physically;
        request.explicit_residency = told;
        Allocation* placed = life.vidmm.CreateAllocation(request);
        life.vidmm.MakeResident(*placed);
        for (uint64_t i = 0; i < 9; ++i) pages.push_back(placed->local->page(i));
        end = life.adapter.local_segment().size / hw::kPageSize;
        life.vidmm.DestroyAllocation(some);
        life.vidmm.DestroyAllocation(placed);
      });
    });
    for (const Fault& fault : result.faults) text += fault.text;
    return pages;
  }
  static bool Consecutive(const std::vector<uint64_t>& pages) {
    for (size_t i = 1; i < pages.size(); ++i)
      if (pages[i] != pages[0] + i) return false;
    return !pages.empty();
  }
  test::LifeBench bench;
  uint64_t end = 0;
  std::string text;
};

TEST_F(Placed, AccessedPhysicallyIsContiguousInAMemorySegment) {
  EXPECT_FALSE(Consecutive(Pages(false)));
  EXPECT_TRUE(Consecutive(Pages(true)));
}

TEST_F(Placed, AlignmentIsThatOfTheFirstPage) {
  alignment = 0x20000;
  for (const bool told : {false, true}) {  // ExplicitResidencyNotification changes nothing of it
    const auto pages = Pages(true, told);
    EXPECT_TRUE(Consecutive(pages));
    EXPECT_EQ(pages[0] % (0x20000 / hw::kPageSize), 0u);
  }
}

TEST_F(Placed, ADirectionTakesItFromTheEndOfTheSegment) {
  direction = 1;
  const auto pages = Pages(true);
  ASSERT_THAT(pages, SizeIs(9));
  EXPECT_GT(pages[8], end - 64) << "behind everything but what has come before it";
}

TEST_F(Placed, OutsideOfItsSetAnAllocationIsNotPut) {
  set = 1;
  EXPECT_THAT(Pages(true), IsEmpty());
  EXPECT_THAT(text, HasSubstr("has no place in VRAM"));
}

// EvictionSegmentSet of our driver is the aperture segment.
TEST(Eviction, OfAnAllocationThatIsAccessedPhysicallyGoesThroughTheAperture) {
  for (const bool physically : {true, false}) {
    test::LifeBench bench;
    uint64_t transfers = 0, maps = 0;
    bool armed = false;
    bench.options.os.trace_paging = [&](const std::string& line) {
      transfers += armed && line.find("\"TRANSFER\"") != std::string::npos &&
                   line.find("\"Source.SegmentId\": 2") != std::string::npos &&
                   line.find("\"Destination.SegmentId\": 1") != std::string::npos;
      maps += armed && line.find("\"MAP_APERTURE_SEGMENT2\"") != std::string::npos;
    };
    const auto result = bench.Run([&](Life& life) {
      life.worker.Call([&] {
        Residency residency(life.vidmm);
        AllocationRequest request;
        request.name = "evicted";
        request.bytes = 3 * hw::kPageSize;
        request.accessed_physically = physically;
        Allocation* data = life.vidmm.CreateAllocation(request);
        residency.MakeResident({data});
        life.vidmm.Fill(*data, 0, data->bytes, 0xC0FFEE11);
        armed = true;
        residency.Evict(*data);
        armed = false;
        EXPECT_FALSE(life.vidmm.aperture().in_use());
        uint32_t word = 0;
        std::memcpy(&word, residency.Backing(*data)->Map(2 * hw::kPageSize, 4), 4);
        residency.Backing(*data)->Unmap();
        EXPECT_EQ(word, 0xC0FFEE11u);
        residency.Drop(*data);
        life.vidmm.DestroyAllocation(data);
      });
    });
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_EQ(transfers, physically ? 1u : 0u);
    EXPECT_EQ(maps, physically ? 1u : 0u);
  }
}

// One move in pieces, when the aperture is smaller than the allocation or others have most of it; without one when they
// have all of it.
TEST(Eviction, GoesThroughTheApertureInPiecesWhereThatHasNoRoomForAll) {
  for (const uint64_t others : {0u, 200u, 256u}) {
    test::LifeBench bench;
    bench.config.gpu.vram_mib = 16;
    uint64_t transfers = 0, starts = 0, ends = 0;
    bool armed = false;
    bench.options.os.trace_paging = [&](const std::string& line) {
      const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
      if (!armed || !has("\"TRANSFER\"")) return;
      ++transfers;
      starts += has("\"Flags.TransferStart\": true");
      ends += has("\"Flags.TransferEnd\": true");
    };
    const auto result = bench.Run([&](Life& life) {
      life.worker.Call([&] {
        constexpr uint64_t kPages = 300;  // of an aperture of 256
        Residency residency(life.vidmm);
        const uint64_t taken = others == 0 ? 0 : life.vidmm.aperture().Reserve(others);
        const size_t ranges = life.adapter.aperture_segment().space->ranges();
        AllocationRequest request;
        request.name = "evicted";
        request.bytes = kPages * hw::kPageSize;
        Allocation* data = life.vidmm.CreateAllocation(request);
        residency.MakeResident({data});
        for (uint64_t page = 0; page < kPages; ++page)
          life.vidmm.Fill(*data, page * hw::kPageSize, hw::kPageSize, 0xC0DE0000 + static_cast<uint32_t>(page));
        armed = true;
        residency.Evict(*data);
        armed = false;
        EXPECT_FALSE(life.vidmm.aperture().in_use());
        EXPECT_EQ(life.adapter.aperture_segment().space->ranges(), ranges);
        const uint8_t* view = residency.Backing(*data)->Map(0, data->bytes);
        for (uint64_t page = 0; page < kPages; ++page) {
          uint32_t word = 0;
          std::memcpy(&word, view + (page + 1) * hw::kPageSize - 4, 4);
          EXPECT_EQ(word, 0xC0DE0000 + page);
        }
        residency.Backing(*data)->Unmap();
        if (others != 0) life.vidmm.aperture().Free(taken);
        residency.Drop(*data);
        life.vidmm.DestroyAllocation(data);
      });
    });
    EXPECT_EQ(test::FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
    if (others == 256) EXPECT_EQ(transfers, 0u) << "through the scratch windows";
    else EXPECT_GE(transfers, others == 0 ? 2u : 6u);
    EXPECT_EQ(starts, others == 256 ? 0u : 1u);
    EXPECT_EQ(ends, starts);
  }
}

TEST(SegmentMemoryState, WhatMustNotBeUsedIsNeverGivenOut) {
  constexpr uint64_t kBad = 0x40000, kBytes = 0x20000;
  test::LifeBench bench;
  bench.options.os.driver["BadVramBase"] = kBad;
  bench.options.os.driver["BadVramBytes"] = kBytes;
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
      std::vector<Allocation*> all;
      while (true) {
        all.push_back(life.vidmm.CreateAllocation("page", hw::kPageSize));
        if (!life.vidmm.placement().TryMakeResident(*all.back())) break;
        const uint64_t at = all.back()->local->page(0) * hw::kPageSize;
        EXPECT_TRUE(at + hw::kPageSize <= kBad || at >= kBad + kBytes) << std::hex << at;
      }
      EXPECT_GT(all.size(), 100u) << "the segment is full";
      for (Allocation* allocation : all) life.vidmm.DestroyAllocation(allocation);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST(SegmentMemoryState, IsAskedOnlyWhereTheDescriptorHasRanges) {
  for (const uint64_t bytes : {0u, 0x1000u}) {
    static unsigned asked;
    asked = 0;
    between = {};
    between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
      asked += args.Type == DXGKQAITYPE_SEGMENTMEMORYSTATE;
      return between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    };
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["BadVramBytes"] = bytes;
    bench.Run([](Life&) {});
    EXPECT_EQ(asked, bytes == 0 ? 0u : 1u) << "once, for one segment";
    between = {};
  }
}

TEST(SegmentMemoryState, ARangeOutsideOfItsSegmentIsRefused) {
  test::LifeBench bench;
  bench.options.os.driver["BadVramBase"] = uint64_t{1} << 40;
  bench.options.os.driver["BadVramBytes"] = 0x1000;
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DXGK_MEMORYRANGE of segment 2"));
}

// Seen on build 22621 for paging buffers in segment 0.
TEST(PagingBufferAddress, IsTheGpusOrAByteOffsetByASwitch) {
  for (const auto& [offset, records] : {std::pair(false, 0), std::pair(true, 0), std::pair(true, 4096)}) {
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.limit_bits = 33;
    bench.options.os.iommu = RemapPolicy::kNever;
    bench.options.os.paging_address_is_offset = offset;
    bench.options.os.driver["PagingPrivateBytes"] = static_cast<uint64_t>(records);
    uint64_t built = 0, submitted = 0, wrong = 0;
    between = {};
    between.build = [&, offset = offset](DXGKARG_BUILDPAGINGBUFFER& args) {
      ++built;
      wrong += (args.DmaBufferGpuVirtualAddress == 0) != offset && args.pDmaBuffer != nullptr;
      return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
    };
    between.submit = [&, offset = offset](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      ++submitted;
      wrong += args.Flags.Paging && (args.DmaBufferVirtualAddress == 0) != offset;
      return between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
    };
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
    EXPECT_TRUE(result.Passed());
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(built, 0u);
    EXPECT_GT(submitted, 0u);
    between = {};
  }
}

// Seen on build 22621: a non-zero address on all calls, and no map operation.
TEST(PagingBufferAddress, IsOneOfThePagingProcessWhenTheBuffersAreInTheApertureSegment) {
  test::LifeBench bench;
  bench.options.driver = Entry;
  bench.options.os.driver["PagingBufferSegment"] = 1;
  uint64_t wrong = 0, maps_before_use = 0, submitted = 0;
  bool used = false;
  between = {};
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const uint64_t va = args.DmaBufferGpuVirtualAddress;
    wrong += args.pDmaBuffer != nullptr && (va == 0 || va >> 30 != 0);
    maps_before_use += !used && args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
    return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
  };
  between.submit = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    used = true;
    submitted += args.Flags.Paging;
    wrong += args.Flags.Paging && (args.DmaBufferVirtualAddress == 0 || args.DmaBufferVirtualAddress >> 30 != 0);
    return between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
  };
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
  between = {};
  for (const Fault& fault : result.faults) ADD_FAILURE() << fault.text;
  EXPECT_TRUE(result.Passed());
  EXPECT_EQ(wrong, 0u) << "an address below 1 GiB, the paging process' size";
  EXPECT_EQ(maps_before_use, 0u);
  EXPECT_GT(submitted, 0u);
}

/// Leaves single pages of the logical space, none beside another one.
struct Fragments {
  void Make(IommuDomain& domain) {
    RangeAllocator& logical = domain.logical();
    const auto take = [&](uint64_t bytes) {
      return logical.Allocate(bytes, hw::kPageSize, "filler", RangeAllocator::Place::kLowest);
    };
    std::vector<uint64_t> singles;
    for (unsigned i = 0; i < 2048; ++i) singles.push_back(take(hw::kPageSize).value());
    for (uint64_t bytes = uint64_t{1} << 31; bytes >= hw::kPageSize; bytes /= 2) {
      while (const auto start = take(bytes)) taken.push_back(*start);
    }
    for (size_t i = 0; i < singles.size(); ++i) {
      if (i % 2 == 0) logical.Free(singles[i]);
      else taken.push_back(singles[i]);
    }
  }
  void GiveBack(IommuDomain& domain) {
    for (const uint64_t start : taken) domain.logical().Free(start);
    taken.clear();
  }
  std::vector<uint64_t> taken;
};
Fragments fragments;

NTSTATUS StartAndFragment(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                          PULONG children) {
  const NTSTATUS status = between.real.DxgkDdiStartDevice(context, start, interface, sources, children);
  fragments.Make(*Dxgkrnl::Current().FromHandle(interface->DeviceHandle).logical().domain());
  return status;
}

// The GPU takes a buffer of segment 0 by its first address; PreferContiguous of its list is only a hint.
TEST(PagingBufferAddress, WithoutConsecutiveLogicalPagesABufferHasOnePageOrLiesInTheApertureOrIsRefused) {
  struct Case {
    uint64_t bytes, segment;
    bool refused;
  };
  for (const Case& one : {Case{65536, 0, true}, Case{8192, 0, true}, Case{4096, 0, false}, Case{65536, 1, false}}) {
    SCOPED_TRACE(std::to_string(one.bytes) + " bytes in segment " + std::to_string(one.segment));
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["PagingBufferBytes"] = one.bytes;
    bench.options.os.driver["PagingBufferSegment"] = one.segment;
    between = {};
    between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartAndFragment; };
    bool ran = false;
    const auto result = bench.Run([&](Life& life) {
      ran = true;
      ASSERT_EQ(life.adapter.mode(), DmaMode::kRemapped);
      workload::RunSeededMainJob(life, 30'000);
      fragments.GiveBack(*life.adapter.domain());
    });
    fragments.taken.clear();
    between = {};
    EXPECT_EQ(ran, !one.refused);
    if (one.refused) {
      ASSERT_THAT(result.faults, SizeIs(1));
      EXPECT_THAT(result.faults[0].text, HasSubstr("no " + std::to_string(one.bytes) +
                                                   " consecutive bytes of logical addresses for a paging buffer"));
    } else {
      for (const Fault& fault : result.faults) ADD_FAILURE() << fault.text;
      EXPECT_TRUE(result.Passed());
    }
  }
}

TEST(PagingBufferAddress, AnOffsetIsRefusedBehindARemappedDomain) {
  test::LifeBench bench;
  bench.options.os.paging_address_is_offset = true;
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("os.paging_address_is_offset"));
}

TEST(PagingBufferAddress, ADriverThatOverrunsItsPrivateDataIsABugCheck) {
  test::LifeBench bench;
  bench.options.driver = Entry;
  between = {};
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const UINT room = args.DmaBufferPrivateDataSize;
    const NTSTATUS status = between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
    if (args.pDmaBufferPrivateData != nullptr)
      args.pDmaBufferPrivateData = static_cast<uint8_t*>(args.pDmaBufferPrivateData) + room + 1;
    return status;
  };
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  between = {};
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("a paging buffer's private data past its end"));
}

TEST(SegmentBase, IsPartOfTheAddressesOfWddm1OperationsAndOfNothingElse) {
  constexpr uint64_t kBase = uint64_t{1} << 40;
  test::LifeBench bench;
  bench.options.os.driver["ApertureBase"] = kBase;
  bench.options.os.driver["VramBase"] = 2 * kBase;
  uint64_t transfers = 0;
  bench.options.os.trace_paging = [&](const std::string& line) {
    if (line.find("\"operation\": \"TRANSFER\"") == std::string::npos) return;
    ++transfers;
    EXPECT_THAT(line, HasSubstr("\"Source.SegmentAddress\": \"0x100"));       // aperture, segment 1
    EXPECT_THAT(line, HasSubstr("\"Destination.SegmentAddress\": \"0x200"));  // VRAM, segment 2
  };
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
  EXPECT_TRUE(result.Passed());
  EXPECT_GT(transfers, 0u);
}

}  // namespace
}  // namespace gmmu::os
