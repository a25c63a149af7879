// SPDX-License-Identifier: Apache-2.0
#include "twin/client.h"

#include "hw/traffic.h"
#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;

TEST_F(Work, VerifiedRunsFindWhatWasChanged) {
  const auto verify = regs::ClientCtrl().set_verify(1);
  b.bare.Write(regs::kClientBase + regs::ClientSeed::kOffset, 55);
  const auto wrote = Client(regs::ClientCtrl(verify).set_access(regs::Access::kWrite), 0, 100);
  EXPECT_EQ(wrote.count(), 200u);
  EXPECT_EQ(Vram(0x11008), hw::AddressPattern(55, 0x1008));
  const uint64_t wrong = 0;
  b.bare.WriteVram(0x11008, &wrong, 8);
  EXPECT_EQ(Client(verify, 0, 100).count(), 100u);
  EXPECT_EQ(regs::ClientResult{b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset)}.mismatches(), 1u);
}

TEST_F(Work, AClientEndsAtItsFirstFault) {
  const auto status = Client(regs::ClientCtrl(), 0x3F00, 10);
  EXPECT_EQ(status.reason(), Fault::kEntryInvalid);
  EXPECT_EQ(status.count(), 4u);
  EXPECT_EQ(b.bare.Read(regs::kClientBase + regs::ClientFaultAddress::kOffset), 0x4000u);
  EXPECT_EQ(regs::FaultRecordWhat{Host(kQueue)}.port_index(), 0u);
}

TEST_F(Work, AClientFollowsPointers) {
  const uint64_t next[4] = {0x2000, 0x4000, 0x3000, 0x1000};  // the last of page 1, into a hole
  for (uint64_t i = 0; i < 4; ++i) b.bare.WriteVram(0x10000 + i * 0x1000, &next[i], 8);
  EXPECT_EQ(Client(regs::ClientCtrl().set_pattern(regs::Pattern::kChase), 0, 9).count(), 4u);
  EXPECT_EQ(b.bare.Read(regs::kClientBase + regs::ClientFaultAddress::kOffset), 0x4000u);
  EXPECT_EQ(b.bare.Read(regs::kPortCountersBase), 5u);
}

}  // namespace
}  // namespace gmmu::sim::twin
