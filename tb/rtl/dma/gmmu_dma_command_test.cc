// SPDX-License-Identifier: Apache-2.0
// Tests the command processor alone, with 2 spaces and with 16. The bench acts as fetcher, mover,
// MMU control and aperture map, and command_model.h computes the expected actions.
#include "tb/rtl/dma/command_machine.h"

namespace gmmu::dma {
namespace {

class Commands : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const int n_ = std::get<0>(GetParam());
  const Manner manner_ = kManners[std::get<1>(GetParam())];

  /// Returns a random place, which may be illegal in `odd_percent` percent of the calls.
  Place Any(Steering& blocks, unsigned odd_percent) {
    Place place{blocks.rng() >> 20 & ~uint64_t{7}, blocks.Chance(30), static_cast<Target>(blocks.Random(0, 3)),
                static_cast<unsigned>(blocks.Random(0, kSpacesOf[n_] - 1))};
    if (!blocks.Chance(odd_percent)) return place;
    if (blocks.Chance(40)) place.address += blocks.Random(1, 7);
    else if (blocks.Chance(50)) place.space = blocks.Random(0, 255);
    else place.address = (place.physical ? uint64_t{1} << 48 : 0) - 8 * blocks.Random(1, 40);
    return place;
  }
  void Add(Buffer& buffer, Steering& blocks, unsigned odd) {
    const auto random = [&](uint64_t most) { return blocks.Random(0, most); };
    const auto high = [&](unsigned bit) {  // sometimes sets a reserved bit
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
      case 1: buffer.Copy(Any(blocks, odd), Any(blocks, odd), random(3) * random(2000) | high(48)); break;
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
        buffer.Flush(static_cast<Scope>(random(2)), random(kSpacesOf[n_] - !blocks.Chance(odd)), start, end);
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
    processor.setting.aperture_base = blocks.Chance(10) ? 0xffff'ffff'f000 : blocks.rng() & 0x7ffffffff000;
    processor.retire_percent = blocks.Random(3, 100);
    Buffer buffer;
    for (uint64_t count = blocks.Random(0, 25); count > 0; --count) Add(buffer, blocks, odd);
    return buffer.words;
  }
  /// Picks a random step. Returns its index if it is a job with readable words, else ~0.
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
  for (Fault fault : {Fault::kCommandBad, Fault::kNotPrivileged, Fault::kSpaceDisabled, Fault::kApertureRange})
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
      killed += processor.Run(words, ~size_t{0}, fail, processor.blocks.Random(1, 400)) == Processor::kKilled;
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
      processor.Run(words);  // Run the remaining commands without a preemption.
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
  EXPECT_GE(places.size(), 9u);  // at least 9 of the twelve command boundaries are hit
  EXPECT_EQ(places.count(0), 1u);
}

TEST_P(Commands, PreemptionOfAnEmptyBufferOnlyWritesItsRecord) {
  Processor processor(n_, manner_, 80);
  EXPECT_EQ(processor.Run({}, ~size_t{0}, ~size_t{0}, ~0u, 0), Processor::kDone);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Commands, ::testing::Combine(::testing::Values(0, 1), ::testing::Range(0, 4)));

class CommandRate : public Commands {};  // words and mover are never stalled

TEST_P(CommandRate, ACopyBeginsNineCyclesAfterItsHeaderAndThenEveryFive) {
  Processor processor(n_, manner_, 50);
  processor.retire_percent = 100;
  Buffer buffer;
  for (int i = 0; i < 50; ++i) buffer.Copy(Virtual(0, 64 * i), Virtual(1, 64 * i), 64);
  const uint64_t start = processor.blocks.now;
  processor.Run(buffer.words);
  EXPECT_LE(processor.first_job, 11u);
  EXPECT_LE(processor.blocks.now - start, 5u * 50 + 50);
}
INSTANTIATE_TEST_SUITE_P(Sizes, CommandRate, ::testing::Combine(::testing::Values(0, 1), ::testing::Values(0)));

}  // namespace
}  // namespace gmmu::dma
