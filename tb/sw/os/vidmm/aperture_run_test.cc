// SPDX-License-Identifier: Apache-2.0
// Tests the aperture on a whole machine: the operations that the driver receives, and the GPU's
// accesses. The expected behaviour follows Microsoft's documentation; it has not been observed on
// Windows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "os/miniport/segments.h"
#include "os/base/page_math.h"
#include "tb/sw/os/between.h"
#include "workload/lines.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

using ApertureRun = DriverWithAFront;
using Rule11Driver = DriverWithAFront;

std::map<DXGK_BUILDPAGINGBUFFER_OPERATION, unsigned> counts;

void CountOperations() {
  counts.clear();
  between.build = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    ++counts[args.Operation];
    return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
  };
}

std::string Text(const workload::JobResult& result) {
  std::string text;
  for (const auto& check : result.checks) {
    if (!check.passed) text += check.name + ": " + check.text + "\n";
  }
  for (const auto& fault : result.faults) text += fault.text + "\n";
  for (const auto& leak : result.leaks) text += "leak " + leak.kind + " " + leak.name + "\n";
  return text;
}

// DXGK_DRIVERCAPS.ApertureSegmentCommitLimit is the limit for all aperture segments together; the
// model has one. Scenario aperture needs more than one page, so a limit of one page must fail the
// run.
TEST_F(ApertureRun, KeepsToTheCommitLimitOfAllApertureSegmentsToo) {
  for (const SIZE_T limit : {SIZE_T{0}, SIZE_T{1} << 40, SIZE_T{hw::kPageSize}}) {
    between.query = [limit](const DXGKARG_QUERYADAPTERINFO& args) {
      const NTSTATUS status = between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
      if (args.Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status))
        static_cast<DXGK_DRIVERCAPS*>(args.pOutputData)->ApertureSegmentCommitLimit = limit;
      return status;
    };
    const auto result = Run(Defaults(), "aperture");
    const bool enough = limit != hw::kPageSize;
    EXPECT_EQ(result.Passed(), enough) << limit << " " << Text(result);
    if (!enough) {
      EXPECT_THAT(Text(result), HasSubstr("commit limit"));
    }
  }
}

TEST_F(ApertureRun, MapsByAdlWhenTheDriverTakesOneWhateverTheMode) {
  for (const RemapPolicy policy : {RemapPolicy::kWhenPossible, RemapPolicy::kNever}) {
    CountOperations();
    Parameters os = Defaults();
    os.iommu = policy;
    if (policy == RemapPolicy::kNever) os.limit_bits = 40;
    const auto result = Run(os, "aperture");
    EXPECT_TRUE(result.Passed()) << Text(result);
    EXPECT_EQ(counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT], 0u);
    EXPECT_GT(counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT2], 0u);
    EXPECT_GT(counts[DXGK_OPERATION_UNMAP_APERTURE_SEGMENT], 0u);
  }
}

TEST_F(ApertureRun, MapsByMdlWhenTheDriverDoesNotTakeAnAdlAndIsNotRemapped) {
  CountOperations();
  Parameters os = Defaults();
  os.driver["MapAperture2"] = 0;
  os.discrete_without_remapping_refused = false;
  os.iommu = RemapPolicy::kNever;
  os.limit_bits = 40;
  auto result = Run(os, "aperture");
  EXPECT_TRUE(result.Passed()) << Text(result);
  EXPECT_EQ(counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT2], 0u);
  EXPECT_GT(counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT], 0u);
  os.iommu = RemapPolicy::kWhenPossible;
  result = Run(os, "aperture");
  EXPECT_THAT(Text(result), HasSubstr("DXGK_VIDMMCAPS.MapAperture2Supported")) << "no remapping without it";
}

std::map<HANDLE, bool> devices;  // existing devices by handle; true: system device

void WatchDevices(DRIVER_INITIALIZATION_DATA& table) {
  devices.clear();
  table.DxgkDdiCreateDevice = [](HANDLE context, DXGKARG_CREATEDEVICE* args) {
    const bool system = args->Flags.SystemDevice;
    const NTSTATUS status = between.real.DxgkDdiCreateDevice(context, args);
    if (NT_SUCCESS(status)) devices[args->hDevice] = system;
    return status;
  };
  table.DxgkDdiDestroyDevice = [](HANDLE device) {
    devices.erase(device);
    return between.real.DxgkDdiDestroyDevice(device);
  };
}

// In the three aperture operations, hDevice is the driver's handle for the owning device, which
// must still exist.
TEST_F(ApertureRun, OperationsNameTheDeviceThatOwnsTheAllocation) {
  between.table = WatchDevices;
  for (const bool by_list : {true, false}) {
    std::map<int, unsigned> of_processes, of_nobody;
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto note = [&](HANDLE device) {
        const auto found = devices.find(device);
        ++(found != devices.end() && !found->second ? of_processes : of_nobody)[args.Operation];
      };
      if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) note(args.MapApertureSegment.hDevice);
      if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) note(args.MapApertureSegment2.hDevice);
      if (args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) note(args.UnmapApertureSegment.hDevice);
      return RealBuild(args);
    };
    Parameters os = Defaults();
    if (!by_list) {
      os.driver["MapAperture2"] = 0;
      os.discrete_without_remapping_refused = false;
      os.iommu = RemapPolicy::kNever;
      os.limit_bits = 40;
    }
    const auto result = Run(os, "aperture");
    EXPECT_TRUE(result.Passed()) << Text(result);
    EXPECT_GT(of_processes[by_list ? DXGK_OPERATION_MAP_APERTURE_SEGMENT2 : DXGK_OPERATION_MAP_APERTURE_SEGMENT], 0u);
    EXPECT_GT(of_processes[DXGK_OPERATION_UNMAP_APERTURE_SEGMENT], 0u);
    EXPECT_TRUE(of_nobody.empty()) << of_nobody.begin()->first;
  }
}

// The scenario repeatedly maps page i of its second buffer to page i of a range, in two pieces that
// are divided at a different page each time.
TEST_F(ApertureRun, ShowsTheDriverTheBytesThatItMaps) {
  // Size of the contiguous pieces of the logical space. One operation maps one piece.
  for (const uint64_t piece_kib : {0u, 16u}) {
    // The first aperture page of each map operation, and the bytes that the CPU then sees there.
    std::vector<std::pair<uint64_t, std::vector<uint8_t>>> shown;
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& map = args.MapApertureSegment2;
      if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2 && map.CpuVisibleAddress != nullptr) {
        const auto* bytes = static_cast<const uint8_t*>(map.CpuVisibleAddress);
        shown.push_back({map.OffsetInPages, {bytes, bytes + map.NumberOfPages * kPage}});
      }
      return RealBuild(args);
    };
    Parameters os = Defaults();
    os.logical_piece_kib = piece_kib;
    os.driver["PagingBufferBytes"] = 16384;  // large enough to map one piece
    const auto result = Run(os, "aperture");
    EXPECT_TRUE(result.Passed()) << Text(result);
    ASSERT_FALSE(shown.empty());
    uint64_t first = ~uint64_t{0}, end = 0;
    for (const auto& [page, bytes] : shown) {
      first = std::min(first, page);
      end = std::max(end, page + bytes.size() / kPage);
    }
    std::vector<uint8_t> buffer((end - first) * kPage);
    // The scenario fills its second buffer with this pattern.
    workload::FillPattern(buffer.data(), buffer.size(), 3 ^ 0x7365636F6E64);
    unsigned inside = 0;
    for (const auto& [page, bytes] : shown) {
      EXPECT_EQ(std::memcmp(bytes.data(), &buffer[(page - first) * kPage], bytes.size()), 0)
          << "page " << page - first << " of the range, and " << bytes.size() / kPage << " pages from it on";
      inside += page != first;
    }
    EXPECT_GT(inside, 0u) << "pages that are not the buffer's first";
  }
}

TEST_F(ApertureRun, RefusesAnAllocationThatAsksForCpuAddressesWithoutTheCap) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiCreateAllocation = [](HANDLE context, DXGKARG_CREATEALLOCATION* args) {
      const NTSTATUS status = between.real.DxgkDdiCreateAllocation(context, args);
      args->pAllocationInfo[0].FlagsWddm2.MapApertureCpuVisible = 1;
      return status;
    };
  };
  Parameters os = Defaults();
  EXPECT_TRUE(Run(os).Passed());
  os.driver["MapAperture2"] = 0;
  os.discrete_without_remapping_refused = false;
  os.iommu = RemapPolicy::kNever;
  os.limit_bits = 40;
  EXPECT_THAT(Text(Run(os)), HasSubstr("FlagsWddm2.MapApertureCpuVisible needs DXGK_VIDMMCAPS.MapAperture2Supported"));
}

// ---- points that driver authors often get wrong

/// Page-table entries contain page numbers without the segment's base, as observed on Windows
/// builds 22621 and 26100. Segment addresses in transfers are in bytes and include the base; this
/// follows Microsoft's documentation and has not been observed on Windows. The built-in driver's
/// segments begin at 0, so the wrapper adds a base to each segment that the driver reports and
/// subtracts it from the addresses in operations.
TEST_F(Rule11Driver, AddressesComeInPagesInBytesAndInBytesWithTheSegmentsBase) {
  constexpr LONGLONG kBases[] = {LONGLONG{1} << 40, LONGLONG{3} << 40};  // aperture, VRAM
  constexpr uint64_t kVram = 64 << 20;
  unsigned entries = 0, tables = 0, segment_addresses = 0;
  between.query = [&](const DXGKARG_QUERYADAPTERINFO& args) {
    const NTSTATUS status = between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    if (args.Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
    for (UINT i = 0; out->pSegmentDescriptor != nullptr && i < out->NbSegment; ++i) {
      reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor + i * out->SegmentDescriptorStride)
          ->BaseAddress.QuadPart = kBases[i];
    }
    return status;
  };
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      const auto& update = args.UpdatePageTable;
      const D3DGPU_PHYSICAL_ADDRESS& table = update.PageTableAddress.GpuPhysical;
      if (update.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL && table.SegmentId == 2) {
        ++tables;
        EXPECT_EQ(table.SegmentOffset % 4096, 0u) << "bytes, without the base";
        EXPECT_LT(table.SegmentOffset, kVram);
      }
      for (UINT i = 0; i < (update.Flags.Repeat ? 1 : update.NumPageTableEntries); ++i) {
        const DXGK_PTE& entry = update.pPageTableEntries[i];
        if (!entry.Valid || entry.Segment != 2) continue;
        ++entries;
        EXPECT_LT(entry.PageAddress, kVram / 4096) << "a page number, without the base";
      }
    }
    if (args.Operation == DXGK_OPERATION_TRANSFER) {
      auto& transfer = args.Transfer;
      const auto in_bytes = [&](auto& side) {
        const LONGLONG base = kBases[side.SegmentId - 1];
        ++segment_addresses;
        EXPECT_GE(side.SegmentAddress.QuadPart, base) << "bytes, with the base";
        EXPECT_LT(side.SegmentAddress.QuadPart - base, static_cast<LONGLONG>(kVram));
        side.SegmentAddress.QuadPart -= base;
      };
      const DXGKARG_BUILDPAGINGBUFFER before = args;
      in_bytes(transfer.Source);
      in_bytes(transfer.Destination);
      const NTSTATUS status = RealBuild(args);
      transfer.Source = before.Transfer.Source;  // a repeated operation must be unchanged
      transfer.Destination = before.Transfer.Destination;
      return status;
    }
    return RealBuild(args);
  };
  const auto result = Run();
  EXPECT_TRUE(result.Passed()) << Text(result);
  EXPECT_GT(entries, 0u);
  EXPECT_GT(tables, 0u);
  EXPECT_GT(segment_addresses, 0u);
}

/// In operation 17, the driver must not dereference `Pages` of a contiguous ADL, and AdlOffset is
/// in pages for both kinds of ADL. Every second map is sent as a page array instead.
TEST_F(Rule11Driver, AContiguousListAndAnArrayMeanTheSame) {
  std::vector<DXGK_PAGE_NUMBER> array;
  unsigned maps = 0;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    auto& map = args.MapApertureSegment2;
    if (args.Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT2 || ++maps % 2 == 0) return RealBuild(args);
    EXPECT_TRUE(map.Adl.Flags.Contiguous);
    const DXGK_ADL before = map.Adl;
    array.clear();
    for (UINT32 i = 0; i < before.PageCount; ++i) array.push_back(before.BasePageNumber + i);
    map.Adl.Flags.Contiguous = 0;
    map.Adl.Pages = array.data();
    const NTSTATUS status = RealBuild(args);
    map.Adl = before;
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) --maps;
    return status;
  };
  const auto result = Run(Defaults(), "aperture");
  EXPECT_TRUE(result.Passed()) << Text(result);
  EXPECT_GT(maps, 4u);
}

/// The scenario reads and writes unmapped pages, which must access the dummy page. In the second
/// run, the driver ignores unmap operations, and the run must detect this.
TEST_F(Rule11Driver, UnmappedRangesReadAndWriteTheDummyPage) {
  auto result = Run(Defaults(), "aperture");
  EXPECT_TRUE(result.Passed()) << Text(result);
  unsigned unmaps = 0;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
      ++unmaps;
      return STATUS_SUCCESS;  // the pages stay mapped
    }
    return RealBuild(args);
  };
  result = Run(Defaults(), "aperture");
  EXPECT_FALSE(result.Passed());
  EXPECT_GT(unmaps, 0u);
}

/// Observed on Windows build 22621: without flag AccessedPhysically, operation 5 is not sent.
/// Everything else follows Microsoft's documentation; it has not been observed on Windows.
TEST_F(Rule11Driver, NoApertureMapWithoutAccessedPhysically) {
  CountOperations();
  EXPECT_TRUE(Run().Passed());
  EXPECT_GT(counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT2], 0u) << "with it there is one";
  CountOperations();
  between.table = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiCreateAllocation = [](HANDLE context, DXGKARG_CREATEALLOCATION* args) {
      const NTSTATUS status = between.real.DxgkDdiCreateAllocation(context, args);
      args->pAllocationInfo[0].FlagsWddm2.AccessedPhysically = 0;
      return status;
    };
  };
  const auto result = Run();
  EXPECT_TRUE(result.Passed()) << Text(result) << "the main job leaves the aperture out";
  EXPECT_EQ(counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT] + counts[DXGK_OPERATION_MAP_APERTURE_SEGMENT2], 0u);
}

}  // namespace
}  // namespace gmmu::os
