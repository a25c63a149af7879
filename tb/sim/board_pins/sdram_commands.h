// SPDX-License-Identifier: Apache-2.0
// SDRAM commands, and a fixture that sends them to the chip model edge by edge.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "board_pins/sdram_chip.h"

namespace gmmu::sim {
constexpr uint64_t kClock = 10'000;  // 100 MHz: tRCD and tRP are 3 edges, tRAS 5, tRC and tRFC 7, tWR, tMRD and tRRD 2
constexpr SdramPins kNop{};

inline SdramPins With(bool rasn, bool casn, bool wen, unsigned bank = 0, unsigned a = 0) {
  SdramPins pins;
  pins.rasn = rasn, pins.casn = casn, pins.wen = wen;
  pins.ba = static_cast<uint8_t>(bank), pins.a = static_cast<uint16_t>(a);
  return pins;
}
inline SdramPins Activate(unsigned bank, unsigned row) { return With(false, true, true, bank, row); }
inline SdramPins Read(unsigned bank, unsigned column) { return With(true, false, true, bank, column); }
inline SdramPins Write(unsigned bank, unsigned column, unsigned dq) {
  SdramPins pins = With(true, false, false, bank, column);
  pins.dq_driven = true, pins.dq = static_cast<uint16_t>(dq);
  return pins;
}
inline SdramPins Data(unsigned dq, unsigned dqm = 0) {
  SdramPins pins;
  pins.dq_driven = true, pins.dq = static_cast<uint16_t>(dq), pins.dqm = static_cast<uint8_t>(dqm);
  return pins;
}
inline SdramPins Precharge(unsigned bank) { return With(false, true, false, bank); }
inline SdramPins PrechargeAll() { return With(false, true, false, 0, 0x400); }
inline SdramPins Refresh() { return With(false, false, true); }
inline SdramPins Mode(unsigned value) { return With(false, false, false, 0, value); }

class SdramChipTest : public testing::Test {
 protected:
  explicit SdramChipTest(uint64_t clock = kClock) : chip_(std::in_place, kAs4c16m16sa7, clock) {}

  SdramOut Do(const SdramPins& pins) { return chip_->Edge(pins); }
  void Wait(uint64_t edges) {
    while (edges-- > 0) Do(kNop);
  }
  void PowerUp(unsigned mode = 0x22, unsigned refreshes = 2) {
    Wait(kAs4c16m16sa7.power_up / kClock);
    Do(PrechargeAll());
    Wait(2);
    for (unsigned i = 0; i < refreshes; ++i) Do(Refresh()), Wait(6);
    Do(Mode(mode));
    Wait(1);
  }
  /// Opens a row, and waits until a column command is allowed.
  void Open(unsigned bank = 0, unsigned row = 5) {
    Do(Activate(bank, row));
    Wait(2);
  }
  void WriteFour(unsigned column, unsigned first) {
    Do(Write(0, column, first));
    for (unsigned i = 1; i < 4; ++i) Do(Data(first + i));
  }
  /// Expects at least one finding of `rule`, and no finding of any other rule.
  void ExpectOnly(SdramRule rule) {
    EXPECT_FALSE(chip_->findings().empty()) << "nothing was found, expected " << Name(rule);
    for (const SdramFinding& finding : chip_->findings())
      EXPECT_EQ(finding.rule, rule) << Name(finding.rule) << " at edge " << finding.edge << ": " << finding.text;
  }
  void ExpectNone() {
    for (const SdramFinding& finding : chip_->findings())
      ADD_FAILURE() << Name(finding.rule) << " at edge " << finding.edge << ": " << finding.text;
  }

  std::optional<SdramChip> chip_;
};

}  // namespace gmmu::sim
