// SPDX-License-Identifier: Apache-2.0
// One client against a translation port and a bus that answer late and out of order. Watches above
// all that every translation answer is given back exactly once, and not before its access has
// ended.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "Vgmmu_client_bench.h"
#include "hw/gmmu_regs.h"
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
  uint64_t cycles = 0;

  /// Runs to the end. Returns the cycles it took.
  uint64_t Run(Access access, uint32_t first, uint32_t stride, uint32_t count, uint32_t step,
               unsigned depth = 0, uint64_t seed = 0) {
    auto& t = *top_;
    t.access_i = static_cast<unsigned>(access), t.depth_i = depth, t.first_i = first,
    t.stride_i = stride, t.count_i = count, t.step_i = step, t.seed_i = seed;
    t.start_i = 1;
    Tick();
    t.start_i = 0;
    const uint64_t begin = cycles;
    while (!t.done_o && cycles - begin < 400000) Tick();
    EXPECT_TRUE(t.done_o) << "the run ends";
    const uint64_t end = cycles;
    for (int i = 0; i < 50; ++i) Tick();
    EXPECT_FALSE(t.busy_o);
    EXPECT_TRUE(t.idle_o);
    for (int e = 0; e < 2; ++e)
      EXPECT_EQ(given_[e], back_[e]) << "answers given back, generation " << e;
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
      epoch_ = random() % 2;
    }
    t.xlate_rsp_valid_i = x_offer_;
    if (x_offer_) {
      const auto [tag, va] = lookups_.front();
      t.xlate_rsp_tag_i = tag, t.xlate_rsp_epoch_i = epoch_,
      t.xlate_rsp_target_i = static_cast<unsigned>(Target::kVram);
      t.xlate_rsp_offset_i = va, t.xlate_rsp_zero_i = zero.count(va >> 12),
      t.xlate_rsp_fault_i = invalid.count(va >> 12) ? 4 : 0;
    }
    t.r_valid_i = t.b_valid_i = 0;
    if (!reads_.empty() && !Stall()) {
      const size_t pick = interleave ? random() % reads_.size() : 0;
      Read& r = reads_[pick];
      if (r.due <= cycles) {
        uint64_t data = 0;
        for (int i = 7; i >= 0; --i) data = data << 8 | memory[r.address + 8 * r.beat + i];
        t.r_valid_i = 1, t.r_id_i = r.id, t.r_data_i = data,
        t.r_error_i = broken.count(r.address / 64), t.r_last_i = r.beat == r.len;
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
      ++given_[epoch_];
      epoch_of_[t.xlate_rsp_tag_i] = epoch_;
      if (t.xlate_rsp_zero_i || t.xlate_rsp_fault_i || t.xlate_rsp_offset_i >= memory.size())
        End(t.xlate_rsp_tag_i);
      lookups_.pop_front();
    }
    if (t.ar_valid_o && t.ar_ready_i)
      reads_.push_back({t.ar_id_o, t.ar_addr_o, t.ar_len_o, 0, cycles + latency});
    if (t.aw_valid_o && t.aw_ready_i) writes_.push_back({t.aw_id_o, t.aw_addr_o, t.aw_len_o, 0, 0});
    if (t.w_valid_o && t.w_ready_i) beats_.push_back({t.w_data_o, t.w_strb_o, t.w_last_o != 0});
    while (!writes_.empty() && !beats_.empty()) {
      Read& w = writes_.front();
      for (unsigned i = 0; i < 8; ++i) {
        if (beats_.front().strobe >> i & 1)
          memory[w.address + 8 * w.beat + i] = static_cast<uint8_t>(beats_.front().data >> (8 * i));
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
  struct Read {
    unsigned id;
    uint64_t address;
    unsigned len, beat;
    uint64_t due;
  };
  struct Beat {
    uint64_t data;
    unsigned strobe;
    bool last;
  };
  void End(unsigned id) {
    ++ended_[epoch_of_[id]];
    --in_flight_;
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
  std::vector<Read> reads_, written_;
  std::deque<Read> writes_;
  std::deque<Beat> beats_;
  std::map<unsigned, unsigned> epoch_of_;
  bool x_offer_ = false;
  unsigned epoch_ = 0, in_flight_ = 0;
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
    EXPECT_EQ(bench.top().count_o, 900u);
    EXPECT_EQ(bench.top().crc_o, Crc32c(Lines(bench.memory, 2, 3, 900, 7, 900)));
    bench.Run(Access::kExecute, 0, 1, 300, 299);
    EXPECT_EQ(bench.top().crc_o, Crc32c(Lines(bench.memory, 0, 1, 300, 299, 300)));
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
    EXPECT_EQ(bench.top().crc_o, Crc32c(pattern));
  }
}

TEST(Client, TheFirstFaultInAccessOrderEndsTheRunAndIsTheOnlyOneLogged) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Bench bench(25, seed);
    bench.invalid = {3, 4};
    bench.broken = {70};
    bench.Run(Access::kRead, 0, 1, 1024, 1);
    EXPECT_TRUE(bench.top().run_fault_o);
    EXPECT_EQ(bench.top().count_o, 70u);
    EXPECT_EQ(bench.top().fault_va_o, 70u * 64);
    EXPECT_EQ(bench.top().crc_o, Crc32c(Lines(bench.memory, 0, 1, 1024, 1, 70)));
    ASSERT_EQ(bench.faults.size(), 1u);
    EXPECT_EQ(bench.faults[0].second, static_cast<unsigned>(Fault::kBusRead));
    bench.broken.clear();
    bench.Run(Access::kRead, 0, 1, 1024, 1);
    EXPECT_EQ(bench.top().count_o, 192u);
    EXPECT_EQ(bench.faults.back().first, 0x3000u);
    bench.broken = {9};
    bench.Run(Access::kWrite, 0, 1, 64, 1);
    EXPECT_EQ(bench.faults.back().second, static_cast<unsigned>(Fault::kBusWrite));
    EXPECT_EQ(bench.top().count_o, 9u);
  }
}

TEST(Client, ZeroPagesGoNowhere) {
  Bench bench(20, 1);
  bench.zero = {1};
  const auto before = bench.memory;
  bench.Run(Access::kWrite, 64, 1, 64, 1);
  EXPECT_EQ(bench.memory, before);
  bench.Run(Access::kRead, 64, 1, 64, 1);
  EXPECT_EQ(bench.top().crc_o, Crc32c(std::vector<uint8_t>(4096)));
}

TEST(Client, VramPastTheEndIsAFault) {
  Bench bench(0, 1);
  bench.Run(Access::kRead, (1 << 20) / 64 - 2, 1, 8, 1);
  EXPECT_EQ(bench.top().count_o, 2u);
  EXPECT_EQ(bench.faults.back().second, static_cast<unsigned>(Fault::kVramRange));
}

TEST(Client, DepthLimitsAccessesInFlight) {
  for (unsigned depth : {1u, 3u, 16u, 64u}) {
    Bench bench(0, 1);
    bench.latency = 100;
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

TEST(Client, AnEmptyRunEndsAtOnceWithTheChecksumOfNothing) {
  Bench bench(0, 1);
  EXPECT_LE(bench.Run(Access::kRead, 0, 1, 0, 0), 20u);
  EXPECT_EQ(bench.top().count_o, 0u);
  EXPECT_EQ(bench.top().crc_o, 0u);
}

}  // namespace
}  // namespace gmmu
