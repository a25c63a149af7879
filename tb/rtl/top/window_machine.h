// SPDX-License-Identifier: Apache-2.0
// Models the surroundings of the window: a CPU and VRAM, and the values that each may see.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "tb/rtl/top/blocks.h"

namespace gmmu::top {

constexpr uint64_t kWindowBase = 0x7fff'0000'0000;
constexpr uint32_t kBrokenOffset = 0x8000'0000;  ///< accesses at or above this offset get a bus error

/// Models a CPU on one side and VRAM on the other. VRAM performs each access when it responds to
/// it, in any order except for writes with the same id.
class Window : public BlocksTest {
 protected:
  enum Kind { kWrite, kRead };
  struct Access {
    uint32_t offset;
    uint64_t data = 0;
    uint8_t strobes = 0;
  };
  unsigned Slots() const { return n == 0 ? 16 : 2; }

  Window() { t.win_base_i[n] = kWindowBase; }

  void Step() override {
    DriveCpu();
    DriveMemory();
    Settle();
    read_request_ = Unpack<ReadRequest>(t.win_rd_req_o[n]), write_request_ = Unpack<WriteRequest>(t.win_wr_req_o[n]);
    for (int kind : {kWrite, kRead}) SampleIssue(static_cast<Kind>(kind));
    SampleData();
    CheckSettled();
    SampleCpu();
    Apply();
    Edge();
  }
  /// Steps until every access has its response.
  void Finish() {
    uint64_t last = now;
    size_t before = ~size_t{0};
    while (answered_[0] + answered_[1] < todo[0].size() + todo[1].size()) {
      if (answered_[0] + answered_[1] != before) before = answered_[0] + answered_[1], last = now;
      ASSERT_LT(now - last, 2000u) << "accesses are not answered";
      Step();
    }
    Run(10);
    EXPECT_TRUE(t.win_idle_o[n]);
    EXPECT_TRUE(t.win_settled_o[n]);
  }
  void AddWrites(int count) {
    for (int i = 0; i < count; ++i) {
      const bool all = Chance(50);
      todo[kWrite].push_back({AnyOffset(), rng(), static_cast<uint8_t>(all ? 255 : rng())});
    }
  }
  void AddReads(int count) {
    for (int i = 0; i < count; ++i) todo[kRead].push_back({AnyOffset()});
  }
  /// Holds the window, as a register write does, until it has settled, and changes its base to
  /// `base`.
  void Hold(uint64_t base) {
    HoldUntilSettled();
    t.win_base_i[n] = base;
    t.win_hold_i[n] = 0;
  }
  /// Holds the window until it has settled. Then the CPU host aperture begins at page `first` of
  /// BAR2, or is off if there is none.
  void HoldForAperture(std::optional<uint32_t> first) {
    HoldUntilSettled();
    t.win_aperture_enable_i[n] = first.has_value();
    t.win_aperture_first_i[n] = first.value_or(0);
    t.win_hold_i[n] = 0;
  }
  /// Holds the window until it has settled, and sets an entry of the CPU host aperture to a page of
  /// VRAM, or to invalid if there is none.
  void HoldForEntry(uint8_t index, std::optional<uint64_t> page) {
    HoldUntilSettled();
    entries_[index] = page;
    t.win_aperture_set_i[n] = 1;
    t.win_aperture_index_i[n] = index;
    t.win_aperture_valid_i[n] = page.has_value();
    t.win_aperture_page_i[n] = page.value_or(rng() & 0xf'ffff'ffff);
    t.win_hold_i[n] = 0;
    Step();
    t.win_aperture_set_i[n] = 0;
  }
  void HoldUntilSettled() {
    t.win_hold_i[n] = 1;
    Step();
    for (int i = 0; i < 4000 && !settled_; ++i) Step();
    EXPECT_TRUE(settled_) << "held, and not settled";
    for (int i = 0, more = Random(0, 3); i < more; ++i) Step();
  }

  /// Steps until either the AW or the W of the latest write has been accepted.
  void TakeHalfOfAWrite() {
    Until([&] { return std::max(taken_[kWrite].size(), w_taken_) == todo[kWrite].size(); },
          "half of a write to be taken", 2000);
    EXPECT_NE(taken_[kWrite].size(), w_taken_);
  }
  /// Steps until every read has its response. Writes may still be pending.
  void FinishReads() {
    Until([&] { return answered_[kRead] == todo[kRead].size(); }, "the reads to be answered",
          2000 * (1 + todo[kRead].size()));
  }

  /// Stops the window as a reset does. Returns whether it reports within `cycles` cycles that no
  /// access is in progress.
  bool Stop(int cycles) {
    t.win_stop_i[n] = 1;
    for (int i = 0; i < cycles; ++i) {
      Step();
      if (!t.win_stopped_o[n]) continue;
      EXPECT_EQ(issued_[kWrite] + issued_[kRead], ended_[kWrite] + ended_[kRead]) << "stopped with accesses under way";
      return true;
    }
    return false;
  }
  /// Resets the VRAM side for some cycles, which drops all accesses without a response.
  void Lose() {
    t.win_lose_i[n] = 1;
    for (int kind : {kWrite, kRead}) {
      flying_[kind].clear();
      may_be_lost_[kind] = taken_[kind].size();
    }
    data_.clear();
    for (int i = 0, cycles = Random(1, 10); i < cycles; ++i) Step();
    t.win_lose_i[n] = 0;
  }

  std::vector<Access> todo[2];
  bool dead = false;      // VRAM does not respond
  size_t lost_ = 0;       // accesses that VRAM dropped, answered with an error
  unsigned latency = 12;  // maximum latency of the memory, in cycles
  unsigned most_ = 0;     // most accesses in flight on the bus so far
  bool settled_ = false;
  bool aw_late = false;  // no new AW is offered; a pending AW stays
  bool w_late = false;   // no new W beat is offered; a pending beat stays
  unsigned lag = 0;      // if not 0, redraw aw_late and w_late at least every `lag` cycles
  size_t answered_[2] = {};

 private:
  std::map<uint8_t, std::optional<uint64_t>> entries_;  // page numbers in VRAM, by entry
  struct Issued {
    unsigned id;
    uint64_t address, due;
    size_t number;      // index among the accesses of its kind
    bool error, whole;  // whole: false while the write's data is missing
  };

  /// Returns the VRAM address of an offset in BAR2. An address that exceeds 48 bits, or that no
  /// valid entry maps, is past the end of VRAM.
  uint64_t AddressOf(uint32_t offset) const {
    if (t.win_aperture_enable_i[n] && offset >> 20 == t.win_aperture_first_i[n] >> 8)
      return entries_.at(offset >> 12 & 0xff).value_or(0xf'ffff'ffff) << 12 | (offset & 0xff8);
    const uint64_t address = t.win_base_i[n] + (offset & ~7u);
    return (address & 0xffff'ffff'ffff) | (address >> 48 ? 1ull << 47 : 0);
  }
  uint32_t AnyOffset() {
    const uint32_t offset = 8 * Random(0, 15) + Random(0, 7);
    return Chance(10) ? kBrokenOffset + offset : Chance(20) ? 0x7fff'ff00 + offset : offset;
  }
  static uint64_t Merge(uint64_t word, uint64_t data, uint8_t strobes) {
    for (unsigned i = 0; i < 8; ++i) {
      if (strobes >> i & 1) word = (word & ~(0xffull << 8 * i)) | (data & (0xffull << 8 * i));
    }
    return word;
  }

  void DriveCpu() {
    if (lag != 0 && now >= lag_until_) aw_late = Chance(40), w_late = Chance(40), lag_until_ = now + Random(1, lag);
    const bool may[2] = {!aw_late || aw_stands_, true};
    for (int kind : {kWrite, kRead}) {
      const size_t next = taken_[kind].size();
      offered_[kind] = offer_[kind].Now(may[kind] && next < todo[kind].size(), *this, manner.idle_percent);
    }
    t.win_awvalid_i[n] = offered_[kWrite];
    t.win_arvalid_i[n] = offered_[kRead];
    t.win_wvalid_i[n] = w_.Now((!w_late || w_stands_) && w_taken_ < todo[kWrite].size(), *this, manner.idle_percent);
    if (offered_[kWrite]) t.win_awaddr_i[n] = todo[kWrite][taken_[kWrite].size()].offset;
    if (offered_[kRead]) t.win_araddr_i[n] = todo[kRead][taken_[kRead].size()].offset;
    if (t.win_wvalid_i[n]) {
      t.win_wdata_i[n] = todo[kWrite][w_taken_].data;
      t.win_wstrb_i[n] = todo[kWrite][w_taken_].strobes;
    }
    t.win_bready_i[n] = !Stall();
    t.win_rready_i[n] = !Stall();
  }

  void DriveMemory() {
    write_response_.aw_ready = !Stall();
    read_response_.ar_ready = !Stall();
    write_response_.w_ready = !Stall();
    write_response_.b_valid = read_response_.r_valid = 0;
    for (int kind : {kWrite, kRead}) {
      auto& flights = flying_[kind];
      const size_t first = flights.empty() ? 0 : rng() % flights.size();
      for (size_t i = 0; i < flights.size(); ++i) {
        const size_t at = (first + i) % flights.size();
        if (dead || flights[at].due > now || !flights[at].whole) continue;
        const auto same = [&](const Issued& other) { return other.id == flights[at].id; };
        if (std::find_if(flights.begin(), flights.end(), same) - flights.begin() != static_cast<ptrdiff_t>(at))
          continue;
        Answer(static_cast<Kind>(kind), flights[at]);
        flights.erase(flights.begin() + static_cast<ptrdiff_t>(at));
        break;
      }
    }
    t.win_rd_rsp_i[n] = Pack(read_response_), t.win_wr_rsp_i[n] = Pack(write_response_);
  }
  void Answer(Kind kind, const Issued& issued) {
    if (kind == kWrite) {
      const Access& access = todo[kWrite][issued.number];
      uint64_t& word = memory_[issued.address];
      if (!issued.error) word = Merge(word, access.data, access.strobes);
      write_response_.b_valid = 1;
      write_response_.b.id = issued.id;
      write_response_.b.error = issued.error;
    } else {
      std::array<uint64_t, kBeat / 8> beat;
      for (auto& word : beat) word = rng();
      beat[issued.address / 8 % beat.size()] = memory_[issued.address];
      read_response_.r_valid = read_response_.r.last = 1;
      read_response_.r.id = issued.id;
      read_response_.r.error = issued.error;
      std::memcpy(&read_response_.r.data, beat.data(), kBeat);
    }
    ++ended_now_[kind];
    done_[kind].insert(issued.number);
  }

  /// Called when the window offers an address on the bus.
  /// Notes the addresses of the accesses that have been issued.
  void NoteAddresses(int kind) {
    for (size_t i = addresses_[kind].size(); i < issued_[kind]; ++i)
      addresses_[kind].push_back(AddressOf(todo[kind][i].offset));
  }
  void SampleIssue(Kind kind) {
    if (kind == kWrite ? !write_request_.aw_valid : !read_request_.ar_valid) return;
    const Ax& ax = kind == kWrite ? write_request_.aw : read_request_.ar;
    ASSERT_LT(issued_[kind], taken_[kind].size()) << "nothing is to be issued";
    EXPECT_EQ(ax.port, 0) << "VRAM";
    EXPECT_EQ(ax.len, 0);
    EXPECT_FALSE(t.win_stop_i[n] && t.win_stopped_o[n]) << "stopped";
    const uint64_t address = AddressOf(todo[kind][issued_[kind]].offset);
    EXPECT_EQ(ax.addr, address);
    EXPECT_EQ(issued_[1 - kind], ended_[1 - kind]) << "reads and writes overlap";
    if (kind == kRead) EXPECT_EQ(w_issued_, ended_[kWrite]);
    if (kind == kWrite ? !write_response_.aw_ready : !read_response_.ar_ready) return;
    const unsigned id = ax.id;
    EXPECT_LT(id, Slots());
    for (const Issued& other : flying_[kRead]) EXPECT_NE(other.id, id) << "two reads with one id";
    const bool error = todo[kind][issued_[kind]].offset >= kBrokenOffset;
    flying_[kind].push_back({id, address, now + Random(1 + latency / 2, latency), issued_[kind], error, kind == kRead});
    ++issued_[kind];
    most_ = std::max(most_, static_cast<unsigned>(flying_[kind].size()));
    EXPECT_LE(flying_[kind].size(), Slots());
  }
  void SampleData() {
    if (!write_request_.w_valid) return;
    ASSERT_LT(w_issued_, w_taken_) << "no data is to be written";
    const Access& access = todo[kWrite][w_issued_];
    const unsigned lane = access.offset / 8 % (kBeat / 8);
    std::array<uint64_t, kBeat / 8> beat;
    std::memcpy(beat.data(), &write_request_.w.data, kBeat);
    EXPECT_EQ(write_request_.w.strb, uint64_t{access.strobes} << 8 * lane);
    EXPECT_EQ(Merge(0, beat[lane], access.strobes), Merge(0, access.data, access.strobes));
    EXPECT_TRUE(write_request_.w.last);
    EXPECT_EQ(issued_[kRead], ended_[kRead]) << "reads and writes overlap";
    if (write_response_.w_ready) data_.push_back(w_issued_++);
  }
  void CheckSettled() {
    settled_ = t.win_settled_o[n];
    if (!settled_) return;
    if (answered_[kWrite] < may_be_lost_[kWrite] || answered_[kRead] < may_be_lost_[kRead])
      return;  // Lost accesses count as complete.
    EXPECT_EQ(ended_[kWrite], Whole()) << "a write has no B";
    EXPECT_EQ(ended_[kRead], taken_[kRead].size()) << "a read has no R";
  }

  /// Returns the number of writes whose AW and W have both been accepted.
  size_t Whole() const { return std::min(taken_[kWrite].size(), w_taken_); }

  void SampleCpu() {
    const bool ready[2] = {t.win_awready_o[n] != 0, t.win_arready_o[n] != 0};
    const bool w_ready = t.win_wready_o[n];
    if (t.win_hold_i[n]) EXPECT_FALSE(ready[0] || ready[1]) << "held";
    size_t whole = Whole();
    const bool lacks_data = taken_[kWrite].size() > w_taken_;
    aw_stands_ = offered_[kWrite] && !ready[kWrite];
    w_stands_ = t.win_wvalid_i[n] && !w_ready;
    // A write waits while the AW or W that completes it is offered but not accepted. The next
    // write's AW does not count.
    const bool waits[2] = {lacks_data ? w_stands_ : aw_stands_, offered_[kRead] && !ready[kRead]};
    const bool offers = offered_[0] || offered_[1] || t.win_wvalid_i[n];
    EXPECT_EQ(t.win_idle_o[n], !offers && w_taken_ == answered_[kWrite] && taken_[kWrite].size() == answered_[kWrite] &&
                                   taken_[kRead].size() == answered_[kRead]);
    TakeAnswer(kWrite, t.win_bvalid_o[n], t.win_bready_i[n], t.win_bresp_o[n]);
    TakeAnswer(kRead, t.win_rvalid_o[n], t.win_rready_i[n], t.win_rresp_o[n]);
    for (int kind : {kWrite, kRead}) {
      if (!waits[kind]) passed_[kind] = 0;
      if (!offered_[kind] || !ready[kind]) continue;
      if (waits[1 - kind]) EXPECT_LE(++passed_[1 - kind], 2u) << "turns";
      offer_[kind].Taken();
      taken_[kind].push_back({});
    }
    if (t.win_wvalid_i[n] && w_ready) ++w_taken_, w_.Taken();
    for (; whole < Whole(); ++whole) taken_[kWrite][whole].when = now;
    if (offered_[kRead] && ready[kRead]) taken_[kRead].back() = Taken{now, whole};
  }
  void TakeAnswer(Kind kind, bool valid, bool ready, unsigned response) {
    if (!valid) {
      EXPECT_FALSE(stood_[kind]) << "an answer stands";
      return;
    }
    stood_[kind] = !ready;
    const size_t i = answered_[kind];
    // A lost access is answered with an error and may never have reached the bus.
    if (response == 2 && done_[kind].count(i) == 0 && i < may_be_lost_[kind]) {
      if (!ready) return;
      ++lost_;
      ++answered_[kind];
      ++ended_[kind];
      issued_[kind] = std::max(issued_[kind], answered_[kind]);
      NoteAddresses(kind);
      if (kind == kWrite) {
        w_issued_ = std::max(w_issued_, answered_[kind]);
        unknown_.insert(addresses_[kind][i]);
      }
      return;
    }
    ASSERT_TRUE(done_[kind].count(i)) << "an answer to nothing";
    const Access& access = todo[kind][i];
    const uint64_t address = addresses_[kind][i];
    const bool error = access.offset >= kBrokenOffset;
    EXPECT_EQ(response, error ? 2u : 0u) << "access " << i << " of kind " << kind;
    if (kind == kRead) {
      // Every write that was complete before this read must have its B. If write and read were
      // complete in the same cycle, either order is legal.
      const Taken& taken = taken_[kRead][i];
      const bool tie = taken.others > 0 && taken_[kWrite][taken.others - 1].when == taken.when;
      EXPECT_GE(answered_[kWrite] + tie, taken.others) << "an earlier write is under way";
      EXPECT_LE(answered_[kWrite], taken.others) << "a later write has overtaken the read";
      if (!error && unknown_.erase(address)) seen_[address] = t.win_rdata_o[n];
      if (!error) EXPECT_EQ(t.win_rdata_o[n], seen_[address]) << "at " << std::hex << address;
    }
    if (!ready) return;
    if (kind == kWrite && !error) seen_[address] = Merge(seen_[address], access.data, access.strobes);
    ++answered_[kind];
  }
  /// Applies the changes that become effective in the next cycle.
  void Apply() {
    for (Issued& issued : flying_[kWrite]) {
      if (issued.whole || data_.empty()) continue;
      data_.pop_front();
      issued.whole = true;
      issued.due = std::max(issued.due, now + 1);
    }
    for (int kind : {kWrite, kRead}) {
      NoteAddresses(kind);
      ended_[kind] += ended_now_[kind];
      ended_now_[kind] = 0;
    }
  }

  struct Taken {
    uint64_t when;  // for a write: the cycle in which it was complete
    size_t others;  // for a read: number of writes that were complete before it
  };
  ReadRequest read_request_{};
  ReadResponse read_response_{};
  WriteRequest write_request_{};
  WriteResponse write_response_{};
  Offer offer_[2], w_;
  bool offered_[2] = {}, stood_[2] = {};
  std::vector<Taken> taken_[2];
  size_t w_taken_ = 0, w_issued_ = 0, issued_[2] = {}, ended_[2] = {};
  size_t ended_now_[2] = {};
  bool aw_stands_ = false, w_stands_ = false;
  uint64_t lag_until_ = 0;
  unsigned passed_[2] = {};  // addresses of the other kind accepted while one of this kind waits
  std::vector<uint64_t> addresses_[2];
  std::deque<size_t> data_;  // writes whose data was accepted, but not their address
  std::vector<Issued> flying_[2];
  std::map<uint64_t, uint64_t> memory_, seen_;
  std::set<uint64_t> unknown_;  // words that a lost write may have written
  std::set<size_t> done_[2];    // accesses to which VRAM has responded
  size_t may_be_lost_[2] = {};  // accesses below this index may be lost, unless they are in done_
};

}  // namespace gmmu::top
