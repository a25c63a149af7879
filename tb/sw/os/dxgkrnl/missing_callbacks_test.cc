// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/missing_callbacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/between.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Answers {
  unsigned empty = 0;  ///< null entries of the table
  NTSTATUS acpi = 0, powered = 0, feature = 0;
  D3DKMT_HANDLE parent = 1;
} answers;

NTSTATUS StartAndCallWhatIsMissing(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                                   PULONG children) {
  const auto* places = reinterpret_cast<const PVOID*>(&interface->DxgkCbEvalAcpiMethod);
  const auto* end = reinterpret_cast<const PVOID*>(interface + 1);
  for (answers.empty = 0; places != end; ++places) answers.empty += *places == nullptr;
  const HANDLE device = interface->DeviceHandle;
  answers.acpi = interface->DxgkCbEvalAcpiMethod(device, DISPLAY_ADAPTER_HW_ID, nullptr, 0, nullptr, 0);
  answers.powered = interface->DxgkCbPowerRuntimeControlRequest(device, nullptr, nullptr, 0, nullptr, 0, nullptr);
  answers.feature = interface->DxgkCbIsFeatureEnabled(nullptr);
  answers.parent = interface->DxgkCbGetHandleParent(7);
  interface->DxgkCbCompleteFStateTransition(device, 0);
  interface->DxgkCbCompleteFStateTransition(device, 0);
  return between.real.DxgkDdiStartDevice(context, start, interface, sources, children);
}

struct MissingCallback : DriverWithAFront {};

TEST_F(MissingCallback, IsAnsweredNotSupportedAndNamedOnceInTheReport) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartAndCallWhatIsMissing; };
  const auto result = Run();
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(answers.empty, 0u);
  EXPECT_EQ(answers.acpi, STATUS_NOT_SUPPORTED);
  EXPECT_EQ(answers.powered, STATUS_NOT_SUPPORTED);
  EXPECT_EQ(answers.feature, STATUS_NOT_SUPPORTED);
  EXPECT_EQ(answers.parent, 0u);
  EXPECT_THAT(result.unmodelled,
              ElementsAre("a call of DxgkCbEvalAcpiMethod", "a call of DxgkCbPowerRuntimeControlRequest",
                          "a call of DxgkCbIsFeatureEnabled", "a call of DxgkCbGetHandleParent",
                          "a call of DxgkCbCompleteFStateTransition"));
}

}  // namespace
}  // namespace gmmu::os
