// SPDX-License-Identifier: Apache-2.0
// Drives the mux between requesters and memories that respond at random times. Each beat carries
// its burst's number, so every lost, duplicated or swapped beat is detected.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "Vgmmu_axi_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu {

constexpr unsigned kRequesters = 4;
constexpr unsigned kVram = 0, kHost = 1, kPeer = 2;  // burst targets; kPeer uses the host port
constexpr unsigned kExempt = 1;                      // the requester that hold_i does not affect

struct Burst {
  unsigned requester = 0, id = 0, len = 0, beat = 0;
  unsigned port = 0;  // kVram, kHost, kPeer
  uint64_t address = 0;
};

inline uint64_t Word(const Burst& b, unsigned beat) { return b.address << 8 | beat; }

class MuxMachine : public BlockBench<Vgmmu_axi_bench> {
 public:
  using ReadRequest = GMMU_STRUCT(gmmu_axi_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_axi_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_axi_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_axi_bench, wr_rsp_t);
  using Ax = GMMU_STRUCT(gmmu_axi_bench, ax_t);
  using EdgeAx = GMMU_STRUCT(gmmu_axi_bench, edge_ax_t);

  MuxMachine(unsigned stall, uint64_t seed) : BlockBench(seed) {
    manner = {stall, stall};
    t.host_enable_i = 1;
    Reset();
    EXPECT_FALSE(t.silent_o) << "without hold_i";
  }

  void Read(unsigned requester, unsigned port, unsigned len) {
    to_read_[requester].push_back(Make(requester, port, len));
  }
  void Write(unsigned requester, unsigned port, unsigned len) {
    to_write_[requester].push_back(Make(requester, port, len));
  }
  bool Done() const { return asked_ == answered_; }
  /// held_offers: cycles in which an AR or AW is offered to a memory. Unanswered: number of bursts
  /// without a response from memory. Neither counts the exempt requester.
  uint64_t held_offers = 0;
  unsigned Unanswered() const {
    unsigned count = 0;
    for (const auto* list : {reads_, writing_, written_})
      for (unsigned p = 0; p < 2; ++p)
        for (const Burst& b : list[p]) count += b.id >> 8 != kExempt;
    return count;
  }
  unsigned host_requests = 0;
  std::optional<bool> early;  // value of express_early_i; nullopt: random
  bool hold_writes = false;   // the memories accept no AW and no W
  bool hold_ax = false;       // the memories accept no AR and no AW
  bool hold_b = false;        // the memories offer no B
  bool block_host = false;    // the host port's memory accepts no W
  bool take_host_ax = false;  // with block_host: the host port's memory accepts AR and AW
  unsigned vram_writes_done[kRequesters] = {};
  uint64_t r_beats = 0, w_beats = 0;
  uint64_t r_beats_from[3] = {};  // by target
  int bs_from[3] = {};            // by target

  void Step() override {
    for (unsigned q = 0; q < kRequesters; ++q) {
      if (!ar_[q] && !to_read_[q].empty() && !Stall()) {
        const unsigned id = FreeId(read_of_[q]);
        if (id < 256) {
          ar_[q] = std::make_unique<Burst>(to_read_[q].front());
          to_read_[q].pop_front();
          ar_[q]->id = id;
          read_of_[q][id] = *ar_[q];
        }
      }
      t.express_early_i = early.value_or(Random(2) != 0);
      rd_[q].ar_valid = ar_[q] != nullptr;
      if (ar_[q]) rd_[q].ar = Address(*ar_[q]);
      t.rd_req_i[q] = Pack(rd_[q]);
      if (!aw_[q] && !to_write_[q].empty() && !Stall()) {
        const unsigned id = FreeId(write_of_[q]);
        if (id < 256) {
          aw_[q] = std::make_unique<Burst>(to_write_[q].front());
          to_write_[q].pop_front();
          aw_[q]->id = id;
          write_of_[q][id] = *aw_[q];
          data_[q].push_back(*aw_[q]);
        }
      }
      wr_[q].aw_valid = aw_[q] != nullptr;
      if (aw_[q]) wr_[q].aw = Address(*aw_[q]);
      if (!w_offered_[q]) w_offered_[q] = !data_[q].empty() && !Stall();
      wr_[q].w_valid = w_offered_[q];
      if (w_offered_[q]) {
        const Burst& b = data_[q].front();
        wr_[q].w.data = Word(b, b.beat), wr_[q].w.strb = 0xff, wr_[q].w.last = b.beat == b.len;
      }
      t.wr_req_i[q] = Pack(wr_[q]);
    }
    for (unsigned p = 0; p < 2; ++p) {
      const bool blocked = p == kHost && block_host;
      const bool closed = blocked && !take_host_ax;
      t.ar_ready_i[p] = !closed && !hold_ax && !Stall();
      t.aw_ready_i[p] = !closed && !hold_ax && !hold_writes && !Stall();
      t.w_ready_i[p] = !blocked && !hold_writes && !Stall();
      if (!r_offered_[p] && !reads_[p].empty() && !Stall()) {
        r_offered_[p] = true;
        pick_[p] = rng() % reads_[p].size();  // Picking at random interleaves beats of different bursts.
      }
      t.r_valid_i[p] = r_offered_[p];
      if (r_offered_[p]) {
        const Burst& b = reads_[p][pick_[p]];
        GMMU_STRUCT(gmmu_axi_bench, edge_r_t) r{};
        r.id = b.id, r.data = Word(b, b.beat), r.last = b.beat == b.len, r.error = b.address % 5 == 0;
        t.r_i[p] = Pack(r);
      }
      if (!b_offered_[p] && !hold_b && !written_[p].empty() && !Stall()) {
        b_offered_[p] = true;
        std::swap(written_[p][0], written_[p][rng() % written_[p].size()]);
      }
      t.b_valid_i[p] = b_offered_[p];
      if (b_offered_[p]) {
        GMMU_STRUCT(gmmu_axi_bench, edge_b_t) b{};
        b.id = written_[p][0].id, b.error = written_[p][0].address % 7 == 0;
        t.b_i[p] = Pack(b);
      }
    }
    Settle();
    Sample();
    Edge();
  }

  void Finish() {
    Until([&] { return Done(); }, "the answers", 200000);
    Run(10);
    EXPECT_TRUE(t.idle_o && t.own_idle_o);
  }

 private:
  Burst Make(unsigned requester, unsigned port, unsigned len) {
    ++asked_;
    Burst b;
    b.requester = requester, b.port = port, b.len = len;
    b.address = uint64_t{port} << 40 | (64 * ++serial_ + requester);
    return b;
  }
  static Ax Address(const Burst& b) {
    Ax ax{};
    ax.id = b.id, ax.port = b.port, ax.addr = b.address, ax.len = b.len;
    return ax;
  }
  /// Returns the burst of an AR or AW that leaves through memory port `p`. Checks that `p` is the
  /// port of its address, and that exactly the peer bursts are marked as such.
  static Burst Left(unsigned p, const EdgeAx& ax) {
    Burst b;
    b.id = ax.id, b.address = ax.addr, b.len = ax.len;
    EXPECT_EQ(b.id >> 8, b.address % 64) << "requester in the id";
    const unsigned port = static_cast<unsigned>(b.address >> 40);
    EXPECT_EQ(p, port == kVram ? 0u : 1u);
    EXPECT_EQ(ax.user.kind, port == kPeer ? 3u : 0u);
    return b;
  }
  static unsigned FreeId(const std::map<unsigned, Burst>& used) {
    for (unsigned id = 0; id < 32; ++id) {
      if (used.count(id * 7 % 256) == 0) return id * 7 % 256;
    }
    return 256;
  }
  /// Checks idle_o and own_idle_o against this cycle's offers and the words inside the mux.
  void CheckIdle() {
    bool offers = false, own = false;
    for (unsigned q = 0; q < kRequesters; ++q) {
      // The W beats that an accepted AW owes count as an offer.
      const bool offer = ar_[q] || aw_[q] || !data_[q].empty();
      offers |= offer;
      if (q != kExempt) own |= offer || !read_of_[q].empty() || !write_of_[q].empty();
    }
    if (offers || in_mux_ != 0) EXPECT_FALSE(t.idle_o) << in_mux_ << " words in the mux, cycle " << now;
    if (own) EXPECT_FALSE(t.own_idle_o) << "cycle " << now;
    quiet_ = own ? 0 : quiet_ + 1;
    if (quiet_ > 8) EXPECT_TRUE(t.own_idle_o) << "only the exempt requester has bursts, cycle " << now;
  }
  void Sample() {
    CheckIdle();
    for (unsigned q = 0; q < kRequesters; ++q) {
      const auto rd = Unpack<ReadResponse>(t.rd_rsp_o[q]);
      const auto wr = Unpack<WriteResponse>(t.wr_rsp_o[q]);
      in_mux_ += (rd_[q].ar_valid && rd.ar_ready) + (wr_[q].aw_valid && wr.aw_ready) + (wr_[q].w_valid && wr.w_ready);
      in_mux_ -= rd.r_valid + wr.b_valid;
      if (rd_[q].ar_valid && rd.ar_ready) ar_[q].reset();
      if (wr_[q].aw_valid && wr.aw_ready) aw_[q].reset();
      if (wr_[q].w_valid && wr.w_ready) {
        w_offered_[q] = false;
        if (data_[q].front().beat++ == data_[q].front().len) data_[q].pop_front();
      }
      if (rd.r_valid) {
        auto found = read_of_[q].find(rd.r.id);
        ASSERT_NE(found, read_of_[q].end());
        Burst& b = found->second;
        EXPECT_EQ(rd.r.data, Word(b, b.beat));
        EXPECT_EQ(rd.r.error, b.address % 5 == 0);
        EXPECT_EQ(rd.r.last, b.beat == b.len);
        ++r_beats, ++r_beats_from[b.port];
        if (b.beat++ == b.len) read_of_[q].erase(found), ++answered_;
      }
      if (wr.b_valid) {
        auto found = write_of_[q].find(wr.b.id);
        ASSERT_NE(found, write_of_[q].end());
        EXPECT_EQ(wr.b.error, found->second.address % 7 == 0);
        ++bs_from[found->second.port];
        vram_writes_done[q] += found->second.port == kVram;
        write_of_[q].erase(found);
        ++answered_;
      }
    }
    for (unsigned p = 0; p < 2; ++p) {
      const auto ar = Unpack<EdgeAx>(t.ar_o[p]), aw = Unpack<EdgeAx>(t.aw_o[p]);
      // A closed port keeps pending offers and makes no new ones.
      if (p == kHost && !t.host_enable_i) {
        if (t.ar_valid_o[p]) EXPECT_TRUE(ar_stands_[p].Stands()) << "a new AR at the closed port, cycle " << now;
        if (t.aw_valid_o[p]) EXPECT_TRUE(aw_stands_[p].Stands()) << "a new AW at the closed port, cycle " << now;
      }
      ar_stands_[p].Look(t.ar_valid_o[p], t.ar_ready_i[p], ar.addr);
      aw_stands_[p].Look(t.aw_valid_o[p], t.aw_ready_i[p], aw.addr);
      in_mux_ += (t.r_valid_i[p] && t.r_ready_o[p]) + (t.b_valid_i[p] && t.b_ready_o[p]);
      in_mux_ -= (t.ar_valid_o[p] && t.ar_ready_i[p]) + (t.aw_valid_o[p] && t.aw_ready_i[p]) +
                 (t.w_valid_o[p] && t.w_ready_i[p]);
      held_offers += t.ar_valid_o[p] && ar.id >> 8 != kExempt;
      held_offers += t.aw_valid_o[p] && aw.id >> 8 != kExempt;
      if (t.r_valid_i[p] && t.r_ready_o[p]) {
        r_offered_[p] = false;
        if (reads_[p][pick_[p]].beat++ == reads_[p][pick_[p]].len) reads_[p].erase(reads_[p].begin() + pick_[p]);
      }
      if (t.b_valid_i[p] && t.b_ready_o[p]) b_offered_[p] = false, written_[p].pop_front();
      if (t.ar_valid_o[p] && t.ar_ready_i[p]) {
        reads_[p].push_back(Left(p, ar));
        host_requests += p;
      }
      // W may precede its AW; they are matched when both have arrived.
      if (t.aw_valid_o[p] && t.aw_ready_i[p]) {
        writing_[p].push_back(Left(p, aw));
        host_requests += p;
      }
      if (t.w_valid_o[p] && t.w_ready_i[p]) {
        const auto w = Unpack<GMMU_STRUCT(gmmu_axi_bench, w_t)>(t.w_o[p]);
        beats_[p].push_back({w.data, w.last != 0}), ++w_beats;
      }
      while (!writing_[p].empty() && !beats_[p].empty()) {
        Burst& b = writing_[p].front();
        EXPECT_EQ(beats_[p].front().first, Word(b, b.beat));
        EXPECT_EQ(beats_[p].front().second, b.beat == b.len);
        beats_[p].pop_front();
        if (b.beat++ == b.len) written_[p].push_back(b), writing_[p].pop_front();
      }
    }
  }

  ReadRequest rd_[kRequesters] = {};
  WriteRequest wr_[kRequesters] = {};
  int in_mux_ = 0;      // words of all channels inside the mux
  unsigned quiet_ = 0;  // consecutive cycles in which only the exempt requester has bursts
  Standing<uint64_t> ar_stands_[2] = {Standing<uint64_t>("AR"), Standing<uint64_t>("AR")};
  Standing<uint64_t> aw_stands_[2] = {Standing<uint64_t>("AW"), Standing<uint64_t>("AW")};
  uint64_t serial_ = 0, asked_ = 0, answered_ = 0;
  std::deque<Burst> to_read_[kRequesters], to_write_[kRequesters], data_[kRequesters];
  std::unique_ptr<Burst> ar_[kRequesters], aw_[kRequesters];
  bool w_offered_[kRequesters] = {};
  std::map<unsigned, Burst> read_of_[kRequesters], write_of_[kRequesters];
  std::deque<Burst> reads_[2], writing_[2], written_[2];
  std::deque<std::pair<uint64_t, bool>> beats_[2];
  bool r_offered_[2] = {}, b_offered_[2] = {};
  size_t pick_[2] = {};
};

}  // namespace gmmu
