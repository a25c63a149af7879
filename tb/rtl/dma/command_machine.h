// SPDX-License-Identifier: Apache-2.0
// Drives the command processor alone, with a stream of words and models of the neighbouring blocks.
// Compares its actions with those of command_model.h.
#pragma once

#include <optional>
#include <set>

#include "tb/rtl/dma/command_model.h"

namespace gmmu::dma {

class Processor {
 public:
  Processor(int n, Manner manner, uint64_t seed) : blocks(seed), n_(n), manner_(manner) {
    setting.spaces = kSpacesOf[n];
  }
  enum End { kNone, kDone, kFailed, kKilled, kPreempted };

  Steering blocks;
  CommandSetting setting;
  unsigned retire_percent = 20, most_jobs = 8;
  uint64_t first_job = 0;   // cycles from start to the first job
  uint32_t stopped_at = 0;  // command offset reported by the latest preemption

  /// Executes a buffer. Word `error_at` is unreadable, and the job of step `fail_at` fails. kill_i
  /// rises after `kill_after` cycles, preempt_i after `preempt_after` cycles. Returns how the
  /// buffer ended.
  End Run(const std::vector<uint64_t>& words, size_t error_at = ~size_t{0}, size_t fail_at = ~size_t{0},
          unsigned kill_after = ~0u, unsigned preempt_after = ~0u) {
    plan_ = PlanOf(setting, words, error_at);
    bytes_ = 8 * words.size();
    fail_at_ = fail_at;
    stream_.Start(words, error_at);
    unreadable_ = SomeFailure(blocks, static_cast<Fault>(blocks.Random(1, 19)));
    next_ = counted_ = 0;
    end_ = kNone;
    started_ = blocks.now;
    first_job = last_retired_ = 0;
    kill_ = killed_before_ = preempt_ = false;
    late_command_.reset();
    for (unsigned i = 0; i < 60000 && end_ == kNone && !testing::Test::HasFailure(); ++i) {
      kill_ = kill_ || i > kill_after;
      if (i == kill_after) kill_began_ = blocks.now;
      if (i == preempt_after) preempt_ = true, preempt_began_ = blocks.now;
      if (kill_) EXPECT_LT(blocks.now - kill_began_, 3000u) << "kill without end";
      Tick(i == 0);
    }
    EXPECT_NE(end_, kNone) << "no end; next step " << next_ << " of " << plan_.steps.size();
    kill_ = killed_before_ = preempt_ = false;
    for (unsigned i = 0; i < 16; ++i) Tick(false);  // No further action is allowed.
    EXPECT_FALSE(blocks.t.command_awake_o[n_]) << "awake_o without a buffer";
    if (kill_after != ~0u) return end_;
    if (end_ == kPreempted) {
      ExpectStop(words);
      return end_;
    }
    const bool fails = plan_.Fails() || fail_at < plan_.steps.size();
    EXPECT_EQ(end_, fails ? kFailed : kDone);
    if (!fails) EXPECT_EQ(next_, plan_.steps.size()) << "steps are missing";
    if (!fails) EXPECT_EQ(counted_, plan_.commands) << "count_commands_o";
    return end_;
  }
  const CommandPlan& plan() const { return plan_; }

 private:
  struct Given {
    const CommandStep* step;
    size_t number;
    uint8_t id;
    size_t words;  // number of words accepted
    bool Complete() const { return step->source != CommandStep::kWords || words == step->length / 8; }
  };
  /// Expects that exactly the commands before `stopped_at` were executed and counted.
  void ExpectStop(const std::vector<uint64_t>& words) {
    EXPECT_LT(stopped_at, bytes_) << "past its last command";
    if (plan_.Fails()) EXPECT_LE(stopped_at, plan_.offset) << "an error comes first";
    size_t steps = 0, commands = 0, at = 0;
    while (steps < plan_.steps.size() && plan_.steps[steps].offset < stopped_at) ++steps;
    for (; 8 * at < stopped_at; ++commands) at += CommandHeaderWord{words[at]}.words();
    EXPECT_EQ(8 * at, stopped_at) << "not in front of a command";
    EXPECT_EQ(next_, steps) << "steps are missing, or too many";
    EXPECT_EQ(counted_, commands) << "count_commands_o";
    EXPECT_GE(fail_at_, steps) << "an error comes first";
  }
  void Tick(bool start) {
    blocks.Step([&] { Drive(blocks.t, start); }, [&] { Sample(blocks.t); });
  }
  bool Often() { return !blocks.Chance(manner_.stall_percent); }

  void Drive(Vgmmu_dma_control_bench& top, bool start) {
    top.command_start_i[n_] = start;
    top.command_bytes_i[n_] = bytes_;
    top.command_buffer_i[n_] = Pack(FieldsOf(setting.buffer));
    top.command_privileged_i[n_] = setting.privileged;
    top.command_record_i[n_] = setting.record;
    top.command_value_i[n_] = setting.value;
    top.command_cycle_i[n_] = blocks.now;
    top.command_base_i[n_] = setting.aperture_base;
    top.command_pages_i[n_] = setting.aperture_pages;
    top.command_kill_i[n_] = kill_;
    top.command_preempt_i[n_] = preempt_;
    stream_.Drive(blocks, manner_.idle_percent, top.command_word_valid_i[n_], top.command_word_i[n_],
                  top.command_word_error_i[n_]);
    if (start) top.command_word_valid_i[n_] = top.command_word_error_i[n_] = 0;
    if (end_ != kNone) top.command_word_valid_i[n_] = top.command_word_error_i[n_] = 0;
    top.command_word_fault_i[n_] = Pack(unreadable_.Fields());
    DriveMover(top);
    top.ctl_ready_i[n_] = Often();
    top.ctl_done_i[n_] = control_waits_ && blocks.Chance(20);
    if (top.ctl_done_i[n_]) control_waits_ = false;
    top.command_flush_done_i[n_] = flush_waits_ && blocks.Chance(20);
    if (top.command_flush_done_i[n_]) flush_waits_ = false;
  }
  void DriveMover(Vgmmu_dma_control_bench& top) {
    if (top.mover_kill_o[n_] && blocks.Chance(20)) jobs_.clear(), fault_ = false;
    top.mover_retired_i[n_] = 0;
    if (!jobs_.empty() && !fault_ && blocks.Chance(retire_percent)) {
      const Given& job = jobs_.front();
      const bool starved = top.inline_dead_o[n_] && !top.inline_valid_o[n_] && !job.Complete();
      if (job.number == fail_at_ || starved) {
        fault_ = true;
        failure_ = SomeFailure(blocks, starved ? Fault::kNone : static_cast<Fault>(blocks.Random(1, 19)));
        failed_job_ = job.id;
      } else if (job.Complete()) {
        top.mover_retired_i[n_] = 1;
        last_retired_ = blocks.now;
        jobs_.pop_front();
      }
    }
    top.mover_fault_valid_i[n_] = fault_;
    top.mover_fault_i[n_] = Pack(failure_.Fields());
    top.mover_fault_job_i[n_] = failure_.reason == Fault::kNone ? blocks.rng() : failed_job_;
    idle_for_ = jobs_.empty() && !fault_ ? idle_for_ + 1 : 0;
    top.mover_idle_i[n_] = idle_for_ > 2;
    top.give_ready_i[n_] = Often() && !fault_ && !top.mover_kill_o[n_] && jobs_.size() < most_jobs;
    wants_ = nullptr;
    for (Given& job : jobs_)
      if (!wants_ && !job.Complete()) wants_ = &job;
    top.inline_ready_i[n_] = wants_ && !fault_ && Often();
  }
  const CommandStep* Next(CommandStep::Kind kind) {
    if (next_ < plan_.steps.size() && plan_.steps[next_].kind == kind) {
      const CommandStep& step = plan_.steps[next_++];
      if (preempt_ && blocks.now - preempt_began_ > 1 && !step.record) {
        if (late_command_) EXPECT_EQ(*late_command_, step.offset) << "one more command";
        late_command_ = step.offset;
      }
      return &step;
    }
    ADD_FAILURE() << "step " << next_ << " is not of kind " << kind;
    return nullptr;
  }
  void Sample(Vgmmu_dma_control_bench& top) {
    stream_.Sample(top.command_word_valid_i[n_], top.command_word_ready_o[n_]);
    counted_ += top.command_count_o[n_];
    if (!jobs_.empty() && end_ == kNone && !kill_ && !fault_)
      EXPECT_EQ(top.command_fence_o[n_], jobs_.front().step->fence) << "fence_at_work_o";
    if (top.give_valid_o[n_]) {
      EXPECT_FALSE(control_waits_ || flush_waits_) << "a job before the end of a flush";
      EXPECT_FALSE(killed_before_) << "a job after kill";
      if (next_ < plan_.steps.size() && plan_.steps[next_].settled)
        EXPECT_TRUE(jobs_.empty()) << "a job before others have retired";
    }
    if (top.inline_valid_o[n_] && top.inline_ready_i[n_]) {
      if (wants_->step->record && wants_->words == 1) ExpectTime(top.inline_word_o[n_]);
      else if (wants_->words < wants_->step->words.size())
        EXPECT_EQ(top.inline_word_o[n_], wants_->step->words[wants_->words]);
      else ADD_FAILURE() << "a word that cannot be read";
      ++wants_->words;
    }
    if (top.give_valid_o[n_] && top.give_ready_i[n_]) SampleJob(top);
    if (top.command_flush_o[n_] && Next(CommandStep::kFlush)) flush_waits_ = true;
    if (top.command_flush_o[n_]) EXPECT_TRUE(jobs_.empty()) << "flush before B";
    if (top.ctl_valid_o[n_]) EXPECT_TRUE(jobs_.empty() && !flush_waits_) << "control too early";
    if (top.ctl_valid_o[n_] && top.ctl_ready_i[n_]) SampleControl(top);
    if (top.command_irq_o[n_]) {
      EXPECT_TRUE(jobs_.empty()) << "interrupt before B";
      Next(CommandStep::kInterrupt);
    }
    if (fault_ && top.mover_fault_ready_o[n_]) fault_ = false, jobs_.clear();
    SampleEnd(top);
    killed_before_ = kill_;
  }
  void SampleJob(Vgmmu_dma_control_bench& top) {
    if (first_job == 0) first_job = blocks.now - started_;
    const auto job = Unpack<GMMU_STRUCT(gmmu_dma_control_bench, job_t)>(top.give_o[n_]);
    const uint64_t length = LengthOf(job.dst, job.dst_end);
    EXPECT_EQ(job.id, id_);
    const size_t number = next_;
    const CommandStep* step = Next(CommandStep::kJob);
    if (!step) return;
    SCOPED_TRACE("step " + std::to_string(number));
    EXPECT_EQ(job.source, step->source);
    EXPECT_EQ(length, step->length);
    if (step->source == CommandStep::kCopy) {
      EXPECT_EQ(LengthOf(job.src, job.src_end), length);
      ExpectPlace(step->src, job.src);
    }
    ExpectPlace(step->dst, job.dst);
    if (step->source != CommandStep::kCopy && step->source != CommandStep::kWords) EXPECT_EQ(job.value, step->value);
    if (step->source == CommandStep::kSteps && step->length > 8) EXPECT_EQ(job.step, step->step);
    jobs_.push_back({step, number, id_++, 0});
  }
  /// Checks that the fence record's time stamp is not before the start or the last retirement, nor
  /// in the future.
  void ExpectTime(uint64_t time) {
    EXPECT_GE(time, last_retired_);
    EXPECT_GE(time, started_);
    EXPECT_LE(time, blocks.now);
  }
  static uint64_t LengthOf(const PlaceFields& place, uint64_t end) { return (end - place.address + 1) & kEndMask; }
  static void ExpectPlace(const Place& place, const PlaceFields& seen) {
    EXPECT_EQ(seen.physical, place.physical);
    if (place.physical) EXPECT_EQ(seen.target, static_cast<unsigned>(place.target));
    else EXPECT_EQ(seen.space, place.space);
    EXPECT_EQ(seen.address, place.address);
  }
  void SampleControl(Vgmmu_dma_control_bench& top) {
    const CommandStep* step = Next(CommandStep::kControl);
    if (!step) return;
    EXPECT_FALSE(control_waits_) << "two at once";
    control_waits_ = true;
    const auto ctl = Unpack<GMMU_STRUCT(gmmu_dma_control_bench, mmu_ctl_t)>(top.ctl_o[n_]);
    EXPECT_EQ(ctl.op, 0);
    EXPECT_EQ(ctl.scope, static_cast<unsigned>(step->scope));
    // A control step has a length only if it belongs to an unmap.
    if (step->length != 0) {
      EXPECT_EQ(ctl.va_start, ctl.va_end);
      return;
    }
    if (step->scope != Scope::kGlobal) EXPECT_EQ(ctl.space, step->space);
    if (step->scope != Scope::kRange) return;
    EXPECT_EQ(ctl.va_start, step->start);
    EXPECT_EQ(ctl.va_end, step->end);
  }
  void SampleEnd(Vgmmu_dma_control_bench& top) {
    const End end = top.command_done_o[n_]        ? kDone
                    : top.command_failed_o[n_]    ? kFailed
                    : top.command_killed_o[n_]    ? kKilled
                    : top.command_preempted_o[n_] ? kPreempted
                                                  : kNone;
    if (end == kNone) return;
    EXPECT_EQ(end_, kNone) << "two ends";
    EXPECT_EQ(
        top.command_done_o[n_] + top.command_failed_o[n_] + top.command_killed_o[n_] + top.command_preempted_o[n_], 1);
    EXPECT_TRUE(jobs_.empty() && !flush_waits_ && !control_waits_) << "something is under way";
    EXPECT_FALSE(fault_);
    if (end == kKilled) EXPECT_TRUE(kill_);
    if (end == kPreempted) EXPECT_TRUE(preempt_);
    stopped_at = top.command_offset_o[n_];
    end_ = end;
    if (end == kFailed && !kill_) ExpectError(top);
  }
  void ExpectError(Vgmmu_dma_control_bench& top) {
    Failure error;
    unsigned path = 0;
    uint32_t offset = plan_.offset, header = plan_.header;
    if (fail_at_ < plan_.steps.size()) {
      error = failure_;
      path = error.access == regs::Access::kWrite ? 2 : 1;
      offset = plan_.steps[fail_at_].offset;
      header = plan_.steps[fail_at_].header;
    } else if (plan_.unreadable) {
      error = unreadable_;
    } else {
      error.reason = plan_.fault;
      error.place = setting.buffer;
      error.place.address += plan_.offset;
    }
    const auto seen = Unpack<FaultFields>(top.command_error_o[n_]);
    EXPECT_EQ(WhatOf(seen), WhatOf(error.Fields()));
    EXPECT_EQ(seen.place.address, error.place.address);
    EXPECT_EQ(top.command_path_o[n_], path);
    EXPECT_EQ(top.command_offset_o[n_], offset);
    EXPECT_EQ(top.command_header_o[n_], header);
  }

  const int n_;
  const Manner manner_;
  CommandPlan plan_;
  WordStream stream_;
  std::deque<Given> jobs_;  // jobs that the mover has accepted but not retired
  Given* wants_ = nullptr;  // the job that is receiving words
  Failure unreadable_, failure_;
  End end_ = kNone;
  size_t next_ = 0, fail_at_ = 0, counted_ = 0;
  uint64_t bytes_ = 0, started_ = 0, last_retired_ = 0, kill_began_ = 0;
  unsigned idle_for_ = 9;
  uint8_t id_ = 0, failed_job_ = 0;
  bool fault_ = false, control_waits_ = false, flush_waits_ = false, kill_ = false;
  bool killed_before_ = false, preempt_ = false;
  uint64_t preempt_began_ = 0;
  std::optional<uint32_t> late_command_;  // offset of a command that started after preempt_i rose
};

}  // namespace gmmu::dma
