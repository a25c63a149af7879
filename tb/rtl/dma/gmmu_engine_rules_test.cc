// SPDX-License-Identifier: Apache-2.0
// Tests the engine's part of the rules on epochs and on order in a paging buffer. docs/rules.md
// lists the planted faults that these tests must detect.
#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

class EngineRules : public Engine {
 protected:
  /// Steps until the engine is idle, and calls `each` after every step.
  template <typename Each>
  void Watch(Each each) {
    for (int n = 0; n < 50000; ++n) {
      m->Step();
      each();
      if (n > 50 && m->t.idle_o) return;
    }
    FAIL() << "the engine is not idle after 50000 cycles";
  }
};

TEST_F(EngineRules, ATranslationIsGivenBackOnlyWithItsLastBeat) {
  Timing timing;
  timing.read_min = 200, timing.read_max = 400;
  Start(11, timing);
  for (auto& [key, page] : m->pages) page.zero = false;
  m->Submit(0, Buffer().Copy(Src(100), Dst(300), 20000).words);
  int64_t most = 0;
  Watch([&] {
    most = std::max(most, m->ReadsInFlight());
    ASSERT_GE(m->Lent(Machine::kRead), m->ReadsInFlight()) << "at cycle " << m->now;
  });
  EXPECT_GT(most, 8);
  AtRest();
}

TEST_F(EngineRules, ATranslationIsGivenBackOnlyWithItsB) {
  Timing timing;
  timing.write_min = 200, timing.write_max = 400;
  Start(15, timing);
  m->Submit(0, Buffer().Fill(Dst(300), 20000, 5).words);
  int64_t most = 0;
  Watch([&] {
    most = std::max(most, m->WritesInFlight());
    ASSERT_GE(m->Lent(Machine::kWrite), m->WritesInFlight()) << "at cycle " << m->now;
  });
  EXPECT_GT(most, 8);
  AtRest();
}

TEST_F(EngineRules, AFlushComesAfterTheWritesBeforeIt) {
  Timing timing;
  timing.write_min = timing.write_max = 1000;
  Start(12, timing);
  m->Submit(0, Buffer().Fill(Dst(0), 256, 1).Flush(Scope::kSpace, 1, 0, 0).words);
  uint64_t filled = 0, flushed = 0;
  Watch([&] {
    if (filled == 0 && m->write_beats.size() >= 256 / kBus) filled = m->now;
    if (flushed == 0 && !m->controls.empty()) flushed = m->now;
  });
  ASSERT_GT(filled, 0u);
  EXPECT_GE(flushed, filled + 1000);
  EXPECT_EQ(m->controls.size(), 1u);
  AtRest();
}

TEST_F(EngineRules, WhatFollowsAFlushComesAfterItsEnd) {
  Start(13);
  Buffer buffer;
  for (int i = 0; i < 20; ++i) {
    buffer.Flush(Scope::kSpace, 1, 0, 0).Copy(Src(64 * i), Dst(64 * i), 64);
  }
  bool flushing = false;
  unsigned asked = 0;
  m->on_read_request = [&](uint64_t) {
    EXPECT_FALSE(flushing) << "the copy asked for its address at cycle " << m->now;
    ++asked;
  };
  m->Submit(0, buffer.words);
  size_t begun = 0;
  Watch([&] {
    if (m->t.ctl_done_i) flushing = false;
    if (m->controls.size() != begun) begun = m->controls.size(), flushing = true;
  });
  EXPECT_EQ(begun, 20u);
  EXPECT_GE(asked, 20u);
  AtRest();
}

TEST_F(EngineRules, ASignalledFenceComesAfterTheWritesBeforeIt) {
  Timing timing;
  timing.write_min = timing.write_max = 1500;
  timing.read_max = 20;
  Start(14, timing);
  m->Submit(0, Buffer().Fill(Dst(0), 64, 1).Signal(Dst(8192), 5).words);
  const size_t beats = 64 / kBus;
  uint64_t filled = 0, signalled = 0;
  Watch([&] {
    if (filled == 0 && m->write_beats.size() >= beats) filled = m->now;
    if (signalled == 0 && m->write_beats.size() > beats) signalled = m->now;
  });
  ASSERT_GT(filled, 0u);
  EXPECT_GE(signalled, filled + 1500);
  AtRest();
}

}  // namespace
}  // namespace gmmu::dma
