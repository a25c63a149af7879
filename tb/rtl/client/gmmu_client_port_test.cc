// SPDX-License-Identifier: Apache-2.0
// Tests one client with its traffic engine against a translation port and a bus that respond with
// delays and out of order. Its main check: every translation response is returned exactly once, and
// only after its access is complete.
#include "tb/rtl/client/client_machine.h"

namespace gmmu {
namespace {

std::vector<uint8_t> Lines(const std::vector<uint8_t>& memory, uint32_t first, uint32_t stride, uint32_t count,
                           uint32_t step, uint32_t upto) {
  std::vector<uint8_t> bytes;
  uint64_t k = 0;
  for (uint32_t i = 0; i < upto; ++i, k = (k + step) % count) {
    const uint64_t at = 64 * (first + stride * k);
    bytes.insert(bytes.end(), memory.begin() + at, memory.begin() + at + 64);
  }
  return bytes;
}

TEST(Client, ChecksumAndGiveBacksUnderRandomAnswers) {
  for (unsigned stall : {0u, 30u, 60u}) {
    ClientMachine bench(stall, stall + 1);
    bench.Run(Access::kRead, 2, 3, 900, 7);
    EXPECT_EQ(bench.status.count(), 900u);
    EXPECT_EQ(bench.result.crc(), Crc32c(Lines(bench.memory, 2, 3, 900, 7, 900)));
    bench.Run(Access::kExecute, 0, 1, 300, 299);
    EXPECT_EQ(bench.result.crc(), Crc32c(Lines(bench.memory, 0, 1, 300, 299, 300)));
  }
}

TEST(Client, WritesItsPatternAndReadsItBack) {
  for (unsigned stall : {0u, 50u}) {
    ClientMachine bench(stall, 3);
    bench.Run(Access::kWrite, 5, 2, 200, 9, 0, 0x1234567890);
    std::vector<uint8_t> pattern;
    for (uint64_t w = 0; w < 200 * 8; ++w) {
      for (int i = 0; i < 8; ++i) pattern.push_back(static_cast<uint8_t>((0x1234567890 + w) >> (8 * i)));
    }
    EXPECT_EQ(Lines(bench.memory, 5, 2, 200, 9, 200), pattern);
    bench.Run(Access::kRead, 5, 2, 200, 9);
    EXPECT_EQ(bench.result.crc(), Crc32c(pattern));
  }
}

TEST(Client, TheFirstFaultInAccessOrderEndsTheRunAndIsTheOnlyOneLogged) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    ClientMachine bench(25, seed);
    bench.invalid = {3, 4};
    bench.broken = {70};
    bench.Run(Access::kRead, 0, 1, 1024, 1);
    EXPECT_TRUE(bench.status.fault());
    EXPECT_EQ(bench.status.count(), 70u);
    EXPECT_EQ(bench.fault_va, 70u * 64);
    EXPECT_EQ(bench.result.crc(), Crc32c(Lines(bench.memory, 0, 1, 1024, 1, 70)));
    ASSERT_EQ(bench.faults.size(), 1u);
    EXPECT_EQ(bench.faults[0].second, static_cast<unsigned>(Fault::kBusRead));
    bench.broken.clear();
    bench.Run(Access::kRead, 0, 1, 1024, 1);
    EXPECT_EQ(bench.status.count(), 192u);
    EXPECT_EQ(bench.faults.back().first, 0x3000u);
    bench.broken = {9};
    bench.Run(Access::kWrite, 0, 1, 64, 1);
    EXPECT_EQ(bench.faults.back().second, static_cast<unsigned>(Fault::kBusWrite));
    EXPECT_EQ(bench.status.count(), 9u);
  }
}

TEST(Client, ZeroPagesGoNowhere) {
  ClientMachine bench(20, 1);
  bench.zero = {1};
  const auto before = bench.memory;
  bench.Run(Access::kWrite, 64, 1, 64, 1);
  EXPECT_EQ(bench.memory, before);
  bench.Run(Access::kRead, 64, 1, 64, 1);
  EXPECT_EQ(bench.result.crc(), Crc32c(std::vector<uint8_t>(4096)));
}

TEST(Client, VramPastTheEndIsAFault) {
  ClientMachine bench(0, 1);
  bench.Run(Access::kRead, (1 << 20) / 64 - 2, 1, 8, 1);
  EXPECT_EQ(bench.status.count(), 2u);
  EXPECT_EQ(bench.faults.back().second, static_cast<unsigned>(Fault::kVramRange));
}

TEST(Client, DepthLimitsAccessesInFlight) {
  for (unsigned depth : {1u, 3u, 16u, 64u}) {
    ClientMachine bench(0, 1);
    // The latency exceeds the time that 64 line requests take, whatever the bus width, so that
    // `depth` is reached.
    bench.latency = 400;
    bench.Run(Access::kRead, 0, 1, 100, 1, depth);
    EXPECT_EQ(bench.most_in_flight, depth);
  }
}

TEST(Client, OneWordACycle) {
  ClientMachine bench(0, 1);
  bench.latency = 40;
  bench.interleave = false;
  const uint64_t read = bench.Run(Access::kRead, 0, 1, 1024, 1);
  const uint64_t write = bench.Run(Access::kWrite, 0, 1, 1024, 1);
  std::printf("64 KiB: read %.3f, write %.3f words a cycle\n", 8192.0 / static_cast<double>(read),
              8192.0 / static_cast<double>(write));
  EXPECT_LE(read, 8192u * 1.03);
  EXPECT_LE(write, 8192u * 1.03);
}

/// Returns the data of a run's lines in the memory of `bench`, in the order of the run's reads.
std::vector<uint8_t> Predict(const ClientMachine& bench, const hw::TrafficLines& lines, unsigned count) {
  hw::TrafficSequence sequence(lines);
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t at = sequence.Next();
    EXPECT_LE(at + 64, bench.memory.size());
    bytes.insert(bytes.end(), bench.memory.begin() + at, bench.memory.begin() + at + 64);
  }
  return bytes;
}

TEST(Client, RandomRunsReadTheLinesThatSoftwarePredicts) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ClientMachine bench(static_cast<unsigned>(seed * 13 % 60), seed);
    hw::TrafficLines lines;
    lines.pattern = regs::Pattern::kRandom;
    lines.seed = seed == 6 ? 0 : bench.rng();
    lines.footprint_lg2 = 1 + static_cast<unsigned>(bench.rng() % 14);
    const unsigned count = 1 + static_cast<unsigned>(bench.rng() % 500);
    bench.Choose(lines.pattern, false, lines.footprint_lg2);
    bench.Run(Access::kRead, 77, 3, count, 0, seed % 3 * 5, lines.seed);
    EXPECT_EQ(bench.status.count(), count);
    EXPECT_EQ(bench.result.crc(), Crc32c(Predict(bench, lines, count)));
    EXPECT_EQ(bench.result.mismatches(), 0u);
  }
}

TEST(Client, OrderedRunsFoldIntoTheirFootprint) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ClientMachine bench(30, seed);
    hw::TrafficLines lines;
    lines.footprint_lg2 = 3 + static_cast<unsigned>(bench.rng() % 11);
    lines.first = static_cast<uint32_t>(bench.rng());
    lines.stride = static_cast<uint32_t>(bench.rng());
    lines.count = 2 + static_cast<uint32_t>(bench.rng() % 300);
    lines.step = 1 + static_cast<uint32_t>(bench.rng() % (lines.count - 1));
    bench.Choose(lines.pattern, false, lines.footprint_lg2);
    bench.Run(Access::kRead, lines.first, lines.stride, lines.count, lines.step);
    EXPECT_EQ(bench.result.crc(), Crc32c(Predict(bench, lines, lines.count)));
  }
}

TEST(Client, AChaseFollowsThePointersInMemory) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ClientMachine bench(static_cast<unsigned>(seed * 15), seed);
    // A random cyclic order of the lines; each line points to the next.
    std::vector<uint32_t> ring(256);
    for (uint32_t i = 0; i < ring.size(); ++i) ring[i] = 11 + 17 * i;
    std::shuffle(ring.begin(), ring.end(), bench.rng);
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < ring.size(); ++i) {
      const uint64_t next = 64 * uint64_t{ring[(i + 1) % ring.size()]};
      for (int b = 0; b < 8; ++b) bench.memory[64 * ring[i] + b] = static_cast<uint8_t>(next >> (8 * b));
    }
    const unsigned count = 300;
    for (unsigned i = 0; i < count; ++i) {
      const auto at = bench.memory.begin() + 64 * ring[i % ring.size()];
      bytes.insert(bytes.end(), at, at + 64);
    }
    bench.Choose(regs::Pattern::kChase, false);
    bench.Run(seed % 2 ? Access::kRead : Access::kWrite, ring[0], 0, count, 0);
    EXPECT_EQ(bench.status.count(), count);
    EXPECT_EQ(bench.result.crc(), Crc32c(bytes));
    EXPECT_LE(bench.most_in_flight, 2u) << "the next waits for its address";
  }
}

TEST(Client, AVerifiedRunWritesTheAddressPatternAndFindsIt) {
  for (const auto pattern : {regs::Pattern::kOrder, regs::Pattern::kRandom}) {
    for (unsigned stall : {0u, 40u}) {
      ClientMachine bench(stall, 7 + stall);
      hw::TrafficLines lines;
      lines.pattern = pattern;
      lines.first = 9, lines.stride = 5, lines.count = 300, lines.step = 7;
      lines.footprint_lg2 = 12, lines.seed = bench.rng();
      bench.Choose(pattern, true, lines.footprint_lg2);
      bench.Run(Access::kWrite, 9, 5, 300, 7, 0, lines.seed);
      EXPECT_EQ(bench.status.count(), 600u) << "writes and reads";
      EXPECT_EQ(bench.result.mismatches(), 0u);
      EXPECT_EQ(bench.result.crc(), Crc32c(Predict(bench, lines, 300)));
      hw::TrafficSequence sequence(lines);
      for (unsigned i = 0; i < 300; ++i) {
        const uint64_t at = sequence.Next();
        for (unsigned w = 0; w < 8; ++w)
          EXPECT_EQ(bench.WordAt(at + 8 * w), hw::AddressPattern(lines.seed, at + 8 * w));
      }
      // Corrupt some words and read the lines again: each corrupted word must be counted.
      hw::TrafficLines order = lines;
      sequence = hw::TrafficSequence(order);
      std::set<uint64_t> spoilt;
      for (unsigned i = 0; i < 40; ++i) {
        const uint64_t at = sequence.Next() + 8 * (bench.rng() % 8);
        if (i % 8 == 3 && spoilt.insert(at).second)
          bench.memory[at + bench.rng() % 8] ^= static_cast<uint8_t>(1 << bench.rng() % 8);
      }
      unsigned wrong = 0;
      sequence = hw::TrafficSequence(order);
      for (unsigned i = 0; i < 300; ++i) {
        const uint64_t at = sequence.Next();
        for (unsigned w = 0; w < 8; ++w) wrong += static_cast<unsigned>(spoilt.count(at + 8 * w));
      }
      bench.Run(Access::kRead, 9, 5, 300, 7, 0, lines.seed);
      EXPECT_EQ(bench.result.mismatches(), wrong);
      EXPECT_GE(wrong, 3u);
    }
  }
}

TEST(Client, AVerifiedWriteThatFaultsReadsNothingBack) {
  ClientMachine bench(20, 5);
  bench.invalid = {2};
  bench.Choose(regs::Pattern::kOrder, true);
  bench.Run(Access::kWrite, 0, 1, 256, 1, 0, 99);
  EXPECT_TRUE(bench.status.fault());
  EXPECT_EQ(bench.status.count(), 128u);
  EXPECT_EQ(bench.result.mismatches(), 0u);
  EXPECT_EQ(bench.result.crc(), 0u) << "of nothing";
}

TEST(Client, AnEmptyRunEndsAtOnceWithTheChecksumOfNothing) {
  ClientMachine bench(0, 1);
  EXPECT_LE(bench.Run(Access::kRead, 0, 1, 0, 0), 20u);
  EXPECT_EQ(bench.status.count(), 0u);
  EXPECT_EQ(bench.result.crc(), 0u);
}

TEST(Client, RunsAndExternalAccessesWaitForEachOther) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ClientMachine bench(static_cast<unsigned>(seed % 3 * 30), seed);
    bench.invalid = {128}, bench.broken = {64 * 129 + 5};
    uint64_t line = 64 * 128;  // External accesses use lines that the runs do not use.
    for (int round = 0; round < 8; ++round) {
      // The words of an external write wait in its slot until its request is accepted. A run that
      // writes would overwrite them, so only reads are queued beside such a run.
      const auto access = round % 3 == 2 ? Access::kWrite : Access::kRead;
      for (int i = 0; i < 12; ++i) {
        const bool write = access == Access::kRead && bench.Chance(50);
        bench.Ask(write ? Access::kWrite : Access::kRead, line += 1 + bench.Random(20));
      }
      bench.Run(bench.Random(100));
      bench.Run(access, 2, 3, 60, 7, 0, seed);
      EXPECT_EQ(bench.status.count(), 60u);
      if (access == Access::kRead) EXPECT_EQ(bench.result.crc(), Crc32c(Lines(bench.memory, 2, 3, 60, 7, 60)));
    }
    if (HasFailure()) return;
  }
}

TEST(Client, ADisabledExternalPortTakesNothing) {
  ClientMachine bench(0, 1);
  bench.t.enable_i = 0;
  bench.Ask(Access::kWrite, 3);
  bench.Ask(Access::kRead, 5);
  bench.Run(50);
  EXPECT_EQ(bench.most_in_flight, 0u);
  bench.t.enable_i = 1;
  bench.Until([&] { return bench.Answered(); }, "the responses", 200);
}

TEST(Client, WithoutAnEngineRegistersReadZeroAndTheExternalPortIsServed) {
  ClientMachine bench(0, 1);
  auto& t = bench.t;
  // ClientMachine drives the register accesses of a run to both clients.
  bench.Run(Access::kRead, 0, 1, 40, 1);
  EXPECT_TRUE(t.p_idle_o && t.p_req_ready_o && t.p_w_ready_o && !t.p_xq_valid_o);
  GMMU_STRUCT(gmmu_client_bench, client_req_t) request{};
  request.va = 0x12340, request.bytes = 64;
  t.x_req_i = Pack(request), t.p_req_valid_i = 1;
  bench.Step();
  t.p_req_valid_i = 0;
  bench.Settle();
  EXPECT_TRUE(t.p_xq_valid_o);
  EXPECT_EQ(Unpack<GMMU_STRUCT(gmmu_client_bench, xlate_req_t)>(t.p_xq_o).va, request.va);
}

}  // namespace
}  // namespace gmmu
