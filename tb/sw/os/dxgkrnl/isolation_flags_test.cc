// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/dxgkrnl/gpu_isolation.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;

TEST(IommuFlags, All32ValuesWithAndWithoutTheDriversCapability) {
  // Compares the result for every value of the flags with the documented rules, bit by bit.
  for (uint32_t flags = 0; flags <= IommuFlags::kAll; ++flags) {
    const bool enabled = flags & 0x01, mappings = flags & 0x02, attach = flags & 0x04;
    const bool bypass = flags & 0x08, allow = flags & 0x10;
    for (const bool cap : {false, true}) {
      SCOPED_TRACE("flags " + std::to_string(flags) + (cap ? ", cap" : ", no cap"));
      const ForcedIsolation actions = ForceIsolation(flags, cap);
      const bool counted = cap || bypass;  // if false, the enable bits are ignored
      EXPECT_EQ(actions.create_domain, counted && enabled);
      EXPECT_EQ(actions.map, counted && enabled && mappings);
      EXPECT_EQ(actions.attach, counted && enabled && mappings && attach);
      EXPECT_EQ(actions.ignore_failure, counted && enabled && allow);
    }
  }
}

TEST(IommuFlags, TheValuesThatDoSomethingAreThese) {
  // Checks the same rules as lists of flag values. Each action also requires the flags of the
  // action before it.
  std::vector<uint32_t> attaching, mapping, creating;
  for (uint32_t flags = 0; flags < 0x10; ++flags) {
    const ForcedIsolation actions = ForceIsolation(flags, false);
    if (actions.create_domain) creating.push_back(flags);
    if (actions.map) mapping.push_back(flags);
    if (actions.attach) attaching.push_back(flags);
  }
  EXPECT_THAT(creating, ElementsAre(0x9, 0xB, 0xD, 0xF));
  EXPECT_THAT(mapping, ElementsAre(0xB, 0xF));
  EXPECT_THAT(attaching, ElementsAre(0xF));
}

TEST(SecureVm, ActivatesIsolationOnlyWhereItIsEnabled) {
  EXPECT_EQ(DecideSecureVm(false, true, false), SecureVmStart::kNothingToDo);
  EXPECT_EQ(DecideSecureVm(false, false, false), SecureVmStart::kNothingToDo);
  EXPECT_EQ(DecideSecureVm(false, false, true), SecureVmStart::kNothingToDo) << "remapped, which is not isolation";
  EXPECT_EQ(DecideSecureVm(true, true, false), SecureVmStart::kActivate);
  EXPECT_EQ(DecideSecureVm(true, true, true), SecureVmStart::kNothingToDo);
}

TEST(SecureVm, FailsWhileEnabledWhenTheDriverLacksSupport) {
  EXPECT_EQ(DecideSecureVm(true, false, false), SecureVmStart::kRefused);
  EXPECT_EQ(DecideSecureVm(true, false, true), SecureVmStart::kRefused);
}

}  // namespace
}  // namespace gmmu::os
