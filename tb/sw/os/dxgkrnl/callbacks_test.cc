// SPDX-License-Identifier: Apache-2.0
// The callback table that the driver gets, and the statuses that its callbacks answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/kernel/bug_check.h"
#include "os/kernel/stack_meter.h"
#include "os/memory/isolation_memory.h"
#include "os/miniport/call_levels.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/driver_front.h"
#include "tb/sw/os/life_bench.h"
#include "tb/sw/os/machine.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Seen on build 22621 (the sizes), documents (a driver copies no more than it is given).
TEST(KernelTable, HasTheSizeOfTheDriversVersion) {
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WIN8), 0x100u);
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WDDM2_0), 0x138u);
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WDDM2_8), 0x240u);
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WDDM3_1), 0x240u);
}

class ShortKernelTable : public DriverWithAFront {};

NTSTATUS StartWithAShortTable(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                              PULONG children) {
  alignas(8) static uint8_t given[sizeof(DXGKRNL_INTERFACE)];
  std::memset(given, 0xEE, sizeof given);  // what is behind the table is nobody's to call
  std::memcpy(given, interface, 0x138);
  auto* table = reinterpret_cast<DXGKRNL_INTERFACE*>(given);
  table->Size = 0x138;
  return between.real.DxgkDdiStartDevice(context, start, table, sources, children);
}

// Documents only.
TEST_F(ShortKernelTable, IsRefusedByADriverThatNeedsMoreAndNothingBehindItIsUsed) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartWithAShortTable; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("refused DxgkDdiStartDevice with status 0xc00000bb"));
}

struct Bench : Objects {
  Bench() { isolation.AddAdapter(adapter, {domain, "test"}); }
  static DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT Wanted(DXGK_PHYSICAL_MEMORY_TYPE type) {
    return os::Wanted(type, 8192);
  }
  NTSTATUS AllocateAdl(uint64_t offset, uint64_t size, bool require_contiguous = false) {
    const auto object = Create(8192, adapter);
    auto args = Adl(object.hAdapterMemoryObject, offset, size);
    args.Flags.RequireContiguous = require_contiguous;
    const NTSTATUS status = objects.AllocateAdl(args, "test");
    EXPECT_EQ(args.pAdl, nullptr);
    return status;
  }
  NTSTATUS Map(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT& made, uint64_t offset, uint64_t size, int mode = 0) {
    auto object = made;
    EXPECT_EQ(objects.Create(object, "test"), STATUS_SUCCESS);
    DXGKARGCB_MAP_PHYSICAL_MEMORY args{object.hPhysicalMemoryObject, static_cast<DXGK_ACCESS_MODE>(mode), offset, size,
                                       nullptr};
    const NTSTATUS status = objects.Map(args, "test");
    EXPECT_EQ(args.pMappedAddress, nullptr);
    return status;
  }
  IsolationMemory isolation{kernel};
};

constexpr auto kMdl = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
constexpr auto kContiguous = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
constexpr auto kSection = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
constexpr auto kIoSpace = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
using Create = DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

/// A creation with one argument made wrong.
std::function<NTSTATUS(Bench&)> Creating(DXGK_PHYSICAL_MEMORY_TYPE type, void (*spoil)(Create&)) {
  return [type, spoil](Bench& bench) {
    Create args = Bench::Wanted(type);
    spoil(args);
    return bench.TryCreate(args);
  };
}

/// Through the table that a driver is given.
struct FailureStatus : test::DriverFront {};

TEST_F(FailureStatus, IsEachOnesOwnOrOneForAllByASwitch) {
  for (const bool one : {false, true}) {
    bench.options.os.one_failure_status = one;
    Run([&](workload::Life& life) {
      life.worker.Call([&] {
        auto create = Bench::Wanted(kMdl);
        create.hAdapter = life.adapter.handle();
        create.Size = 0;
        EXPECT_EQ(test::seen.interface.DxgkCbCreatePhysicalMemoryObject(&create),
                  one ? STATUS_UNSUCCESSFUL : STATUS_INVALID_PARAMETER);
        DXGKARGCB_ALLOCATECONTIGUOUSMEMORY contiguous{};
        EXPECT_EQ(test::seen.interface.DxgkCbAllocateContiguousMemory(life.adapter.handle(), &contiguous),
                  one ? STATUS_UNSUCCESSFUL : STATUS_NOT_SUPPORTED);
        DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{};
        EXPECT_EQ(test::seen.interface.DxgkCbPinFrameBufferForSave(life.adapter.handle(), &pin),
                  one ? STATUS_UNSUCCESSFUL : STATUS_NOT_SUPPORTED);
      });
    });
  }
}

}  // namespace
}  // namespace gmmu::os
