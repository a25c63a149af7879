// SPDX-License-Identifier: Apache-2.0
// Drives the access unit alone, and models its user, translation port, aperture map and bus. All of
// them respond with delays, and out of order where the protocol permits it.
#pragma once

#include <map>

#include "tb/rtl/client/blocks.h"

namespace gmmu::client {

using regs::Fault;
using regs::Target;

class AccessUnit : public BlocksTest {
 protected:
  static constexpr uint64_t kVram = 0x100000;

  struct Access {
    Request request;
    uint8_t data[kLine] = {};  // data of the write, or memory's response to the read
    bool kept[kLine] = {};
    // The responses of translation, aperture map and bus; Draw selects them.
    Target target = Target::kVram;
    uint64_t offset = 0, page = 0;
    bool zero = false, coherent = false, bus_error = false;
    unsigned generation = 0, level = 0;
    Fault lookup = Fault::kNone, map = Fault::kNone;
    bool ended = false, logged = false, accepted = false;
    unsigned beat = 0;  // number of R beats sent so far

    Fault route() const {
      if (target == Target::kPeer) return Fault::kPeerAbsent;
      if (target == Target::kVram && offset >= kVram) return Fault::kVramRange;
      return target == Target::kAperture ? map : Fault::kNone;
    }
    bool stops() const { return lookup != Fault::kNone || zero || route() != Fault::kNone; }
    Fault fault() const {
      if (lookup != Fault::kNone) return lookup;
      if (zero) return Fault::kNone;
      if (route() != Fault::kNone) return route();
      if (!bus_error) return Fault::kNone;
      return request.write() ? Fault::kBusWrite : Fault::kBusRead;
    }
    uint64_t address() const { return target == Target::kAperture ? page << 12 | offset % 4096 : offset; }
    unsigned beats() const { return request.last() / kBeat - request.first() / kBeat + 1; }
  };
  using ReadRequest = GMMU_STRUCT(gmmu_client_blocks_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_client_blocks_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_client_blocks_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_client_blocks_bench, wr_rsp_t);
  using Ax = GMMU_STRUCT(gmmu_client_blocks_bench, ax_t);
  struct Beat {
    unsigned id, row;
    bool last;
  };

  AccessUnit() : word_(n == 0 ? 8 : kBeat) {}

  /// Queues a user request, and steps until the words of a write are sent. The slot of the
  /// request's id must be free.
  Access& Add(const Request& request) {
    Access& access = slots_[request.id] = Access{request};
    for (auto& byte : access.data) byte = static_cast<uint8_t>(rng());
    access.coherent = rng() % 2, access.generation = rng() % 2;
    access.level = static_cast<unsigned>(Random(0, 5));
    access.offset = Random(0, kVram / 4096 - 1) << 12 | request.va % 4096;
    access.page = rng() >> 28;
    asked_.push_back(request.id);
    words_.clear();
    if (request.write()) {
      for (unsigned w = request.first() / word_; w <= request.last() / word_; ++w) words_.push_back(w);
      std::shuffle(words_.begin(), words_.end(), rng);
    }
    ++added_;
    // A write sends its words before its request.
    while (!words_.empty()) Step();
    return access;
  }
  /// Selects a random target. In `fault_percent` percent of the calls, also selects a fault or a
  /// zero page.
  void Draw(Access& access, unsigned fault_percent) {
    access.target = static_cast<Target>(Random(0, 2));
    if (access.target != Target::kVram) access.offset = (rng() >> 28 << 12 | access.offset % 4096);
    if (!Chance(fault_percent)) return;
    switch (Random(0, 5)) {
      case 0: access.lookup = static_cast<Fault>(Random(1, 8)); break;
      case 1: access.zero = true; break;
      case 2: access.target = Target::kPeer; break;
      case 3:
        access.target = Target::kVram;
        access.offset = kVram + Random(0, 3) * 4096 + access.offset % 4096;
        break;
      case 4: access.map = static_cast<Fault>(Random(10, 12)); break;
      default: access.bus_error = true;
    }
  }
  void Step() override {
    PutWord();
    PutRequest();
    PutTranslation();
    PutAperture();
    PutBus();
    t.unit_xq_ready_i = !Stall();
    t.unit_ap_ready_i = !Stall();
    wr_.aw_ready = !Stall(), rd_.ar_ready = !Stall(), wr_.w_ready = !Stall();
    t.unit_rd_rsp_i[n] = Pack(rd_), t.unit_wr_rsp_i[n] = Pack(wr_);
    t.unit_ready_i = !Stall();
    t.unit_log_ready_i = !Stall();
    Settle();
    bool busy = false;
    for (const auto& [id, access] : slots_) busy |= access.accepted;
    if (busy) EXPECT_FALSE(t.unit_idle_o[n]);
    const auto done = Unpack<DoneBits>(t.unit_done_o[n]);
    back_[0] += done.old0, back_[1] += done.old1;
    for (unsigned e = 0; e < 2; ++e) EXPECT_LE(back_[e], ended_[e]) << "given back before its access has ended";
    TakeRequest();
    TakeLookup();
    TakeBus();
    TakeLog();
    TakeAnswer();
    counted_[0] += t.unit_read_bytes_o[n], counted_[1] += t.unit_write_bytes_o[n];
    Edge();
    if (taken_xs_) t.unit_xs_valid_i[n] = 0;
  }
  /// Resets the unit while accesses are in flight, and clears the model.
  void ResetAndForget() {
    t.unit_req_valid_i[n] = t.unit_word_valid_i[n] = t.unit_xs_valid_i[n] = t.unit_ap_answer_i[n] = 0;
    rd_.r_valid = wr_.b_valid = 0;
    t.unit_rd_rsp_i[n] = Pack(rd_), t.unit_wr_rsp_i[n] = Pack(wr_);
    Reset();
    slots_.clear(), words_.clear(), reads_.clear(), written_.clear(), beats_.clear();
    for (auto* list : {&asked_, &accepted_, &lookups_, &routed_, &asks_, &pages_}) list->clear();
    request_ = {};
    word_at_ = logged_ = faults_ = 0;
    for (unsigned e = 0; e < 2; ++e) given_[e] = back_[e] = ended_[e] = counted_[e] = bytes_[e] = 0;
    for (auto* standing : {&rsp_stands_, &log_stands_, &lookup_stands_}) standing->Forget();
  }
  void Finish() {
    for (int i = 0; i < 6000 && !slots_.empty(); ++i) Step();
    EXPECT_TRUE(slots_.empty()) << slots_.size() << " accesses have no answer";
    Run(8);
    EXPECT_TRUE(t.unit_idle_o[n]);
    for (int e = 0; e < 2; ++e) {
      EXPECT_EQ(back_[e], given_[e]) << "generation " << e;
      EXPECT_EQ(counted_[e], bytes_[e]) << (e ? "written" : "read");
    }
    EXPECT_EQ(logged_, faults_);
  }
  unsigned FreeId() {
    unsigned id;
    do id = static_cast<unsigned>(Random(0, slots() - 1));
    while (slots_.count(id) != 0);
    return id;
  }

  const unsigned word_;
  std::map<unsigned, Access> slots_;
  unsigned added_ = 0, answered_ = 0, logged_ = 0, faults_ = 0, ordered_next_ = 0, most_ = 0;

 private:
  void PutWord() {
    t.unit_word_valid_i[n] = !words_.empty() && !Idle();
    if (!t.unit_word_valid_i[n]) return;
    Access& access = slots_.at(asked_.back());
    t.word_i = PackWord(asked_.back(), words_.back());
    RandomBytes(t.word_strobe_i, *this);
    SetBytes(t.word_data_i, access.data + words_.back() * word_, word_);
    for (unsigned i = 0; i < word_; ++i) access.kept[words_.back() * word_ + i] = n == 0 || (t.word_strobe_i >> i & 1);
    words_.pop_back();
    if (words_.empty()) last_word_ = now;
  }
  void PutRequest() {
    const bool words = asked_.size() == 1 && (!words_.empty() || last_word_ == now);
    t.unit_req_valid_i[n] = request_.Now(!asked_.empty() && !words, *this, manner.idle_percent);
    if (t.unit_req_valid_i[n]) slots_.at(asked_.front()).request.Put(t);
  }
  void PutTranslation() {
    if (!t.unit_xs_valid_i[n] && !lookups_.empty() && !Idle()) {
      std::swap(lookups_[0], lookups_[Random(0, lookups_.size() - 1)]);
      const Access& access = slots_.at(lookups_[0]);
      t.unit_xs_valid_i[n] = 1;
      GMMU_STRUCT(gmmu_client_blocks_bench, xlate_rsp_t) bits{};
      bits.tag = static_cast<uint8_t>(lookups_[0]);
      bits.generation = access.generation, bits.zero = access.zero, bits.coherent = access.coherent;
      bits.gpa.target = static_cast<uint8_t>(access.target), bits.gpa.offset = access.offset;
      bits.fault = static_cast<uint8_t>(access.lookup), bits.level = static_cast<uint8_t>(access.level);
      t.unit_xs_i = Pack(bits);
    }
  }
  void PutAperture() {
    t.unit_ap_answer_i[n] = !pages_.empty() && !Idle();
    if (!t.unit_ap_answer_i[n]) return;
    Access& access = slots_.at(pages_.front());
    pages_.pop_front();
    GMMU_STRUCT(gmmu_client_blocks_bench, aperture_rsp_t) bits{};
    bits.fault = static_cast<uint8_t>(access.map), bits.page = access.page;
    bits.coherent = access.coherent = rng() % 2;
    t.unit_ap_i = Pack(bits);
    if (access.map != Fault::kNone) End(access);
  }
  void PutBus() {
    rd_.r_valid = !reads_.empty() && !Idle();
    if (rd_.r_valid) {
      const size_t pick = Random(0, reads_.size() - 1);
      Access& access = slots_.at(reads_[pick]);
      const unsigned row = access.request.first() / kBeat + access.beat;
      SetBytes(rd_.r.data, access.data + row * kBeat);
      rd_.r.id = static_cast<uint8_t>(reads_[pick]);
      rd_.r.last = ++access.beat == access.beats();
      rd_.r.error = access.bus_error && (rd_.r.last || rng() % 2);
      if (rd_.r.last) End(access), reads_.erase(reads_.begin() + static_cast<long>(pick));
    }
    wr_.b_valid = !written_.empty() && !Idle();
    if (wr_.b_valid) {
      const size_t pick = Random(0, written_.size() - 1);
      Access& access = slots_.at(written_[pick]);
      wr_.b.id = static_cast<uint8_t>(written_[pick]), wr_.b.error = access.bus_error;
      End(access);
      written_.erase(written_.begin() + static_cast<long>(pick));
    }
  }
  void End(Access& access) {
    access.ended = true;
    ++ended_[access.generation];
  }

  void TakeRequest() {
    if (!t.unit_req_valid_i[n] || !t.unit_req_ready_o[n]) return;
    slots_.at(asked_.front()).accepted = true;
    accepted_.push_back(asked_.front());
    asked_.pop_front();
    request_.Taken();
    most_ = std::max<unsigned>(most_, static_cast<unsigned>(slots_.size()));
  }
  void TakeLookup() {
    if (lookup_stands_.Look(t.unit_xq_valid_o[n], t.unit_xq_ready_i, BytesOf(t.unit_xq_o[n]))) {
      ASSERT_FALSE(accepted_.empty());
      const Request& request = slots_.at(accepted_.front()).request;
      const auto lookup = Unpack<GMMU_STRUCT(gmmu_client_blocks_bench, xlate_req_t)>(t.unit_xq_o[n]);
      EXPECT_EQ(lookup.tag, request.id);
      EXPECT_EQ(lookup.va, request.va);
      EXPECT_EQ(lookup.space, request.space);
      EXPECT_EQ(lookup.access, static_cast<unsigned>(request.access));
      lookups_.push_back(request.id);
      accepted_.pop_front();
    }
    taken_xs_ = t.unit_xs_valid_i[n] && t.unit_xs_ready_o[n];
    if (taken_xs_) {
      Access& access = slots_.at(lookups_.front());
      ++given_[access.generation];
      if (access.lookup == Fault::kNone && !access.zero) {
        if (access.target == Target::kAperture) asks_.push_back(lookups_.front());
        if (access.route() == Fault::kNone) routed_.push_back(lookups_.front());
      }
      if (access.stops() && !(access.target == Target::kAperture && !access.zero && access.lookup == Fault::kNone))
        End(access);
      lookups_.pop_front();
    }
    if (t.unit_ap_valid_o[n] && t.unit_ap_ready_i) {
      ASSERT_FALSE(asks_.empty()) << "a lookup of the aperture for nobody";
      EXPECT_EQ(t.unit_ap_page_o[n], slots_.at(asks_.front()).offset >> 12);
      pages_.push_back(asks_.front());
      asks_.pop_front();
    }
  }
  void TakeBurst(bool write, const Ax& ax) {
    ASSERT_FALSE(routed_.empty()) << "a burst of nobody";
    const unsigned id = routed_.front();
    routed_.pop_front();
    const Access& access = slots_.at(id);
    EXPECT_EQ(access.request.write(), write);
    EXPECT_EQ(ax.id, id);
    EXPECT_EQ(ax.addr, access.address());
    EXPECT_EQ(ax.port, access.target == Target::kVram ? 0 : 1);
    EXPECT_EQ(ax.len + 1u, access.beats());
    EXPECT_EQ(ax.user.no_snoop, !access.coherent);
    EXPECT_EQ(ax.user.kind, 0);
    if (!write) reads_.push_back(id);
    for (unsigned i = 0; write && i < access.beats(); ++i)
      beats_.push_back({id, access.request.first() / kBeat + i, i + 1 == access.beats()});
  }
  void TakeBus() {
    const auto rd = Unpack<ReadRequest>(t.unit_rd_req_o[n]);
    const auto wr = Unpack<WriteRequest>(t.unit_wr_req_o[n]);
    if (wr.aw_valid && wr_.aw_ready) TakeBurst(true, wr.aw);
    if (rd.ar_valid && rd_.ar_ready) TakeBurst(false, rd.ar);
    if (!wr.w_valid || !wr_.w_ready) return;
    ASSERT_FALSE(beats_.empty()) << "a beat of no burst";
    const Beat beat = beats_.front();
    beats_.pop_front();
    const Access& access = slots_.at(beat.id);
    const auto data = BytesOf(wr.w.data);
    EXPECT_EQ(wr.w.last, beat.last);
    for (unsigned i = 0; i < kBeat; ++i) {
      const unsigned at = beat.row * kBeat + i;
      const bool want = at >= access.request.first() && at <= access.request.last() && access.kept[at];
      EXPECT_EQ(wr.w.strb >> i & 1, want) << "byte " << at;
      if (want) EXPECT_EQ(data[i], access.data[at]) << "byte " << at;
    }
    if (beat.last) written_.push_back(beat.id);
  }
  void TakeLog() {
    if (!log_stands_.Look(t.unit_log_valid_o[n], t.unit_log_ready_i, BytesOf(t.unit_log_o[n]))) return;
    const uint64_t va = Unpack<FaultBits>(t.unit_log_o[n]).address;
    Access* found = nullptr;  // Random upper bits make every address unique.
    for (auto& [id, access] : slots_)
      if (access.request.va == va && !access.logged) found = &access;
    ASSERT_NE(found, nullptr) << "a record of nobody";
    EXPECT_TRUE(found->ended);
    found->logged = true;
    ++logged_;
    found->request.ExpectRecord(t.unit_log_o[n], found->fault(), found->lookup != Fault::kNone ? found->level : 0);
  }
  void TakeAnswer() {
    auto offered = BytesOf(t.unit_data_o[n]);
    offered.push_back(static_cast<uint8_t>(t.unit_rsp_o[n])),
        offered.push_back(static_cast<uint8_t>(t.unit_rsp_o[n] >> 8));
    if (!rsp_stands_.Look(t.unit_valid_o[n], t.unit_ready_i, offered)) return;
    const auto answer = Unpack<AnswerBits>(t.unit_rsp_o[n]);
    const auto at = slots_.find(answer.id);
    ASSERT_NE(at, slots_.end()) << "an answer to nobody";
    const Access& access = at->second;
    const Request& request = access.request;
    EXPECT_TRUE(access.ended);
    if (t.unit_ordered_i) EXPECT_EQ(answer.id, ordered_next_);
    EXPECT_EQ(answer.fault, static_cast<unsigned>(access.fault()));
    EXPECT_EQ(t.unit_line_o[n], request.va >> 6);
    const bool fault = access.fault() != Fault::kNone;
    EXPECT_EQ(access.logged, fault) << "its record comes before its answer";
    if (!fault && !request.write()) {
      const unsigned word = request.first() / word_ + word_at_;
      EXPECT_EQ(answer.word, word);
      EXPECT_EQ(answer.last, word == request.last() / word_);
      const auto data = BytesOf(t.unit_data_o[n]);
      for (unsigned i = 0; i < word_; ++i)
        EXPECT_EQ(data[i], access.zero ? 0 : access.data[word * word_ + i]) << word << ", " << i;
    } else {
      EXPECT_TRUE(answer.last);
    }
    ++word_at_;
    if (!answer.last) return;
    word_at_ = 0;
    ++answered_;
    faults_ += fault;
    if (!fault) bytes_[request.write()] += request.bytes;
    if (t.unit_ordered_i) ordered_next_ = (ordered_next_ + 1) % slots();
    slots_.erase(at);
  }

  ReadResponse rd_{};
  WriteResponse wr_{};
  std::vector<unsigned> words_;  // unsent words of the newest write
  std::deque<unsigned> asked_, accepted_, lookups_, routed_, asks_, pages_;
  std::vector<unsigned> reads_, written_;
  std::deque<Beat> beats_;
  Offer request_;
  Standing<std::vector<uint8_t>> lookup_stands_{"the lookup"}, rsp_stands_{"the response"},
      log_stands_{"the fault record"};
  bool taken_xs_ = false;
  uint64_t last_word_ = 0, given_[2] = {}, back_[2] = {}, ended_[2] = {};
  uint64_t counted_[2] = {}, bytes_[2] = {};
  unsigned word_at_ = 0;
};

}  // namespace gmmu::client
