// SPDX-License-Identifier: Apache-2.0
// The rings alone: one ring with the fewest spaces, one by default, and four. The bench is software,
// fetcher and command processor; a model follows every ring.
#include <array>

#include "tb/rtl/dma/control.h"

namespace gmmu::dma {
namespace {

using Entry = std::array<uint64_t, 4>;  // as it lies in memory

/// A ring as software sees it.
struct RingModel {
  bool enable = false, error = false, preempted = false;
  unsigned asked_for = 0;    // cycles in which preemption was asked for and the ring on
  unsigned asked_ago = 9;    // cycles since
  bool off = false;  // switched off since its entry is at work
  unsigned head = 0, tail = 0, size = 4;
  uint32_t last_fence = 0, entries = 0, fence = 0, offset = 0, header = 0;
  Failure failure;
  std::map<unsigned, Entry> slots;
  uint64_t ready_since = ~uint64_t{0};

  unsigned Mask() const { return (1u << size) - 1; }
};

class RingsBench {
 public:
  enum Phase { kNone, kWords, kBuffer, kStart, kRun, kLog, kError, kAbort };

  RingsBench(int n, Manner manner, uint64_t seed) : blocks(seed), n_(n), manner_(manner) {
    auto& top = *blocks.top;
    top.rings_enable_i[n] = 1;
    for (unsigned r = 0; r < rings.size(); ++r) {
      top.ring_base_i[n][r] = 0x100000 * (r + 1);
      top.ring_target_i[n][r] = blocks.Random(0, 3);
      top.ring_record_i[n][r] = 0x7000 + 16 * r;
      SetSize(r, 4);
    }
    if (n < 2) rings.resize(1);
  }

  Steering blocks;
  std::vector<RingModel> rings = std::vector<RingModel>(4);
  Phase phase = kNone;
  unsigned active = 0;
  bool abandoned = false;
  unsigned fail_percent = 0, unreadable_percent = 0, slow = 10;
  std::vector<unsigned> served;
  uint64_t completed = 0, errors = 0, given_up = 0, stopped = 0, answered = 0;

  void SetSize(unsigned r, unsigned size) {
    rings[r].size = size;
    blocks.top->ring_size_i[n_][r] = size;
  }
  void Enable(unsigned r, bool enable) { blocks.top->ring_enable_i[n_][r] = enable; }
  void Preempt(unsigned r, bool preempt) { blocks.top->ring_preempt_i[n_][r] = preempt; }
  void SetPrivileged(unsigned r, bool privileged) {
    blocks.top->ring_privileged_i[n_][r] = privileged;
  }
  bool Full(unsigned r) const {
    return ((rings[r].tail + 1) & rings[r].Mask()) == (rings[r].head & rings[r].Mask());
  }
  /// Puts an entry into the ring; rings the doorbell with bits above the size, which mean nothing.
  void Put(unsigned r, const Entry& entry) {
    RingModel& ring = rings[r];
    ring.slots[ring.tail & ring.Mask()] = entry;
    ring.tail = (ring.tail + 1) & 0xffff;
    blocks.top->ring_tail_i[n_][r] = ring.tail;
  }
  void Rewind(unsigned r) { blocks.top->ring_tail_i[n_][r] = rings[r].tail = 0; }
  Entry AnyEntry(unsigned bad_percent) {
    regs::RingEntryShape shape;
    shape.set_bytes(8 * blocks.Random(0, 100)).set_interrupt(blocks.Random(0, 1));
    shape.set_space(blocks.Random(0, kSpacesOf[n_] - 1)).set_target(Target(blocks.Random(0, 3)));
    Entry entry{blocks.rng() >> 20 & ~uint64_t{7}, 0, blocks.rng() & 0xffffffff, blocks.rng()};
    if (blocks.Chance(bad_percent)) {
      switch (blocks.Random(0, 8)) {
        case 0: entry[0] |= blocks.Random(1, 7); break;
        case 1: shape.set_bytes(shape.bytes() | blocks.Random(1, 7)); break;
        case 2: shape.raw |= uint64_t{2} << 32; break;
        case 3: shape.raw |= uint64_t{1} << blocks.Random(36, 39); break;
        case 4: shape.raw |= uint64_t{1} << blocks.Random(49, 63); break;
        case 5: entry[2] |= uint64_t{1} << blocks.Random(32, 63); break;
        case 6: entry[0] = ~uint64_t{7}, shape.set_bytes(16); break;
        case 7:  // the first that is not built, or any
          shape.set_space(blocks.Chance(50) ? kSpacesOf[n_] : blocks.Random(kSpacesOf[n_], 255));
          break;
        default: entry[0] = 0xfffffffffff8, shape.set_bytes(16).set_physical(1);
      }
    } else if (blocks.Chance(30)) {
      shape.set_physical(1);
      if (blocks.Chance(50)) shape.set_space(blocks.Random(0, 255));  // means nothing
    }
    entry[1] = shape.raw;
    return entry;
  }
  bool Ready(unsigned r) const {  // has work
    const RingModel& ring = rings[r];
    return blocks.top->rings_enable_i[n_] && blocks.top->ring_enable_i[n_][r] && ring.enable &&
           !ring.error && !ring.preempted && !blocks.top->ring_preempt_i[n_][r] &&
           ring.head != (ring.tail & ring.Mask());
  }
  bool AllDone() const {
    for (unsigned r = 0; r < rings.size(); ++r)
      if (Ready(r)) return false;
    return phase == kNone && blocks.top->rings_idle_o[n_];
  }
  void Tick() {
    blocks.Tick([&] { Drive(*blocks.top); }, [&] { Sample(*blocks.top); });
  }
  void Ticks(unsigned count) {
    while (count-- > 0) Tick();
  }
  void Finish(unsigned limit = 30000) {
    bool done = false;
    for (unsigned i = 0; i < limit && !done && !testing::Test::HasFailure(); ++i)
      Tick(), done = i > 4 && AllDone();
    EXPECT_TRUE(done || testing::Test::HasFailure()) << "no end, phase " << phase;
  }

 private:
  regs::RingEntryShape Shape() const { return regs::RingEntryShape{entry_[1]}; }
  Place EntryPlace() const {
    const auto& top = *blocks.top;
    return {top.ring_base_i[n_][active] + 32 * rings[active].head, true,
            static_cast<Target>(top.ring_target_i[n_][active]), 0};
  }
  Place Buffer() const {
    return {entry_[0], Shape().physical() != 0, Shape().target(),
            static_cast<unsigned>(Shape().space() & 63)};
  }
  Fault Verdict() const {
    const auto shape = Shape();
    const uint64_t end = entry_[0] + shape.bytes();
    const uint64_t reserved = uint64_t{0xfffe} << 48 | uint64_t{0xf2} << 32;
    if (entry_[0] % 8 || shape.bytes() % 8 || shape.raw & reserved || entry_[2] >> 32 ||
        end < entry_[0] || (shape.physical() && end >> 48))
      return Fault::kRingFetch;
    if (shape.physical() && !blocks.top->ring_privileged_i[n_][active])
      return Fault::kNotPrivileged;
    if (!shape.physical() && shape.space() >= kSpacesOf[n_]) return Fault::kSpaceDisabled;
    return Fault::kNone;
  }
  void Go(Phase next) {
    phase = next;
    delay_ = blocks.Random(0, slow);
  }
  bool Due() { return delay_ == 0 || --delay_ == 0; }
  void Fail(const Failure& failure, unsigned path, uint32_t fence, uint32_t offset,
            uint32_t header) {
    failing_ = rings[active];
    failing_.failure = failure;
    failing_.fence = fence;
    failing_.offset = offset;
    failing_.header = header;
    path_ = path;
    Go(kLog);
  }

  void Drive(Vgmmu_dma_control_bench& top) {
    top.ask_ready_i[n_] = !blocks.Chance(manner_.stall_percent);
    top.log_ready_i[n_] = !blocks.Chance(manner_.stall_percent);
    if (phase == kWords && delay_ > 0) {
      --delay_;
      top.entry_valid_i[n_] = top.entry_error_i[n_] = 0;
    } else if (phase == kWords) {
      words_.Drive(blocks, manner_.idle_percent, top.entry_valid_i[n_], top.entry_word_i[n_],
                   top.entry_error_i[n_]);
    } else {
      top.entry_valid_i[n_] = phase == kRun && blocks.Chance(50);  // words of the buffer
      top.entry_error_i[n_] = phase == kRun && blocks.Chance(5);
    }
    top.entry_what_i[n_] = unreadable_.What();
    top.entry_address_i[n_] = unreadable_.place.address;
    top.run_done_i[n_] = top.run_failed_i[n_] = top.run_killed_i[n_] = top.run_stopped_i[n_] = 0;
    top.run_irq_i[n_] = phase == kRun && blocks.Chance(10);
    if (phase == kRun && Due()) {
      const bool fails = blocks.Chance(fail_percent);
      if (top.run_kill_o[n_] && blocks.Chance(70)) top.run_killed_i[n_] = 1;
      else if (top.run_preempt_o[n_] && blocks.Chance(70)) top.run_stopped_i[n_] = 1;
      else if (!slow_run) (fails ? top.run_failed_i[n_] : top.run_done_i[n_]) = 1;
      run_failure_ = SomeFailure(blocks, static_cast<Fault>(blocks.Random(1, 20)));
      top.run_what_i[n_] = run_failure_.What();
      top.run_address_i[n_] = run_failure_.place.address;
      top.run_path_i[n_] = blocks.Random(0, 2);
      top.run_offset_i[n_] = blocks.rng();
      top.run_header_i[n_] = blocks.rng();
    }
    top.ask_quiet_i[n_] = phase == kAbort && top.ask_abort_o[n_] && Due();
  }

  void Sample(Vgmmu_dma_control_bench& top) {
    for (unsigned r = 0; r < rings.size(); ++r) {
      if (!Ready(r)) rings[r].ready_since = ~uint64_t{0};
      else if (rings[r].ready_since == ~uint64_t{0}) rings[r].ready_since = blocks.now;
    }
    SamplePreemptions(top);
    SamplePulses(top);
    SampleStates(top);
    SamplePhase(top);
    irq_before_ = top.run_irq_i[n_];
    quiet_before_ = top.ask_quiet_i[n_];
    if (phase != kNone && !top.ring_enable_i[n_][active]) given_up += !abandoned, abandoned = true;
    for (unsigned r = 0; r < rings.size(); ++r) {
      RingModel& ring = rings[r];
      const bool enable = top.ring_enable_i[n_][r];
      if (enable && !ring.enable) {
        RingModel fresh;
        fresh.tail = ring.tail, fresh.size = ring.size, fresh.slots = ring.slots, fresh.off = ring.off;
        ring = fresh;
      }
      ring.enable = enable;
      const bool asked = enable && top.ring_preempt_i[n_][r];
      ring.asked_for = asked ? ring.asked_for + 1 : 0;
      ring.asked_ago = asked ? 0 : ring.asked_ago + 1;
      ring.off = top.ring_busy_o[n_][r] && (ring.off || !enable);
    }
  }
  /// A ring becomes preempted because its entry stopped, or because it has none at work.
  void SamplePreemptions(Vgmmu_dma_control_bench& top) {
    unsigned rises = 0;
    for (unsigned r = 0; r < rings.size(); ++r) {
      RingModel& ring = rings[r];
      const bool now = top.ring_preempted_o[n_][r];
      const bool stops = stopped_before_ && r == active;
      if (stops) EXPECT_TRUE(now) << "its entry has stopped";
      if (now && !ring.preempted) {
        ++rises;
        ++(stops ? stopped : answered);
        if (stops) ring.fence = entry_[2], ring.offset = stop_offset_;
        else EXPECT_LT(ring.asked_ago, 3u) << "nobody asked for it";
        EXPECT_FALSE(ring.error || top.ring_busy_o[n_][r]);
        ring.preempted = true;
      }
      EXPECT_EQ(now, ring.preempted) << "ring " << r;
      const bool idle = !top.ring_busy_o[n_][r] && !ring.error;
      idle_for_[r] = idle ? idle_for_[r] + 1 : 0;
      if (ring.asked_for > 3 && idle_for_[r] > 2) EXPECT_TRUE(now) << "no answer of ring " << r;
      if (top.rings_idle_o[n_] && top.ring_enable_i[n_][r] && top.ring_preempt_i[n_][r] && idle && ring.enable)
        EXPECT_TRUE(now) << "idle though it owes an answer";
      if (top.ring_busy_o[n_][r] && !busy_before_[r])
        EXPECT_LT(ring.asked_for, 3u) << "an entry begins though preemption stands";
      busy_before_[r] = top.ring_busy_o[n_][r];
    }
    EXPECT_EQ(top.rings_preempted_o[n_], rises != 0) << "preempted_o";
    stopped_before_ = false;
  }
  void SamplePulses(Vgmmu_dma_control_bench& top) {
    RingModel& ring = rings[active];
    EXPECT_EQ(top.rings_count_o[n_], done_before_) << "count_entry_o";
    EXPECT_EQ(top.rings_fence_irq_o[n_], irq_before_ || (done_before_ && Shape().interrupt()));
    if (done_before_) {
      ring.head = (ring.head + 1) & ring.Mask();
      ring.last_fence = entry_[2];
      ++ring.entries;
      ++completed;
    }
    done_before_ = false;
    if (top.rings_error_o[n_]) {
      EXPECT_EQ(phase, kError) << "ring_error_o";
      EXPECT_FALSE(abandoned) << "an error though abandoned";
      ring.error = true;
      ring.failure = failing_.failure;
      ring.fence = failing_.fence;
      ring.offset = failing_.offset;
      ring.header = failing_.header;
      ++errors;
      Go(kAbort);
    }
  }
  void SampleStates(Vgmmu_dma_control_bench& top) {
    unsigned busy = 0;
    for (unsigned r = 0; r < rings.size(); ++r) {
      const RingModel& ring = rings[r];
      busy += top.ring_busy_o[n_][r];
      if (phase != kNone) EXPECT_EQ(top.ring_busy_o[n_][r], r == active);
      EXPECT_EQ(top.ring_head_o[n_][r], ring.head) << "ring " << r;
      EXPECT_EQ(top.ring_last_fence_o[n_][r], ring.last_fence);
      EXPECT_EQ(top.ring_error_o[n_][r], ring.error);
      EXPECT_EQ(top.ring_reason_o[n_][r], static_cast<unsigned>(ring.failure.reason));
      EXPECT_EQ(top.ring_access_o[n_][r], static_cast<unsigned>(ring.failure.access));
      EXPECT_EQ(top.ring_level_o[n_][r], ring.failure.level);
      EXPECT_EQ(top.ring_fence_o[n_][r], ring.fence);
      EXPECT_EQ(top.ring_offset_o[n_][r], ring.offset);
      EXPECT_EQ(top.ring_header_o[n_][r], ring.header);
      EXPECT_EQ(top.ring_address_o[n_][r], ring.failure.place.address);
      if (top.rings_idle_o[n_]) EXPECT_FALSE(Ready(r)) << "idle though ring has work";
    }
    EXPECT_LE(busy, 1u);
    EXPECT_EQ(top.rings_busy_o[n_], busy);
    if (top.rings_idle_o[n_]) EXPECT_FALSE(busy);
    EXPECT_EQ(top.entry_ready_o[n_] && phase != kWords, false) << "takes words of the buffer";
    if (phase != kRun) EXPECT_FALSE(top.run_kill_o[n_] && phase != kAbort);
    if (top.run_kill_o[n_]) EXPECT_TRUE(abandoned);
    if (top.ask_valid_o[n_]) EXPECT_FALSE(top.ask_abort_o[n_]);
    for (unsigned r = 0; r < rings.size(); ++r) {
      if (phase != kNone || !rings[r].off || !top.ask_abort_o[n_] || quiet_before_) continue;
      active = r;  // given up before its entry was asked for
      ++given_up;
      Go(kAbort);
    }
    if (phase == kAbort || quiet_before_ || (abandoned && phase != kRun)) return;
    EXPECT_FALSE(top.ask_abort_o[n_]);
  }
  void SamplePhase(Vgmmu_dma_control_bench& top) {
    if (abandoned && phase != kNone && phase != kAbort && top.ask_abort_o[n_]) Go(kAbort);
    if (top.run_start_o[n_]) EXPECT_EQ(phase, kStart) << "start_o";
    if (top.log_valid_o[n_]) EXPECT_EQ(phase, kLog) << "fault_valid_o";
    if (!top.ask_valid_o[n_]) asked_at_ = blocks.now + 1;
    const bool asked = top.ask_valid_o[n_] && top.ask_ready_i[n_];
    if (asked) EXPECT_TRUE(phase == kNone || phase == kBuffer) << "asks in phase " << phase;
    switch (phase) {
      case kNone:
        if (asked) Begin(top);
        break;
      case kWords:
        words_.Sample(top.entry_valid_i[n_], top.entry_ready_o[n_]);
        if (top.entry_error_i[n_] && top.entry_ready_o[n_]) {
          Failure failure = unreadable_;
          if (failure.reason == Fault::kBusRead) failure.reason = Fault::kRingFetch;
          Fail(failure, 0, 0, 0, 0);
        } else if (words_.taken == 4) {
          Judge();
        }
        break;
      case kBuffer:
        if (!asked) break;
        EXPECT_EQ(top.ask_where_o[n_], WhereOf(Buffer()));
        EXPECT_EQ(top.ask_address_o[n_], entry_[0]);
        EXPECT_EQ(top.ask_bytes_o[n_], Shape().bytes());
        Go(kStart);
        break;
      case kStart:
        if (!top.run_start_o[n_]) break;
        EXPECT_EQ(top.run_where_o[n_], WhereOf(Buffer()));
        EXPECT_EQ(top.run_address_o[n_], entry_[0]);
        EXPECT_EQ(top.run_bytes_o[n_], Shape().bytes());
        EXPECT_EQ(top.run_privileged_o[n_], top.ring_privileged_i[n_][active]);
        EXPECT_EQ(top.run_record_o[n_], top.ring_record_i[n_][active]);
        EXPECT_EQ(top.run_value_o[n_],
                  uint64_t{rings[active].entries + 1} << 32 | (entry_[2] & 0xffffffff));
        Go(kRun);
        killed_for_ = 0;
        break;
      case kRun: SampleRun(top); break;
      case kLog: SampleLog(top); break;
      case kError: break;  // SamplePulses
      case kAbort:
        if (!top.ask_quiet_i[n_]) break;
        phase = kNone;
        stopped_before_ = stopping_ && !abandoned && top.ring_enable_i[n_][active];
        stopping_ = false;
    }
  }
  /// The entry of a ring is asked for: is it its turn?
  void Begin(Vgmmu_dma_control_bench& top) {
    unsigned chosen = 0;
    while (chosen < rings.size() && top.ring_base_i[n_][chosen] >> 20 != top.ask_address_o[n_] >> 20)
      ++chosen;
    ASSERT_LT(chosen, rings.size());
    const uint64_t before = asked_at_ - std::min<uint64_t>(asked_at_, 6);
    for (unsigned step = 1; step < rings.size(); ++step) {
      const unsigned r = (active + step) % rings.size();
      if (r == chosen) break;
      EXPECT_GE(rings[r].ready_since, before) << "ring " << r << " before ring " << chosen;
    }
    active = chosen;
    abandoned = rings[chosen].off;  // before its entry was asked for: it is asked for all the same
    given_up += abandoned;
    if (!abandoned) {
      const bool off = !top.ring_enable_i[n_][chosen] || !top.rings_enable_i[n_] ||
                       top.ring_preempt_i[n_][chosen];  // asked for since
      if (!off) EXPECT_TRUE(Ready(chosen)) << "no work in ring " << chosen;
      EXPECT_EQ(top.ask_where_o[n_], WhereOf(EntryPlace()));
      EXPECT_EQ(top.ask_address_o[n_], EntryPlace().address);
    }
    EXPECT_EQ(top.ask_bytes_o[n_], 32u);
    served.push_back(chosen);
    entry_ = rings[chosen].slots[rings[chosen].head];
    unreadable_ = SomeFailure(
        blocks, blocks.Chance(50) ? Fault::kBusRead : static_cast<Fault>(blocks.Random(1, 20)));
    words_.Start({entry_.begin(), entry_.end()},
                 blocks.Chance(unreadable_percent) ? blocks.Random(0, 3) : ~size_t{0});
    Go(kWords);
  }
  void Judge() {
    const Fault verdict = Verdict();
    if (verdict == Fault::kNone) {
      Go(Shape().bytes() ? kBuffer : kStart);
      return;
    }
    Failure failure;
    failure.reason = verdict;
    failure.place = EntryPlace();
    Fail(failure, 0, entry_[2], 0, 0);
  }
  void SampleRun(Vgmmu_dma_control_bench& top) {
    const bool off = abandoned || !top.ring_enable_i[n_][active];
    killed_for_ = abandoned ? killed_for_ + 1 : 0;
    if (killed_for_ > 2) EXPECT_TRUE(top.run_kill_o[n_]) << "kill_o";
    if (rings[active].asked_for > 2 && !off) EXPECT_TRUE(top.run_preempt_o[n_]) << "preempt_o";
    if (top.run_preempt_o[n_] && !off) EXPECT_LT(rings[active].asked_ago, 3u) << "preempt_o";
    if (top.run_stopped_i[n_]) stopping_ = true, stop_offset_ = top.run_offset_i[n_], Go(kAbort);
    if (top.run_done_i[n_] || top.run_killed_i[n_] || (top.run_failed_i[n_] && off)) Go(kAbort);
    done_before_ = top.run_done_i[n_] && !off;
    if (top.run_failed_i[n_] && !abandoned)  // when it ends just now, its fault may be told still
      Fail(run_failure_, top.run_path_i[n_], entry_[2], top.run_offset_i[n_], top.run_header_i[n_]);
  }
  void SampleLog(Vgmmu_dma_control_bench& top) {
    if (!top.log_valid_o[n_]) return;
    const Place& place = failing_.failure.place;
    const unsigned port = (n_ == 0 ? 1 : 4) + path_;
    const unsigned what = static_cast<unsigned>(failing_.failure.reason) << 19 |
                          (place.physical ? 0 : place.space) << 13 | port << 6 |
                          static_cast<unsigned>(failing_.failure.access) << 4 |
                          failing_.failure.level << 1 | place.physical;
    EXPECT_EQ(top.log_what_o[n_], what);
    EXPECT_EQ(top.log_fence_o[n_], failing_.fence);
    EXPECT_EQ(top.log_address_o[n_], place.address);
    if (top.log_ready_i[n_]) Go(kError);
  }

 public:
  bool slow_run = false;  // the command processor never ends by itself

 private:
  const int n_;
  const Manner manner_;
  Entry entry_{};
  WordStream words_;
  Failure unreadable_, run_failure_;
  RingModel failing_;
  unsigned path_ = 0, delay_ = 0, killed_for_ = 0;
  uint64_t asked_at_ = 0;  // since when the request stands
  bool irq_before_ = false, done_before_ = false, quiet_before_ = false;
  bool stopping_ = false, stopped_before_ = false;  // its entry stops; it has
  std::array<bool, 4> busy_before_{};
  std::array<unsigned, 4> idle_for_{};
  uint32_t stop_offset_ = 0;
};

class Rings : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const int n_ = std::get<0>(GetParam());
  const Manner manner_ = kManners[std::get<1>(GetParam())];

  void StartAll(RingsBench& bench, bool privileged = true) {
    for (unsigned r = 0; r < bench.rings.size(); ++r) {
      bench.SetPrivileged(r, privileged);
      bench.Enable(r, true);
    }
    bench.Ticks(2);
  }
};

TEST_P(Rings, EveryEntryIsRunOnceInOrderAndCounted) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    for (unsigned r = 0; r < bench.rings.size(); ++r) bench.SetSize(r, 1 + 3 * r % 5);
    StartAll(bench);
    uint64_t put = 0;
    for (int i = 0; i < 4000 && !HasFailure(); ++i) {
      const unsigned r = bench.blocks.Random(0, bench.rings.size() - 1);
      if (bench.blocks.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(0)), ++put;
      if (bench.blocks.Chance(2)) bench.blocks.top->rings_enable_i[n_] ^= 1;
      bench.Tick();
    }
    bench.blocks.top->rings_enable_i[n_] = 1;
    bench.Finish();
    EXPECT_EQ(bench.completed, put);
    EXPECT_GT(put, 40u);
    if (HasFailure()) return;
  }
}

TEST_P(Rings, ErrorsStopARingUntilItsEnableGoesDownAndUp) {
  for (uint64_t seed = 10; seed < 16; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    bench.fail_percent = 20;
    bench.unreadable_percent = 10;
    StartAll(bench, seed % 2);
    for (int i = 0; i < 6000 && !HasFailure(); ++i) {
      const unsigned r = bench.blocks.Random(0, bench.rings.size() - 1);
      if (bench.blocks.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(40));
      if (bench.rings[r].error && bench.phase == RingsBench::kNone && bench.blocks.Chance(5)) {
        bench.Enable(r, false);
        bench.Ticks(bench.blocks.Random(1, 5));
        bench.SetPrivileged(r, bench.blocks.Chance(50));
        bench.Rewind(r);
        bench.Enable(r, true);
      }
      bench.Tick();
    }
    bench.Finish();
    EXPECT_GT(bench.errors, 15u);
    if (HasFailure()) return;
  }
}

TEST_P(Rings, ARingThatIsSwitchedOffAbandonsItsEntry) {
  for (uint64_t seed = 20; seed < 26; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    bench.slow = seed % 2 ? 3 : 20;
    StartAll(bench);
    for (int i = 0; i < 6000 && !HasFailure(); ++i) {
      const unsigned r = bench.blocks.Random(0, bench.rings.size() - 1);
      if (bench.blocks.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(5));
      if (bench.blocks.Chance(5)) {  // often up again before the entry is given up
        bench.Enable(r, false);
        bench.Ticks(bench.blocks.Random(1, 3));
        bench.Rewind(r);
        bench.Enable(r, true);
      }
      bench.Tick();
    }
    bench.Finish();
    EXPECT_GT(bench.given_up, 10u);
    EXPECT_GT(bench.completed, 10u);
    if (HasFailure()) return;
  }
}

TEST_P(Rings, AnEntryUnderWayEndsThoughTheEngineIsSwitchedOff) {
  RingsBench bench(n_, manner_, 30);
  StartAll(bench);
  bench.Put(0, bench.AnyEntry(0));
  bench.Put(0, bench.AnyEntry(0));
  for (int i = 0; i < 200 && bench.served.empty(); ++i) bench.Tick();
  bench.blocks.top->rings_enable_i[n_] = 0;
  bench.Ticks(500);
  EXPECT_EQ(bench.completed, 1u);
  EXPECT_TRUE(bench.blocks.top->rings_idle_o[n_]);
  bench.blocks.top->rings_enable_i[n_] = 1;
  bench.Finish();
  EXPECT_EQ(bench.completed, 2u);
}

TEST_P(Rings, KillStandsUntilTheCommandProcessorHasGivenUp) {
  RingsBench bench(n_, manner_, 40);
  bench.slow_run = true;
  StartAll(bench);
  bench.Put(0, bench.AnyEntry(0));
  for (int i = 0; i < 400 && bench.phase != RingsBench::kRun; ++i) bench.Tick();
  ASSERT_EQ(bench.phase, RingsBench::kRun);
  bench.Ticks(50);
  bench.Enable(0, false);
  bench.Tick();
  bench.Rewind(0);
  bench.Enable(0, true);  // of no help to the entry at work
  bench.Finish();
  EXPECT_EQ(bench.completed, 0u);
  EXPECT_EQ(bench.given_up, 1u);
}

TEST_P(Rings, APreemptedRingStandsUntilItsNextLife) {
  uint64_t stopped = 0, answered = 0, errors = 0;
  for (uint64_t seed = 60; seed < 66; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    bench.slow = seed % 2 ? 3 : 20;
    bench.fail_percent = 10;
    bench.unreadable_percent = 5;
    StartAll(bench);
    std::array<unsigned, 4> stands{};  // cycles until its next life
    for (int i = 0; i < 8000 && !HasFailure(); ++i) {
      const unsigned r = bench.blocks.Random(0, bench.rings.size() - 1);
      if (bench.blocks.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(10));
      if (bench.blocks.Chance(3)) bench.Preempt(r, bench.blocks.Chance(80));  // or taken back
      for (unsigned each = 0; each < bench.rings.size(); ++each) {
        const RingModel& ring = bench.rings[each];
        if ((ring.preempted || ring.error) && stands[each]++ > bench.blocks.Random(20, 100)) {
          stands[each] = 0;
          bench.Enable(each, false);
          bench.Preempt(each, bench.blocks.Chance(20));
          bench.Ticks(bench.blocks.Random(1, 3));
          bench.Rewind(each);
          bench.Enable(each, true);
        }
      }
      bench.Tick();
    }
    for (unsigned r = 0; r < bench.rings.size(); ++r) bench.Preempt(r, false);
    bench.Finish();
    stopped += bench.stopped, answered += bench.answered, errors += bench.errors;
    if (HasFailure()) return;
  }
  EXPECT_GT(stopped, 20u);
  EXPECT_GT(answered, 20u);
  EXPECT_GT(errors, 5u);
}

TEST_P(Rings, AnIdleRingIsPreemptedAtOnceAndTakesNoEntry) {
  RingsBench bench(n_, manner_, 70);
  StartAll(bench);
  bench.Finish();
  bench.Preempt(0, true);
  bench.Ticks(4);
  EXPECT_TRUE(bench.blocks.top->ring_preempted_o[n_][0]);
  EXPECT_EQ(bench.blocks.top->ring_fence_o[n_][0], 0u);
  bench.Put(0, bench.AnyEntry(0));
  bench.Preempt(0, false);
  bench.Ticks(100);
  EXPECT_TRUE(bench.served.empty());
  EXPECT_TRUE(bench.blocks.top->rings_idle_o[n_]);
}

TEST_P(Rings, ARingThatIsSwitchedOffWhileItStopsIsNotPreempted) {
  unsigned none = 0;
  for (unsigned after = 0; after < 40 && !HasFailure(); ++after) {
    SCOPED_TRACE(after);
    RingsBench bench(n_, manner_, 80 + after);
    StartAll(bench);
    bench.Put(0, bench.AnyEntry(0));
    for (int i = 0; i < 400 && bench.phase != RingsBench::kRun; ++i) bench.Tick();
    ASSERT_EQ(bench.phase, RingsBench::kRun);
    bench.Preempt(0, true);
    bench.Ticks(after);
    bench.Enable(0, false);
    bench.Preempt(0, false);
    bench.Tick();
    bench.Rewind(0);
    bench.Enable(0, true);
    bench.Finish();
    none += bench.stopped + bench.answered == 0;
    EXPECT_FALSE(bench.blocks.top->ring_preempted_o[n_][0]);
  }
  EXPECT_GT(none, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Rings,
                         ::testing::Combine(::testing::Range(0, 3), ::testing::Range(0, 4)));

class RingTurns : public Rings {};  // four rings

TEST_P(RingTurns, RingsTakeTurns) {
  RingsBench bench(n_, manner_, 50);
  StartAll(bench);
  for (unsigned i = 0; i < 6; ++i)
    for (unsigned r = 0; r < 4; ++r)
      if (i < 3 || r % 2) bench.Put(r, bench.AnyEntry(0));
  bench.Finish();
  EXPECT_EQ(bench.served, (std::vector<unsigned>{1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 3, 1, 3, 1,
                                                 3}));
}
INSTANTIATE_TEST_SUITE_P(Sizes, RingTurns,
                         ::testing::Combine(::testing::Values(2), ::testing::Range(0, 4)));

}  // namespace
}  // namespace gmmu::dma
