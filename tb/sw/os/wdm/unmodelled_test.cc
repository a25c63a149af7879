// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddi/wdm_bus.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

TEST(UnmodelledRoutines, AreAnsweredAndNamedOnce) {
  Machine machine;
  HANDLE file = nullptr;
  EXPECT_EQ(ZwCreateFile(&file, 0, nullptr, nullptr, nullptr, 0, 0, 0, 0, nullptr, 0), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(ZwCreateFile(&file, 0, nullptr, nullptr, nullptr, 0, 0, 0, 0, nullptr, 0), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(IoGetRelatedDeviceObject(nullptr), nullptr);
  EXPECT_FALSE(MmIsAddressValid(&file));
  KFLOATING_SAVE save;
  EXPECT_EQ(KeSaveFloatingPointState(&save), STATUS_SUCCESS);
  EXPECT_EQ(KeRestoreFloatingPointState(&save), STATUS_SUCCESS);
  EXPECT_THAT(machine.kernel.unmodelled(),
              ::testing::ElementsAre("a call of ZwCreateFile", "a call of IoGetRelatedDeviceObject",
                                     "a call of MmIsAddressValid"));
}

}  // namespace
}  // namespace gmmu::os
