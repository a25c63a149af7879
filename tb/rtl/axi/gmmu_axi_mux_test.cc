// SPDX-License-Identifier: Apache-2.0
// Sends random bursts of four requesters through the mux. Each beat carries its burst's number, so
// every lost, duplicated or swapped beat is detected.
#include "tb/rtl/axi/mux_machine.h"

namespace gmmu {
namespace {

TEST(AxiMux, EveryBurstReachesItsPortAndEveryAnswerItsRequester) {
  for (unsigned stall : {0u, 30u, 70u}) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      MuxMachine bench(stall, seed);
      std::mt19937_64 random(seed);
      for (int i = 0; i < 1500; ++i) {
        const unsigned q = random() % kRequesters;
        const unsigned port = random() % 3;
        const unsigned len = random() % 8;
        if (q != 2 && (q == 3 || random() % 2)) bench.Read(q, port, len);
        else bench.Write(q, port, len);
      }
      bench.Finish();
      if (HasFailure()) return;
    }
  }
}

TEST(AxiMux, CarriesABeatACycleOnEveryChannel) {
  MuxMachine bench(0, 1);
  for (int i = 0; i < 64; ++i) {
    bench.Read(0, kVram, 7);
    bench.Read(1, kHost, 7);
    bench.Write(2, kVram, 7);
    bench.Write(0, kHost, 7);
  }
  while (!bench.Done() && bench.now < 5000) bench.Step();
  std::printf("512 beats on each of four channels: %llu cycles\n", static_cast<unsigned long long>(bench.now));
  EXPECT_LE(bench.now, 512u + 20);
}

TEST(AxiMux, TwoPortsThatAnswerOneRequesterTakeTurns) {
  MuxMachine bench(0, 1);
  for (int i = 0; i < 32; ++i) {
    bench.Read(0, false, 7);
    bench.Read(0, true, 7);
  }
  while (!bench.Done() && bench.now < 5000) {
    bench.Step();
    const auto difference = static_cast<int64_t>(bench.r_beats_from[kVram] - bench.r_beats_from[kHost]);
    EXPECT_LE(std::abs(difference), 8) << "cycle " << bench.now;  // Neither port starves the other.
  }
  EXPECT_LE(bench.now, 512u + 20);  // The requester receives one beat per cycle.
}

TEST(AxiMux, TwoPortsWithBsForOneRequesterTakeTurns) {
  MuxMachine bench(0, 1);
  bench.hold_b = true;
  for (unsigned i = 0; i < 24; ++i) bench.Write(0, i % 2, 0);
  bench.Run(400);
  bench.hold_b = false;
  while (!bench.Done() && bench.now < 1000) {
    bench.Step();
    EXPECT_LE(std::abs(bench.bs_from[kVram] - bench.bs_from[kHost]), 2) << "cycle " << bench.now;
  }
  EXPECT_LE(bench.now, 400u + 24 + 10);  // The requester receives one B per cycle.
}

TEST(AxiMux, NoNewHostRequestLeavesWhileTheHostIsClosed) {
  MuxMachine bench(0, 1);
  bench.t.host_enable_i = 0;
  bench.Read(0, true, 3);
  bench.Write(1, true, 3);
  bench.Read(3, false, 3);
  bench.Write(2, false, 3);
  bench.Run(200);
  EXPECT_EQ(bench.host_requests, 0u);
  EXPECT_EQ(bench.r_beats, 4u);  // VRAM accesses continue.
  bench.t.host_enable_i = 1;
  bench.Finish();
  EXPECT_EQ(bench.host_requests, 2u);
}

TEST(AxiMux, AHostPortThatOpensAndClosesKeepsItsOffersAndMakesNoNewOne) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {  // MuxMachine checks the offers at the port.
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    MuxMachine bench(seed % 2 ? 30 : 70, seed);
    for (int i = 0; i < 400; ++i) {
      const unsigned q = bench.Random(kRequesters);
      if (q != 2 && (q == 3 || bench.Chance(50))) bench.Read(q, bench.Random(3), bench.Random(4));
      else bench.Write(q, bench.Random(3), bench.Random(4));
    }
    for (int i = 0; i < 300; ++i) {
      bench.t.host_enable_i = i % 2;
      bench.Run(bench.Random(12));
    }
    bench.t.host_enable_i = 1;
    bench.Finish();
  }
}

TEST(AxiMux, HeldItBeginsNothingAndSaysWhenEverythingIsAnswered) {
  for (unsigned stall : {0u, 30u, 70u}) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << "stall " << stall << ", seed " << seed);
      MuxMachine bench(stall, seed);
      std::mt19937_64 random(seed);
      const auto ask = [&](unsigned q) {
        if (q != 2 && (q == 3 || random() % 2)) bench.Read(q, random() % 3, random() % 8);
        else bench.Write(q, random() % 3, random() % 8);
      };
      for (int round = 0; round < 12; ++round) {
        for (int i = 0; i < 60; ++i) ask(random() % kRequesters);
        for (int i = random() % 150; i > 0; --i) bench.Step();
        bench.t.hold_i = 1;
        const bool traffic = round % 2;  // whether the exempt requester continues to send requests
        int waits = 0;
        for (; waits < 20000 && !bench.t.silent_o; ++waits) {
          if (traffic && waits % 4 == 0) ask(kExempt);
          bench.Step();
        }
        ASSERT_LT(waits, 20000) << "never silent";
        ASSERT_EQ(bench.Unanswered(), 0u) << "silent with bursts unanswered";
        const uint64_t offers = bench.held_offers;
        for (int i = 0; i < 100; ++i) {
          if (traffic && i % 4 == 0) ask(kExempt);
          const unsigned held = random() % kRequesters;  // a requester whose new requests must wait
          if (i % 5 == 0 && held != kExempt) ask(held);
          bench.Step();
          ASSERT_TRUE(bench.t.silent_o);
        }
        EXPECT_EQ(bench.held_offers, offers) << "it begins something";
        const uint64_t beats = bench.r_beats;
        bench.Read(kExempt, round % 3 == 0, 3);
        for (int i = 0; i < 2000 && bench.r_beats < beats + 4; ++i) bench.Step();
        EXPECT_GE(bench.r_beats, beats + 4) << "the exempt one is held too";
        bench.t.hold_i = 0;
        bench.Step();
        EXPECT_FALSE(bench.t.silent_o);
      }
      bench.Finish();
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(AxiMux, HeldAndIdleItIsSilentAtOnceAndIdleWhenItIs) {
  for (unsigned requester : {0u, 3u}) {
    MuxMachine bench(0, 1);
    bench.early = false;
    bench.Run(20);
    bench.t.hold_i = 1;
    bench.Step();
    EXPECT_TRUE(!bench.t.idle_o || bench.t.silent_o);
    bench.Run(4);
    EXPECT_TRUE(bench.t.silent_o && bench.t.idle_o);
    bench.Read(requester, kVram, 3);
    bench.Run(50);
    EXPECT_TRUE(bench.t.silent_o);
    EXPECT_FALSE(bench.t.idle_o) << "a request of requester " << requester << " waits";
    EXPECT_EQ(bench.r_beats, 0u);
    bench.t.hold_i = 0;
    bench.Finish();
  }
}

TEST(AxiMux, BurstsThatAClosedHostPortKeepsAreNotSilent) {
  MuxMachine bench(0, 1);
  for (int i = 0; i < 12; ++i) bench.Read(0, true, 7), bench.Write(2, true, 7);
  bench.Run(12);
  bench.t.host_enable_i = 0;
  bench.t.hold_i = 1;
  bench.Run(500);
  const bool kept = !bench.t.silent_o;
  bench.t.host_enable_i = 1;
  const uint64_t offers = bench.held_offers;
  bench.Run(500);
  EXPECT_EQ(kept, bench.held_offers != offers) << "what was kept leaves, else it was silent";
  EXPECT_TRUE(bench.t.silent_o);
  bench.t.hold_i = 0;
  bench.Finish();
}

TEST(AxiMux, HeldWhileTheHostIsClosedItIsSilentAndTakesTheBurstOnlyLater) {
  // A burst for the closed port is pending when the hold begins. It must not prevent silence, and
  // it must stay pending until the hold ends.
  for (bool write : {false, true}) {
    SCOPED_TRACE(write ? "write" : "read");
    MuxMachine bench(0, 1);
    bench.t.host_enable_i = 0;
    bench.Run(10);
    if (write) bench.Write(0, kHost, 3);
    else bench.Read(0, kHost, 3);
    bench.Run(30);
    bench.t.hold_i = 1;
    bench.Run(30);
    EXPECT_TRUE(bench.t.silent_o);
    bench.t.host_enable_i = 1;
    bench.Run(100);
    EXPECT_EQ(bench.host_requests, 0u);
    bench.t.hold_i = 0;
    bench.Finish();
    EXPECT_EQ(bench.host_requests, 1u);
  }
}

TEST(AxiMux, HeldWithABurstThatIsBeingTakenItIsNotSilentBeforeItsAnswer) {
  // Starts the hold at every distance from the offer. A burst counts as outstanding from the cycle
  // in which it is accepted.
  for (unsigned requester : {0u, 3u}) {
    for (unsigned distance = 0; distance < 12; ++distance) {
      SCOPED_TRACE(testing::Message() << "requester " << requester << ", distance " << distance);
      MuxMachine bench(0, 1);
      bench.Run(10);
      bench.Read(requester, kVram, 0);
      bench.Run(distance);
      bench.t.hold_i = 1;
      for (int i = 0; i < 60; ++i) {
        const uint64_t offers = bench.held_offers;
        const bool silent = bench.t.silent_o;
        bench.Step();
        if (silent) {
          EXPECT_EQ(bench.held_offers, offers) << "it begins something";
          EXPECT_EQ(bench.Unanswered(), 0u);
        }
      }
      EXPECT_TRUE(bench.t.silent_o);
      bench.t.hold_i = 0;
      bench.Finish();
    }
  }
}

TEST(AxiMux, FromTheOfferToThePort) {
  // Measures the cycles from a requester's AR to the AR at the port, for arbitrated requesters and
  // for the express requester. An express AR that is not early is registered first.
  for (const auto& [q, early] : {std::pair(0u, false), {1u, false}, {3u, true}, {3u, false}}) {
    MuxMachine bench(0, 1);
    bench.early = early;
    bench.Run(10);
    bench.Read(q, kVram, 0);
    bench.Step();  // AR is offered in this cycle
    EXPECT_EQ(bench.held_offers, early ? 1u : 0u) << "offered at the port at once";
    unsigned cycles = 1;
    while (!bench.t.ar_valid_o[0] && cycles < 100) bench.Step(), ++cycles;
    EXPECT_EQ(cycles, q == 3 ? 1u : 3u) << "requester " << q;
    bench.Finish();
  }
}

TEST(AxiMux, TheRequesterThatNeedsNoTurnWaitsOneCycleAndHoldsNobodyUp) {
  // Requesters 0, 1 and 3 offer a read in every cycle. Requester 3, on the express path, gets every
  // other cycle, and the other two share the rest.
  MuxMachine bench(0, 1);
  bench.early = true;
  for (int i = 0; i < 400; ++i) {
    bench.Read(3, kVram, 0);
    bench.Read(0, kVram, 0);
    bench.Read(1, kVram, 0);
  }
  unsigned waited = 0, most = 0;
  for (int i = 0; i < 400; ++i) {
    bench.Step();
    const bool ready = Unpack<MuxMachine::ReadResponse>(bench.t.rd_rsp_o[3]).ar_ready;
    waited = Unpack<MuxMachine::ReadRequest>(bench.t.rd_req_i[3]).ar_valid && !ready ? waited + 1 : 0;
    most = std::max(most, waited);
  }
  EXPECT_LE(most, 1u);
  EXPECT_GE(bench.r_beats, 380u);
  bench.Finish();
}

TEST(AxiMux, ARequesterThatStaysAtOnePortGetsItsAwWithoutAPause) {
  MuxMachine bench(0, 1);
  for (int i = 0; i < 256; ++i) bench.Write(0, kVram, 3), bench.Write(1, kPeer, 3);
  while (!bench.Done() && bench.now < 5000) bench.Step();
  EXPECT_LE(bench.now, 4 * 256u + 20);
}

TEST(AxiMux, WhatAChangeOfThePortCosts) {
  // One requester sends bursts of 8 beats, first all to one port, then alternating between the ports.
  unsigned cycles[2];
  for (unsigned change = 0; change < 2; ++change) {
    MuxMachine bench(0, 1);
    for (int i = 0; i < 64; ++i) bench.Write(0, change ? i % 2 : 0, 7);
    while (!bench.Done() && bench.now < 5000) bench.Step();
    cycles[change] = static_cast<unsigned>(bench.now);
  }
  std::printf("64 bursts of 8 beats: %u cycles, to the ports in turn %u\n", cycles[0], cycles[1]);
  EXPECT_LE(cycles[0], 512u + 20);
  EXPECT_LE(cycles[1], 64u * (8 + 8) + 20);
}

}  // namespace
}  // namespace gmmu
