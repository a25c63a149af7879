// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/axi/peer_machine.h"

namespace gmmu::peer {
namespace {

/// Element (0 default sizes, 1 two slots), seed.
class PeerPort : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  PeerPort() : m(static_cast<unsigned>(std::get<0>(GetParam())), static_cast<uint64_t>(std::get<1>(GetParam()))) {
    RecordProperty("seed", std::get<1>(GetParam()));
  }
  unsigned slots() const { return m.n == 0 ? 16 : 2; }
  PeerMachine m;
};

TEST_P(PeerPort, EveryBurstIsAnsweredOnceWithWhatVramHas) {
  for (const Manner& manner : kManners) {
    for (unsigned latency : {0u, 30u}) {
      m.manner = manner, m.latency = latency, m.error_percent = 10;
      for (int i = 0; i < 250; ++i) m.AskAny();
      m.Finish();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(m.r_errors, 0u);
  EXPECT_GT(m.b_errors, 0u);
}

TEST_P(PeerPort, ResetsOfTheMuxLeaveNoBurstWithoutAnAnswer) {
  uint64_t errors = 0;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    m.manner = kManners[round % 4], m.latency = round % 3 * 20;
    for (int i = 0; i < 20; ++i) m.AskAny();
    m.Run(static_cast<int>(m.dice.Random(1, 200)));
    m.Cut(true);
    m.Run(static_cast<int>(m.dice.Random(1, round % 5 == 0 ? 400 : 12)));
    m.Cut(false);
    if (round % 3 == 0) m.Finish();
  }
  m.Finish();
  errors = m.r_errors + m.b_errors;
  EXPECT_GT(errors, 100u);
  // and afterwards it is as new
  errors = m.b_errors;
  for (unsigned i = 0; i < 40; ++i) m.Ask(true, 4096 * i, 7);
  m.Finish();
  EXPECT_EQ(m.b_errors, errors);
}

TEST_P(PeerPort, InResetEverythingIsAnErrorAndNothingWaits) {
  m.Cut(true);
  for (unsigned i = 0; i < 50; ++i) m.Ask(i % 2, 4096 * i, i % 16);
  m.Finish(50 * (17 + 2 * slots()) + 200);
  EXPECT_EQ(m.r_errors, m.r_beats);
  EXPECT_EQ(m.b_errors, 25u);
}

TEST_P(PeerPort, TheEndOfVramIsExact) {
  for (uint64_t vram : {kVram, uint64_t{4096}, (uint64_t{1} << 48) - 4096, uint64_t{1} << 48, uint64_t{1} << 50}) {
    m.t.vram_bytes_i = vram;
    const uint64_t errors = m.b_errors, r_errors = m.r_errors;
    const bool end = vram < uint64_t{1} << 48;
    for (uint64_t page : {uint64_t{0}, (std::min(vram, uint64_t{1} << 48) >> 12) - 1}) {
      m.Ask(true, page << 12 | 0xfc0, 7);
      m.Ask(false, page << 12 | 0xff8, 0);
    }
    if (end) m.Ask(true, vram, 7), m.Ask(false, vram, 3), m.Ask(false, (uint64_t{1} << 48) - 8, 0);
    m.Finish();
    EXPECT_EQ(m.b_errors - errors, end ? 1u : 0u) << vram;
    EXPECT_EQ(m.r_errors - r_errors, end ? 5u : 0u) << vram;
  }
}

TEST_P(PeerPort, ReadsGoOnWhileWritesStandAndTheOtherWayRound) {
  for (bool stands : {false, true}) {
    (stands ? m.take_aw : m.take_ar) = false;
    for (unsigned i = 0; i < 3 * slots(); ++i) m.Ask(stands, 4096 * i, 3);
    m.Run(400);
    const uint64_t before = m.answered[!stands];
    for (unsigned i = 0; i < 3 * slots(); ++i) m.Ask(!stands, 4096 * i, 3);
    m.Run(1500);
    EXPECT_EQ(m.answered[!stands], before + 3 * slots());
    EXPECT_EQ(m.Unanswered(stands), 3u * slots());
    m.take_aw = m.take_ar = true;
    m.Finish();
  }
}

TEST_P(PeerPort, AWriteWhoseBeatsAreMissingAsksVramForNothing) {
  m.send_w = false;
  for (unsigned i = 0; i < slots(); ++i) m.Ask(true, 4096 * i, 15);
  m.Ask(false, 64, 7);
  for (int i = 0; i < 300; ++i) {
    m.Tick();
    EXPECT_FALSE(m.t.m_aw_valid_o[m.n] || m.t.m_w_valid_o[m.n]);
  }
  EXPECT_EQ(m.answered[0], 1u);
  m.send_w = true;
  m.Finish();
}

TEST_P(PeerPort, TheLongestBurstFitsAlways) {
  for (int i = 0; i < 6; ++i)
    m.Ask(true, 4096 * i, 255), m.Ask(false, 4096 * i, 255), m.Ask(true, 4096 * i + 2048, 254);
  m.Finish();
}

using PeerPortOfDefaultSizes = PeerPort;  // two slots cover no latency

TEST_P(PeerPortOfDefaultSizes, CarriesABeatACycle) {
  m.interleave = false;
  for (unsigned len : {0u, 7u, 15u}) {
    for (bool write : {false, true}) {
      const uint64_t before = m.cycles;
      m.latency = len == 0 ? 4 : 60;
      const unsigned bursts = 1024 / (len + 1);
      for (unsigned i = 0; i < bursts; ++i) m.Ask(write, 4096 * (i % 200), len);
      while (!m.Done() && m.cycles - before < 20000) m.Tick();
      std::printf("1024 beats %s, %u a burst, VRAM %u cycles: %llu cycles\n", write ? "in" : "out", len + 1, m.latency,
                  static_cast<unsigned long long>(m.cycles - before));
      EXPECT_LE(m.cycles - before, 1024u + 60 + m.latency) << (write ? "writes" : "reads") << " of " << len + 1;
      m.Finish();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PeerPort, testing::Combine(testing::Range(0, 2), testing::Range(1, 5)));
INSTANTIATE_TEST_SUITE_P(Sizes, PeerPortOfDefaultSizes, testing::Combine(testing::Values(0), testing::Range(1, 5)));

}  // namespace
}  // namespace gmmu::peer
