// SPDX-License-Identifier: Apache-2.0
// Tests patch locations, and how DMA buffers of the physical model reach the driver. The expected
// behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/vidsch/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "os/base/bug_check.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;

D3DDDI_PATCHLOCATIONLIST Location(UINT index, UINT patch, UINT split, UINT offset = 0) {
  D3DDDI_PATCHLOCATIONLIST location{};
  location.AllocationIndex = index;
  location.PatchOffset = patch;
  location.SplitOffset = split;
  location.AllocationOffset = offset;
  return location;
}

TEST(PatchLocations, KeepTheRulesUpToTheirBounds) {
  const std::vector<uint64_t> sizes = {4096, 0, 8192};  // the second list entry is NULL
  EXPECT_EQ(BrokenRuleOf({}, 0, sizes, 2), "");
  EXPECT_EQ(BrokenRuleOf({Location(0, 4, 0, 4095), Location(1, 0, 0, 9), Location(2, 99, 100, 8191)}, 100, sizes, 2),
            "");
  EXPECT_THAT(BrokenRuleOf({Location(0, 4, 0), Location(3, 8, 0)}, 100, sizes, 2),
              HasSubstr("AllocationIndex of patch location 1 is 0x3; the allocation list has 3 elements"));
  EXPECT_THAT(BrokenRuleOf({Location(0, 100, 0)}, 100, sizes, 2),
              HasSubstr("PatchOffset of patch location 0 is 0x64; the DMA buffer ends at 0x64"));
  EXPECT_THAT(BrokenRuleOf({Location(0, 0, 101)}, 100, sizes, 2), HasSubstr("SplitOffset of patch location 0 is 0x65"));
  EXPECT_THAT(BrokenRuleOf({Location(0, 0, 8), Location(0, 0, 7)}, 100, sizes, 2),
              HasSubstr("that of the location before is 0x8, and they must not fall"));
  D3DDDI_PATCHLOCATIONLIST slot = Location(0, 0, 0);
  slot.SlotId = 2;
  EXPECT_EQ(BrokenRuleOf({slot}, 100, sizes, 2), "");
  EXPECT_THAT(BrokenRuleOf({slot}, 100, sizes, 1),
              HasSubstr("SlotId of patch location 0 is 0x2; DXGK_DRIVERCAPS.MaxAllocationListSlotId is 0x1"));
  EXPECT_THAT(BrokenRuleOf({Location(2, 0, 0, 8192)}, 100, sizes, 2), HasSubstr("the allocation has 0x2000 bytes"));
}

struct Seen {
  std::vector<DXGKARG_PATCH> patches;
  std::vector<std::vector<DXGK_ALLOCATIONLIST>> lists;
  std::vector<DXGKARG_SUBMITCOMMAND> submissions;
  std::vector<unsigned> irqls;
  NTSTATUS patch_status = STATUS_SUCCESS, submit_status = STATUS_SUCCESS;
  Kernel* kernel = nullptr;
} seen;

NTSTATUS Patch(HANDLE, const DXGKARG_PATCH* args) {
  seen.irqls.push_back(seen.kernel->scheduler().irql());
  seen.patches.push_back(*args);
  seen.lists.emplace_back(args->pAllocationList, args->pAllocationList + args->AllocationListSize);
  if (args->pDmaBuffer != nullptr) static_cast<uint8_t*>(args->pDmaBuffer)[0] = 7;
  return seen.patch_status;
}
NTSTATUS Submit(HANDLE, const DXGKARG_SUBMITCOMMAND* args) {
  seen.irqls.push_back(seen.kernel->scheduler().irql());
  seen.submissions.push_back(*args);
  return seen.submit_status;
}

/// A scheduler with a driver of the physical addressing model.
struct Patching : SchedulerBench, ::testing::Test {
  Patching() {
    seen = {};
    seen.kernel = &kernel;
    DRIVER_INITIALIZATION_DATA table = driver.Table();
    table.DxgkDdiPatch = test::Patch;
    table.DxgkDdiSubmitCommand = test::Submit;
    physical.emplace(kernel, table);
    vidsch.Connect(&*physical);
  }
  GpuPacket Buffer(uint64_t context) {
    GpuPacket packet = Render(context);
    packet.dma = std::make_shared<DmaSubmission>();
    packet.dma->segment = 3;
    packet.dma->address = 0x5000;
    packet.dma->cpu = bytes;
    packet.dma->bytes = sizeof bytes;
    packet.dma->start = 16;
    packet.dma->end = 48;
    packet.dma->allocations.resize(2);
    packet.dma->patches = {Location(0, 8, 0), Location(1, 24, 16), Location(0, 32, 16)};
    packet.dma->first_patch = 1;
    packet.dma->patch_count = 2;
    packet.dma->place = [this](std::vector<DXGK_ALLOCATIONLIST>& list) {
      list[0].SegmentId = 2;
      list[0].PhysicalAddress.QuadPart = place;
    };
    return packet;
  }
  std::optional<Miniport> physical;
  uint8_t bytes[64] = {};
  LONGLONG place = 0x10000;
};

TEST_F(Patching, ComesBeforeTheSubmissionOfTheSamePieceWithPlacesOfNow) {
  SchedulerBench::Run([&] {
    vidsch.Submit(Buffer(1));
    ASSERT_EQ(seen.patches.size(), 1u);
    ASSERT_EQ(seen.submissions.size(), 1u);
    EXPECT_EQ(bytes[0], 7) << "the driver patches the buffer in place";
    Complete(seen.submissions[0].SubmissionFenceId, 1);
  });
  EXPECT_EQ(seen.irqls, (std::vector<unsigned>{kPassive, kDispatch}));
  const DXGKARG_PATCH& patch = seen.patches[0];
  const DXGKARG_SUBMITCOMMAND& submit = seen.submissions[0];
  EXPECT_EQ(patch.hContext, submit.hContext);
  EXPECT_EQ(patch.SubmissionFenceId, submit.SubmissionFenceId);
  EXPECT_EQ(patch.DmaBufferSegmentId, 3u);
  EXPECT_EQ(submit.DmaBufferSegmentId, 3u);
  EXPECT_EQ(patch.DmaBufferPhysicalAddress.QuadPart, 0x5000);
  EXPECT_EQ(submit.DmaBufferPhysicalAddress.QuadPart, 0x5000) << "always the begin of the buffer";
  EXPECT_EQ(patch.DmaBufferSubmissionStartOffset, 16u);
  EXPECT_EQ(submit.DmaBufferSubmissionStartOffset, 16u);
  EXPECT_EQ(patch.DmaBufferSubmissionEndOffset, 48u);
  EXPECT_EQ(submit.DmaBufferSubmissionEndOffset, 48u);
  EXPECT_EQ(patch.PatchLocationListSize, 3u);
  EXPECT_EQ(patch.PatchLocationListSubmissionStart, 1u);
  EXPECT_EQ(patch.PatchLocationListSubmissionLength, 2u);
  EXPECT_EQ(patch.Flags.Paging, 0u);
  EXPECT_EQ(seen.lists[0][0].PhysicalAddress.QuadPart, 0x10000);
}

TEST_F(Patching, OfAPacketThatCameBackSaysItsNewFenceAndPlace) {
  SchedulerBench::Run([&] {
    vidsch.Submit(Buffer(1));
    place = 0x30000;
    vidsch.Preempt(1);
    AnswerPreemption(0, 1);
    Sleep(100'000);
    ASSERT_EQ(seen.patches.size(), 2u);
    EXPECT_NE(seen.patches[1].SubmissionFenceId, seen.patches[0].SubmissionFenceId);
    EXPECT_EQ(seen.submissions[1].Flags.Resubmission, 1u);
    EXPECT_EQ(seen.lists[1][0].PhysicalAddress.QuadPart, 0x30000);
    Complete(seen.submissions[1].SubmissionFenceId, 1);
  });
}

TEST_F(Patching, OfAPagingBufferHasNoLists) {
  SchedulerBench::Run([&] {
    GpuPacket packet = Paging();
    packet.dma = std::make_shared<DmaSubmission>();
    packet.dma->cpu = bytes;
    packet.dma->bytes = sizeof bytes;
    vidsch.Submit(std::move(packet));
    ASSERT_EQ(seen.patches.size(), 1u);
    EXPECT_EQ(seen.patches[0].Flags.Paging, 1u);
    EXPECT_EQ(seen.patches[0].pAllocationList, nullptr);
    EXPECT_EQ(seen.patches[0].pPatchLocationList, nullptr);
    EXPECT_EQ(seen.submissions[0].Flags.Paging, 1u);
    Complete(seen.submissions[0].SubmissionFenceId, 0);
  });
}

TEST_F(Patching, ThatFailsIsBugCheck0x119) {
  seen.patch_status = STATUS_UNSUCCESSFUL;
  try {
    SchedulerBench::Run([&] { vidsch.Submit(Buffer(1)); });
    ADD_FAILURE() << "nothing stopped it";
  } catch (const BugCheck& stop) {
    EXPECT_EQ(stop.code(), StopCode::kVideoSchedulerInternalError);
    EXPECT_EQ(stop.parameters()[0], 3u);
  }
  EXPECT_TRUE(seen.submissions.empty());
}

}  // namespace
}  // namespace gmmu::os::test
