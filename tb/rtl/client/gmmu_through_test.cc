// SPDX-License-Identifier: Apache-2.0
// The through-port between an AXI4 master and a translation port and memory that answer late and
// out of order, compared with a plain model: every byte read and written, every response, every
// logged fault, every translation given back.
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
#include "probe/gpu_axi.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu {
namespace {

using regs::Access;
using regs::Fault;

constexpr unsigned kBeatBytes = sizeof(Vgmmu_client_bench::t_mr_data_i);
constexpr unsigned kPages = 256, kHalf = kPages / 2;
constexpr uint64_t kVaBase = 0x7000'0000'0000;
constexpr unsigned kReadPort = 9;

struct Burst {
  unsigned id = 0;
  uint64_t va = 0;
  unsigned len = 0, size = 0, burst = 1;
  bool execute = false;

  bool legal() const { return burst == 1 && (1u << size) <= kBeatBytes; }
  /// First and one past the last byte that beat `i` may carry.
  uint64_t begin(unsigned i) const {
    return i == 0 ? va : (va & ~((uint64_t{1} << size) - 1)) + (uint64_t{i} << size);
  }
  uint64_t end(unsigned i) const {
    return (va & ~((uint64_t{1} << size) - 1)) + (uint64_t{i + 1} << size);
  }
};

struct Beat {
  uint8_t data[64] = {};
  uint64_t strobe = 0;
};

class Bench {
 public:
  Bench(unsigned stall, uint64_t seed)
      : random(seed),
        memory(kPages * 4096),
        page_of(kPages),
        stall_(stall),
        top_(std::make_unique<Vgmmu_client_bench>(&context_)) {
    for (auto& byte : memory) byte = static_cast<uint8_t>(random());
    for (unsigned i = 0; i < kPages; ++i) page_of[i] = i;
    // Reads use the upper half of the pages, writes the lower: each half is shuffled by itself.
    std::shuffle(page_of.begin(), page_of.begin() + kHalf, random);
    std::shuffle(page_of.begin() + kHalf, page_of.end(), random);
    expected = memory;
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Edge();
    top_->rst_i = 0;
    top_->enable_i = 1;
    for (int i = 0; i < 1000 && !top_->t_idle_o; ++i) Edge();
    EXPECT_TRUE(top_->t_idle_o) << "idle after reset";
  }
  ~Bench() {
    for (const auto& finding : axi_.findings()) ADD_FAILURE() << finding.text;
    top_->final();
  }

  std::mt19937_64 random;
  std::vector<uint8_t> memory, expected;
  std::vector<unsigned> page_of;     // va page to memory page
  std::set<unsigned> invalid, zero;  // va pages
  std::set<uint64_t> broken;         // memory lines whose bus answer is an error
  unsigned latency = 8;
  uint64_t cycles = 0;
  unsigned faults_expected = 0, faults_seen = 0;
  uint64_t lookups = 0;

  void Read(const Burst& burst) {
    reads_.push_back(burst);
    answers_.push_back(burst);
    CountFaults(burst);
  }
  /// Data and strobes drawn at random; `full`: all lanes of the burst.
  void Write(const Burst& burst, bool full = false) {
    writes_.push_back(burst);
    bool failed = !burst.legal();
    for (unsigned i = 0; i <= burst.len; ++i) {
      Beat beat;
      for (uint8_t& byte : beat.data) byte = static_cast<uint8_t>(random());
      for (uint64_t va = burst.begin(i); va < burst.end(i) && burst.legal(); ++va) {
        if (!full && random() % 5 == 0) continue;
        beat.strobe |= uint64_t{1} << va % kBeatBytes;
        const unsigned page = PageOf(va);
        if (invalid.count(page) || zero.count(page)) continue;
        expected[Memory(va)] = beat.data[va % kBeatBytes];
      }
      if (burst.legal()) failed |= Fails(burst.begin(i));
      beats_.push_back(beat);
    }
    responses_.push_back({burst.id, failed});
    CountFaults(burst);
  }
  /// Until everything is answered.
  uint64_t Run() {
    const uint64_t begin = cycles;
    while (!(answers_.empty() && responses_.empty()) && cycles - begin < 2'000'000) Tick();
    EXPECT_TRUE(answers_.empty()) << answers_.size() << " reads have no last R";
    EXPECT_TRUE(responses_.empty()) << responses_.size() << " writes have no B";
    const uint64_t end = cycles;
    for (int i = 0; i < 100; ++i) Tick();
    EXPECT_TRUE(top_->t_idle_o);
    for (int h = 0; h < 2; ++h) {
      for (int e = 0; e < 2; ++e)
        EXPECT_EQ(given_[h][e], back_[h][e]) << "answers given back, half " << h;
    }
    EXPECT_EQ(faults_seen, faults_expected) << "faults logged";
    EXPECT_TRUE(memory == expected) << "memory after the writes";
    return end - begin;
  }

  /// A legal burst inside one page, first byte at `from` of it or later.
  Burst Draw(unsigned page, unsigned from) {
    Burst burst;
    burst.id = static_cast<unsigned>(random() % 4);
    do burst.size = static_cast<unsigned>(random() % 7);
    while ((1u << burst.size) > kBeatBytes);
    if (random() % 2) burst.size = Log2(kBeatBytes);
    const unsigned at = from + static_cast<unsigned>(random() % std::min(80u, 4096 - from));
    burst.va = kVaBase + page * 4096 + at;
    const unsigned fit = (4096 - (at & ~((1u << burst.size) - 1))) >> burst.size;
    burst.len = static_cast<unsigned>(random() % std::min(fit, random() % 3 ? 24u : 256u));
    burst.execute = random() % 8 == 0;
    return burst;
  }
  static unsigned Log2(unsigned v) { return v > 1 ? 1 + Log2(v / 2) : 0; }

  void Tick() {
    auto& t = *top_;
    Offer();
    AnswerLookups();
    AnswerMemory();
    t.t_xq_ready_i = (Stall() ? 0 : 1) | (Stall() ? 0 : 2);
    t.t_fault_ready_i = (Stall() ? 0 : 1) | (Stall() ? 0 : 2);
    t.t_mar_ready_i = !Stall();
    t.t_maw_ready_i = !Stall();
    t.t_mw_ready_i = !Stall();
    t.t_r_ready_i = !Stall();
    t.t_b_ready_i = !Stall();
    t.clk_i = 0;
    t.eval();
    Watch();
    Sample();
    Edge();
    ++cycles;
  }

 private:
  static sim::AxiPort Port() {
    sim::AxiPort port = sim::GpuAxi::Through("t", kBeatBytes, 1'000'000);
    port.judges_addresses = false;  // bursts that the port refuses are sent on purpose
    return port;
  }
  void Watch() {
    auto& t = *top_;
    using sim::AxiChecker;
    axi_.Begin(cycles, t.rst_i);
    axi_.Ar(t.t_ar_valid_i, t.t_ar_ready_o, [&] {
      return AxiChecker::Ax{t.t_ar_id_i,   t.t_ar_va_i,    t.t_ar_len_i,
                            t.t_ar_size_i, t.t_ar_burst_i, t.t_ar_execute_i};
    });
    axi_.Rd(t.t_r_valid_o, t.t_r_ready_i, [&] {
      return AxiChecker::R{t.t_r_id_o, &t.t_r_data_o, t.t_r_resp_o, t.t_r_last_o != 0};
    });
    axi_.Aw(t.t_aw_valid_i, t.t_aw_ready_o, [&] {
      return AxiChecker::Ax{t.t_aw_id_i, t.t_aw_va_i, t.t_aw_len_i, t.t_aw_size_i, t.t_aw_burst_i,
                            0};
    });
    axi_.Wd(t.t_w_valid_i, t.t_w_ready_o,
            [&] { return AxiChecker::W{&t.t_w_data_i, t.t_w_strb_i, false}; });
    axi_.Bd(t.t_b_valid_o, t.t_b_ready_i,
            [&] { return AxiChecker::B{t.t_b_id_o, t.t_b_resp_o}; });
    axi_.End();
  }

  struct Memory1 {
    unsigned id;
    uint64_t address;
    unsigned len, beat;
    uint64_t due;
  };
  unsigned PageOf(uint64_t va) const { return static_cast<unsigned>((va - kVaBase) >> 12); }
  uint64_t Memory(uint64_t va) const { return page_of[PageOf(va)] * uint64_t{4096} + va % 4096; }
  bool Fails(uint64_t va) const {
    const unsigned page = PageOf(va);
    if (invalid.count(page)) return true;
    return !zero.count(page) && broken.count(Memory(va) / 64) != 0;
  }
  void CountFaults(const Burst& burst) {
    if (!burst.legal()) return;
    for (uint64_t line = burst.va / 64; line * 64 < burst.end(burst.len); ++line)
      faults_expected += Fails(std::max(line * 64, burst.va));
  }

  void Offer() {
    auto& t = *top_;
    if (!t.t_ar_valid_i && !reads_.empty() && !Stall()) {
      const Burst& b = reads_.front();
      t.t_ar_valid_i = 1, t.t_ar_id_i = b.id, t.t_ar_va_i = b.va, t.t_ar_len_i = b.len,
      t.t_ar_size_i = b.size, t.t_ar_burst_i = b.burst, t.t_ar_execute_i = b.execute;
    }
    if (!t.t_aw_valid_i && !writes_.empty() && !Stall()) {
      const Burst& b = writes_.front();
      t.t_aw_valid_i = 1, t.t_aw_id_i = b.id, t.t_aw_va_i = b.va, t.t_aw_len_i = b.len,
      t.t_aw_size_i = b.size, t.t_aw_burst_i = b.burst;
    }
    if (!t.t_w_valid_i && !beats_.empty() && !Stall()) {
      t.t_w_valid_i = 1;
      std::memcpy(&t.t_w_data_i, beats_.front().data, kBeatBytes);
      t.t_w_strb_i = beats_.front().strobe;
    }
  }
  void AnswerLookups() {
    auto& t = *top_;
    for (int h = 0; h < 2; ++h) {
      auto& waiting = lookups_[h];
      if (!offered_[h] && !waiting.empty() && !Stall()) {
        offered_[h] = true;
        std::swap(waiting[0], waiting[stall_ != 0 ? random() % waiting.size() : 0]);
        const uint64_t va = waiting[0].second;
        const unsigned page = PageOf(va);
        t.t_xs_tag_i[h] = static_cast<uint8_t>(waiting[0].first);
        t.t_xs_generation_i[h] = random() % 2;
        t.t_xs_offset_i[h] = Memory(va);
        t.t_xs_zero_i[h] = zero.count(page) != 0;
        t.t_xs_fault_i[h] =
            invalid.count(page) ? static_cast<uint8_t>(Fault::kEntryInvalid) : uint8_t{0};
        t.t_xs_valid_i |= 1 << h;
      }
    }
  }
  void AnswerMemory() {
    auto& t = *top_;
    t.t_mr_valid_i = t.t_mb_valid_i = 0;
    if (!fetches_.empty() && !Stall()) {
      const size_t pick = stall_ != 0 ? random() % fetches_.size() : 0;
      Memory1& r = fetches_[pick];
      if (r.due <= cycles) {
        const uint64_t row =
            (r.address & ~uint64_t{kBeatBytes - 1}) + uint64_t{kBeatBytes} * r.beat;
        std::memcpy(&t.t_mr_data_i, &memory[row], kBeatBytes);
        t.t_mr_valid_i = 1, t.t_mr_id_i = r.id, t.t_mr_last_i = r.beat == r.len;
        t.t_mr_error_i = broken.count(row / 64) != 0 && (r.beat == r.len || random() % 2);
        if (r.beat++ == r.len) fetches_.erase(fetches_.begin() + static_cast<long>(pick));
      }
    }
    if (!written_.empty() && !Stall()) {
      const size_t pick = stall_ != 0 ? random() % written_.size() : 0;
      if (written_[pick].due <= cycles) {
        t.t_mb_valid_i = 1, t.t_mb_id_i = written_[pick].id;
        t.t_mb_error_i = broken.count(written_[pick].address / 64) != 0;
        written_.erase(written_.begin() + static_cast<long>(pick));
      }
    }
  }

  void Sample() {
    auto& t = *top_;
    if (t.t_ar_valid_i && t.t_ar_ready_o) reads_.pop_front(), clear_ar_ = true;
    if (t.t_aw_valid_i && t.t_aw_ready_o) writes_.pop_front(), clear_aw_ = true;
    if (t.t_w_valid_i && t.t_w_ready_o) beats_.pop_front(), clear_w_ = true;
    for (int h = 0; h < 2; ++h) {
      back_[h][0] += t.t_done0_o[h], back_[h][1] += t.t_done1_o[h];
      if (t.t_xq_valid_o >> h & t.t_xq_ready_i >> h & 1) {
        ++lookups;
        lookups_[h].push_back({t.t_xq_tag_o[h], t.t_xq_va_o[h]});
        EXPECT_EQ(t.t_xq_access_o[h] == static_cast<unsigned>(Access::kWrite), h == 1);
      }
      if (t.t_xs_valid_i >> h & t.t_xs_ready_o >> h & 1) {
        ++given_[h][t.t_xs_generation_i[h]];
        lookups_[h].pop_front();
        offered_[h] = false;
        clear_xs_ |= 1 << h;
      }
      if (t.t_fault_valid_o >> h & t.t_fault_ready_i >> h & 1) {
        ++faults_seen;
        EXPECT_EQ(t.t_fault_port_o[h], kReadPort + static_cast<unsigned>(h));
        EXPECT_TRUE(Fails(t.t_fault_address_o[h])) << std::hex << t.t_fault_address_o[h];
      }
    }
    if (t.t_mar_valid_o && t.t_mar_ready_i)
      fetches_.push_back({t.t_mar_id_o, t.t_mar_addr_o, t.t_mar_len_o, 0, cycles + latency});
    if (t.t_maw_valid_o && t.t_maw_ready_i)
      stores_.push_back({t.t_maw_id_o, t.t_maw_addr_o, t.t_maw_len_o, 0, 0});
    if (t.t_mw_valid_o && t.t_mw_ready_i) {
      stored_.emplace_back();
      std::memcpy(stored_.back().first.data, &t.t_mw_data_o, kBeatBytes);
      stored_.back().first.strobe = t.t_mw_strb_o;
      stored_.back().second = t.t_mw_last_o != 0;
    }
    while (!stores_.empty() && !stored_.empty()) Store();
    TakeR();
    TakeB();
  }
  void Store() {
    Memory1& w = stores_.front();
    const auto& [beat, last] = stored_.front();
    const uint64_t row = (w.address & ~uint64_t{kBeatBytes - 1}) + uint64_t{kBeatBytes} * w.beat;
    for (unsigned i = 0; i < kBeatBytes; ++i) {
      if (beat.strobe >> i & 1) memory[row + i] = beat.data[i];
    }
    EXPECT_EQ(last, w.beat == w.len);
    stored_.pop_front();
    if (w.beat++ == w.len) {
      w.due = cycles + latency;
      written_.push_back(w);
      stores_.pop_front();
    }
  }
  void TakeR() {
    auto& t = *top_;
    if (held_r_) EXPECT_TRUE(t.t_r_valid_o && t.t_r_id_o == held_id_) << "an offer of R stands";
    held_r_ = t.t_r_valid_o && !t.t_r_ready_i, held_id_ = t.t_r_id_o;
    if (!t.t_r_valid_o || !t.t_r_ready_i) return;
    ASSERT_FALSE(answers_.empty()) << "R that nobody asked for";
    const Burst& b = answers_.front();
    const uint64_t va = b.begin(beat_);
    EXPECT_EQ(t.t_r_id_o, b.id);
    const bool fails = !b.legal() || Fails(va);
    EXPECT_EQ(t.t_r_resp_o, fails ? 2u : 0u) << std::hex << va;
    EXPECT_EQ(t.t_r_last_o, beat_ == b.len);
    uint8_t data[kBeatBytes];
    std::memcpy(data, &t.t_r_data_o, kBeatBytes);
    for (uint64_t at = va; at < b.end(beat_) && !fails; ++at) {
      const unsigned want = zero.count(PageOf(at)) ? 0 : memory[Memory(at)];
      EXPECT_EQ(data[at % kBeatBytes], want) << std::hex << at;
    }
    if (beat_++ == b.len) answers_.pop_front(), beat_ = 0;
  }
  void TakeB() {
    auto& t = *top_;
    if (!t.t_b_valid_o || !t.t_b_ready_i) return;
    ASSERT_FALSE(responses_.empty()) << "B that nobody asked for";
    EXPECT_EQ(t.t_b_id_o, responses_.front().first);
    EXPECT_EQ(t.t_b_resp_o, responses_.front().second ? 2u : 0u);
    responses_.pop_front();
  }

  bool Stall() { return random() % 100 < stall_; }
  void Edge() {
    auto& t = *top_;
    t.clk_i = 0;
    t.eval();
    t.clk_i = 1;
    t.eval();
    if (clear_ar_) t.t_ar_valid_i = 0;
    if (clear_aw_) t.t_aw_valid_i = 0;
    if (clear_w_) t.t_w_valid_i = 0;
    t.t_xs_valid_i &= static_cast<uint8_t>(~clear_xs_);
    clear_ar_ = clear_aw_ = clear_w_ = false, clear_xs_ = 0;
  }

  const unsigned stall_;
  VerilatedContext context_;
  std::unique_ptr<Vgmmu_client_bench> top_;
  sim::AxiChecker axi_{Port()};
  Coverage coverage_{context_};
  std::deque<Burst> reads_, writes_, answers_;
  std::deque<Beat> beats_;
  std::deque<std::pair<unsigned, bool>> responses_;
  std::deque<std::pair<unsigned, uint64_t>> lookups_[2];
  std::vector<Memory1> fetches_, written_;
  std::deque<Memory1> stores_;
  std::deque<std::pair<Beat, bool>> stored_;
  uint64_t given_[2][2] = {}, back_[2][2] = {};
  bool offered_[2] = {}, clear_ar_ = false, clear_aw_ = false, clear_w_ = false, held_r_ = false;
  unsigned clear_xs_ = 0, beat_ = 0, held_id_ = 0;
};

/// Bursts over all pages: reads of the upper half, writes of the lower, each byte written once.
void Fill(Bench& bench, bool illegal) {
  for (unsigned page = kHalf; page < kPages; ++page) {
    for (int i = 0; i < 3; ++i) {
      Burst burst = bench.Draw(page, static_cast<unsigned>(bench.random() % 4096));
      if (illegal && bench.random() % 10 == 0) {
        burst.burst = bench.random() % 2 ? 0 : 2;
        burst.len &= 15;
      }
      bench.Read(burst);
    }
  }
  for (unsigned page = 0; page < kHalf; ++page) {
    for (unsigned from = 0; from < 4000;) {
      Burst burst = bench.Draw(page, from);
      const unsigned end = static_cast<unsigned>(burst.end(burst.len) - kVaBase - page * 4096);
      if (illegal && bench.random() % 10 == 0) {
        burst.burst = bench.random() % 2 ? 0 : 2;
        burst.len &= 15;
      }
      bench.Write(burst);
      from = end + (bench.random() % 2 ? 0 : 700);
    }
  }
}

TEST(ThroughPort, RandomBurstsMeetTheModel) {
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    const unsigned stall = static_cast<unsigned>(seed % 3) * 30;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", stall " << stall << " %");
    Bench bench(stall, seed);
    bench.latency = 1 + static_cast<unsigned>(bench.random() % 60);
    Fill(bench, false);
    bench.Run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ThroughPort, FaultsAnswerSlvErrLineByLineAndAreLogged) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const unsigned stall = static_cast<unsigned>(seed % 3) * 25;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", stall " << stall << " %");
    Bench bench(stall, 100 + seed);
    for (unsigned page = 0; page < kPages; ++page) {
      const unsigned kind = static_cast<unsigned>(bench.random() % 10);
      if (kind == 0) bench.invalid.insert(page);
      if (kind == 1) bench.zero.insert(page);
    }
    for (int i = 0; i < 300; ++i) bench.broken.insert(bench.random() % (kPages * 64));
    Fill(bench, true);
    EXPECT_GT(bench.faults_expected, 100u);
    bench.Run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ThroughPort, BurstsThatAreNotIncrAccessNothing) {
  Bench bench(20, 5);
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

TEST(ThroughPort, LongBurstsFillTheBus) {
  Bench bench(0, 1);
  bench.latency = 50;
  Burst burst;
  burst.size = Bench::Log2(kBeatBytes);
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
