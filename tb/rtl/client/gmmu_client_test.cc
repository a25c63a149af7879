// SPDX-License-Identifier: Apache-2.0
// Tests the access unit alone, between a user, a translation port, an aperture map and a bus that answer
// late and out of order.
#include <map>

#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

using regs::Fault;
using regs::Target;

class AccessUnit : public BlocksTest {
 protected:
  static constexpr unsigned kWrite = 0, kRead = 1;  // indices of the bus ports
  static constexpr uint64_t kVram = 0x100000;

  struct Access {
    Request request;
    uint8_t data[kLine] = {};  // data that a write sends, or that memory returns for a read
    bool kept[kLine] = {};
    // The bench's translation, aperture and bus responses, which Draw selects.
    Target target = Target::kVram;
    uint64_t offset = 0, page = 0;
    bool zero = false, coherent = false, bus_error = false;
    unsigned generation = 0, level = 0;
    Fault lookup = Fault::kNone, map = Fault::kNone;
    bool ended = false, logged = false, accepted = false;
    unsigned beat = 0;  // number of beats of its burst that have landed

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
  struct Beat {
    unsigned id, row;
    bool last;
  };

  AccessUnit() : word_(n == 0 ? 8 : kBeat) {}

  /// Adds an access that the user will request. The slot that its id names must be free.
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
    // Send the access's words first; then its request is offered.
    while (!words_.empty()) Step();
    return access;
  }
  /// Selects the outcome of the access at random among all possible ones.
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
    t.unit_ax_ready_i[0] = !Stall(), t.unit_ax_ready_i[1] = !Stall();
    t.unit_w_ready_i = !Stall();
    t.unit_ready_i = !Stall();
    t.unit_log_ready_i = !Stall();
    Settle();
    bool busy = false;
    for (const auto& [id, access] : slots_) busy |= access.accepted;
    if (busy) EXPECT_FALSE(t.unit_idle_o);
    for (unsigned e = 0; e < 2; ++e) {
      back_[e] += t.unit_done_o[e];
      EXPECT_LE(back_[e], ended_[e]) << "given back before its access has ended";
    }
    TakeRequest();
    TakeLookup();
    TakeBus();
    TakeLog();
    TakeAnswer();
    for (int i = 0; i < 2; ++i) counted_[i] += t.unit_count_o[i];
    Edge();
    if (taken_xs_) t.unit_xs_valid_i = 0;
  }
  void Finish() {
    for (int i = 0; i < 6000 && !slots_.empty(); ++i) Step();
    EXPECT_TRUE(slots_.empty()) << slots_.size() << " accesses have no answer";
    Run(8);
    EXPECT_TRUE(t.unit_idle_o);
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
    t.unit_word_valid_i = !words_.empty() && !Idle();
    if (!t.unit_word_valid_i) return;
    Access& access = slots_.at(asked_.back());
    t.word_id_i = static_cast<uint8_t>(asked_.back());
    t.word_number_i = static_cast<uint8_t>(words_.back());
    RandomBytes(t.word_strobe_i, *this);
    SetBytes(t.word_data_i, access.data + words_.back() * word_, word_);
    for (unsigned i = 0; i < word_; ++i) access.kept[words_.back() * word_ + i] = n == 0 || (t.word_strobe_i >> i & 1);
    words_.pop_back();
    if (words_.empty()) last_word_ = now;
  }
  void PutRequest() {
    const bool words = asked_.size() == 1 && (!words_.empty() || last_word_ == now);
    t.unit_req_valid_i = request_.Now(!asked_.empty() && !words, *this, manner.idle_percent);
    if (t.unit_req_valid_i) slots_.at(asked_.front()).request.Put(t);
  }
  void PutTranslation() {
    if (!t.unit_xs_valid_i && !lookups_.empty() && !Idle()) {
      std::swap(lookups_[0], lookups_[Random(0, lookups_.size() - 1)]);
      const Access& access = slots_.at(lookups_[0]);
      t.unit_xs_valid_i = 1;
      t.unit_xs_tag_i = static_cast<uint8_t>(lookups_[0]);
      t.unit_xs_generation_i = access.generation, t.unit_xs_zero_i = access.zero;
      t.unit_xs_coherent_i = access.coherent;
      t.unit_xs_target_i = static_cast<uint8_t>(access.target);
      t.unit_xs_offset_i = access.offset;
      t.unit_xs_fault_i = static_cast<uint8_t>(access.lookup);
      t.unit_xs_level_i = static_cast<uint8_t>(access.level);
    }
  }
  void PutAperture() {
    t.unit_ap_answer_i = !pages_.empty() && !Idle();
    if (!t.unit_ap_answer_i) return;
    Access& access = slots_.at(pages_.front());
    pages_.pop_front();
    t.unit_ap_fault_i = static_cast<uint8_t>(access.map);
    t.unit_ap_page_i = access.page;
    t.unit_ap_coherent_i = access.coherent = rng() % 2;
    if (access.map != Fault::kNone) End(access);
  }
  void PutBus() {
    t.unit_r_valid_i = !reads_.empty() && !Idle();
    if (t.unit_r_valid_i) {
      const size_t pick = Random(0, reads_.size() - 1);
      Access& access = slots_.at(reads_[pick]);
      const unsigned row = access.request.first() / kBeat + access.beat;
      SetBytes(t.r_data_i, access.data + row * kBeat);
      t.r_id_i = static_cast<uint8_t>(reads_[pick]);
      t.r_last_i = ++access.beat == access.beats();
      t.r_error_i = access.bus_error && (t.r_last_i || rng() % 2);
      if (t.r_last_i) End(access), reads_.erase(reads_.begin() + static_cast<long>(pick));
    }
    t.unit_b_valid_i = !written_.empty() && !Idle();
    if (t.unit_b_valid_i) {
      const size_t pick = Random(0, written_.size() - 1);
      Access& access = slots_.at(written_[pick]);
      t.b_id_i = static_cast<uint8_t>(written_[pick]);
      t.b_error_i = access.bus_error;
      End(access);
      written_.erase(written_.begin() + static_cast<long>(pick));
    }
  }
  void End(Access& access) {
    access.ended = true;
    ++ended_[access.generation];
  }

  void TakeRequest() {
    if (!t.unit_req_valid_i || !t.unit_req_ready_o) return;
    slots_.at(asked_.front()).accepted = true;
    accepted_.push_back(asked_.front());
    asked_.pop_front();
    request_.Taken();
    most_ = std::max<unsigned>(most_, static_cast<unsigned>(slots_.size()));
  }
  void TakeLookup() {
    if (t.unit_xq_valid_o && t.unit_xq_ready_i) {
      ASSERT_FALSE(accepted_.empty());
      const Request& request = slots_.at(accepted_.front()).request;
      EXPECT_EQ(t.unit_xq_tag_o, request.id);
      EXPECT_EQ(t.unit_xq_va_o, request.va);
      EXPECT_EQ(t.unit_xq_space_o, request.space);
      EXPECT_EQ(t.unit_xq_access_o, static_cast<unsigned>(request.access));
      lookups_.push_back(request.id);
      accepted_.pop_front();
    }
    taken_xs_ = t.unit_xs_valid_i && t.unit_xs_ready_o;
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
    if (t.unit_ap_valid_o && t.unit_ap_ready_i) {
      ASSERT_FALSE(asks_.empty()) << "a lookup of the aperture for nobody";
      EXPECT_EQ(t.unit_ap_page_o, slots_.at(asks_.front()).offset >> 12);
      pages_.push_back(asks_.front());
      asks_.pop_front();
    }
  }
  void TakeBus() {
    for (unsigned way : {kWrite, kRead}) {
      if (!t.unit_ax_valid_o[way] || !t.unit_ax_ready_i[way]) continue;
      ASSERT_FALSE(routed_.empty()) << "a burst of nobody";
      const unsigned id = routed_.front();
      routed_.pop_front();
      const Access& access = slots_.at(id);
      EXPECT_EQ(access.request.write(), way == kWrite);
      EXPECT_EQ(t.unit_ax_id_o[way], id);
      EXPECT_EQ(t.unit_ax_addr_o[way], access.address());
      EXPECT_EQ(t.unit_ax_port_o[way], access.target == Target::kVram ? 0 : 1);
      EXPECT_EQ(t.unit_ax_len_o[way] + 1u, access.beats());
      EXPECT_EQ(t.unit_ax_no_snoop_o[way], !access.coherent);
      if (way == kRead) {
        reads_.push_back(id);
      } else {
        for (unsigned i = 0; i < access.beats(); ++i)
          beats_.push_back({id, access.request.first() / kBeat + i, i + 1 == access.beats()});
      }
    }
    if (!t.unit_w_valid_o || !t.unit_w_ready_i) return;
    ASSERT_FALSE(beats_.empty()) << "a beat of no burst";
    const Beat beat = beats_.front();
    beats_.pop_front();
    const Access& access = slots_.at(beat.id);
    const auto data = BytesOf(t.unit_w_data_o);
    EXPECT_EQ(t.unit_w_last_o, beat.last);
    for (unsigned i = 0; i < kBeat; ++i) {
      const unsigned at = beat.row * kBeat + i;
      const bool want = at >= access.request.first() && at <= access.request.last() && access.kept[at];
      EXPECT_EQ(t.unit_w_strb_o >> i & 1, want) << "byte " << at;
      if (want) EXPECT_EQ(data[i], access.data[at]) << "byte " << at;
    }
    if (beat.last) written_.push_back(beat.id);
  }
  void TakeLog() {
    if (!t.unit_log_valid_o || !t.unit_log_ready_i) return;
    Access* found = nullptr;  // The addresses differ in their upper bits.
    for (auto& [id, access] : slots_)
      if (access.request.va == t.unit_log_address_o && !access.logged) found = &access;
    ASSERT_NE(found, nullptr) << "a record of nobody";
    EXPECT_TRUE(found->ended);
    found->logged = true;
    ++logged_;
    EXPECT_EQ(t.unit_log_reason_o, static_cast<unsigned>(found->fault()));
    EXPECT_EQ(t.unit_log_space_o, found->request.space);
    EXPECT_EQ(t.unit_log_port_o, 37);
    EXPECT_EQ(t.unit_log_access_o, static_cast<unsigned>(found->request.access));
    EXPECT_EQ(t.unit_log_level_o, found->lookup != Fault::kNone ? found->level : 0);
  }
  void TakeAnswer() {
    if (!t.unit_valid_o || !t.unit_ready_i) return;
    const auto at = slots_.find(t.unit_id_o);
    ASSERT_NE(at, slots_.end()) << "an answer to nobody";
    const Access& access = at->second;
    const Request& request = access.request;
    EXPECT_TRUE(access.ended);
    if (t.unit_ordered_i) EXPECT_EQ(t.unit_id_o, ordered_next_);
    EXPECT_EQ(t.unit_fault_o, static_cast<unsigned>(access.fault()));
    EXPECT_EQ(t.unit_line_o, request.va >> 6);
    const bool fault = access.fault() != Fault::kNone;
    EXPECT_EQ(access.logged, fault) << "its record comes before its answer";
    if (!fault && !request.write()) {
      const unsigned word = request.first() / word_ + word_at_;
      EXPECT_EQ(t.unit_word_o, word);
      EXPECT_EQ(t.unit_last_o, word == request.last() / word_);
      const auto data = BytesOf(t.unit_data_o);
      for (unsigned i = 0; i < word_; ++i)
        EXPECT_EQ(data[i], access.zero ? 0 : access.data[word * word_ + i]) << word << ", " << i;
    } else {
      EXPECT_TRUE(t.unit_last_o);
    }
    ++word_at_;
    if (!t.unit_last_o) return;
    word_at_ = 0;
    ++answered_;
    faults_ += fault;
    if (!fault) bytes_[request.write()] += request.bytes;
    if (t.unit_ordered_i) ordered_next_ = (ordered_next_ + 1) % slots();
    slots_.erase(at);
  }

  std::vector<unsigned> words_;  // words of the newest write that are still to be sent
  std::deque<unsigned> asked_, accepted_, lookups_, routed_, asks_, pages_;
  std::vector<unsigned> reads_, written_;
  std::deque<Beat> beats_;
  Offer request_;
  bool taken_xs_ = false;
  uint64_t last_word_ = 0, given_[2] = {}, back_[2] = {}, ended_[2] = {};
  uint64_t counted_[2] = {}, bytes_[2] = {};
  unsigned word_at_ = 0;
};

TEST_P(AccessUnit, EveryEndOfReadsAndWrites) {
  for (auto kind : {regs::Access::kRead, regs::Access::kWrite, regs::Access::kExecute}) {
    for (int end = 0; end < 8; ++end) {
      Request request = Request::Draw(*this, FreeId());
      request.access = kind;
      Access& access = Add(request);
      if (end == 0) access.lookup = Fault::kWriteProtect;
      if (end == 1) access.zero = true;
      if (end == 2) access.target = Target::kPeer;
      if (end == 3) access.offset += kVram;
      if (end == 4) access.target = Target::kAperture, access.map = Fault::kApertureEntry;
      if (end == 5) access.bus_error = true;
      if (end == 6) access.target = Target::kAperture;
      Finish();
    }
  }
  EXPECT_EQ(answered_, 24u);
  EXPECT_EQ(faults_, 15u);
}

TEST_P(AccessUnit, AllSlotsAtOnce) {
  for (int round = 0; round < 3; ++round) {
    for (unsigned id = 0; id < slots(); ++id) Draw(Add(Request::Draw(*this, id)), round == 2 ? 100 : 0);
    Finish();
  }
}

TEST_P(AccessUnit, OrderedAnswersAscendFromZero) {
  t.unit_ordered_i = 1;
  Run(4);
  unsigned id = 0;
  for (int i = 0; i < 300; ++i, id = (id + 1) % slots()) {
    for (int k = 0; k < 2000 && slots_.count(id) != 0; ++k) Step();
    ASSERT_EQ(slots_.count(id), 0u);
    Draw(Add(Request::Draw(*this, id)), 20);
  }
  Finish();
  EXPECT_EQ(answered_, 300u);
}

TEST_P(AccessUnit, RandomAccesses) {
  for (int i = 0; i < 3000; ++i) {
    if (slots_.size() + 1 < slots() && Chance(i / 500 % 2 ? 20 : 90)) Draw(Add(Request::Draw(*this, FreeId())), 25);
    Step();
  }
  EXPECT_GT(answered_, 250u);
  Finish();
}

INSTANTIATE_TEST_SUITE_P(Seeds, AccessUnit, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::client
