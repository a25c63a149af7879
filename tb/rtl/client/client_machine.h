// SPDX-License-Identifier: Apache-2.0
// Drives one client, its registers and its external port, and models its translation port and its
// bus, which respond with delays and out of order.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vgmmu_client_bench.h"
#include "hw/gmmu_regs.h"
#include "hw/traffic.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu {

using regs::Access;
using regs::Fault;
using regs::Target;

inline uint32_t Crc32c(const std::vector<uint8_t>& bytes) {
  uint32_t crc = ~0u;
  for (uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

constexpr unsigned kBeatBytes = sizeof(Vgmmu_client_bench::t_w_data_i);

class ClientMachine : public BlockBench<Vgmmu_client_bench> {
  using Lookup = GMMU_STRUCT(gmmu_client_bench, xlate_req_t);
  using Translation = GMMU_STRUCT(gmmu_client_bench, xlate_rsp_t);
  using Done = GMMU_STRUCT(gmmu_client_bench, xlate_done_t);
  using ReadRequest = GMMU_STRUCT(gmmu_client_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_client_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_client_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_client_bench, wr_rsp_t);
  using Record = GMMU_STRUCT(gmmu_client_bench, fault_info_t);
  using ExternalRequest = GMMU_STRUCT(gmmu_client_bench, client_req_t);
  using ExternalWord = GMMU_STRUCT(gmmu_client_bench, client_w_t);
  using ExternalAnswer = GMMU_STRUCT(gmmu_client_bench, client_rsp_t);

 public:
  ClientMachine(unsigned stall, uint64_t seed) : BlockBench(seed), memory(1 << 20) {
    manner = {stall, stall};
    for (auto& byte : memory) byte = static_cast<uint8_t>(rng());
    Reset();
    t.enable_i = 1;
    for (int i = 0; i < 1000 && !t.idle_o; ++i) BlockBench::Step();
    EXPECT_TRUE(t.idle_o) << "idle after reset";
  }
  using BlockBench::Run;

  std::vector<uint8_t> memory;       // memory[i] is at va i and at VRAM offset i
  std::set<uint64_t> invalid, zero;  // page numbers
  std::set<uint64_t> broken;         // lines that respond with a bus error
  unsigned latency = 8;
  std::vector<std::pair<uint64_t, unsigned>> faults;
  bool interleave = true;  // the bus interleaves beats of different bursts
  unsigned most_in_flight = 0;
  regs::ClientStatus status;  // status, result and fault_va as read after the latest run
  regs::ClientResult result;
  uint64_t fault_va = 0;

  uint64_t WordAt(uint64_t at) const {
    uint64_t word = 0;
    for (int i = 7; i >= 0; --i) word = word << 8 | memory[at + i];
    return word;
  }
  /// Selects pattern, verification and footprint for the following runs; Run sets the other
  /// parameters.
  void Choose(regs::Pattern pattern, bool verify, unsigned footprint_lg2 = 0) {
    ctrl_.set_pattern(pattern).set_verify(verify).set_footprint_lg2(footprint_lg2);
  }

  /// Queues an access to a whole line at the external port. A write sends random words.
  void Ask(Access access, uint64_t line) {
    asked_.push_back({access, line, {}, 0});
    for (uint64_t& word : asked_.back().words) word = rng();
  }
  bool Answered() const { return asked_.empty() && external_.empty(); }

  /// Starts a run, steps until it and all queued external accesses are complete, and returns the run's cycles.
  uint64_t Run(Access access, uint32_t first, uint32_t stride, uint32_t count, uint32_t step, unsigned depth = 0,
               uint64_t seed = 0) {
    Write(regs::ClientLines{}.set_first(first).set_stride(stride));
    Write(regs::ClientOrder{}.set_count(count).set_step(step));
    Write(regs::ClientSeed{}.set_value(seed));
    Write(ctrl_.set_access(access).set_depth(depth).set_space(1).set_start(1));
    const uint64_t begin = now;
    while (!t.done_o && now - begin < 400000) Step();
    EXPECT_TRUE(t.done_o) << "the run ends";
    const uint64_t end = now;
    Until([&] { return Answered(); }, "the external responses", 20000);
    Run(50);
    EXPECT_FALSE(t.busy_o);
    EXPECT_TRUE(t.idle_o);
    for (int e = 0; e < 2; ++e) EXPECT_EQ(given_[e], back_[e]) << "answers given back, generation " << e;
    EXPECT_EQ(Read<regs::ClientOrder>().count(), count) << "a register reads back";
    EXPECT_EQ(Read<regs::ClientCtrl>().raw, regs::ClientCtrl{ctrl_}.set_start(0).raw);
    status = Read<regs::ClientStatus>();
    result = Read<regs::ClientResult>();
    fault_va = Read<regs::ClientFaultAddress>().va();
    return end - begin;
  }

  void Step() override {
    t.xlate_req_ready_i = !Stall();
    ReadResponse rd_in{};
    WriteResponse wr_in{};
    rd_in.ar_ready = !Stall();
    wr_in.aw_ready = !Stall();
    wr_in.w_ready = !Stall();
    t.fault_ready_i = !Stall();
    if (!x_offer_ && !lookups_.empty() && !Stall()) {
      x_offer_ = true;
      std::swap(lookups_[0], lookups_[rng() % lookups_.size()]);
      generation_ = rng() % 2;
    }
    t.xlate_rsp_valid_i = x_offer_;
    if (x_offer_) {
      const auto [tag, va] = lookups_.front();
      translation_ = {};
      translation_.tag = tag, translation_.generation = generation_, translation_.coherent = 1;
      translation_.gpa.target = static_cast<unsigned>(Target::kVram);
      translation_.gpa.offset = va & ((uint64_t{1} << 48) - 1), translation_.zero = zero.count(va >> 12);
      translation_.fault = invalid.count(va >> 12) ? 4 : 0;
      t.xlate_rsp_i = Pack(translation_);
    }
    if (!reads_.empty() && !Stall()) {
      const size_t pick = interleave ? rng() % reads_.size() : 0;
      Burst& r = reads_[pick];
      if (r.due <= now) {
        std::memcpy(&rd_in.r.data, &memory[r.address + kBeatBytes * r.beat], kBeatBytes);
        rd_in.r_valid = 1;
        rd_in.r.id = r.id, rd_in.r.error = broken.count(r.address / 64), rd_in.r.last = r.beat == r.len;
        if (r.beat++ == r.len) End(r.id), reads_.erase(reads_.begin() + pick);
      }
    }
    if (!written_.empty() && !Stall()) {
      const size_t pick = rng() % written_.size();
      wr_in.b_valid = 1;
      wr_in.b.id = written_[pick].id, wr_in.b.error = broken.count(written_[pick].address / 64);
      End(written_[pick].id);
      written_.erase(written_.begin() + pick);
    }
    t.rd_rsp_i = Pack(rd_in), t.wr_rsp_i = Pack(wr_in);
    PutExternal();
    Settle();
    EXPECT_FALSE(t.p_busy_o || t.p_done_o || t.p_reg_data_o) << "of the client without an engine";
    SampleExternal();
    const auto done = Unpack<Done>(t.xlate_done_o);
    back_[0] += done.old0, back_[1] += done.old1;
    for (int e = 0; e < 2; ++e) EXPECT_LE(back_[e], ended_[e]) << "given back before the access has ended";
    if (t.xlate_req_valid_o && t.xlate_req_ready_i) {
      const auto lookup = Unpack<Lookup>(t.xlate_req_o);
      lookups_.push_back({lookup.tag, lookup.va});
      ++in_flight_;
      most_in_flight = std::max(most_in_flight, in_flight_);
    }
    if (t.xlate_rsp_valid_i && t.xlate_rsp_ready_o) {
      x_offer_ = false;
      ++given_[generation_];
      const Translation& x = translation_;
      generation_of_[x.tag] = generation_;
      if (x.zero || x.fault || lookups_.front().second >= memory.size()) End(x.tag);
      lookups_.pop_front();
    }
    const auto rd = Unpack<ReadRequest>(t.rd_req_o);
    const auto wr = Unpack<WriteRequest>(t.wr_req_o);
    if (rd.ar_valid && rd_in.ar_ready) reads_.push_back({rd.ar.id, rd.ar.addr, rd.ar.len, 0, now + latency});
    if (wr.aw_valid && wr_in.aw_ready) writes_.push_back({wr.aw.id, wr.aw.addr, wr.aw.len, 0, 0});
    if (wr.w_valid && wr_in.w_ready) {
      Beat beat{{}, wr.w.strb, wr.w.last != 0};
      std::memcpy(beat.data, &wr.w.data, kBeatBytes);
      beats_.push_back(beat);
    }
    while (!writes_.empty() && !beats_.empty()) {
      Burst& w = writes_.front();
      for (unsigned i = 0; i < kBeatBytes; ++i) {
        if (beats_.front().strobe >> i & 1) memory[w.address + kBeatBytes * w.beat + i] = beats_.front().data[i];
      }
      EXPECT_EQ(beats_.front().last, w.beat == w.len);
      beats_.pop_front();
      if (w.beat++ == w.len) written_.push_back(w), writes_.pop_front();
    }
    const auto record = Unpack<Record>(t.fault_o);
    if (t.fault_valid_o && t.fault_ready_i) faults.push_back({record.address, record.reason});
    Edge();
    if (taken_request_) t.x_req_valid_i = 0;
    if (taken_word_) t.x_w_valid_i = 0;
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
  struct External {
    Access access;
    uint64_t line;
    std::array<uint64_t, 8> words;
    unsigned word;  // next word of a write's data, then of a read's response
  };
  // Maximum number of external accesses in flight (ids 0 to 3).
  static constexpr unsigned kExternal = 4;

  /// Drives the external port. A write sends its words before its request, with the same id.
  void PutExternal() {
    for (unsigned id = 0; id_ == kExternal && !asked_.empty() && id < kExternal; ++id)
      if (external_.count(id) == 0) id_ = id;
    const bool may = id_ < kExternal;
    const bool words = may && asked_.front().access == Access::kWrite && asked_.front().word < 8;
    t.x_w_valid_i |= words && !Stall();
    t.x_req_valid_i |= may && !words && !Stall();
    t.x_rsp_ready_i = !Stall();
    if (!may) return;
    const External& e = asked_.front();
    ExternalWord word{};
    word.id = id_, word.word = e.word;
    t.x_w_i = Pack(word), t.x_w_data_i = e.words[e.word % 8];
    ExternalRequest request{};
    request.id = id_, request.va = e.line * 64, request.access = static_cast<unsigned>(e.access), request.bytes = 64;
    t.x_req_i = Pack(request);
  }
  void SampleExternal() {
    // In the cycle in which a run starts, the external port may still accept offers.
    if ((was_busy_ && t.busy_o) || !t.enable_i) EXPECT_FALSE(t.x_req_ready_o || t.x_w_ready_o) << "not served";
    was_busy_ = t.busy_o;
    if (t.x_req_valid_i || !external_.empty()) EXPECT_FALSE(t.idle_o);
    taken_word_ = t.x_w_valid_i && t.x_w_ready_o, taken_request_ = t.x_req_valid_i && t.x_req_ready_o;
    const auto answer = Unpack<ExternalAnswer>(t.x_rsp_o);
    const bool taken = x_stands_.Look(t.x_rsp_valid_o, t.x_rsp_ready_i, {t.x_rsp_data_o, t.x_rsp_o});
    if (taken) TakeExternal(answer);
    if (taken_word_) ++asked_.front().word;
    if (!taken_request_) return;
    external_[id_] = asked_.front(), external_[id_].word = 0;
    asked_.pop_front();
    id_ = kExternal;
  }
  void TakeExternal(const ExternalAnswer& answer) {
    const auto at = external_.find(answer.id);
    ASSERT_NE(at, external_.end()) << "a response to no external access";
    External& e = at->second;
    const bool write = e.access == Access::kWrite;
    const Fault bus = write ? Fault::kBusWrite : Fault::kBusRead;
    const Fault fault = invalid.count(e.line / 64)  ? Fault::kEntryInvalid
                        : broken.count(e.line) != 0 ? bus
                                                    : Fault::kNone;
    EXPECT_EQ(answer.fault, static_cast<unsigned>(fault));
    const bool one = write || fault != Fault::kNone;
    for (unsigned w = write && fault == Fault::kNone ? 0 : 8; w < 8; ++w)
      EXPECT_EQ(WordAt(e.line * 64 + 8 * w), e.words[w]);
    if (!one) EXPECT_EQ(t.x_rsp_data_o, WordAt(e.line * 64 + 8 * e.word));
    if (!one) EXPECT_EQ(answer.word, e.word++);
    EXPECT_EQ(answer.last, one || e.word == 8);
    if (answer.last) external_.erase(at);
  }
  void End(unsigned id) {
    ++ended_[generation_of_[id]];
    --in_flight_;
  }
  template <typename Register>
  void Write(Register value) {
    t.reg_wr_i = 1, t.reg_word_i = Register::kOffset / 8, t.reg_data_i = value.raw;
    Step();
    t.reg_wr_i = 0;
  }
  template <typename Register>
  Register Read() {
    t.reg_rd_i = 1, t.reg_word_i = Register::kOffset / 8;
    Step();
    Step();
    t.reg_rd_i = 0;
    Register value;
    value.raw = t.reg_data_o;
    return value;
  }

  Translation translation_{};
  std::deque<std::pair<unsigned, uint64_t>> lookups_;
  std::vector<Burst> reads_, written_;
  std::deque<Burst> writes_;
  std::deque<Beat> beats_;
  std::map<unsigned, unsigned> generation_of_;
  std::deque<External> asked_;             // external accesses that have not been accepted
  std::map<unsigned, External> external_;  // accepted external accesses, by id
  Standing<std::pair<uint64_t, unsigned>> x_stands_{"the external response"};
  bool was_busy_ = false, taken_word_ = false, taken_request_ = false;
  unsigned id_ = kExternal;  // id of the external access being sent; kExternal: none
  bool x_offer_ = false;
  regs::ClientCtrl ctrl_;
  unsigned generation_ = 0, in_flight_ = 0;
  uint64_t given_[2] = {}, back_[2] = {}, ended_[2] = {};
};

}  // namespace gmmu
