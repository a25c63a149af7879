// SPDX-License-Identifier: Apache-2.0
// Tests the callback table that the driver receives, and the statuses that callbacks return.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tb/sw/os/between.h"
#include "tb/sw/os/driver_front.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ShortKernelTable : public DriverWithAFront {};

NTSTATUS StartWithAShortTable(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                              PULONG children) {
  alignas(8) static uint8_t given[sizeof(DXGKRNL_INTERFACE)];
  std::memset(given, 0xEE, sizeof given);  // the driver must not use the entries beyond Size
  std::memcpy(given, interface, 0x138);
  auto* table = reinterpret_cast<DXGKRNL_INTERFACE*>(given);
  table->Size = 0x138;
  return between.real.DxgkDdiStartDevice(context, start, table, sources, children);
}

// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
TEST_F(ShortKernelTable, IsRefusedByADriverThatNeedsMoreAndNothingBehindItIsUsed) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartWithAShortTable; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("refused DxgkDdiStartDevice with status 0xc00000bb"));
}

struct DriverUnload : DriverWithAFront {};

// The faulty driver writes one byte past its block, into the gap before the inaccessible page, so
// the write does not fault. It never frees the block.
TEST_F(DriverUnload, FindsWhatTheDriverWroteBehindPoolMemoryThatItKeeps) {
  for (const bool misdeed : {false, true}) {
    between.table = [misdeed](DRIVER_INITIALIZATION_DATA&) {
      auto* const kept = static_cast<volatile uint8_t*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 40, 0x7470654B));
      kept[misdeed ? 40 : 39] = 1;
    };
    const auto result = Run();
    ASSERT_THAT(result.faults, SizeIs(misdeed ? 1 : 0));
    if (!misdeed) continue;
    EXPECT_EQ(result.faults[0].stop_code, 0xC1u);
    EXPECT_THAT(result.faults[0].text, HasSubstr("wrote to byte 40 of pool block Kept, which has 40 bytes; it was "
                                                 "found when the driver was unloaded, which has not freed it"));
  }
}

/// Returns the message of the bug check that a call at `level` triggers, or "" if there is none.
std::string StopAt(Irql level, const std::function<void()>& call) {
  Scheduler& scheduler = Kernel::Current().scheduler();
  const Irql before = scheduler.Raise(level);
  std::string cause;
  try {
    call();
  } catch (const BugCheck& stop) {
    cause = stop.cause();
  }
  scheduler.Lower(before);
  return cause;
}

struct CallbackLevels : test::DriverFront {};

// The IRQL limits come from Microsoft's reference pages; those of the memory callbacks come from
// the design guide.
TEST_F(CallbackLevels, AreThoseOfTheDocuments) {
  RunOnWorker([](workload::Life&) {
    const DXGKRNL_INTERFACE& os = test::seen.interface;
    const HANDLE device = os.DeviceHandle;
    const auto stops = [](const char* name, Irql highest, const std::function<void()>& call) {
      const Irql above = highest == kPassive ? kApc : highest == kApc ? kDispatch : kDevice;
      EXPECT_THAT(StopAt(above, call), ::testing::StartsWith(std::string(name) + " above ")) << name;
      EXPECT_THAT(StopAt(highest, call), ::testing::Not(HasSubstr(" above "))) << name;
    };
    DXGK_DEVICE_INFO info{};
    PVOID view = nullptr;
    ULONG word = 0, done = 0;
    BOOLEAN answer = FALSE;
    stops("DxgkCbGetDeviceInformation", kPassive, [&] { os.DxgkCbGetDeviceInformation(device, &info); });
    stops("DxgkCbMapMemory", kPassive, [&] { os.DxgkCbMapMemory(device, {}, 0, FALSE, FALSE, MmNonCached, &view); });
    stops("DxgkCbReadDeviceSpace", kPassive,
          [&] { os.DxgkCbReadDeviceSpace(device, DXGK_WHICHSPACE_CONFIG, &word, 0, 4, &done); });
    stops("DxgkCbWriteDeviceSpace", kPassive,
          [&] { os.DxgkCbWriteDeviceSpace(device, DXGK_WHICHSPACE_CONFIG, &word, 0, 0, &done); });
    stops("DxgkCbGetHandleData", kApc, [&] {
      const DXGKARGCB_GETHANDLEDATA none{};
      os.DxgkCbGetHandleData(&none);
    });
    stops("DxgkCbSynchronizeExecution", kDispatch,
          [&] { os.DxgkCbSynchronizeExecution(device, [](PVOID) -> BOOLEAN { return TRUE; }, nullptr, 0, &answer); });
    stops("DxgkCbEvalAcpiMethod", kPassive, [&] { os.DxgkCbEvalAcpiMethod(device, 0, nullptr, 0, nullptr, 0); });
    stops("DxgkCbSetPowerComponentIdle", kDispatch, [&] { os.DxgkCbSetPowerComponentIdle(device, 0); });
    EXPECT_EQ(StopAt(kDevice, [&] { os.DxgkCbQueueDpc(device); }), "");
    EXPECT_EQ(StopAt(kDispatch, [&] { os.DxgkCbNotifyDpc(device); }), "");
    EXPECT_EQ(StopAt(kPassive, [&] { os.DxgkCbNotifyDpc(device); }),
              "DxgkCbNotifyDpc below DISPATCH_LEVEL (IRQL 2): called at IRQL 0");
    EXPECT_EQ(StopAt(kDevice, [&] { os.DxgkCbNotifyDpc(device); }),
              "DxgkCbNotifyDpc above DISPATCH_LEVEL (IRQL 2): called at IRQL 10");
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    EXPECT_EQ(StopAt(kDispatch, [&] { os.DxgkCbNotifyInterrupt(device, &data); }),
              "DxgkCbNotifyInterrupt below device level (IRQL 10): called at IRQL 2");
  });
}

/// Tests the statuses that callbacks return, through the callback table that the driver received.
struct FailureStatus : test::DriverFront {};

TEST_F(FailureStatus, IsEachOnesOwnOrOneForAllByASwitch) {
  for (const bool one : {false, true}) {
    bench.options.os.one_failure_status = one;
    RunOnWorker([&](workload::Life& life) {
      auto create = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 8192);
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
  }
}

struct MappedMemory : test::DriverFront {};

// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
TEST_F(MappedMemory, LiesInOneBarWholly) {
  RunOnWorker([&](workload::Life& life) {
    const auto map = [&](uint64_t address, uint64_t length) {
      PVOID pointer = nullptr;
      PHYSICAL_ADDRESS at{};
      at.QuadPart = static_cast<LONGLONG>(address);
      const NTSTATUS status = test::seen.interface.DxgkCbMapMemory(life.adapter.handle(), at,
                                                                   static_cast<ULONG>(length), FALSE, FALSE,
                                                                   MmNonCached, &pointer);
      EXPECT_EQ(pointer != nullptr, status == STATUS_SUCCESS);
      if (pointer != nullptr) test::seen.interface.DxgkCbUnmapMemory(life.adapter.handle(), pointer);
      return status;
    };
    unsigned bars = 0;
    for (const Bar& bar : life.adapter.lead().function().bars) {
      if (bar.size == 0) continue;
      ++bars;
      EXPECT_EQ(map(bar.address, bar.size), STATUS_SUCCESS);
      EXPECT_EQ(map(bar.address + bar.size - kPage, kPage), STATUS_SUCCESS) << "the last page";
      EXPECT_EQ(map(bar.address, bar.size + 1), STATUS_INVALID_PARAMETER);
      EXPECT_EQ(map(bar.address + bar.size - kPage, kPage + 1), STATUS_INVALID_PARAMETER) << "past the end";
      EXPECT_EQ(map(bar.address + kPage, bar.size), STATUS_INVALID_PARAMETER) << "as long as the BAR, a page on";
      EXPECT_EQ(map(bar.address, 0), STATUS_INVALID_PARAMETER);
    }
    EXPECT_GT(bars, 0u);
    EXPECT_EQ(map(0x1000, kPage), STATUS_INVALID_PARAMETER) << "in no BAR";
  });
}

}  // namespace
}  // namespace gmmu::os
