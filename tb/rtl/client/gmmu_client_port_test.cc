// SPDX-License-Identifier: Apache-2.0
// One client against a translation port and a bus that answer late and out of order. Watches above
// all that every translation answer is given back exactly once, and not before its access has
// ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "Vgmmu_client_bench.h"
#include "hw/gmmu_regs.h"
#include "hw/traffic.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu {
namespace {

using regs::Access;
using regs::Fault;
using regs::Target;

uint32_t Crc32c(const std::vector<uint8_t>& bytes) {
  uint32_t crc = ~0u;
  for (uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

constexpr unsigned kBeatBytes = sizeof(Vgmmu_client_bench::r_data_i);

class Bench {
 public:
  Bench(unsigned stall, uint64_t seed)
      : random(seed),
        memory(1 << 20),
        stall_(stall),
        top_(std::make_unique<Vgmmu_client_bench>(&context_)) {
    for (auto& byte : memory) byte = static_cast<uint8_t>(random());
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Edge();
    top_->rst_i = 0;
    top_->enable_i = 1;
    for (int i = 0; i < 1000 && !top_->idle_o; ++i) Edge();
    EXPECT_TRUE(top_->idle_o) << "idle after reset";
  }
  ~Bench() { top_->final(); }

  std::mt19937_64 random;
  std::vector<uint8_t> memory;       // va = offset in VRAM
  std::set<uint64_t> invalid, zero;  // pages
  std::set<uint64_t> broken;         // lines whose bus answer is an error
  unsigned latency = 8;
  std::vector<std::pair<uint64_t, unsigned>> faults;
  bool interleave = true;  // beats of different bursts
  unsigned most_in_flight = 0;
  regs::ClientStatus status;  // of the last run
  regs::ClientResult result;
  uint64_t fault_va = 0;
  uint64_t cycles = 0;

  /// Pattern, seed and footprint of `lines` for the runs that follow; Run gives the rest.
  void Choose(regs::Pattern pattern, bool verify, unsigned footprint_lg2 = 0) {
    ctrl_.set_pattern(pattern).set_verify(verify).set_footprint_lg2(footprint_lg2);
  }

  /// Runs to the end. Returns the cycles it took.
  uint64_t Run(Access access, uint32_t first, uint32_t stride, uint32_t count, uint32_t step,
               unsigned depth = 0, uint64_t seed = 0) {
    auto& t = *top_;
    Write(regs::ClientLines{}.set_first(first).set_stride(stride));
    Write(regs::ClientOrder{}.set_count(count).set_step(step));
    Write(regs::ClientSeed{}.set_value(seed));
    Write(ctrl_.set_access(access).set_depth(depth).set_space(1).set_start(1));
    const uint64_t begin = cycles;
    while (!t.done_o && cycles - begin < 400000) Tick();
    EXPECT_TRUE(t.done_o) << "the run ends";
    const uint64_t end = cycles;
    for (int i = 0; i < 50; ++i) Tick();
    EXPECT_FALSE(t.busy_o);
    EXPECT_TRUE(t.idle_o);
    for (int e = 0; e < 2; ++e)
      EXPECT_EQ(given_[e], back_[e]) << "answers given back, generation " << e;
    EXPECT_EQ(Read<regs::ClientOrder>().count(), count) << "a register reads back";
    EXPECT_EQ(Read<regs::ClientCtrl>().raw, regs::ClientCtrl{ctrl_}.set_start(0).raw);
    status = Read<regs::ClientStatus>();
    result = Read<regs::ClientResult>();
    fault_va = Read<regs::ClientFaultAddress>().va();
    return end - begin;
  }
  Vgmmu_client_bench& top() { return *top_; }

  void Tick() {
    auto& t = *top_;
    t.xlate_req_ready_i = !Stall();
    t.ar_ready_i = !Stall();
    t.aw_ready_i = !Stall();
    t.w_ready_i = !Stall();
    t.fault_ready_i = !Stall();
    if (!x_offer_ && !lookups_.empty() && !Stall()) {
      x_offer_ = true;
      std::swap(lookups_[0], lookups_[random() % lookups_.size()]);
      generation_ = random() % 2;
    }
    t.xlate_rsp_valid_i = x_offer_;
    if (x_offer_) {
      const auto [tag, va] = lookups_.front();
      t.xlate_rsp_tag_i = tag, t.xlate_rsp_generation_i = generation_,
      t.xlate_rsp_target_i = static_cast<unsigned>(Target::kVram);
      t.xlate_rsp_offset_i = va, t.xlate_rsp_zero_i = zero.count(va >> 12),
      t.xlate_rsp_fault_i = invalid.count(va >> 12) ? 4 : 0;
    }
    t.r_valid_i = t.b_valid_i = 0;
    if (!reads_.empty() && !Stall()) {
      const size_t pick = interleave ? random() % reads_.size() : 0;
      Burst& r = reads_[pick];
      if (r.due <= cycles) {
        std::memcpy(&t.r_data_i, &memory[r.address + kBeatBytes * r.beat], kBeatBytes);
        t.r_valid_i = 1, t.r_id_i = r.id, t.r_error_i = broken.count(r.address / 64),
        t.r_last_i = r.beat == r.len;
        if (r.beat++ == r.len) End(r.id), reads_.erase(reads_.begin() + pick);
      }
    }
    if (!written_.empty() && !Stall()) {
      const size_t pick = random() % written_.size();
      t.b_valid_i = 1, t.b_id_i = written_[pick].id,
      t.b_error_i = broken.count(written_[pick].address / 64);
      End(written_[pick].id);
      written_.erase(written_.begin() + pick);
    }
    t.clk_i = 0;
    t.eval();
    back_[0] += t.done0_o, back_[1] += t.done1_o;
    for (int e = 0; e < 2; ++e)
      EXPECT_LE(back_[e], ended_[e]) << "given back before the access has ended";
    if (t.xlate_req_valid_o && t.xlate_req_ready_i) {
      lookups_.push_back({t.xlate_req_tag_o, t.xlate_req_va_o});
      ++in_flight_;
      most_in_flight = std::max(most_in_flight, in_flight_);
    }
    if (t.xlate_rsp_valid_i && t.xlate_rsp_ready_o) {
      x_offer_ = false;
      ++given_[generation_];
      generation_of_[t.xlate_rsp_tag_i] = generation_;
      if (t.xlate_rsp_zero_i || t.xlate_rsp_fault_i || t.xlate_rsp_offset_i >= memory.size())
        End(t.xlate_rsp_tag_i);
      lookups_.pop_front();
    }
    if (t.ar_valid_o && t.ar_ready_i)
      reads_.push_back({t.ar_id_o, t.ar_addr_o, t.ar_len_o, 0, cycles + latency});
    if (t.aw_valid_o && t.aw_ready_i) writes_.push_back({t.aw_id_o, t.aw_addr_o, t.aw_len_o, 0, 0});
    if (t.w_valid_o && t.w_ready_i) {
      Beat beat{{}, t.w_strb_o, t.w_last_o != 0};
      std::memcpy(beat.data, &t.w_data_o, kBeatBytes);
      beats_.push_back(beat);
    }
    while (!writes_.empty() && !beats_.empty()) {
      Burst& w = writes_.front();
      for (unsigned i = 0; i < kBeatBytes; ++i) {
        if (beats_.front().strobe >> i & 1)
          memory[w.address + kBeatBytes * w.beat + i] = beats_.front().data[i];
      }
      EXPECT_EQ(beats_.front().last, w.beat == w.len);
      beats_.pop_front();
      if (w.beat++ == w.len) written_.push_back(w), writes_.pop_front();
    }
    if (t.fault_valid_o && t.fault_ready_i) faults.push_back({t.fault_address_o, t.fault_reason_o});
    Edge();
    ++cycles;
  }

 private:
  struct Burst {
    unsigned id;
    uint64_t address;
    unsigned len, beat;
    uint64_t due;
  };
  struct Beat {
    uint8_t data[64];
    uint64_t strobe;
    bool last;
  };
  void End(unsigned id) {
    ++ended_[generation_of_[id]];
    --in_flight_;
  }
  template <typename Register>
  void Write(Register value) {
    auto& t = *top_;
    t.reg_wr_i = 1, t.reg_word_i = Register::kOffset / 8, t.reg_data_i = value.raw;
    Tick();
    t.reg_wr_i = 0;
  }
  template <typename Register>
  Register Read() {
    auto& t = *top_;
    t.reg_rd_i = 1, t.reg_word_i = Register::kOffset / 8;
    Tick();
    Tick();
    t.reg_rd_i = 0;
    Register value;
    value.raw = t.reg_data_o;
    return value;
  }
  bool Stall() { return random() % 100 < stall_; }
  void Edge() {
    top_->clk_i = 0;
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
  }

  const unsigned stall_;
  VerilatedContext context_;
  std::unique_ptr<Vgmmu_client_bench> top_;
  Coverage coverage_{context_};
  std::deque<std::pair<unsigned, uint64_t>> lookups_;
  std::vector<Burst> reads_, written_;
  std::deque<Burst> writes_;
  std::deque<Beat> beats_;
  std::map<unsigned, unsigned> generation_of_;
  bool x_offer_ = false;
  regs::ClientCtrl ctrl_;
  unsigned generation_ = 0, in_flight_ = 0;
  uint64_t given_[2] = {}, back_[2] = {}, ended_[2] = {};
};

std::vector<uint8_t> Lines(const std::vector<uint8_t>& memory, uint32_t first, uint32_t stride,
                           uint32_t count, uint32_t step, uint32_t upto) {
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
    Bench bench(stall, stall + 1);
    bench.Run(Access::kRead, 2, 3, 900, 7);
    EXPECT_EQ(bench.status.count(), 900u);
    EXPECT_EQ(bench.result.crc(), Crc32c(Lines(bench.memory, 2, 3, 900, 7, 900)));
    bench.Run(Access::kExecute, 0, 1, 300, 299);
    EXPECT_EQ(bench.result.crc(), Crc32c(Lines(bench.memory, 0, 1, 300, 299, 300)));
  }
}

TEST(Client, WritesItsPatternAndReadsItBack) {
  for (unsigned stall : {0u, 50u}) {
    Bench bench(stall, 3);
    bench.Run(Access::kWrite, 5, 2, 200, 9, 0, 0x1234567890);
    std::vector<uint8_t> pattern;
    for (uint64_t w = 0; w < 200 * 8; ++w) {
      for (int i = 0; i < 8; ++i)
        pattern.push_back(static_cast<uint8_t>((0x1234567890 + w) >> (8 * i)));
    }
    EXPECT_EQ(Lines(bench.memory, 5, 2, 200, 9, 200), pattern);
    bench.Run(Access::kRead, 5, 2, 200, 9);
    EXPECT_EQ(bench.result.crc(), Crc32c(pattern));
  }
}

TEST(Client, TheFirstFaultInAccessOrderEndsTheRunAndIsTheOnlyOneLogged) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Bench bench(25, seed);
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
  Bench bench(20, 1);
  bench.zero = {1};
  const auto before = bench.memory;
  bench.Run(Access::kWrite, 64, 1, 64, 1);
  EXPECT_EQ(bench.memory, before);
  bench.Run(Access::kRead, 64, 1, 64, 1);
  EXPECT_EQ(bench.result.crc(), Crc32c(std::vector<uint8_t>(4096)));
}

TEST(Client, VramPastTheEndIsAFault) {
  Bench bench(0, 1);
  bench.Run(Access::kRead, (1 << 20) / 64 - 2, 1, 8, 1);
  EXPECT_EQ(bench.status.count(), 2u);
  EXPECT_EQ(bench.faults.back().second, static_cast<unsigned>(Fault::kVramRange));
}

TEST(Client, DepthLimitsAccessesInFlight) {
  for (unsigned depth : {1u, 3u, 16u, 64u}) {
    Bench bench(0, 1);
    bench.latency = 400;  // longer than it takes to ask for 64 lines, on every width
    bench.Run(Access::kRead, 0, 1, 100, 1, depth);
    EXPECT_EQ(bench.most_in_flight, depth);
  }
}

TEST(Client, OneWordACycle) {
  Bench bench(0, 1);
  bench.latency = 40;
  bench.interleave = false;
  const uint64_t read = bench.Run(Access::kRead, 0, 1, 1024, 1);
  const uint64_t write = bench.Run(Access::kWrite, 0, 1, 1024, 1);
  std::printf("64 KiB: read %.3f, write %.3f words a cycle\n", 8192.0 / static_cast<double>(read),
              8192.0 / static_cast<double>(write));
  EXPECT_LE(read, 8192u * 1.03);
  EXPECT_LE(write, 8192u * 1.03);
}

/// The lines that a run reads from `bench`, in order, one after the other.
std::vector<uint8_t> Predict(const Bench& bench, const hw::TrafficLines& lines, unsigned count) {
  hw::TrafficSequence sequence(lines);
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t at = sequence.Next();
    EXPECT_LE(at + 64, bench.memory.size());
    bytes.insert(bytes.end(), bench.memory.begin() + at, bench.memory.begin() + at + 64);
  }
  return bytes;
}

uint64_t WordAt(const Bench& bench, uint64_t at) {
  uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | bench.memory[at + i];
  return word;
}

TEST(Client, RandomRunsReadTheLinesThatSoftwarePredicts) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(static_cast<unsigned>(seed * 13 % 60), seed);
    hw::TrafficLines lines;
    lines.pattern = regs::Pattern::kRandom;
    lines.seed = seed == 6 ? 0 : bench.random();
    lines.footprint_lg2 = 1 + static_cast<unsigned>(bench.random() % 14);
    const unsigned count = 1 + static_cast<unsigned>(bench.random() % 500);
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
    Bench bench(30, seed);
    hw::TrafficLines lines;
    lines.footprint_lg2 = 3 + static_cast<unsigned>(bench.random() % 11);
    lines.first = static_cast<uint32_t>(bench.random());
    lines.stride = static_cast<uint32_t>(bench.random());
    lines.count = 2 + static_cast<uint32_t>(bench.random() % 300);
    lines.step = 1 + static_cast<uint32_t>(bench.random() % (lines.count - 1));
    bench.Choose(lines.pattern, false, lines.footprint_lg2);
    bench.Run(Access::kRead, lines.first, lines.stride, lines.count, lines.step);
    EXPECT_EQ(bench.result.crc(), Crc32c(Predict(bench, lines, lines.count)));
  }
}

TEST(Client, AChaseFollowsThePointersInMemory) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(static_cast<unsigned>(seed * 15), seed);
    std::vector<uint32_t> ring(256);  // lines in a random order, each naming the next
    for (uint32_t i = 0; i < ring.size(); ++i) ring[i] = 11 + 17 * i;
    std::shuffle(ring.begin(), ring.end(), bench.random);
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < ring.size(); ++i) {
      const uint64_t next = 64 * uint64_t{ring[(i + 1) % ring.size()]};
      for (int b = 0; b < 8; ++b)
        bench.memory[64 * ring[i] + b] = static_cast<uint8_t>(next >> (8 * b));
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
      Bench bench(stall, 7 + stall);
      hw::TrafficLines lines;
      lines.pattern = pattern;
      lines.first = 9, lines.stride = 5, lines.count = 300, lines.step = 7;
      lines.footprint_lg2 = 12, lines.seed = bench.random();
      bench.Choose(pattern, true, lines.footprint_lg2);
      bench.Run(Access::kWrite, 9, 5, 300, 7, 0, lines.seed);
      EXPECT_EQ(bench.status.count(), 600u) << "writes and reads";
      EXPECT_EQ(bench.result.mismatches(), 0u);
      EXPECT_EQ(bench.result.crc(), Crc32c(Predict(bench, lines, 300)));
      hw::TrafficSequence sequence(lines);
      for (unsigned i = 0; i < 300; ++i) {
        const uint64_t at = sequence.Next();
        for (unsigned w = 0; w < 8; ++w)
          EXPECT_EQ(WordAt(bench, at + 8 * w), hw::AddressPattern(lines.seed, at + 8 * w));
      }
      // The same lines read again, with words spoilt: each is counted.
      hw::TrafficLines order = lines;
      sequence = hw::TrafficSequence(order);
      std::set<uint64_t> spoilt;
      for (unsigned i = 0; i < 40; ++i) {
        const uint64_t at = sequence.Next() + 8 * (bench.random() % 8);
        if (i % 8 == 3 && spoilt.insert(at).second)
          bench.memory[at + bench.random() % 8] ^= static_cast<uint8_t>(1 << bench.random() % 8);
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
  Bench bench(20, 5);
  bench.invalid = {2};
  bench.Choose(regs::Pattern::kOrder, true);
  bench.Run(Access::kWrite, 0, 1, 256, 1, 0, 99);
  EXPECT_TRUE(bench.status.fault());
  EXPECT_EQ(bench.status.count(), 128u);
  EXPECT_EQ(bench.result.mismatches(), 0u);
  EXPECT_EQ(bench.result.crc(), 0u) << "of nothing";
}

TEST(Client, AnEmptyRunEndsAtOnceWithTheChecksumOfNothing) {
  Bench bench(0, 1);
  EXPECT_LE(bench.Run(Access::kRead, 0, 1, 0, 0), 20u);
  EXPECT_EQ(bench.status.count(), 0u);
  EXPECT_EQ(bench.result.crc(), 0u);
}

}  // namespace
}  // namespace gmmu
