// SPDX-License-Identifier: Apache-2.0
// Drives the through-port as an AXI4 manager, and models its translation ports and memory, which
// respond with delays and out of order.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

#include "Vgmmu_client_bench.h"
#include "hw/gmmu_regs.h"
#include "probe/gpu_axi.h"
#include "tb/rtl/client/through_bursts.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu {

using regs::Access;
using regs::Fault;

constexpr unsigned kBeatBytes = sizeof(Vgmmu_client_bench::t_w_data_i);
constexpr unsigned kPages = 256, kHalf = kPages / 2;
constexpr uint64_t kVaBase = 0x7000'0000'0000;
constexpr unsigned kReadPort = 9;

using Burst = client::ThroughBurst;

struct Beat {
  uint8_t data[64] = {};
  uint64_t strobe = 0;
};

class ThroughMachine : public BlockBench<Vgmmu_client_bench> {
  using Ax = GMMU_STRUCT(gmmu_client_bench, through_ax_t);
  using R = GMMU_STRUCT(gmmu_client_bench, sub_r_t);
  using B = GMMU_STRUCT(gmmu_client_bench, sub_b_t);
  using Lookup = GMMU_STRUCT(gmmu_client_bench, xlate_req_t);
  using Translation = GMMU_STRUCT(gmmu_client_bench, xlate_rsp_t);
  using Done = GMMU_STRUCT(gmmu_client_bench, xlate_done_t);
  using ReadRequest = GMMU_STRUCT(gmmu_client_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_client_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_client_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_client_bench, wr_rsp_t);
  using Record = GMMU_STRUCT(gmmu_client_bench, fault_info_t);

 public:
  ThroughMachine(unsigned stall, uint64_t seed) : BlockBench(seed), memory(kPages * 4096), page_of(kPages) {
    manner = {stall, stall};
    for (auto& byte : memory) byte = static_cast<uint8_t>(rng());
    for (unsigned i = 0; i < kPages; ++i) page_of[i] = i;
    // Reads use the upper half of the pages, writes the lower; each half is shuffled separately.
    std::shuffle(page_of.begin(), page_of.begin() + kHalf, rng);
    std::shuffle(page_of.begin() + kHalf, page_of.end(), rng);
    expected = memory;
    Reset();
    t.enable_i = 1;
    for (int i = 0; i < 1000 && !t.t_idle_o; ++i) BlockBench::Step();
    EXPECT_TRUE(t.t_idle_o) << "idle after reset";
  }
  ~ThroughMachine() {
    for (const auto& finding : axi_.findings()) ADD_FAILURE() << finding.text;
  }

  std::vector<uint8_t> memory, expected;
  std::vector<unsigned> page_of;     // memory page behind each va page
  std::set<unsigned> invalid, zero;  // va pages
  std::set<uint64_t> broken;         // memory lines that respond with a bus error
  using BlockBench::Run;
  unsigned latency = 8;
  unsigned faults_expected = 0, faults_seen = 0;
  uint64_t lookups = 0;

  void Read(const Burst& burst) {
    reads_.push_back(burst);
    answers_.push_back(burst);
    CountFaults(burst);
  }
  /// Queues a write with random data and strobes. `full`: the strobes of all lanes of the burst are set.
  void Write(const Burst& burst, bool full = false) {
    writes_.push_back(burst);
    bool failed = !burst.legal();
    for (unsigned i = 0; i <= burst.len; ++i) {
      Beat beat;
      for (uint8_t& byte : beat.data) byte = static_cast<uint8_t>(rng());
      for (uint64_t va = burst.begin(i); va < burst.end(i) && burst.legal(); ++va) {
        if (!full && rng() % 5 == 0) continue;
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
  /// Steps until all queued reads and writes are complete. Returns the number of cycles.
  uint64_t Run() {
    const uint64_t begin = now;
    while (!(answers_.empty() && responses_.empty()) && now - begin < 2'000'000) Step();
    EXPECT_TRUE(answers_.empty()) << answers_.size() << " reads have no last R";
    EXPECT_TRUE(responses_.empty()) << responses_.size() << " writes have no B";
    const uint64_t end = now;
    Run(100);
    EXPECT_TRUE(t.t_idle_o);
    for (int h = 0; h < 2; ++h) {
      for (int e = 0; e < 2; ++e) EXPECT_EQ(given_[h][e], back_[h][e]) << "answers given back, half " << h;
    }
    EXPECT_EQ(faults_seen, faults_expected) << "faults logged";
    EXPECT_TRUE(memory == expected) << "memory after the writes";
    return end - begin;
  }

  /// Returns a random legal burst inside page `page` that starts at page offset `from` or later.
  Burst Draw(unsigned page, unsigned from) {
    Burst burst;
    burst.id = static_cast<unsigned>(rng() % 4);
    do burst.size = static_cast<unsigned>(rng() % 7);
    while ((1u << burst.size) > kBeatBytes);
    if (rng() % 2) burst.size = Log2(kBeatBytes);
    const unsigned at = from + static_cast<unsigned>(rng() % std::min(80u, 4096 - from));
    burst.va = kVaBase + page * 4096 + at;
    const unsigned fit = (4096 - (at & ~((1u << burst.size) - 1))) >> burst.size;
    burst.len = static_cast<unsigned>(rng() % std::min(fit, rng() % 3 ? 24u : 256u));
    burst.execute = rng() % 8 == 0;
    return burst;
  }
  static unsigned Log2(unsigned v) { return v > 1 ? 1 + Log2(v / 2) : 0; }

  void Step() override {
    OfferBursts();
    AnswerLookups();
    AnswerMemory();
    t.t_xq_ready_i = (Stall() ? 0 : 1) | (Stall() ? 0 : 2);
    t.t_fault_ready_i = (Stall() ? 0 : 1) | (Stall() ? 0 : 2);
    rd_.ar_ready = !Stall();
    wr_.aw_ready = !Stall();
    wr_.w_ready = !Stall();
    t.t_rd_rsp_i[0] = Pack(rd_), t.t_wr_rsp_i[1] = Pack(wr_);
    t.t_r_ready_i = !Stall();
    t.t_b_ready_i = !Stall();
    Settle();
    Watch();
    Sample();
    EndCycle();
  }

 private:
  static sim::AxiPort Port() {
    sim::AxiPort port = sim::GpuAxi::Through("t", kBeatBytes, 1'000'000);
    port.judges_addresses = false;  // The tests also send illegal bursts.
    return port;
  }
  void Watch() {
    using sim::AxiChecker;
    axi_.Begin(now, t.rst_i);
    const auto address = [](const Ax& a) { return AxiChecker::Ax{a.id, a.va, a.len, a.size, a.burst, a.execute}; };
    axi_.Ar(t.t_ar_valid_i, t.t_ar_ready_o, [&] { return address(Unpack<Ax>(t.t_ar_i)); });
    const auto r = Unpack<R>(t.t_r_o);
    axi_.Rd(t.t_r_valid_o, t.t_r_ready_i, [&] { return AxiChecker::R{r.id, &r.data, r.resp, r.last != 0}; });
    axi_.Aw(t.t_aw_valid_i, t.t_aw_ready_o, [&] { return address(Unpack<Ax>(t.t_aw_i)); });
    axi_.Wd(t.t_w_valid_i, t.t_w_ready_o, [&] { return AxiChecker::W{&t.t_w_data_i, t.t_w_strb_i, false}; });
    const auto b = Unpack<B>(t.t_b_o);
    axi_.Bd(t.t_b_valid_o, t.t_b_ready_i, [&] { return AxiChecker::B{b.id, b.resp}; });
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

  void OfferBursts() {
    if (!t.t_ar_valid_i && !reads_.empty() && !Stall()) {
      Burst burst = reads_.front();
      burst.space = 1;
      t.t_ar_valid_i = 1, t.t_ar_i = burst.Port<Ax>();
    }
    if (!t.t_aw_valid_i && !writes_.empty() && !Stall()) {
      Burst burst = writes_.front();
      burst.space = 1, burst.execute = false;
      t.t_aw_valid_i = 1, t.t_aw_i = burst.Port<Ax>();
    }
    if (!t.t_w_valid_i && !beats_.empty() && !Stall()) {
      t.t_w_valid_i = 1;
      std::memcpy(&t.t_w_data_i, beats_.front().data, kBeatBytes);
      t.t_w_strb_i = beats_.front().strobe;
    }
  }
  void AnswerLookups() {
    for (int h = 0; h < 2; ++h) {
      auto& waiting = lookups_[h];
      if (!offered_[h] && !waiting.empty() && !Stall()) {
        offered_[h] = true;
        std::swap(waiting[0], waiting[manner.stall_percent != 0 ? rng() % waiting.size() : 0]);
        const uint64_t va = waiting[0].second;
        const unsigned page = PageOf(va);
        Translation translation{};
        translation.tag = static_cast<uint8_t>(waiting[0].first), translation.coherent = 1;
        translation.generation = generation_[h] = rng() % 2;
        translation.gpa.target = static_cast<uint8_t>(regs::Target::kVram), translation.gpa.offset = Memory(va);
        translation.zero = zero.count(page) != 0;
        translation.fault = invalid.count(page) ? static_cast<uint8_t>(Fault::kEntryInvalid) : uint8_t{0};
        t.t_xs_i[h] = Pack(translation);
        t.t_xs_valid_i |= 1 << h;
      }
    }
  }
  void AnswerMemory() {
    rd_.r_valid = wr_.b_valid = 0;
    if (!fetches_.empty() && !Stall()) {
      const size_t pick = manner.stall_percent != 0 ? rng() % fetches_.size() : 0;
      Memory1& r = fetches_[pick];
      if (r.due <= now) {
        const uint64_t row = (r.address & ~uint64_t{kBeatBytes - 1}) + uint64_t{kBeatBytes} * r.beat;
        std::memcpy(&rd_.r.data, &memory[row], kBeatBytes);
        rd_.r_valid = 1, rd_.r.id = r.id, rd_.r.last = r.beat == r.len;
        rd_.r.error = broken.count(row / 64) != 0 && (r.beat == r.len || rng() % 2);
        if (r.beat++ == r.len) fetches_.erase(fetches_.begin() + static_cast<long>(pick));
      }
    }
    if (!written_.empty() && !Stall()) {
      const size_t pick = manner.stall_percent != 0 ? rng() % written_.size() : 0;
      if (written_[pick].due <= now) {
        wr_.b_valid = 1, wr_.b.id = written_[pick].id;
        wr_.b.error = broken.count(written_[pick].address / 64) != 0;
        written_.erase(written_.begin() + static_cast<long>(pick));
      }
    }
  }

  void Sample() {
    const bool reading = answers_.size() > reads_.size(), writing = responses_.size() > writes_.size();
    if (reading || writing) EXPECT_FALSE(t.t_idle_o) << "a burst is under way";
    if (t.t_ar_valid_i && t.t_ar_ready_o) reads_.pop_front(), clear_ar_ = true;
    if (t.t_aw_valid_i && t.t_aw_ready_o) writes_.pop_front(), clear_aw_ = true;
    if (t.t_w_valid_i && t.t_w_ready_o) beats_.pop_front(), clear_w_ = true;
    for (int h = 0; h < 2; ++h) {
      const auto done = Unpack<Done>(t.t_done_o[h]);
      back_[h][0] += done.old0, back_[h][1] += done.old1;
      if (t.t_xq_valid_o >> h & t.t_xq_ready_i >> h & 1) {
        ++lookups;
        const auto lookup = Unpack<Lookup>(t.t_xq_o[h]);
        lookups_[h].push_back({lookup.tag, lookup.va});
        EXPECT_EQ(lookup.access == static_cast<unsigned>(Access::kWrite), h == 1);
      }
      if (t.t_xs_valid_i >> h & t.t_xs_ready_o >> h & 1) {
        ++given_[h][generation_[h]];
        lookups_[h].pop_front();
        offered_[h] = false;
        clear_xs_ |= 1 << h;
      }
      if (t.t_fault_valid_o >> h & t.t_fault_ready_i >> h & 1) {
        ++faults_seen;
        const auto record = Unpack<Record>(t.t_fault_o[h]);
        EXPECT_EQ(record.port, kReadPort + static_cast<unsigned>(h));
        EXPECT_TRUE(Fails(record.address)) << std::hex << record.address;
      }
    }
    const auto rd = Unpack<ReadRequest>(t.t_rd_req_o[0]);
    const auto wr = Unpack<WriteRequest>(t.t_wr_req_o[1]);
    if (rd.ar_valid && rd_.ar_ready) fetches_.push_back({rd.ar.id, rd.ar.addr, rd.ar.len, 0, now + latency});
    if (wr.aw_valid && wr_.aw_ready) stores_.push_back({wr.aw.id, wr.aw.addr, wr.aw.len, 0, 0});
    if (wr.w_valid && wr_.w_ready) {
      stored_.emplace_back();
      std::memcpy(stored_.back().first.data, &wr.w.data, kBeatBytes);
      stored_.back().first.strobe = wr.w.strb;
      stored_.back().second = wr.w.last != 0;
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
      w.due = now + latency;
      written_.push_back(w);
      stores_.pop_front();
    }
  }
  void TakeR() {
    const auto r = Unpack<R>(t.t_r_o);
    if (!r_stands_.Look(t.t_r_valid_o, t.t_r_ready_i, r.id)) return;
    ASSERT_FALSE(answers_.empty()) << "R that nobody asked for";
    const Burst& b = answers_.front();
    const uint64_t va = b.begin(beat_);
    EXPECT_EQ(r.id, b.id);
    const bool fails = !b.legal() || Fails(va);
    EXPECT_EQ(r.resp, fails ? 2u : 0u) << std::hex << va;
    EXPECT_EQ(r.last, beat_ == b.len);
    uint8_t data[kBeatBytes];
    std::memcpy(data, &r.data, kBeatBytes);
    for (uint64_t at = va; at < b.end(beat_) && !fails; ++at) {
      const unsigned want = zero.count(PageOf(at)) ? 0 : memory[Memory(at)];
      EXPECT_EQ(data[at % kBeatBytes], want) << std::hex << at;
    }
    if (beat_++ == b.len) answers_.pop_front(), beat_ = 0;
  }
  void TakeB() {
    if (!t.t_b_valid_o || !t.t_b_ready_i) return;
    ASSERT_FALSE(responses_.empty()) << "B that nobody asked for";
    const auto b = Unpack<B>(t.t_b_o);
    EXPECT_EQ(b.id, responses_.front().first);
    EXPECT_EQ(b.resp, responses_.front().second ? 2u : 0u);
    responses_.pop_front();
  }

  /// Makes the clock edge, then clears the valid of each accepted offer.
  void EndCycle() {
    Edge();
    if (clear_ar_) t.t_ar_valid_i = 0;
    if (clear_aw_) t.t_aw_valid_i = 0;
    if (clear_w_) t.t_w_valid_i = 0;
    t.t_xs_valid_i &= static_cast<uint8_t>(~clear_xs_);
    clear_ar_ = clear_aw_ = clear_w_ = false, clear_xs_ = 0;
  }

  ReadResponse rd_{};
  WriteResponse wr_{};
  sim::AxiChecker axi_{Port()};
  std::deque<Burst> reads_, writes_, answers_;
  std::deque<Beat> beats_;
  std::deque<std::pair<unsigned, bool>> responses_;
  std::deque<std::pair<unsigned, uint64_t>> lookups_[2];
  std::vector<Memory1> fetches_, written_;
  std::deque<Memory1> stores_;
  std::deque<std::pair<Beat, bool>> stored_;
  uint64_t given_[2][2] = {}, back_[2][2] = {};
  bool offered_[2] = {}, clear_ar_ = false, clear_aw_ = false, clear_w_ = false;
  Standing<unsigned> r_stands_{"R"};
  unsigned clear_xs_ = 0, beat_ = 0, generation_[2] = {};
};

}  // namespace gmmu
