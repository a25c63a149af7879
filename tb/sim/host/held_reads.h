// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstdint>

#include "host/bare_machine.h"
#include "hw/gmmu_regs.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// Checks, for any engine, that a ring stays busy while its reads are held, and that work that does
/// not depend on the held page continues.
inline void HeldReadsKeepARingBusyUntilTheirTime(hw::Platform& p, BareMachine& m) {
  constexpr uint64_t kHeld = 0x400000, kOther = 0x401000, kPage = hw::kPageSize;
  m.PowerOn();
  m.StartRing();
  m.Fill(kHeld, 2 * kPage, 1);
  const uint64_t until = p.NowNs() + 50'000;
  p.instruments()->HoldReads(0, kHeld, until);
  ASSERT_TRUE(m.Execute(BareMachine::Copy(regs::Target::kSystem, kOther, regs::Target::kVram, 0x9000, kPage)));
  EXPECT_LT(p.NowNs(), until) << "another page answers";
  m.Submit(BareMachine::Copy(regs::Target::kSystem, kHeld, regs::Target::kVram, 0x8000, kPage));
  EXPECT_FALSE(p.WaitForMessage(10'000));
  m.Write(regs::kRingBase + regs::RingCtrl::kOffset, 0);
  EXPECT_TRUE(m.status().busy()) << "switched off, but its reads have no answer";
  while (m.status().busy() && p.NowNs() < until + 20'000) static_cast<void>(p.WaitForMessage(1'000));
  EXPECT_FALSE(m.status().busy());
  EXPECT_GE(p.NowNs(), until);
  EXPECT_FALSE(m.Fenced());
  m.RestartRing();
  ASSERT_TRUE(m.Execute(BareMachine::Copy(regs::Target::kSystem, kHeld, regs::Target::kVram, 0x8000, kPage)));
  ASSERT_TRUE(m.Execute(BareMachine::Copy(regs::Target::kVram, 0x8000, regs::Target::kSystem, 0x500000, kPage)));
  EXPECT_EQ(m.Bytes(0x500000, kPage), m.Bytes(kHeld, kPage));
}

}  // namespace gmmu::sim
