// SPDX-License-Identifier: Apache-2.0
#include "twin/turns.h"

#include <gtest/gtest.h>

#include <string>

namespace gmmu::sim::twin {
namespace {

/// A memory port that accepts one burst at a time. An earlier read keeps it busy until 1 us.
struct Port {
  Port() : time(OneBurst()), turns(time, agenda) { static_cast<void>(time.VramRead(900'000, 64)); }
  static TimeParameters OneBurst() {
    TimeParameters parameters;
    parameters.vram_outstanding = 1;
    return parameters;
  }
  /// Makes client `name` read `lines` lines. The client requests the port for each line.
  void Read(char name, unsigned lines) {
    turns.Wait([this, name, lines] {
      order += name;
      static_cast<void>(time.VramRead(agenda.now(), 64));
      if (lines > 1) Read(name, lines - 1);
    });
  }
  Agenda agenda;
  TimeModel time;
  Turns turns;
  std::string order;
};

TEST(Turns, WhoFindsNoPlaceWaitsAndTurnsAreALineEach) {
  Port port;
  EXPECT_TRUE(port.turns.Busy(0));
  EXPECT_FALSE(port.turns.Busy(2'000'000));  // the port is free at that time
  port.Read('a', 3);
  port.Read('b', 2);
  EXPECT_TRUE(port.turns.Busy(2'000'000));  // other clients wait
  port.agenda.RunUntil(5'000'000);
  EXPECT_EQ(port.order, "ababa");
  EXPECT_FALSE(port.turns.Busy(5'000'000));
}

TEST(Turns, AResetForgetsWhoWaits) {
  Port port;
  port.Read('a', 1);
  port.turns.Reset();
  port.agenda.RunUntil(5'000'000);
  EXPECT_EQ(port.order, "");
  port.Read('b', 1);
  port.agenda.RunUntil(9'000'000);
  EXPECT_EQ(port.order, "b");
}

}  // namespace
}  // namespace gmmu::sim::twin
