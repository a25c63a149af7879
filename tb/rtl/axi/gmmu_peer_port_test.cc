// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/axi/peer_machine.h"

namespace gmmu::peer {
namespace {

/// Parameters: element (0: default sizes, 1: two slots), seed.
class PeerPort : public BlockTest<PeerMachine> {
 protected:
  PeerPort() { manner = {0, 0}; }
  unsigned slots() const { return n == 0 ? 16 : 2; }
};

TEST_P(PeerPort, EveryBurstIsAnsweredOnceWithWhatVramHas) {
  for (const Manner& how : kManners) {
    for (unsigned cycles : {0u, 30u}) {
      manner = how, latency = cycles, error_percent = 10;
      for (int i = 0; i < 250; ++i) AskAny();
      Finish();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(r_errors, 0u);
  EXPECT_GT(b_errors, 0u);
}

TEST_P(PeerPort, ResetsOfTheMuxLeaveNoBurstWithoutAnAnswer) {
  uint64_t errors = 0;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    manner = kManners[round % 4], latency = round % 3 * 20;
    for (int i = 0; i < 20; ++i) AskAny();
    Run(static_cast<int>(Random(1, 200)));
    Cut(true);
    Run(static_cast<int>(Random(1, round % 5 == 0 ? 400 : 12)));
    Cut(false);
    if (round % 3 == 0) Finish();
  }
  Finish();
  errors = r_errors + b_errors;
  EXPECT_GT(errors, 100u);
  // After the errors, the port must work as it does after a reset.
  errors = b_errors;
  for (unsigned i = 0; i < 40; ++i) Ask(true, 4096 * i, 7);
  Finish();
  EXPECT_EQ(b_errors, errors);
}

TEST_P(PeerPort, InResetEverythingIsAnErrorAndNothingWaits) {
  Cut(true);
  for (unsigned i = 0; i < 50; ++i) Ask(i % 2, 4096 * i, i % 16);
  Finish(50 * (17 + 2 * slots()) + 200);
  EXPECT_EQ(r_errors, r_beats);
  EXPECT_EQ(b_errors, 25u);
}

TEST_P(PeerPort, TheEndOfVramIsExact) {
  for (uint64_t vram : {kVram, uint64_t{4096}, (uint64_t{1} << 48) - 4096, uint64_t{1} << 48, uint64_t{1} << 50}) {
    t.vram_bytes_i = vram;
    const uint64_t b_before = b_errors, r_before = r_errors;
    const bool end = vram < uint64_t{1} << 48;
    for (uint64_t page : {uint64_t{0}, (std::min(vram, uint64_t{1} << 48) >> 12) - 1}) {
      Ask(true, page << 12 | 0xfc0, 7);
      Ask(false, page << 12 | 0xff8, 0);
    }
    if (end) Ask(true, vram, 7), Ask(false, vram, 3), Ask(false, (uint64_t{1} << 48) - 8, 0);
    Finish();
    EXPECT_EQ(b_errors - b_before, end ? 1u : 0u) << vram;
    EXPECT_EQ(r_errors - r_before, end ? 5u : 0u) << vram;
  }
}

TEST_P(PeerPort, ReadsGoOnWhileWritesStandAndTheOtherWayRound) {
  for (bool stands : {false, true}) {
    (stands ? take_aw : take_ar) = false;
    for (unsigned i = 0; i < 3 * slots(); ++i) Ask(stands, 4096 * i, 3);
    Run(400);
    const uint64_t before = answered[!stands];
    for (unsigned i = 0; i < 3 * slots(); ++i) Ask(!stands, 4096 * i, 3);
    Run(1500);
    EXPECT_EQ(answered[!stands], before + 3 * slots());
    EXPECT_EQ(Unanswered(stands), 3u * slots());
    take_aw = take_ar = true;
    Finish();
  }
}

TEST_P(PeerPort, AWriteWhoseBeatsAreMissingAsksVramForNothing) {
  send_w = false;
  for (unsigned i = 0; i < slots(); ++i) Ask(true, 4096 * i, 15);
  Ask(false, 64, 7);
  for (int i = 0; i < 300; ++i) {
    Step();
    const auto wr = Unpack<WriteRequest>(t.wr_req_o[n]);
    EXPECT_FALSE(wr.aw_valid || wr.w_valid);
  }
  EXPECT_EQ(answered[0], 1u);
  send_w = true;
  Finish();
}

TEST_P(PeerPort, TheLongestBurstFitsAlways) {
  for (int i = 0; i < 6; ++i) Ask(true, 4096 * i, 255), Ask(false, 4096 * i, 255), Ask(true, 4096 * i + 2048, 254);
  Finish();
}

using PeerPortOfDefaultSizes = PeerPort;  // two slots would not hide the latency

TEST_P(PeerPortOfDefaultSizes, CarriesABeatACycle) {
  interleave = false;
  for (unsigned len : {0u, 7u, 15u}) {
    for (bool write : {false, true}) {
      const uint64_t before = now;
      latency = len == 0 ? 4 : 60;
      const unsigned bursts = 1024 / (len + 1);
      for (unsigned i = 0; i < bursts; ++i) Ask(write, 4096 * (i % 200), len);
      while (!Done() && now - before < 20000) Step();
      std::printf("1024 beats %s, %u a burst, VRAM %u cycles: %llu cycles\n", write ? "in" : "out", len + 1, latency,
                  static_cast<unsigned long long>(now - before));
      EXPECT_LE(now - before, 1024u + 60 + latency) << (write ? "writes" : "reads") << " of " << len + 1;
      Finish();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PeerPort, SizesAndSeeds(2, 4));
INSTANTIATE_TEST_SUITE_P(Sizes, PeerPortOfDefaultSizes, Seeds(4));

}  // namespace
}  // namespace gmmu::peer
