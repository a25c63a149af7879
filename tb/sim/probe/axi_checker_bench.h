// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "probe/axi_checker.h"

namespace gmmu::sim {

inline constexpr unsigned kFull = 3, kIncr = 1;

inline AxiPort Port() {
  AxiPort port;
  port.name = "m_test";
  port.id_bits = 8;
  port.wait_limit = 1000;
  return port;
}

/// An AXI port whose channels a test drives before each cycle. After a handshake, the channel's
/// valid is deasserted automatically.
class Bus {
 public:
  explicit Bus(const AxiPort& port = Port()) : checker(port) {}

  bool reset = false;
  std::optional<AxiChecker::Ax> ar, aw;
  std::optional<uint64_t> w, r;  // data
  uint64_t strobe = 0xFF;
  bool w_last = false, r_last = false;
  unsigned r_id = 0, r_response = 0;
  std::optional<AxiChecker::B> b;
  bool ar_ready = true, aw_ready = true, w_ready = true, r_ready = true, b_ready = true;
  uint64_t cycle = 0;
  AxiChecker checker;

  void Cycle() {
    checker.Begin(cycle++, reset);
    checker.Ar(ar.has_value(), ar_ready, [&] { return *ar; });
    checker.Aw(aw.has_value(), aw_ready, [&] { return *aw; });
    checker.Wd(w.has_value(), w_ready, [&] { return AxiChecker::W{&*w, strobe, w_last}; });
    checker.Rd(r.has_value(), r_ready, [&] { return AxiChecker::R{r_id, &*r, r_response, r_last}; });
    checker.Bd(b.has_value(), b_ready, [&] { return *b; });
    checker.End();
    if (ar_ready) ar.reset();
    if (aw_ready) aw.reset();
    if (w_ready) w.reset();
    if (r_ready) r.reset();
    if (b_ready) b.reset();
  }
  void Read(unsigned id, uint64_t address, unsigned len, unsigned size = kFull, unsigned burst = kIncr) {
    ar = AxiChecker::Ax{id, address, len, size, burst, 0};
    Cycle();
  }
  void Write(unsigned id, uint64_t address, unsigned len, unsigned size = kFull, unsigned burst = kIncr) {
    aw = AxiChecker::Ax{id, address, len, size, burst, 0};
    Cycle();
  }
  void Beat(bool last, uint64_t lanes = 0xFF) {
    w = 0x1122334455667788u;
    w_last = last;
    strobe = lanes;
    Cycle();
  }
  void Data(unsigned id, bool last, unsigned response = 0) {
    r = 0x8877665544332211u;
    r_id = id, r_last = last, r_response = response;
    Cycle();
  }
  void Answer(unsigned id, unsigned response = 0) {
    b = AxiChecker::B{id, response};
    Cycle();
  }
};

class AxiCheckerTest : public ::testing::Test {
 protected:
  void ExpectOnly(const std::string& rule, const std::string& text) {
    ASSERT_THAT(bus_.checker.findings(), ::testing::SizeIs(1));
    EXPECT_EQ(bus_.checker.findings()[0].probe, "axi");
    EXPECT_THAT(bus_.checker.findings()[0].text,
                ::testing::AllOf(::testing::StartsWith("m_test, cycle "), ::testing::HasSubstr(", " + rule + ": "),
                                 ::testing::HasSubstr(text)));
  }
  void ExpectClean() {
    for (const auto& finding : bus_.checker.findings()) ADD_FAILURE() << finding.text;
  }
  Bus bus_;
};

}  // namespace gmmu::sim
