// SPDX-License-Identifier: Apache-2.0
// The command processor alone, with 2 spaces and with 16. The bench is fetcher, mover, MMU control
// and aperture map; command_model.h says what is to be seen.
#include <optional>
#include <set>

#include "tb/rtl/dma/command_model.h"

namespace gmmu::dma {
namespace {

class Processor {
 public:
  Processor(int n, Manner manner, uint64_t seed) : blocks(seed), n_(n), manner_(manner) {
    setting.spaces = kSpacesOf[n];
  }
  enum End { kNone, kDone, kFailed, kKilled, kPreempted };

  Steering blocks;
  CommandSetting setting;
  unsigned retire_percent = 20, most_jobs = 8;
  uint64_t first_job = 0;  // cycles from start to it
  uint32_t stopped_at = 0;  // of a preemption

  /// Executes a buffer. The job of step `fail_at` fails; kill_i rises after `kill_after` cycles,
  /// preempt_i after `preempt_after`. Returns how it ended.
  End Run(const std::vector<uint64_t>& words, size_t error_at = ~size_t{0},
          size_t fail_at = ~size_t{0}, unsigned kill_after = ~0u, unsigned preempt_after = ~0u) {
    plan_ = PlanOf(setting, words, error_at);
    bytes_ = 8 * words.size();
    fail_at_ = fail_at;
    stream_.Start(words, error_at);
    unreadable_ = SomeFailure(blocks, static_cast<Fault>(blocks.Random(1, 20)));
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
    for (unsigned i = 0; i < 6; ++i) Tick(false);  // nothing comes after
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
    size_t words;  // taken
    bool Complete() const { return step->source != CommandStep::kWords || words == step->length / 8; }
  };
  /// Everything in front of `stopped_at` was done and counted, of what stands behind it nothing.
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
    blocks.Tick([&] { Drive(*blocks.top, start); }, [&] { Sample(*blocks.top); });
  }
  bool Often() { return !blocks.Chance(manner_.stall_percent); }

  void Drive(Vgmmu_dma_control_bench& top, bool start) {
    top.command_start_i[n_] = start;
    top.command_bytes_i[n_] = bytes_;
    top.command_where_i[n_] = WhereOf(setting.buffer);
    top.command_address_i[n_] = setting.buffer.address;
    top.command_privileged_i[n_] = setting.privileged;
    top.command_record_i[n_] = setting.record;
    top.command_value_i[n_] = setting.value;
    top.command_cycle_i[n_] = blocks.now;
    top.command_base_i[n_] = setting.aperture_base;
    top.command_pages_i[n_] = setting.aperture_pages;
    top.command_kill_i[n_] = kill_;
    top.command_preempt_i[n_] = preempt_;
    stream_.Drive(blocks, manner_.idle_percent, top.command_word_valid_i[n_],
                  top.command_word_i[n_], top.command_word_error_i[n_]);
    if (start) top.command_word_valid_i[n_] = top.command_word_error_i[n_] = 0;
    if (end_ != kNone) top.command_word_valid_i[n_] = top.command_word_error_i[n_] = 0;
    top.command_word_what_i[n_] = unreadable_.What();
    top.command_word_address_i[n_] = unreadable_.place.address;
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
        failure_ = SomeFailure(blocks, starved ? Fault::kNone
                                               : static_cast<Fault>(blocks.Random(1, 20)));
        failed_job_ = job.id;
      } else if (job.Complete()) {
        top.mover_retired_i[n_] = 1;
        last_retired_ = blocks.now;
        jobs_.pop_front();
      }
    }
    top.mover_fault_valid_i[n_] = fault_;
    top.mover_fault_what_i[n_] = failure_.What();
    top.mover_fault_address_i[n_] = failure_.place.address;
    top.mover_fault_job_i[n_] = failure_.reason == Fault::kNone ? blocks.rng() : failed_job_;
    idle_for_ = jobs_.empty() && !fault_ ? idle_for_ + 1 : 0;
    top.mover_idle_i[n_] = idle_for_ > 2;
    top.give_ready_i[n_] =
        Often() && !fault_ && !top.mover_kill_o[n_] && jobs_.size() < most_jobs;
    wants_ = nullptr;
    for (Given& job : jobs_)
      if (!wants_ && !job.Complete()) wants_ = &job;
    top.inline_ready_i[n_] = wants_ && !fault_ && Often();
  }
  const CommandStep* Next(CommandStep::Kind kind) {
    if (next_ < plan_.steps.size() && plan_.steps[next_].kind == kind) {
      const CommandStep& step = plan_.steps[next_++];
      if (preempt_ && blocks.now - preempt_began_ > 1 && step.source != CommandStep::kPair) {
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
      if (wants_->words < wants_->step->words.size())
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
    EXPECT_EQ(top.give_id_o[n_], id_);
    const size_t number = next_;
    const CommandStep* step = Next(CommandStep::kJob);
    if (!step) return;
    SCOPED_TRACE("step " + std::to_string(number));
    EXPECT_EQ(top.give_source_o[n_], step->source);
    EXPECT_EQ(top.give_length_o[n_], step->length);
    if (step->source == CommandStep::kCopy)
      ExpectPlace(step->src, top.give_src_where_o[n_], top.give_src_o[n_]);
    ExpectPlace(step->dst, top.give_dst_where_o[n_], top.give_dst_o[n_]);
    if (step->source != CommandStep::kCopy && step->source != CommandStep::kWords)
      EXPECT_EQ(top.give_value_o[n_], step->value);
    if (step->source == CommandStep::kSteps && step->length > 8)
      EXPECT_EQ(top.give_step_o[n_], step->step);
    if (step->source == CommandStep::kPair) {  // the time at which all else was done
      EXPECT_GE(top.give_step_o[n_], last_retired_);
      EXPECT_GE(top.give_step_o[n_], started_);
      EXPECT_LE(top.give_step_o[n_], blocks.now);
    }
    jobs_.push_back({step, number, id_++, 0});
  }
  static void ExpectPlace(const Place& place, unsigned where, uint64_t address) {
    EXPECT_EQ(where >> 8, place.physical);
    if (place.physical) EXPECT_EQ(where >> 6 & 3, static_cast<unsigned>(place.target));
    else EXPECT_EQ(where & 63, place.space);
    EXPECT_EQ(address, place.address);
  }
  void SampleControl(Vgmmu_dma_control_bench& top) {
    const CommandStep* step = Next(CommandStep::kControl);
    if (!step) return;
    EXPECT_FALSE(control_waits_) << "two at once";
    control_waits_ = true;
    EXPECT_EQ(top.ctl_op_o[n_], 0);
    EXPECT_EQ(top.ctl_scope_o[n_], static_cast<unsigned>(step->scope));
    if (step->length != 0) {  // of an unmap
      EXPECT_EQ(top.ctl_start_o[n_], top.ctl_end_o[n_]);
      return;
    }
    if (step->scope != Scope::kGlobal) EXPECT_EQ(top.ctl_space_o[n_], step->space);
    if (step->scope != Scope::kRange) return;
    EXPECT_EQ(top.ctl_start_o[n_], step->start);
    EXPECT_EQ(top.ctl_end_o[n_], step->end);
  }
  void SampleEnd(Vgmmu_dma_control_bench& top) {
    const End end = top.command_done_o[n_]     ? kDone
                    : top.command_failed_o[n_] ? kFailed
                    : top.command_killed_o[n_] ? kKilled
                    : top.command_preempted_o[n_] ? kPreempted
                                                  : kNone;
    if (end == kNone) return;
    EXPECT_EQ(end_, kNone) << "two ends";
    EXPECT_EQ(top.command_done_o[n_] + top.command_failed_o[n_] + top.command_killed_o[n_] +
                  top.command_preempted_o[n_], 1);
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
    EXPECT_EQ(top.command_what_o[n_], error.What());
    EXPECT_EQ(top.command_address_o[n_], error.place.address);
    EXPECT_EQ(top.command_path_o[n_], path);
    EXPECT_EQ(top.command_offset_o[n_], offset);
    EXPECT_EQ(top.command_header_o[n_], header);
  }

  const int n_;
  const Manner manner_;
  CommandPlan plan_;
  WordStream stream_;
  std::deque<Given> jobs_;  // that the mover works on
  Given* wants_ = nullptr;  // the one that wants words
  Failure unreadable_, failure_;
  End end_ = kNone;
  size_t next_ = 0, fail_at_ = 0, counted_ = 0;
  uint64_t bytes_ = 0, started_ = 0, last_retired_ = 0, kill_began_ = 0;
  unsigned idle_for_ = 9;
  uint8_t id_ = 0, failed_job_ = 0;
  bool fault_ = false, control_waits_ = false, flush_waits_ = false, kill_ = false;
  bool killed_before_ = false, preempt_ = false;
  uint64_t preempt_began_ = 0;
  std::optional<uint32_t> late_command_;  // that had steps after preempt_i
};

class Commands : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const int n_ = std::get<0>(GetParam());
  const Manner manner_ = kManners[std::get<1>(GetParam())];

  /// A place that fits, but for `odd_percent` of them.
  Place Any(Steering& blocks, unsigned odd_percent) {
    Place place{blocks.rng() >> 20 & ~uint64_t{7}, blocks.Chance(30),
                static_cast<Target>(blocks.Random(0, 3)),
                static_cast<unsigned>(blocks.Random(0, kSpacesOf[n_] - 1))};
    if (!blocks.Chance(odd_percent)) return place;
    if (blocks.Chance(40)) place.address += blocks.Random(1, 7);
    else if (blocks.Chance(50)) place.space = blocks.Random(0, 255);
    else place.address = (place.physical ? uint64_t{1} << 48 : 0) - 8 * blocks.Random(1, 40);
    return place;
  }
  void Add(Buffer& buffer, Steering& blocks, unsigned odd) {
    const auto random = [&](uint64_t most) { return blocks.Random(0, most); };
    const auto high = [&](unsigned bit) {  // seldom a reserved bit
      return blocks.Chance(odd) ? uint64_t{1} << blocks.Random(bit, 63) : 0;
    };
    std::vector<uint64_t> entries(1 + random(10));
    for (uint64_t& entry : entries) entry = blocks.rng();
    const uint32_t page = blocks.Chance(odd) ? random(100) : random(20);
    const uint32_t pages = random(blocks.Chance(odd) ? 100 : 30);
    const uint64_t start = blocks.rng() >> 20, end = start + (blocks.Chance(odd) ? -9 : random(9999));
    buffer.Wait(blocks.Chance(20));
    const size_t at = buffer.words.size();
    switch (random(9)) {
      case 0: buffer.Nop(random(5)); break;
      case 1:
        buffer.Copy(Any(blocks, odd), Any(blocks, odd), random(3) * random(2000) | high(48));
        break;
      case 2:
        buffer.Fill(Any(blocks, odd), random(3) * random(2000) | high(48), blocks.rng());
        buffer.words.back() |= high(32);
        break;
      case 3: buffer.TableWrite(Any(blocks, odd), entries); break;
      case 4:
        buffer.TableRepeat(Any(blocks, odd), random(3), blocks.rng(), blocks.rng());
        buffer.words[at + 2] |= high(32);
        break;
      case 5: buffer.ApertureMap(page, pages, blocks.rng()); break;
      case 6:
        if (blocks.Chance(20)) entries.clear();
        buffer.ApertureList(page, entries);
        if (blocks.Chance(odd)) buffer.words[at + 1] += uint64_t{1} << 32;
        break;
      case 7: buffer.ApertureUnmap(page, pages, blocks.rng()); break;
      case 8:
        buffer.Flush(static_cast<Scope>(random(2)), random(kSpacesOf[n_] - !blocks.Chance(odd)),
                     start, end);
        break;
      default: buffer.Signal(Any(blocks, odd), blocks.rng(), blocks.Chance(50));
    }
    if (blocks.Chance(odd)) buffer.words[at] ^= uint64_t{1} << random(63);
  }
  std::vector<uint64_t> AnyBuffer(Processor& processor, unsigned odd) {
    Steering& blocks = processor.blocks;
    processor.setting.privileged = odd == 0 || blocks.Chance(70);
    processor.setting.buffer = Any(blocks, 0);
    processor.setting.record = blocks.rng() & 0xfffffffffff0;
    processor.setting.value = blocks.rng();
    processor.setting.aperture_base = blocks.rng() & 0x7ffffffff000;
    processor.retire_percent = blocks.Random(3, 100);
    Buffer buffer;
    for (uint64_t count = blocks.Random(0, 25); count > 0; --count) Add(buffer, blocks, odd);
    return buffer.words;
  }
  /// Any of the plan's jobs but one whose words cannot be read.
  static size_t AnyJob(Processor& processor, const std::vector<uint64_t>& words, size_t error_at) {
    const auto steps = PlanOf(processor.setting, words, error_at).steps;
    if (steps.empty()) return ~size_t{0};
    const size_t pick = processor.blocks.Random(0, steps.size() - 1);
    return steps[pick].kind == CommandStep::kJob && !steps[pick].dead ? pick : ~size_t{0};
  }
};

TEST_P(Commands, AreExecutedAsTheModelSays) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Processor processor(n_, manner_, seed);
    for (int round = 0; round < 40; ++round) {
      processor.Run(AnyBuffer(processor, 0));
      if (HasFailure()) return;
    }
  }
}

TEST_P(Commands, TheFirstThatFailsIsTold) {
  unsigned reasons[32] = {};
  for (uint64_t seed = 10; seed < 14; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Processor processor(n_, manner_, seed);
    for (int round = 0; round < 80; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      const auto words = AnyBuffer(processor, round % 3 == 0 ? 0 : 4);
      const bool cut = processor.blocks.Chance(30) && !words.empty();
      const size_t error = cut ? processor.blocks.Random(0, words.size() - 1) : ~size_t{0};
      const bool fails = processor.blocks.Chance(40);
      processor.Run(words, error, fails ? AnyJob(processor, words, error) : ~size_t{0});
      ++reasons[static_cast<unsigned>(processor.plan().fault)];
      if (HasFailure()) return;
    }
  }
  for (Fault fault : {Fault::kCommandBad, Fault::kNotPrivileged, Fault::kSpaceDisabled,
                      Fault::kApertureRange})
    EXPECT_GT(reasons[static_cast<unsigned>(fault)], 0u) << static_cast<unsigned>(fault);
}

TEST_P(Commands, ChecksComeInTheirOrder) {
  Processor processor(n_, manner_, 20);
  for (unsigned defects = 0; defects < 16; ++defects) {
    SCOPED_TRACE("defects " + std::to_string(defects));
    processor.setting.privileged = !(defects & 2);
    Place src = Virtual(defects & 8 ? kSpacesOf[n_] : 0, 0x1000);
    Place dst = defects & 2 ? Physical(Target::kVram, 0x2000) : Virtual(1, 0x2000);
    Buffer buffer;
    buffer.Copy(src, dst, defects & 4 ? uint64_t{1} << 48 | 8 : 8);
    if (defects & 1) buffer.words[0] |= uint64_t{1} << 40;
    processor.Run(buffer.words);
    processor.setting.aperture_pages = 30;
    Buffer list;
    list.ApertureList(defects & 8 ? 29 : 28, {1, 2});
    if (defects & 4) list.words[1] ^= uint64_t{1} << 32;
    if (defects & 1) list.words[0] |= uint64_t{1} << 20;
    processor.Run(list.words);
  }
}

TEST_P(Commands, EndsOfRangesAreJudgedToTheByte) {
  Processor processor(n_, manner_, 30);
  for (const bool physical : {false, true})
    for (const int more : {-8, 0, 8}) {
      Place end = physical ? Physical(Target::kVram, (uint64_t{1} << 48) - 64) : Virtual(1, -64);
      const uint64_t length = 64 + more;
      processor.Run(Buffer().Copy(end, Virtual(0, 0), length).words);
      processor.Run(Buffer().Copy(Virtual(0, 0), end, length).words);
      processor.Run(Buffer().Fill(end, length, 1).words);
      processor.Run(Buffer().TableWrite(end, std::vector<uint64_t>(length / 8, 3)).words);
      processor.Run(Buffer().TableRepeat(end, length / 8, 1, 2).words);
    }
  for (const uint32_t pages : {63, 64, 65}) {
    processor.Run(Buffer().ApertureMap(1, pages - 1, 5).words);
    processor.Run(Buffer().ApertureUnmap(0, pages, 5).words);
    processor.Run(Buffer().ApertureMap(0xffffffff, pages, 5).words);
  }
}

TEST_P(Commands, KillEndsEverythingAtAnyMoment) {
  unsigned killed = 0;
  for (uint64_t seed = 40; seed < 44; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Processor processor(n_, manner_, seed);
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      const auto words = AnyBuffer(processor, round % 4 == 0 ? 4 : 0);
      const size_t fail = round % 5 == 0 ? AnyJob(processor, words, ~size_t{0}) : ~size_t{0};
      killed += processor.Run(words, ~size_t{0}, fail, processor.blocks.Random(1, 400)) ==
                Processor::kKilled;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(killed, 20u);
}

TEST_P(Commands, PreemptionStopsInFrontOfACommandAtAnyMoment) {
  unsigned stopped = 0, failed = 0, done = 0;
  for (uint64_t seed = 60; seed < 64; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Processor processor(n_, manner_, seed);
    for (int round = 0; round < 80; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      auto words = AnyBuffer(processor, round % 4 == 0 ? 4 : 0);
      const bool cut = round % 7 == 0 && !words.empty();
      const size_t error = cut ? processor.blocks.Random(0, words.size() - 1) : ~size_t{0};
      const size_t fail = round % 5 == 0 ? AnyJob(processor, words, error) : ~size_t{0};
      auto end = processor.Run(words, error, fail, ~0u, processor.blocks.Random(0, 400));
      failed += end == Processor::kFailed;
      done += end == Processor::kDone;
      if (end != Processor::kPreempted || cut || HasFailure()) continue;
      ++stopped;
      words.erase(words.begin(), words.begin() + processor.stopped_at / 8);
      processor.setting.buffer.address += processor.stopped_at;
      processor.Run(words);  // the rest by itself
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(stopped, 40u);
  EXPECT_GT(failed, 5u);
  EXPECT_GT(done, 5u);
}

TEST_P(Commands, PreemptionInEveryCycleOfABufferWithEveryCommand) {
  Processor processor(n_, manner_, 70);
  Buffer buffer;
  buffer.Copy(Virtual(0, 0x1000), Virtual(1, 0x2000), 64).TableWrite(Virtual(1, 0x3000), {1, 2, 3});
  buffer.ApertureMap(0, 3, 5).Wait().Fill(Virtual(1, 0x4000), 9, 7).Nop(2).ApertureUnmap(0, 3, 6);
  buffer.Flush(Scope::kGlobal, 0, 0, 0).TableRepeat(Virtual(1, 0x5000), 4, 1, 2);
  buffer.Copy(Virtual(0, 0), Virtual(1, 0), 0).ApertureList(1, {8, 9});
  buffer.Signal(Virtual(1, 0x6000), 77, true).Fill(Virtual(1, 0x7000), 8, 9);
  std::set<uint32_t> places;
  for (unsigned cycle = 0; cycle < 250 && !HasFailure(); ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle));
    if (processor.Run(buffer.words, ~size_t{0}, ~size_t{0}, ~0u, cycle) == Processor::kPreempted)
      places.insert(processor.stopped_at);
  }
  EXPECT_GE(places.size(), 9u);  // most of the twelve boundaries
  EXPECT_EQ(places.count(0), 1u);
}

TEST_P(Commands, PreemptionOfAnEmptyBufferOnlyWritesItsRecord) {
  Processor processor(n_, manner_, 80);
  EXPECT_EQ(processor.Run({}, ~size_t{0}, ~size_t{0}, ~0u, 0), Processor::kDone);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Commands,
                         ::testing::Combine(::testing::Values(0, 1), ::testing::Range(0, 4)));

class CommandRate : public Commands {};  // words and mover are always there

TEST_P(CommandRate, ACopyBeginsTwelveCyclesAfterItsHeaderAndThenEverySeven) {
  Processor processor(n_, manner_, 50);
  processor.retire_percent = 100;
  Buffer buffer;
  for (int i = 0; i < 50; ++i) buffer.Copy(Virtual(0, 64 * i), Virtual(1, 64 * i), 64);
  const uint64_t start = processor.blocks.now;
  processor.Run(buffer.words);
  EXPECT_LE(processor.first_job, 15u);
  EXPECT_LE(processor.blocks.now - start, 7u * 50 + 50);
}
INSTANTIATE_TEST_SUITE_P(Sizes, CommandRate,
                         ::testing::Combine(::testing::Values(0, 1), ::testing::Values(0)));

}  // namespace
}  // namespace gmmu::dma
