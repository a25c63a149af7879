// SPDX-License-Identifier: Apache-2.0
// Tests the through-port against translation ports and a memory that respond with delays and out of
// order. A plain model checks every byte read and written, every R and B, every logged fault, and
// that every translation response is returned.
#include "tb/rtl/client/through_machine.h"

namespace gmmu {
namespace {

/// Queues bursts over all pages: reads in the upper half, writes in the lower half. No byte is
/// written twice.
void Fill(ThroughMachine& bench, bool illegal) {
  for (unsigned page = kHalf; page < kPages; ++page) {
    for (int i = 0; i < 3; ++i) {
      Burst burst = bench.Draw(page, static_cast<unsigned>(bench.rng() % 4096));
      if (illegal && bench.rng() % 10 == 0) {
        burst.burst = bench.rng() % 2 ? 0 : 2;
        burst.len &= 15;
      }
      bench.Read(burst);
    }
  }
  for (unsigned page = 0; page < kHalf; ++page) {
    for (unsigned from = 0; from < 4000;) {
      Burst burst = bench.Draw(page, from);
      const unsigned end = static_cast<unsigned>(burst.end(burst.len) - kVaBase - page * 4096);
      if (illegal && bench.rng() % 10 == 0) {
        burst.burst = bench.rng() % 2 ? 0 : 2;
        burst.len &= 15;
      }
      bench.Write(burst);
      from = end + (bench.rng() % 2 ? 0 : 700);
    }
  }
}

TEST(ThroughPort, RandomBurstsMeetTheModel) {
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    const unsigned stall = static_cast<unsigned>(seed % 3) * 30;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", stall " << stall << " %");
    ThroughMachine bench(stall, seed);
    bench.latency = 1 + static_cast<unsigned>(bench.rng() % 60);
    Fill(bench, false);
    bench.Run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ThroughPort, FaultsAnswerSlvErrLineByLineAndAreLogged) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const unsigned stall = static_cast<unsigned>(seed % 3) * 25;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", stall " << stall << " %");
    ThroughMachine bench(stall, 100 + seed);
    for (unsigned page = 0; page < kPages; ++page) {
      const unsigned kind = static_cast<unsigned>(bench.rng() % 10);
      if (kind == 0) bench.invalid.insert(page);
      if (kind == 1) bench.zero.insert(page);
    }
    for (int i = 0; i < 300; ++i) bench.broken.insert(bench.rng() % (kPages * 64));
    Fill(bench, true);
    EXPECT_GT(bench.faults_expected, 100u);
    bench.Run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ThroughPort, BurstsThatAreNotIncrAccessNothing) {
  ThroughMachine bench(20, 5);
  for (unsigned kind : {0u, 2u, 3u}) {
    Burst burst;
    burst.va = kVaBase + kHalf * 4096;
    burst.len = 7, burst.size = 3, burst.burst = kind, burst.id = kind;
    bench.Read(burst);
    burst.va = kVaBase;
    bench.Write(burst);
  }
  bench.Run();
  EXPECT_EQ(bench.lookups, 0u);
}

TEST(ThroughPort, InEitherResetEveryReadyAndValidIsZero) {
  ThroughMachine bench(30, 1);
  auto& t = bench.t;
  Fill(bench, false);
  const auto handshakes = [&](bool core_reset, bool reset) {
    t.t_core_reset_i = core_reset, t.rst_i = reset;
    bench.Settle();
    return t.t_ar_ready_o | t.t_r_valid_o << 1 | t.t_aw_ready_o << 2 | t.t_w_ready_o << 3 | t.t_b_valid_o << 4;
  };
  int seen = 0;
  for (int i = 0; i < 2000; ++i) {
    bench.Step();
    EXPECT_EQ(handshakes(true, false) | handshakes(false, true) | handshakes(true, true), 0) << "cycle " << bench.now;
    seen |= handshakes(false, false);
  }
  EXPECT_EQ(seen, 31) << "each of them is 1 without a reset";
}

TEST(ThroughPort, LongBurstsFillTheBus) {
  ThroughMachine bench(0, 1);
  bench.latency = 50;
  Burst burst;
  burst.size = ThroughMachine::Log2(kBeatBytes);
  burst.len = std::min(256u, 4096 / kBeatBytes) - 1;
  const uint64_t step = uint64_t{burst.len + 1} * kBeatBytes;
  uint64_t beats = 0;
  for (uint64_t at = 0; at < kHalf * 4096; at += step, beats += burst.len + 1) {
    burst.va = kVaBase + kHalf * 4096 + at;
    bench.Read(burst);
  }
  const uint64_t read = bench.Run();
  for (uint64_t at = 0; at < kHalf * 4096; at += step) {
    burst.va = kVaBase + at;
    bench.Write(burst, true);
  }
  const uint64_t write = bench.Run();
  std::printf("512 KiB in bursts of %u beats: read %.3f, write %.3f beats a cycle\n", burst.len + 1,
              static_cast<double>(beats) / static_cast<double>(read),
              static_cast<double>(beats) / static_cast<double>(write));
  EXPECT_LE(read, beats * 103 / 100 + 100);
  EXPECT_LE(write, beats * 103 / 100 + 100);
}

}  // namespace
}  // namespace gmmu
