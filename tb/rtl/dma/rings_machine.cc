// SPDX-License-Identifier: Apache-2.0
// RingsBench's checks of the block's outputs.
#include "tb/rtl/dma/rings_machine.h"

namespace gmmu::dma {

void RingsBench::SamplePreemptions() {
  unsigned rises = 0;
  for (unsigned r = 0; r < rings.size(); ++r) {
    RingModel& ring = rings[r];
    const auto state = State(r);
    const bool preempted = state.preempted;
    const bool stops = stopped_before_ && r == active;
    if (stops) EXPECT_TRUE(preempted) << "its entry has stopped";
    if (preempted && !ring.preempted) {
      ++rises;
      ++(stops ? stopped : answered);
      if (stops) ring.fence = entry_[2], ring.offset = stop_offset_;
      else EXPECT_LT(ring.asked_ago, 3u) << "nobody asked for it";
      EXPECT_FALSE(ring.error || state.busy);
      ring.preempted = true;
    }
    EXPECT_EQ(preempted, ring.preempted) << "ring " << r;
    const bool idle = !state.busy && !ring.error;
    idle_for_[r] = idle ? idle_for_[r] + 1 : 0;
    if (ring.asked_for > 3 && idle_for_[r] > 2) EXPECT_TRUE(preempted) << "no answer of ring " << r;
    if (t.rings_idle_o[n] && configs_[r].enable && configs_[r].preempt && idle && ring.enable)
      EXPECT_TRUE(preempted) << "idle though it owes an answer";
    if (state.busy && !busy_before_[r]) EXPECT_LT(ring.asked_for, 3u) << "an entry begins though preemption stands";
    busy_before_[r] = state.busy;
  }
  EXPECT_EQ(t.rings_preempted_o[n], rises != 0) << "preempted_o";
  stopped_before_ = false;
}

void RingsBench::SamplePulses() {
  RingModel& ring = rings[active];
  EXPECT_EQ(t.rings_count_o[n], done_before_) << "count_entry_o";
  EXPECT_EQ(t.rings_fence_irq_o[n], irq_before_ || (done_before_ && Shape().irq()));
  if (done_before_) {
    ring.head = (ring.head + 1) & ring.Mask();
    ring.last_fence = entry_[2];
    ++ring.entries;
    ++completed;
  }
  done_before_ = false;
  if (t.rings_error_o[n]) {
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

void RingsBench::SampleStates() {
  unsigned busy = 0;
  for (unsigned r = 0; r < rings.size(); ++r) {
    const RingModel& ring = rings[r];
    const auto state = State(r);
    busy += state.busy;
    if (phase != kNone) EXPECT_EQ(state.busy, r == active);
    EXPECT_EQ(state.head, ring.head) << "ring " << r;
    EXPECT_EQ(state.last_fence, ring.last_fence);
    EXPECT_EQ(state.error, ring.error);
    EXPECT_EQ(state.reason, static_cast<unsigned>(ring.failure.reason));
    EXPECT_EQ(state.access, static_cast<unsigned>(ring.failure.access));
    EXPECT_EQ(state.level, ring.failure.level);
    EXPECT_EQ(state.fence, ring.fence);
    EXPECT_EQ(state.error_offset, ring.offset);
    EXPECT_EQ(state.error_header, ring.header);
    EXPECT_EQ(state.error_address, ring.failure.place.address);
    if (t.rings_idle_o[n]) EXPECT_FALSE(Ready(r)) << "idle though ring has work";
  }
  EXPECT_LE(busy, 1u);
  EXPECT_EQ(t.rings_busy_o[n], busy);
  if (t.rings_idle_o[n]) EXPECT_FALSE(busy);
  EXPECT_EQ(t.entry_ready_o[n] && phase != kWords, false) << "takes words of the buffer";
  if (phase != kRun) EXPECT_FALSE(t.run_kill_o[n] && phase != kAbort);
  if (t.run_kill_o[n]) EXPECT_TRUE(abandoned);
  if (t.ask_valid_o[n]) EXPECT_FALSE(t.ask_abort_o[n]);
  for (unsigned r = 0; r < rings.size(); ++r) {
    if (phase != kNone || !rings[r].off || !t.ask_abort_o[n] || quiet_before_) continue;
    active = r;  // the ring was abandoned before its entry was requested
    ++given_up;
    Go(kAbort);
  }
  if (phase == kAbort || quiet_before_ || (abandoned && phase != kRun)) return;
  EXPECT_FALSE(t.ask_abort_o[n]);
}

void RingsBench::SamplePhase() {
  if (abandoned && phase != kNone && phase != kAbort && t.ask_abort_o[n]) Go(kAbort);
  if (t.run_start_o[n]) EXPECT_EQ(phase, kStart) << "start_o";
  if (t.log_valid_o[n] && phase == kNone) BeginUnfit();
  if (t.log_valid_o[n]) EXPECT_EQ(phase, kLog) << "fault_valid_o";
  if (!t.ask_valid_o[n]) asked_at_ = now + 1;
  const bool asked = t.ask_valid_o[n] && t.ask_ready_i[n];
  if (asked) EXPECT_TRUE(phase == kNone || phase == kBuffer) << "asks in phase " << phase;
  switch (phase) {
    case kNone:
      if (asked) Begin();
      break;
    case kWords:
      words_.Sample(t.entry_valid_i[n], t.entry_ready_o[n]);
      if (t.entry_error_i[n] && t.entry_ready_o[n]) {
        Failure failure = unreadable_;
        if (failure.reason == Fault::kBusRead) failure.reason = Fault::kRingFetch;
        failure.access = regs::Access::kRead;
        failure.place = EntryPlace();
        Fail(failure, 0, 0, 0, 0);
      } else if (words_.taken == 4) {
        Judge();
      }
      break;
    case kBuffer:
      if (!asked) break;
      ExpectPlace(Asked(), Buffer());
      EXPECT_EQ(AskedBytes(), Shape().bytes());
      Go(kStart);
      break;
    case kStart:
      if (!t.run_start_o[n]) break;
      ExpectPlace(Unpack<PlaceFields>(t.run_buffer_o[n]), Buffer());
      EXPECT_EQ(t.run_bytes_o[n], Shape().bytes());
      EXPECT_EQ(t.run_privileged_o[n], configs_[active].privileged);
      EXPECT_EQ(t.run_record_o[n], configs_[active].fence_address);
      EXPECT_EQ(t.run_value_o[n], uint64_t{rings[active].entries + 1} << 32 | (entry_[2] & 0xffffffff));
      Go(kRun);
      killed_for_ = 0;
      break;
    case kRun: SampleRun(); break;
    case kLog: SampleLog(); break;
    case kError: break;  // SamplePulses
    case kAbort:
      if (!t.ask_quiet_i[n]) break;
      phase = kNone;
      stopped_before_ = stopping_ && !abandoned && configs_[active].enable;
      stopping_ = false;
  }
}

void RingsBench::Begin() {
  unsigned chosen = 0;
  while (chosen < rings.size() && configs_[chosen].base >> 20 != Asked().address >> 20) ++chosen;
  ASSERT_LT(chosen, rings.size());
  const uint64_t before = asked_at_ - std::min<uint64_t>(asked_at_, 6);
  for (unsigned step = 1; step < rings.size(); ++step) {
    const unsigned r = (active + step) % rings.size();
    if (r == chosen) break;
    EXPECT_GE(rings[r].ready_since, before) << "ring " << r << " before ring " << chosen;
  }
  active = chosen;
  abandoned = rings[chosen].off;  // disabled since the request; the entry is still fetched
  given_up += abandoned;
  if (!abandoned) {
    const bool off = !configs_[chosen].enable || !t.rings_enable_i[n] ||
                     configs_[chosen].preempt;  // the ring was stopped after the request
    if (!off) EXPECT_TRUE(Ready(chosen)) << "no work in ring " << chosen;
    ExpectPlace(Asked(), EntryPlace());
  }
  EXPECT_EQ(AskedBytes(), 32u);
  if (!abandoned) EXPECT_FALSE(EntryPlace().address >> 48) << "an entry past the end of the addresses";
  served.push_back(chosen);
  entry_ = rings[chosen].slots[rings[chosen].head];
  unreadable_ = SomeFailure(*this, Chance(50) ? Fault::kBusRead : static_cast<Fault>(Random(1, 19)));
  words_.Start({entry_.begin(), entry_.end()}, Chance(unreadable_percent) ? Random(0, 3) : ~size_t{0});
  Go(kWords);
}

void RingsBench::BeginUnfit() {
  for (unsigned r = 0; r < rings.size(); ++r) {
    if (State(r).busy) active = r;
  }
  EXPECT_TRUE(rings[active].overrun || EntryPlace().address >> 48) << "ring " << active << " could have been asked";
  abandoned = rings[active].off;
  given_up += abandoned;
  Failure failure;
  failure.reason = Fault::kRingFetch;
  failure.place = EntryPlace();
  Fail(failure, 0, 0, 0, 0);
}

void RingsBench::Judge() {
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

void RingsBench::SampleRun() {
  const bool off = abandoned || !configs_[active].enable;
  killed_for_ = abandoned ? killed_for_ + 1 : 0;
  if (killed_for_ > 2) EXPECT_TRUE(t.run_kill_o[n]) << "kill_o";
  if (rings[active].asked_for > 2 && !off) EXPECT_TRUE(t.run_preempt_o[n]) << "preempt_o";
  if (t.run_preempt_o[n] && !off) EXPECT_LT(rings[active].asked_ago, 3u) << "preempt_o";
  if (t.run_stopped_i[n]) stopping_ = true, stop_offset_ = t.run_offset_i[n], Go(kAbort);
  if (t.run_done_i[n] || t.run_killed_i[n] || (t.run_failed_i[n] && off)) Go(kAbort);
  done_before_ = t.run_done_i[n] && !off;
  if (t.run_failed_i[n] && !abandoned)  // A failure in the cycle of an abort may still be reported.
    Fail(run_failure_, t.run_path_i[n], entry_[2], t.run_offset_i[n], t.run_header_i[n]);
}

void RingsBench::SampleLog() {
  if (!t.log_valid_o[n]) return;
  const Place& place = failing_.failure.place;
  const unsigned port = (n == 0 ? 1 : 4) + path_;
  const auto log = Unpack<GMMU_STRUCT(gmmu_dma_control_bench, fault_info_t)>(t.log_o[n]);
  EXPECT_EQ(log.reason, static_cast<unsigned>(failing_.failure.reason));
  EXPECT_EQ(log.space, place.physical ? 0 : place.space);
  EXPECT_EQ(log.port, port);
  EXPECT_EQ(log.access, static_cast<unsigned>(failing_.failure.access));
  EXPECT_EQ(log.level, failing_.failure.level);
  EXPECT_EQ(log.physical, place.physical);
  EXPECT_EQ(log.fence, failing_.fence);
  EXPECT_EQ(log.address, place.address);
  if (t.log_ready_i[n]) Go(kError);
}

}  // namespace gmmu::dma
