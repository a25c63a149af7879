// SPDX-License-Identifier: Apache-2.0
#include "events/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.h"

namespace gmmu::events {
namespace {

using testing::HasSubstr;

TEST(Explain, AWalkIsToldStepByStepWithItsReadsAndWhoWaited) {
  const std::string text = Explain(SampleWalk(17, 100), {SampleLookup(17, 95)});
  EXPECT_THAT(text, HasSubstr("walk 17: cycle 100 to 160, 60 cycles"));
  EXPECT_THAT(text, HasSubstr("reads 8 bytes of level 1 at VRAM 0x3FD488: 0x8000000000000041"));
  EXPECT_THAT(text, HasSubstr("       102  +2           50 cycles  vram (level 1)         VRAM answers"));
  EXPECT_THAT(text, HasSubstr("vram (level 1)                 50   83.3 %"));
  EXPECT_THAT(text, HasSubstr("lookup 17 of port 2 (va 0xFFFF800000001040) began it, answered at 165"));
  EXPECT_THAT(Explain(SampleWalk(1, 0), {}), HasSubstr("no lookup in this file waited for it"));
}

TEST(Explain, ALookupAnAccessAndTheirFaultsAreTold) {
  EXPECT_THAT(Explain(SampleLookup(3, 10)),
              HasSubstr("port 2, tag 9, space 0, read of va 0xFFFF800000001040; ending: walk"));
  EXPECT_THAT(Explain(SampleAccess(4, 10)), HasSubstr("entry_invalid"));
  EXPECT_THAT(Explain(SampleAccess(4, 10)), HasSubstr("together                      100"));
}

TEST(Explain, APagingBufferIsToldWithItsCommands) {
  const std::string text = Explain(SampleBuffer(1, 40), {SampleCommand(1, 50), SampleCommand(2, 80)});
  EXPECT_THAT(text, HasSubstr("paging buffer 1: 64 bytes at 0x20000, fence 7, cycle 40 to 240, 200 cycles"));
  EXPECT_THAT(text, HasSubstr("command 2: copy of 4096 bytes; transfer from +70 to +130"));
  EXPECT_THAT(text, HasSubstr("fetch                         200  100.0 %"));
  EXPECT_THAT(Explain(SampleCommand(2, 80)), HasSubstr("the mover took its transfer at 110"));
}

}  // namespace
}  // namespace gmmu::events
