// SPDX-License-Identifier: Apache-2.0
// Drives gmmu_peer_port between a linked adapter, which sends requests and always accepts responses, and a mux with
// VRAM that is reset at any time. Every response, and every burst that reaches VRAM, is checked against the request.
#pragma once

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <vector>

#include "Vgmmu_peer_port_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::peer {

constexpr uint64_t kVram = 1 << 20;

class PeerMachine : public BlockBench<Vgmmu_peer_port_bench> {
 protected:
  using Ax = GMMU_STRUCT(gmmu_peer_port_bench, sub_ax_t);
  using W = GMMU_STRUCT(gmmu_peer_port_bench, w_t);
  using ReadRequest = GMMU_STRUCT(gmmu_peer_port_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_peer_port_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_peer_port_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_peer_port_bench, wr_rsp_t);
  static constexpr unsigned kFullBeat = 3, kIncr = 1;  // AxSIZE of 8-byte beats; AxBURST INCR

 public:
  struct Burst {
    bool write = false;
    unsigned id = 0, len = 0;
    uint64_t address = 0;
    std::vector<uint64_t> data;  // the data of a write
    bool past = false;           // the address is at or past the end of VRAM
    bool cut = false;            // the mux was reset before the response arrived
    bool error = false;          // VRAM returned an error
    bool reached = false;        // the request reached VRAM
    unsigned beats = 0;          // beats returned or, for a write, accepted by the port
  };

  PeerMachine(unsigned size, uint64_t seed) : BlockBench(size, seed) {
    t.vram_bytes_i = kVram;
    Reset();
  }

  void Ask(bool write, uint64_t address, unsigned len) {
    Burst b;
    b.write = write, b.address = address, b.len = len;
    b.past = t.vram_bytes_i >> 48 == 0 && address >= t.vram_bytes_i;
    for (unsigned i = 0; write && i <= len; ++i) b.data.push_back(rng());
    to_ask_[write].push_back(b);
  }
  void AskAny() {
    const bool long_one = Chance(3);
    const unsigned len = static_cast<unsigned>(Random(0, long_one ? 255 : Chance(50) ? 15 : 0));
    uint64_t page = Random(0, kVram / 4096 - 1);
    if (Chance(10)) page += kVram / 4096;
    if (Chance(3)) page |= uint64_t{1} << 35;
    if (Chance(10)) page = kVram / 4096 - Random(0, 1);
    uint64_t offset = 8 * Random(0, 511 - len);
    if (Chance(20)) offset += Random(0, 7);
    Ask(Chance(50), page * 4096 + offset, len);
  }

  /// Knobs.
  unsigned latency = 0;  ///< latency of VRAM, in cycles
  bool take_ar = true, take_aw = true, take_w = true, answer = true;
  bool send_w = true;          ///< the linked adapter sends its W beats
  bool interleave = true;      ///< beats of different reads interleave
  unsigned error_percent = 0;  ///< share of VRAM's responses that are errors

  bool Done() const { return to_ask_[0].empty() && to_ask_[1].empty() && asked_[0].empty() && asked_[1].empty(); }
  size_t Unanswered(bool write) const { return asked_[write].size() + to_ask_[write].size(); }
  void Finish(unsigned bound = 200000) {
    Until([&] { return Done(); }, "the answers of all bursts", bound);
    Run(40);
    EXPECT_TRUE(t.idle_o[n]);
  }
  /// Starts or ends a reset of the mux, which drops all bursts; VRAM's responses to them never
  /// arrive.
  void Cut(bool on) { cut_next_ = on; }

  uint64_t r_beats = 0, w_beats = 0, r_errors = 0, b_errors = 0, answered[2] = {};

  void Step() override {
    const bool first = cut_next_ && !t.cut_i;
    t.cut_i = cut_next_;
    DriveOutside();
    DriveVram(first);
    Settle();
    const bool waits = !asked_[0].empty() || !asked_[1].empty();
    if (waits) EXPECT_FALSE(t.idle_o[n]) << "idle with a burst that has no answer";
    Outside();
    if (t.cut_i) Forget();
    else Vram();
    Edge();
  }

 private:
  unsigned FreeId(bool write) {
    for (;;) {
      const unsigned id = static_cast<unsigned>(Random(0, 255));
      if (std::none_of(asked_[write].begin(), asked_[write].end(), [&](const Burst& b) { return b.id == id; }))
        return id;
    }
  }

  void DriveOutside() {
    for (bool write : {false, true}) {
      const bool offer = ax_[write].Now(!to_ask_[write].empty(), *this, manner.idle_percent);
      if (offer && !offered_[write]) to_ask_[write].front().id = FreeId(write);
      offered_[write] = offer;
      (write ? t.s_aw_valid_i : t.s_ar_valid_i)[n] = offer;
      if (!offer) continue;
      const Burst& b = to_ask_[write].front();
      Ax ax{};
      ax.id = static_cast<uint8_t>(b.id), ax.addr = b.address & ((uint64_t{1} << 48) - 1),
      ax.len = static_cast<uint8_t>(b.len);
      ax.size = kFullBeat, ax.burst = kIncr;
      (write ? t.s_aw_i : t.s_ar_i) = Pack(ax);
    }
    // W beats follow the order of AW; the first may come in the cycle in which its AW is offered.
    const bool more = !sending_.empty() || (offered_[1] && !sending_front_);
    const bool w = w_.Now(send_w && more, *this, manner.idle_percent);
    t.s_w_valid_i[n] = w;
    if (w) {
      const Burst& b = sending_.empty() ? to_ask_[1].front() : sending_.front();
      W beat{};
      beat.data = b.data[beat_], beat.strb = 0xff, beat.last = beat_ == b.len;
      t.s_w_i = Pack(beat);
    }
  }
  void Outside() {
    for (bool write : {false, true}) {
      if (!((write ? t.s_aw_valid_i : t.s_ar_valid_i)[n] && (write ? t.s_aw_ready_o : t.s_ar_ready_o)[n])) continue;
      Burst b = to_ask_[write].front();
      to_ask_[write].pop_front();
      ax_[write].Taken();
      offered_[write] = false;
      b.cut = t.cut_i;
      if (write) {
        b.beats = sending_front_ ? b.len + 1 : sending_.empty() ? beat_ : 0;
        if (!sending_front_) sending_.push_back(b);
        sending_front_ = false;
      }
      asked_[write].push_back(b);
    }
    if (t.s_w_valid_i[n] && t.s_w_ready_o[n]) {
      w_.Taken();
      ++w_beats;
      const bool early = sending_.empty();  // the AW is not accepted yet
      const Burst& b = early ? to_ask_[1].front() : sending_.front();
      if (!early) ++Sending().beats;
      if (beat_++ == b.len) {
        beat_ = 0;
        if (early) sending_front_ = true;
        else sending_.pop_front();
      }
    }
    if (t.s_r_valid_o[n]) TakeR();
    if (t.s_b_valid_o[n]) TakeB();
    if (t.cut_i) {
      for (auto& list : asked_)
        for (Burst& b : list) b.cut = true;
    }
  }
  /// Returns the write whose beats are being sent.
  Burst& Sending() {
    return *std::find_if(asked_[1].begin(), asked_[1].end(),
                         [&](const Burst& b) { return b.id == sending_.front().id; });
  }
  Burst* Find(bool write, unsigned id) {
    for (Burst& b : asked_[write])
      if (b.id == id) return &b;
    ADD_FAILURE() << "an answer to nobody, id " << id;
    return nullptr;
  }
  void End(bool write, unsigned id) {
    asked_[write].remove_if([&](const Burst& b) { return b.id == id; });
    ++answered[write];
  }
  uint64_t Stored(uint64_t word) const {
    const auto found = memory_.find(word);
    return found == memory_.end() ? word * 0x9E3779B97F4A7C15ull : found->second;
  }
  void TakeR() {
    const auto r = Unpack<GMMU_STRUCT(gmmu_peer_port_bench, sub_r_t)>(t.s_r_o[n]);
    Burst* b = Find(false, r.id);
    if (b == nullptr) return;
    ++r_beats;
    const bool error = r.resp != 0;
    r_errors += error;
    EXPECT_TRUE(r.resp == 0 || r.resp == 2);
    if (b->past) EXPECT_TRUE(error) << "past the end";
    // Beats from the mux may come between the error beats of a burst, but error beats of another
    // burst may not.
    if (b->past && b->beats != 0) EXPECT_EQ(b->id, error_id_) << "error beats interleave";
    if (b->past) error_id_ = b->id;
    if (!b->past && !b->cut) EXPECT_EQ(error, b->error);
    if (!error) {
      EXPECT_TRUE(b->reached);
      ASSERT_LT(b->beats, b->data.size());
      EXPECT_EQ(r.data, b->data[b->beats]);
    }
    EXPECT_EQ(r.last, b->beats == b->len);
    if (b->beats++ == b->len) End(false, b->id);
  }
  void TakeB() {
    const auto response = Unpack<GMMU_STRUCT(gmmu_peer_port_bench, sub_b_t)>(t.s_b_o[n]);
    Burst* b = Find(true, response.id);
    if (b == nullptr) return;
    const bool error = response.resp != 0;
    b_errors += error;
    EXPECT_TRUE(response.resp == 0 || response.resp == 2);
    EXPECT_EQ(b->beats, b->len + 1) << "B before its beats";
    if (b->past) EXPECT_TRUE(error && !b->reached) << "past the end";
    if (!b->past && !b->cut) EXPECT_EQ(error, b->error);
    if (!error) {
      EXPECT_TRUE(b->reached);
    }
    End(true, b->id);
  }

  // ---- The mux and VRAM.
  struct Access {
    unsigned slot = 0, id = 0, beat = 0, len = 0;
    uint64_t address = 0, due = 0;
    bool error = false;
  };
  void Forget() {
    reads_.clear(), writes_.clear(), written_.clear(), beats_.clear();
    r_offered_ = b_offered_ = false;
  }
  /// `first`: this is the first cycle of a cut, in which a response may still arrive, with
  /// undefined contents.
  void DriveVram(bool first) {
    ReadResponse& rd = read_response_;
    WriteResponse& wr = write_response_;
    rd.ar_ready = take_ar && !Stall();
    wr.aw_ready = take_aw && !Stall();
    wr.w_ready = take_w && !Stall();
    if (t.cut_i) {
      rd.r_valid = first && !reads_.empty();
      wr.b_valid = first && !written_.empty();
      if (rd.r_valid) rd.r.id = static_cast<uint8_t>(reads_[0].slot), rd.r.last = reads_[0].beat == reads_[0].len;
      if (wr.b_valid) wr.b.id = static_cast<uint8_t>(written_[0].slot);
      t.rd_rsp_i[n] = Pack(rd), t.wr_rsp_i[n] = Pack(wr);
      return;
    }
    const auto due = [&](const std::deque<Access>& all) { return answer && !all.empty() && all[0].due <= now; };
    if (due(reads_) && !Idle()) {
      r_offered_ = true;
      size_t ready = 0;
      while (ready < reads_.size() && reads_[ready].due <= now) ++ready;
      if (interleave) std::swap(reads_[0], reads_[Random(0, ready - 1)]);
      const Access& a = reads_[0];
      rd.r.id = static_cast<uint8_t>(a.slot), rd.r.last = a.beat == a.len;
      rd.r.data = Find(false, a.id)->data.emplace_back(Stored(a.address / 8 + a.beat));
      rd.r.error = a.error;
    } else {
      r_offered_ = false;
    }
    rd.r_valid = r_offered_;
    b_offered_ = due(written_) && !Idle();
    if (b_offered_) {
      size_t ready = 0;
      while (ready < written_.size() && written_[ready].due <= now) ++ready;
      std::swap(written_[0], written_[Random(0, ready - 1)]);
      wr.b.id = static_cast<uint8_t>(written_[0].slot), wr.b.error = written_[0].error;
    }
    wr.b_valid = b_offered_;
    t.rd_rsp_i[n] = Pack(rd), t.wr_rsp_i[n] = Pack(wr);
  }
  /// Finds the burst of a request that has just reached VRAM. Requests reach VRAM in order.
  Burst* Reach(bool write, uint64_t address, unsigned len) {
    for (Burst& b : asked_[write]) {
      if (b.reached || b.past || (b.cut && !(b.address == address && b.len == len))) continue;
      EXPECT_EQ(b.address, address);
      EXPECT_EQ(b.len, len);
      b.reached = true;
      return &b;
    }
    ADD_FAILURE() << "VRAM is asked for " << address << " by nobody";
    return nullptr;
  }
  void Vram() {
    if (r_offered_) {
      if (reads_[0].beat++ == reads_[0].len) reads_.pop_front();
    }
    if (b_offered_) written_.pop_front();
    const auto rd = Unpack<ReadRequest>(t.rd_req_o[n]);
    const auto wr = Unpack<WriteRequest>(t.wr_req_o[n]);
    if (rd.ar_valid && read_response_.ar_ready) {
      EXPECT_EQ(rd.ar.port, 0u);
      if (Burst* b = Reach(false, rd.ar.addr, rd.ar.len)) {
        b->error = Chance(error_percent);
        reads_.push_back({rd.ar.id, b->id, 0, b->len, b->address, now + 1 + latency, b->error});
      }
    }
    if (wr.aw_valid && write_response_.aw_ready) {
      EXPECT_EQ(wr.aw.port, 0u);
      if (Burst* b = Reach(true, wr.aw.addr, wr.aw.len)) {
        EXPECT_EQ(b->beats, b->len + 1) << "AW before its beats are here";
        b->error = Chance(error_percent);
        writes_.push_back({wr.aw.id, b->id, 0, b->len, b->address, 0, b->error});
      }
    }
    if (wr.w_valid && write_response_.w_ready) beats_.push_back({wr.w.data, wr.w.last != 0});
    while (!writes_.empty() && !beats_.empty()) {  // W may precede its AW.
      Access& a = writes_.front();
      memory_[a.address / 8 + a.beat] = beats_.front().first;
      EXPECT_EQ(beats_.front().first, Find(true, a.id)->data[a.beat]);
      EXPECT_EQ(beats_.front().second, a.beat == a.len);
      beats_.pop_front();
      if (a.beat++ < a.len) continue;
      a.due = now + 1 + latency;
      written_.push_back(a);
      writes_.pop_front();
    }
  }

  unsigned error_id_ = 0;  // id of the burst with the latest error beat for an address past VRAM
  ReadResponse read_response_{};
  WriteResponse write_response_{};
  std::deque<Burst> to_ask_[2];
  std::list<Burst> asked_[2];
  std::deque<Burst> sending_;   // accepted writes that have unsent beats
  bool sending_front_ = false;  // all beats of the offered write have been sent
  Offer ax_[2], w_;
  bool offered_[2] = {};
  unsigned beat_ = 0;
  bool cut_next_ = false;
  std::map<uint64_t, uint64_t> memory_;
  std::deque<Access> reads_, writes_, written_;
  std::deque<std::pair<uint64_t, bool>> beats_;
  bool r_offered_ = false, b_offered_ = false;
};

}  // namespace gmmu::peer
