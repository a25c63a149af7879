// SPDX-License-Identifier: Apache-2.0
// Tests what a driver saves over a power cycle of a running machine, including transfers that fail
// at the start or partway through the save or the restore. The expected behaviour follows
// Microsoft's documentation; it has not been observed on Windows.
#include <gtest/gtest.h>

#include <algorithm>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

enum Way : uint64_t { kPinned = 1, kWindows, kLost };

struct SaveArea : ::testing::Test {
  SaveArea() {
    bench.config.gpu.vram_mib = 4;
    bench.options.os.driver["SaveAreaBytes"] = 4 * hw::kPageSize;
  }
  /// Runs a power cycle. The procedure checks whether each transfer used pins or windows, and
  /// compares every byte afterwards. With `nowhere`, the device also accesses memory that nobody
  /// has allocated, which must be reported as a finding.
  void ExpectCycle(Way out, Way in, uint64_t lost_after = 0, bool nowhere = false) {
    const auto result = bench.Run([&](Life& life) {
      const auto* procedure = workload::FindProcedure("power_cycle");
      procedure->run(life, {{"bytes", 8192}, {"way", in}, {"way_out", out}, {"lost_after", lost_after}});
    });
    EXPECT_EQ(FaultsOf(result), "");
    for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(result.findings.empty(), !nowhere);
    for (const hw::Finding& finding : result.findings) EXPECT_EQ(finding.probe, "host_pages");
  }
  LifeBench bench;
  Inject& inject = bench.options.os.inject;
};

TEST_F(SaveArea, SavedFromPinnedPagesComesBackThroughWindows) {
  inject.pin_failures_after = inject.pin_failures = 1;
  ExpectCycle(kPinned, kWindows);
}

/// Drivers of WDDM 2.4 to 2.8 have only DxgkCbPinFrameBufferForSave, which returns the pages as an
/// MDL.
struct SaveAreaOfAnOlderVersion : SaveArea {};

TEST_F(SaveAreaOfAnOlderVersion, IsSavedByMdl) {
  bench.options.os.limit_bits = 36;
  for (const ULONG version : {DXGKDDI_INTERFACE_VERSION_WDDM2_4, DXGKDDI_INTERFACE_VERSION_WDDM2_8}) {
    bench.options.os.driver["InterfaceVersion"] = version;
    ExpectCycle(kPinned, kPinned);
  }
}

TEST_F(SaveArea, SavedThroughWindowsComesBackFromPinnedPages) {
  inject.pin_failures = 1;
  ExpectCycle(kWindows, kPinned);
}

TEST_F(SaveArea, AWindowThatFailsInTheMiddleOfSavingLosesAllAndNothingIsRestored) {
  inject.pin_failures = inject.window_failures = 1;
  inject.window_failures_after = 2;
  ExpectCycle(kLost, kLost, 2);
}

TEST_F(SaveArea, AWindowThatFailsInTheMiddleOfRestoringLosesAllAndWhatCameIsCleared) {
  inject.pin_failures_after = inject.pin_failures = inject.window_failures = 1;
  inject.window_failures_after = 2;
  ExpectCycle(kPinned, kLost, 2);
}

decltype(DXGKRNL_INTERFACE::DxgkCbPinFrameBufferForSave2) real_pin = nullptr;
unsigned pins = 0;
DXGK_ADL nowhere{};

/// Makes the second pin, which is for the restore, return pages beyond the end of memory. The
/// engine's copy faults there.
NTSTATUS PinNowhere(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE2* args) {
  const NTSTATUS status = real_pin(adapter, args);
  if (!NT_SUCCESS(status) || ++pins < 2) return status;
  nowhere = *args->pAdl;
  nowhere.Flags.Contiguous = 1;
  nowhere.BasePageNumber = (uint64_t{1} << 40) / hw::kPageSize;
  args->pAdl = &nowhere;
  return status;
}
NTSTATUS StartWithPinNowhere(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                             PULONG children) {
  DXGKRNL_INTERFACE changed = *interface;
  real_pin = changed.DxgkCbPinFrameBufferForSave2;
  changed.DxgkCbPinFrameBufferForSave2 = PinNowhere;
  return between.real.DxgkDdiStartDevice(context, start, &changed, sources, children);
}

/// The fault stops the ring. Unless the adapter is reset, the save area would not be cleared, and
/// no later work would run.
TEST_F(SaveArea, AnEngineThatFaultsInTheTransferIsResetBeforeTheAreaIsCleared) {
  pins = 0;
  bench.options.driver = Entry;
  bench.options.os.iommu = RemapPolicy::kNever;  // otherwise, the IOMMU would report the fault
  bench.options.os.limit_bits = 40;
  between = {};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartWithPinNowhere; };
  ExpectCycle(kPinned, kLost, 1, true);  // lost_after counts the faulting transfer
  EXPECT_EQ(pins, 2u);
  between = {};
}

/// Call counts of the GPU isolation callbacks, in the order of the callback table.
constexpr size_t kIsolationCallbacks = 10;
unsigned called[kIsolationCallbacks];
DXGKRNL_INTERFACE dxgkrnl;

template <size_t kIndex, auto kMember, typename... Args>
auto Counted(Args... args) {
  ++called[kIndex];
  return (dxgkrnl.*kMember)(args...);
}
template <size_t kIndex, auto kMember, typename Result, typename... Args>
void Count(DXGKRNL_INTERFACE& table, Result (*DXGKRNL_INTERFACE::*)(Args...)) {
  table.*kMember = Counted<kIndex, kMember, Args...>;
}
#define COUNT(index, name) Count<index, &DXGKRNL_INTERFACE::DxgkCb##name>(changed, &DXGKRNL_INTERFACE::DxgkCb##name)

NTSTATUS StartWithCounts(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                         PULONG children) {
  dxgkrnl = *interface;
  DXGKRNL_INTERFACE changed = *interface;
  COUNT(0, AllocateContiguousMemory);
  COUNT(1, FreeContiguousMemory);
  COUNT(2, AllocatePagesForMdl);
  COUNT(3, FreePagesFromMdl);
  COUNT(4, MapMdlToIoMmu);
  COUNT(5, UnmapMdlFromIoMmu);
  COUNT(6, PinFrameBufferForSave);
  COUNT(7, UnpinFrameBufferForSave);
  COUNT(8, MapFrameBufferPointer);
  COUNT(9, UnmapFrameBufferPointer);
  return between.real.DxgkDdiStartDevice(context, start, &changed, sources, children);
}

/// This driver does not support DMA remapping. All its memory comes from the GPU isolation
/// callbacks, and its IOMMU domain maps nothing else. The pin succeeds for the save and fails for
/// the restore.
TEST_F(SaveArea, OfADriverWithoutRemappingGoesThroughListsAndComesBackThroughWindows) {
  std::fill_n(called, kIsolationCallbacks, 0u);
  bench.options.driver = Entry;
  bench.options.os.driver["DmaRemapping"] = 0;
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  bench.options.os.iommu = RemapPolicy::kNever;
  bench.options.os.iommu_flags = 7;
  bench.options.os.isolation_maps = IsolationScope::kTracked;
  bench.options.os.limit_bits = 40;
  inject.pin_failures_after = inject.pin_failures = 1;
  between = {};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartWithCounts; };
  ExpectCycle(kPinned, kWindows);
  between = {};
  for (size_t i = 0; i < kIsolationCallbacks; ++i) EXPECT_GT(called[i], 0u) << i;
  for (const size_t pair : {0u, 2u, 4u}) EXPECT_EQ(called[pair], called[pair + 1]) << pair;
}

}  // namespace
}  // namespace gmmu::os::test
