// SPDX-License-Identifier: Apache-2.0
// Tests the mover alone, with up to 2 reads of 64 bytes in flight and with up to 32 of 128 bytes.
// Jobs of all sources run. Rig::in models the environment of the read side, Rig::out that of the
// write side.
#include "tb/rtl/dma/control.h"

namespace gmmu::dma {
namespace {

enum Source { kCopy, kPattern, kWords, kSteps };
struct Move {
  Source source = kCopy;
  UnitJob src, dst;  // source and destination; their lengths are equal
  uint64_t value = 0, step = 0;
  std::vector<uint64_t> words;
};

/// One mover, with a model of the environment of each of its sides. Jobs and words are offered as
/// fast as the mover accepts them.
class Rig {
 public:
  static constexpr unsigned kPages = 48;

  Rig(int n, Manner manner, uint64_t seed)
      : blocks(seed), in(blocks, 2 * n, manner), out(blocks, 2 * n + 1, manner), n_(n), manner_(manner) {
    out.beside = &in;
    MakeWindow(in, blocks, kPages);
    MakeWindow(out, blocks, kPages);
  }

  Steering blocks;
  SteeringWorld in, out;
  std::vector<Move> jobs;
  size_t next = 0, retired = 0;       // next: number of jobs accepted; retired: number retired
  size_t most = 0;                    // most jobs in progress so far
  size_t fails_at = ~size_t{0};       // first failing job; retirements from it on are not counted
  uint64_t words_end = ~uint64_t{0};  // words to supply; with words_dead, the stream then ends
  bool words_dead = false, kill = false, fault_ready = false;
  uint64_t read_bytes = 0, written_bytes = 0;

  uint64_t Chunk() const { return n_ == 0 ? 64 : 128; }
  bool idle() const { return blocks.t.move_idle_o[n_]; }
  bool fault() const { return blocks.t.move_fault_valid_o[n_]; }
  unsigned fault_what() const { return WhatOf(Unpack<FaultFields>(blocks.t.move_fault_o[n_])); }
  uint64_t fault_address() const { return Unpack<FaultFields>(blocks.t.move_fault_o[n_]).place.address; }
  size_t fault_job() const { return (blocks.t.move_fault_job_o[n_] - first_id_) & 0xff; }

  /// Makes jobs with adjacent or separate destinations, which never overlap.
  void MakeJobs() {
    Forget();
    uint64_t at = 0x10000000 + blocks.Random(0, 100), physical = 0x800000;
    while (jobs.size() < 200) {
      Move job;
      job.source = blocks.Chance(50) ? kCopy : static_cast<Source>(blocks.Random(1, 3));
      job.src = RandomJob(blocks, kPages, blocks.Chance(60) ? 70 : 3000);
      uint64_t length = job.src.length;
      if (job.source >= kWords) length = (length + 7) & ~uint64_t{7};
      job.src.length = job.dst.length = length;
      job.dst.physical = blocks.Chance(20);
      job.dst.target = static_cast<Target>(blocks.Random(0, 1));
      uint64_t& place = job.dst.physical ? physical : at;
      if (blocks.Chance(30)) place += blocks.Random(0, 200);
      if (job.source >= kWords) place = (place + 7) & ~uint64_t{7};
      job.dst.address = place;
      place += length;
      if (at > 0x10000000 + 4096 * (kPages - 1)) return;
      job.value = job.source == kPattern ? blocks.rng() & 0xffffffff : blocks.rng();
      job.step = blocks.rng();
      for (uint64_t i = 0; job.source == kWords && i < length; i += 8) job.words.push_back(blocks.rng());
      jobs.push_back(job);
    }
  }
  /// The first failing job. fails: whether its source [0] and its destination [1] fail; at: first
  /// byte of the first failing burst of each.
  struct Bad {
    size_t job = 0;
    bool fails[2] = {};
    uint64_t at[2] = {};
  };
  Bad FindBad() const {
    Bad bad;
    for (; bad.job < jobs.size() && !bad.fails[0] && !bad.fails[1]; ++bad.job) {
      const Move& job = jobs[bad.job];
      if (job.source == kCopy) bad.at[0] = FirstBad(in, job.src, Chunk(), false);
      bad.at[1] = FirstBad(out, job.dst, Chunk(), true);
      bad.fails[0] = job.source == kCopy && bad.at[0] != job.src.address + job.src.length;
      bad.fails[1] = bad.at[1] != job.dst.address + job.dst.length;
    }
    bad.job -= bad.fails[0] || bad.fails[1];
    return bad;
  }
  /// Removes all jobs. The numbering of job ids continues.
  void Forget() {
    first_id_ += next;
    jobs.clear();
    words_.clear();
    next = retired = most = word_ = 0;
    words_end = ~uint64_t{0};
    words_dead = false;
    fails_at = ~size_t{0};
    out.written.clear();
    offer_ = word_offer_ = Offer();
    read_bytes = written_bytes = 0;
  }
  /// Returns byte `k` of the job's data, or no value if the source fails there.
  std::optional<uint8_t> Byte(const Move& job, uint64_t k) const {
    if (job.source == kCopy) {
      const auto place = in.Find(job.src, job.src.address + k, false);
      if (place.fault != Fault::kNone) return std::nullopt;
      return place.zero ? 0 : SteeringWorld::Fresh(place.at);
    }
    const uint64_t word = k / 8;
    const uint64_t value = job.source == kPattern ? job.value << 32 | job.value
                           : job.source == kWords ? job.words[word]
                                                  : job.value + word * job.step;
    return value >> (8 * (k % 8));
  }
  /// Checks that job `n` was written completely. Returns its length in bytes.
  uint64_t CheckJob(size_t n) const {
    uint64_t bytes = 0, wrong = 0;
    for (uint64_t k = 0; k < jobs[n].dst.length && wrong == 0; ++k) {
      const auto place = out.Find(jobs[n].dst, jobs[n].dst.address + k, true);
      if (place.zero) continue;
      ++bytes;
      const auto found = out.written.find(place.at);
      if (found != out.written.end() && found->second == Byte(jobs[n], k)) continue;
      ++wrong;
      ADD_FAILURE() << "byte " << k << " of job " << n << ", source " << jobs[n].source;
    }
    return bytes;
  }
  /// Checks that only bytes of accepted jobs were written, with the right values.
  void CheckNothingBeside() const {
    std::map<SteeringWorld::Address, std::optional<uint8_t>> may;
    for (size_t n = 0; n < next; ++n)
      for (uint64_t k = 0; k < jobs[n].dst.length; ++k) {
        const auto place = out.Find(jobs[n].dst, jobs[n].dst.address + k, true);
        if (!place.zero && place.fault == Fault::kNone) may[place.at] = Byte(jobs[n], k);
      }
    for (const auto& [at, value] : out.written) {
      const auto found = may.find(at);
      if (found != may.end() && found->second == value) continue;
      ADD_FAILURE() << std::hex << "wrong byte at port " << at.first << " address " << at.second;
      return;
    }
  }
  void Tick() {
    auto& top = blocks.t;
    blocks.Step([&] { Drive(top); }, [&] { Sample(top); });
  }
  /// Steps until `done` returns true, at most `limit` cycles.
  template <typename Done>
  [[nodiscard]] bool Until(Done done, unsigned limit = 100000) {
    for (unsigned n = 0; n < limit && !testing::Test::HasFailure(); ++n) {
      if (done()) return true;
      Tick();
    }
    return false;
  }

 private:
  void Drive(Vgmmu_dma_control_bench& top) {
    in.Drive();
    out.Drive();
    top.move_kill_i[n_] = kill;
    top.move_fault_ready_i[n_] = fault_ready;
    top.move_valid_i[n_] = offer_.Now(next < jobs.size() && !kill, blocks, manner_.idle_percent);
    if (top.move_valid_i[n_]) {
      const Move& job = jobs[next];
      GMMU_STRUCT(gmmu_dma_control_bench, job_t) fields{};
      fields.id = first_id_ + next, fields.source = job.source;
      fields.src = PlaceOf(job.src), fields.src_end = job.src.address + job.dst.length - 1;
      fields.dst = PlaceOf(job.dst), fields.dst_end = job.dst.address + job.dst.length - 1;
      fields.value = job.value, fields.step = job.step;
      top.move_i[n_] = Pack(fields);
    }
    const bool more = !kill && word_ < words_end && !words_.empty();
    // move_dead_i may be set while the last word is still pending.
    top.move_dead_i[n_] = words_dead && word_ + 1 >= words_end;
    top.move_word_valid_i[n_] = word_offer_.Now(more, blocks, top.move_dead_i[n_] ? 0 : manner_.idle_percent);
    if (top.move_word_valid_i[n_]) top.move_word_i[n_] = words_.front();
  }
  void Sample(Vgmmu_dma_control_bench& top) {
    in.Sample(false);
    out.Sample(true);
    if (idle() && !kill) EXPECT_EQ(retired, next) << "idle with jobs under way";
    if (idle()) EXPECT_FALSE(fault()) << "idle with a fault";
    if (top.move_retired_o[n_] && retired != fails_at) {
      ASSERT_LT(retired, next);
      CheckJob(retired++);
    }
    if (top.move_valid_i[n_] && top.move_ready_o[n_]) {
      EXPECT_FALSE(fault()) << "a job while a fault stands";
      for (uint64_t word : jobs[next].words) words_.push_back(word);
      ++next;
      offer_.Taken();
    }
    most = std::max(most, next - retired);
    if (top.move_word_valid_i[n_] && top.move_word_ready_o[n_]) {
      words_.pop_front();
      ++word_;
      word_offer_.Taken();
    }
    read_bytes += top.count_o[2 * n_];
    written_bytes += top.count_o[2 * n_ + 1];
    if (!fault()) fault_stands_ = false;
    if (!fault()) return;
    in.ExpectRest();
    out.ExpectRest();
    const auto now = std::make_tuple(fault_what(), fault_address(), unsigned{top.move_fault_job_o[n_]});
    if (fault_stands_) EXPECT_EQ(now, told_) << "changed while it stood";
    fault_stands_ = true;
    told_ = now;
  }

  const int n_;
  const Manner manner_;
  uint8_t first_id_ = 250;
  std::deque<uint64_t> words_;  // words of the accepted jobs
  uint64_t word_ = 0;
  Offer offer_, word_offer_;
  bool fault_stands_ = false;
  std::tuple<unsigned, uint64_t, unsigned> told_;
};

class Mover : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const int n_ = std::get<0>(GetParam());
  const Manner manner_ = kManners[std::get<1>(GetParam())];

  /// Runs all jobs until they have retired, without a fault.
  void RunAll(Rig& rig) {
    ASSERT_TRUE(rig.Until([&] { return rig.retired == rig.jobs.size(); })) << rig.retired;
    ASSERT_TRUE(rig.Until([&] { return rig.idle(); }, 50));
    rig.in.ExpectRest();
    rig.out.ExpectRest();
  }
  /// Clears the pending fault, and checks that new jobs run.
  void EndFault(Rig& rig) {
    rig.Forget();
    rig.fault_ready = true;
    rig.Tick();
    rig.fault_ready = false;
    rig.MakeJobs();
    rig.jobs.resize(12);
    RunAll(rig);
  }
};

TEST_P(Mover, MovesTheBytesOfAllSourcesInOrder) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rig rig(n_, manner_, seed);
    rig.MakeJobs();
    RunAll(rig);
    uint64_t read = 0, written = 0;
    for (size_t n = 0; n < rig.jobs.size(); ++n) {
      const Move& job = rig.jobs[n];
      written += rig.CheckJob(n);
      for (uint64_t k = 0; job.source == kCopy && k < job.src.length; ++k)
        read += !rig.in.Find(job.src, job.src.address + k, false).zero;
    }
    EXPECT_EQ(rig.out.written.size(), written) << "bytes written beside";
    EXPECT_EQ(rig.written_bytes, written);
    EXPECT_EQ(rig.read_bytes, read);
    if (std::get<1>(GetParam()) == 0) EXPECT_GT(rig.most, n_ == 0 ? 1u : 4u) << "no overlap";
    if (HasFailure()) return;
  }
}

TEST_P(Mover, TellsTheFirstJobThatFailedAndGoesOnAfterwards) {
  unsigned reads = 0, writes = 0;
  for (uint64_t seed = 10; seed < 26; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rig rig(n_, manner_, seed);
    rig.MakeJobs();
    for (int n = 0; n < 3; ++n) {
      if (seed % 3 != 0)
        BreakPage(rig.in, rig.blocks, rig.in.pages[0x10000 + rig.blocks.Random(0, 46)], Fault::kEntryInvalid);
      if (seed % 3 != 1)
        BreakPage(rig.out, rig.blocks, rig.out.pages[0x10000 + rig.blocks.Random(0, 46)], Fault::kWriteProtect);
    }
    const Rig::Bad bad = rig.FindBad();
    const size_t failed = rig.fails_at = bad.job;
    if (failed == rig.jobs.size()) continue;  // No job touches a bad page, so none fails.
    ASSERT_TRUE(rig.Until([&] { return rig.fault(); })) << "no fault";
    EXPECT_EQ(rig.retired, failed);
    EXPECT_EQ(rig.fault_job(), failed & 0xff);
    const bool write = rig.fault_what() >> 12 & 3;
    ASSERT_TRUE(bad.fails[write]) << "the other side fails";
    ++(write ? writes : reads);
    const UnitJob& side = write ? rig.jobs[failed].dst : rig.jobs[failed].src;
    const auto place = (write ? rig.out : rig.in).Find(side, bad.at[write], write);
    EXPECT_EQ(rig.fault_what() >> 14, static_cast<unsigned>(place.fault));
    EXPECT_EQ(rig.fault_what() >> 9 & 7, place.level);
    EXPECT_EQ(rig.fault_what() >> 8 & 1, side.physical);
    if (!side.physical) EXPECT_EQ(rig.fault_what() & 63, kUnitSpace);
    EXPECT_EQ(rig.fault_address(), bad.at[write]);
    const uint64_t issued = rig.in.bursts + rig.out.bursts;
    for (uint64_t n = rig.blocks.Random(0, 30); n > 0; --n) rig.Tick();
    EXPECT_EQ(rig.in.bursts + rig.out.bursts, issued) << "issued while the fault stands";
    for (size_t n = 0; n < failed; ++n) rig.CheckJob(n);
    rig.CheckNothingBeside();
    for (SteeringWorld* world : {&rig.in, &rig.out}) {
      for (auto& at : world->pages) at.second = {Target::kVram, 0x700 + (at.first & 0xff)};
      world->bad_aperture.clear();
      world->bus_errors.clear();
    }
    EndFault(rig);
    if (HasFailure()) return;
  }
  EXPECT_GT(reads, 2u);
  EXPECT_GT(writes, 2u);
}

TEST_P(Mover, WordsThatRunDryAreAFailureOfTheirJobWithoutReason) {
  for (uint64_t seed = 30; seed < 38; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rig rig(n_, manner_, seed);
    rig.MakeJobs();
    size_t job = rig.blocks.Random(0, rig.jobs.size() / 2);
    while (job < rig.jobs.size() && rig.jobs[job].source != kWords) ++job;
    ASSERT_LT(job, rig.jobs.size());
    rig.words_dead = true;
    rig.words_end = rig.blocks.Random(0, rig.jobs[job].words.size() - 1);
    for (size_t n = 0; n < job; ++n) rig.words_end += rig.jobs[n].words.size();
    rig.jobs.resize(job + 1);  // Drop later jobs, which would also need words.
    ASSERT_TRUE(rig.Until([&] { return rig.fault(); })) << "no fault";
    EXPECT_EQ(rig.fault_what() >> 14, 0u);
    EXPECT_EQ(rig.retired, job);
    rig.CheckNothingBeside();
    EndFault(rig);
    if (HasFailure()) return;
  }
}

TEST_P(Mover, WordsThatAreLateOnlyAreNoFailure) {
  Rig rig(n_, manner_, 1);
  Move job;
  job.source = kWords;
  job.dst = {true, Target::kVram, 0x800000, 64, 0};
  job.words.assign(8, 0x55);
  rig.jobs = {job};
  rig.words_end = 0;
  for (int n = 0; n < 300; ++n) {
    rig.Tick();
    EXPECT_FALSE(rig.fault());
  }
  EXPECT_EQ(rig.next, 1u);
  rig.words_end = ~uint64_t{0};
  RunAll(rig);
}

TEST_P(Mover, KillGivesUpAllJobsWithoutAFault) {
  for (uint64_t seed = 40; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rig rig(n_, manner_, seed);
    const bool broken = seed % 4 == 3;  // a write fault may precede the kill
    for (int n = 0; broken && n < 10; ++n)
      BreakPage(rig.out, rig.blocks, rig.out.pages[0x10000 + n], Fault::kWriteProtect);
    for (int round = 0; round < 4; ++round) {
      rig.MakeJobs();
      rig.fails_at = rig.FindBad().job;
      const uint64_t when = rig.blocks.now + rig.blocks.Random(1, 400);
      ASSERT_TRUE(rig.Until([&] { return rig.blocks.now >= when || rig.fault(); }));
      rig.kill = rig.fault_ready = true;
      bool faulted = false;
      ASSERT_TRUE(rig.Until([&] { return faulted |= rig.fault(), rig.idle(); }, 5000)) << "not idle after kill";
      if (!broken) EXPECT_FALSE(faulted) << "a fault though killed";
      rig.in.ExpectRest();
      rig.out.ExpectRest();
      rig.CheckNothingBeside();
      rig.Forget();
      rig.kill = rig.fault_ready = false;
      for (int n = 0; n < 3; ++n) rig.Tick();
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Mover, ::testing::Combine(::testing::Values(0, 1), ::testing::Range(0, 4)));

}  // namespace
}  // namespace gmmu::dma
