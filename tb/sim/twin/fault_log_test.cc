// SPDX-License-Identifier: Apache-2.0

#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;

TEST_F(Work, AFullFaultQueueDropsAndCounts) {
  b.bare.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(1).set_enable(1).raw);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Client(regs::ClientCtrl(), 0x4000, 1).reason(), Fault::kEntryInvalid);
  const regs::FaultQueueTail full{b.bare.Read(regs::FaultQueueTail::kOffset)};
  EXPECT_EQ(full.index(), 1u);
  EXPECT_EQ(full.dropped(), 2u);
  b.bare.Write(regs::FaultQueueHead::kOffset, 1);
  Client(regs::ClientCtrl(), 0x4000, 1);
  EXPECT_EQ(Host(kQueue + 32 + 24), 3u);  // dropped records also consume sequence numbers
}

TEST_F(Work, AFaultQueueThatComesBackSmallerReducesItsTail) {
  const auto index = [&] { return regs::FaultQueueTail{b.bare.Read(regs::FaultQueueTail::kOffset)}.index(); };
  const auto set = [&](unsigned lg2, unsigned enable) {
    b.bare.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(lg2).set_enable(enable).raw);
  };
  for (int i = 0; i < 5; ++i) Client(regs::ClientCtrl(), 0x4000, 1);
  EXPECT_EQ(index(), 5u);
  set(2, 0);
  EXPECT_EQ(index(), 5u) << "while it is off";
  set(2, 1);
  EXPECT_EQ(index(), 1u);
  b.bare.Write(regs::FaultQueueHead::kOffset, 1);
  Client(regs::ClientCtrl(), 0x4000, 1);
  EXPECT_EQ(index(), 2u);
  EXPECT_EQ(Host(kQueue + 32 + 24), 5u) << "in the record that the tail named";
}

}  // namespace
}  // namespace gmmu::sim::twin
