// SPDX-License-Identifier: Apache-2.0
// Drives the rings alone. The bench acts as software, fetcher and command processor, and models the state of each ring.
#pragma once

#include <array>

#include "tb/rtl/dma/control.h"

namespace gmmu::dma {

using Entry = std::array<uint64_t, 4>;  // the four words in memory order

/// The expected state of a ring, as visible to software.
struct RingModel {
  bool enable = false, error = false, preempted = false;
  unsigned asked_for = 0;  // consecutive cycles with the ring enabled and its preemption requested
  unsigned asked_ago = 9;  // cycles since the latest preemption request
  bool off = false;        // the ring was disabled while its entry was in progress
  bool overrun = false;    // the tail is at or beyond the end of the ring
  unsigned head = 0, tail = 0, size = 4;
  uint32_t last_fence = 0, entries = 0, fence = 0, offset = 0, header = 0;
  Failure failure;
  std::map<unsigned, Entry> slots;
  uint64_t ready_since = ~uint64_t{0};

  unsigned Mask() const { return (1u << size) - 1; }
};

class RingsBench : public Steering {
  using Config = GMMU_STRUCT(gmmu_dma_control_bench, ring_cfg_t);

 public:
  enum Phase { kNone, kWords, kBuffer, kStart, kRun, kLog, kError, kAbort };

  RingsBench(unsigned size, Manner how, uint64_t seed) : Steering(size, seed) {
    manner = how;
    t.rings_enable_i[n] = 1;
    for (unsigned r = 0; r < rings.size(); ++r) {
      Set(r, [&](Config& c) {
        c.base = 0x100000 * (r + 1), c.base_target = Random(0, 3), c.fence_address = 0x7000 + 16 * r;
      });
      SetSize(r, 4);
    }
    if (n < 2) rings.resize(1);
  }

  std::vector<RingModel> rings = std::vector<RingModel>(4);
  Phase phase = kNone;
  unsigned active = 0;
  bool abandoned = false;
  unsigned fail_percent = 0, unreadable_percent = 0, slow = 10;
  std::vector<unsigned> served;
  uint64_t completed = 0, errors = 0, given_up = 0, stopped = 0, answered = 0;

  /// Sets members of a ring's configuration: `change` receives a Config by reference.
  template <typename Change>
  void Set(unsigned r, const Change& change) {
    change(configs_[r]);
    t.ring_i[n][r] = Pack(configs_[r]);
  }
  auto State(unsigned r) const { return Unpack<GMMU_STRUCT(gmmu_dma_control_bench, ring_state_t)>(t.ring_o[n][r]); }
  void SetSize(unsigned r, unsigned size) {
    rings[r].size = size;
    Set(r, [&](Config& c) { c.size_lg2 = size; });
  }
  void Enable(unsigned r, bool enable) {
    Set(r, [&](Config& c) { c.enable = enable; });
  }
  void Preempt(unsigned r, bool preempt) {
    Set(r, [&](Config& c) { c.preempt = preempt; });
  }
  void SetPrivileged(unsigned r, bool privileged) {
    Set(r, [&](Config& c) { c.privileged = privileged; });
  }
  bool Full(unsigned r) const { return ((rings[r].tail + 1) & rings[r].Mask()) == (rings[r].head & rings[r].Mask()); }
  /// Writes an entry into the ring, and rings the doorbell.
  void Put(unsigned r, const Entry& entry) {
    RingModel& ring = rings[r];
    ring.slots[ring.tail & ring.Mask()] = entry;
    ring.tail = (ring.tail + 1) & ring.Mask();
    SetTail(r, ring.tail);
  }
  void Rewind(unsigned r) { SetTail(r, rings[r].tail = 0), rings[r].overrun = false; }
  /// Rings the doorbell with a tail at or beyond the end of the ring.
  void Overrun(unsigned r) {
    SetTail(r, Random(1 << rings[r].size, 0xffff));
    rings[r].overrun = true;
  }
  void SetTail(unsigned r, unsigned tail) {
    Set(r, [&](Config& c) { c.tail = tail; });
  }
  void SetBase(unsigned r, uint64_t base) {
    Set(r, [&](Config& c) { c.base = base; });
  }
  Entry AnyEntry(unsigned bad_percent) {
    regs::RingEntryShape shape;
    shape.set_bytes(8 * Random(0, 100)).set_irq(Random(0, 1));
    shape.set_space(Random(0, kSpacesOf[n] - 1)).set_target(Target(Random(0, 3)));
    Entry entry{rng() >> 20 & ~uint64_t{7}, 0, rng() & 0xffffffff, rng()};
    if (Chance(bad_percent)) {
      switch (Random(0, 8)) {
        case 0: entry[0] |= Random(1, 7); break;
        case 1: shape.set_bytes(shape.bytes() | Random(1, 7)); break;
        case 2: shape.raw |= uint64_t{2} << 32; break;
        case 3: shape.raw |= uint64_t{1} << Random(36, 39); break;
        case 4: shape.raw |= uint64_t{1} << Random(49, 63); break;
        case 5: entry[2] |= uint64_t{1} << Random(32, 63); break;
        case 6: entry[0] = ~uint64_t{7}, shape.set_bytes(16); break;
        case 7:  // a nonexistent space, often the lowest-numbered one
          shape.set_space(Chance(50) ? kSpacesOf[n] : Random(kSpacesOf[n], 255));
          break;
        default: entry[0] = 0xfffffffffff8, shape.set_bytes(16).set_physical(1);
      }
    } else if (Chance(30)) {
      shape.set_physical(1);
      if (Chance(50)) shape.set_space(Random(0, 255));  // ignored for a physical buffer
    }
    entry[1] = shape.raw;
    return entry;
  }
  bool Ready(unsigned r) const {  // whether the ring has work
    const RingModel& ring = rings[r];
    return t.rings_enable_i[n] && configs_[r].enable && ring.enable && !ring.error && !ring.preempted &&
           !configs_[r].preempt && (ring.overrun || ring.head != ring.tail);
  }
  bool AllDone() const {
    for (unsigned r = 0; r < rings.size(); ++r)
      if (Ready(r)) return false;
    return phase == kNone && t.rings_idle_o[n];
  }
  void Step() override {
    Drive();
    Settle();
    Sample();
    Edge();
  }
  void Finish(unsigned limit = 30000) {
    bool done = false;
    for (unsigned i = 0; i < limit && !done && !testing::Test::HasFailure(); ++i) Step(), done = i > 4 && AllDone();
    EXPECT_TRUE(done || testing::Test::HasFailure()) << "no end, phase " << phase;
    Run(16);
    EXPECT_FALSE(t.rings_awake_o[n]) << "awake_o of rings without work";
  }

 private:
  regs::RingEntryShape Shape() const { return regs::RingEntryShape{entry_[1]}; }
  Place EntryPlace() const {
    return {configs_[active].base + 32 * rings[active].head, true, static_cast<Target>(configs_[active].base_target),
            0};
  }
  Place Buffer() const {
    return {entry_[0], Shape().physical() != 0, Shape().target(), static_cast<unsigned>(Shape().space() & 63)};
  }
  PlaceFields Asked() const { return Unpack<PlaceFields>(t.ask_place_o[n]); }
  uint32_t AskedBytes() const { return static_cast<uint32_t>(t.ask_end_o[n] - Asked().address + 1); }
  static void ExpectPlace(const PlaceFields& seen, const Place& place) {
    EXPECT_EQ(WhereOf(seen), WhereOf(place));
    EXPECT_EQ(seen.address, place.address);
  }
  Fault Verdict() const {
    const auto shape = Shape();
    const uint64_t end = entry_[0] + shape.bytes();
    const uint64_t reserved = uint64_t{0xfffe} << 48 | uint64_t{0xf2} << 32;
    if (entry_[0] % 8 || shape.bytes() % 8 || shape.raw & reserved || entry_[2] >> 32 || end < entry_[0] ||
        (shape.physical() && end >> 48))
      return Fault::kRingFetch;
    if (shape.physical() && !configs_[active].privileged) return Fault::kNotPrivileged;
    if (!shape.physical() && shape.space() >= kSpacesOf[n]) return Fault::kSpaceDisabled;
    return Fault::kNone;
  }
  void Go(Phase next) {
    phase = next;
    delay_ = Random(0, slow);
  }
  bool Due() { return delay_ == 0 || --delay_ == 0; }
  void Fail(const Failure& failure, unsigned path, uint32_t fence, uint32_t offset, uint32_t header) {
    failing_ = rings[active];
    failing_.failure = failure;
    failing_.fence = fence;
    failing_.offset = offset;
    failing_.header = header;
    path_ = path;
    Go(kLog);
  }

  void Drive() {
    t.ask_ready_i[n] = !Stall();
    t.log_ready_i[n] = !Stall();
    if (phase == kWords && delay_ > 0) {
      --delay_;
      t.entry_valid_i[n] = t.entry_error_i[n] = 0;
    } else if (phase == kWords) {
      words_.Drive(*this, manner.idle_percent, t.entry_valid_i[n], t.entry_word_i[n], t.entry_error_i[n]);
    } else {
      // Outside kWords, words belong to the paging buffer and go to the command processor.
      t.entry_valid_i[n] = phase == kRun && Chance(50);
      t.entry_error_i[n] = phase == kRun && Chance(5);
    }
    t.entry_fault_i[n] = Pack(unreadable_.Fields());
    t.run_done_i[n] = t.run_failed_i[n] = t.run_killed_i[n] = t.run_stopped_i[n] = 0;
    t.run_irq_i[n] = phase == kRun && Chance(10);
    if (phase == kRun && Due()) {
      const bool fails = Chance(fail_percent);
      if (t.run_kill_o[n] && Chance(70)) t.run_killed_i[n] = 1;
      else if (t.run_preempt_o[n] && Chance(70)) t.run_stopped_i[n] = 1;
      else if (!slow_run) (fails ? t.run_failed_i[n] : t.run_done_i[n]) = 1;
      run_failure_ = SomeFailure(*this, static_cast<Fault>(Random(1, 19)));
      t.run_error_i[n] = Pack(run_failure_.Fields());
      t.run_path_i[n] = Random(0, 2);
      t.run_offset_i[n] = rng();
      t.run_header_i[n] = rng();
    }
    t.ask_quiet_i[n] = phase == kAbort && t.ask_abort_o[n] && Due();
  }

  void Sample() {
    for (unsigned r = 0; r < rings.size(); ++r) {
      if (!Ready(r)) rings[r].ready_since = ~uint64_t{0};
      else if (rings[r].ready_since == ~uint64_t{0}) rings[r].ready_since = now;
    }
    SamplePreemptions();
    SamplePulses();
    SampleStates();
    SamplePhase();
    irq_before_ = t.run_irq_i[n];
    quiet_before_ = t.ask_quiet_i[n];
    if (phase != kNone && !configs_[active].enable) given_up += !abandoned, abandoned = true;
    for (unsigned r = 0; r < rings.size(); ++r) {
      RingModel& ring = rings[r];
      const bool enable = configs_[r].enable;
      if (enable && !ring.enable) {
        RingModel fresh;
        fresh.tail = ring.tail, fresh.size = ring.size, fresh.slots = ring.slots, fresh.off = ring.off;
        fresh.overrun = ring.overrun;
        ring = fresh;
      }
      ring.enable = enable;
      const bool asked = enable && configs_[r].preempt;
      ring.asked_for = asked ? ring.asked_for + 1 : 0;
      ring.asked_ago = asked ? 0 : ring.asked_ago + 1;
      ring.off = State(r).busy && (ring.off || !enable);
    }
  }
  /// Checks that a ring reports preempted only if its entry has stopped or no entry is in progress.
  void SamplePreemptions();
  void SamplePulses();
  void SampleStates();
  void SamplePhase();
  /// Called when the block requests a ring's entry. Checks that it is that ring's turn.
  void Begin();
  /// Called when a ring stops because its tail or its entry's address is out of range.
  void BeginUnfit();
  void Judge();
  void SampleRun();
  void SampleLog();

 public:
  bool slow_run = false;  // the command processor never finishes; it must be stopped

 private:
  Config configs_[4]{};  // indexed by ring
  Entry entry_{};
  WordStream words_;
  Failure unreadable_, run_failure_;
  RingModel failing_;
  unsigned path_ = 0, delay_ = 0, killed_for_ = 0;
  uint64_t asked_at_ = 0;  // cycle in which the pending request was first offered
  bool irq_before_ = false, done_before_ = false, quiet_before_ = false;
  // stopping_: the entry is being stopped; stopped_before_: it stopped in the previous cycle.
  bool stopping_ = false, stopped_before_ = false;
  std::array<bool, 4> busy_before_{};
  std::array<unsigned, 4> idle_for_{};
  uint32_t stop_offset_ = 0;
};

}  // namespace gmmu::dma
