// SPDX-License-Identifier: Apache-2.0
// Tests the collector alone: the commands that it outputs, the words that it leaves to the command
// processor, and its timing.
#include "tb/rtl/dma/control.h"

namespace gmmu::dma {
namespace {

/// The expected output for one command.
struct Told {
  bool over = false, unreadable = false, malformed = false;
  size_t at = 0;  // index of the header word
  regs::CommandHeaderWord header;
  std::vector<uint64_t> operands;
  size_t tail = 0;  // number of words that the command processor reads itself
  bool has_tail = false;
};

/// Decodes a buffer up to its end, or up to the first command that is malformed or unreadable.
std::vector<Told> Read(const std::vector<uint64_t>& words, size_t error_at) {
  std::vector<Told> told;
  for (size_t at = 0;;) {
    Told one;
    one.at = at;
    one.over = at == words.size();
    one.unreadable = !one.over && at == error_at;
    if (!one.over && !one.unreadable) {
      one.header.raw = words[at];
      one.malformed = !WellFormed(one.header) || one.header.words() > words.size() - at;
    }
    if (!one.over && !one.unreadable && !one.malformed) {
      const CommandRule& rule = *RuleOf(one.header);
      const size_t behind = at + 1 + rule.operands;
      one.unreadable = error_at < behind;
      if (!one.unreadable) one.operands.assign(&words[at + 1], &words[at + 1] + rule.operands);
      one.has_tail = rule.has_inline || rule.opcode == Opcode::kNop;
      one.tail = one.header.words() - 1 - rule.operands;
      at += one.header.words();
    }
    told.push_back(one);
    if (one.over || one.unreadable || one.malformed) return told;
    // The command processor reads the words with the error, so no further command follows.
    if (one.has_tail && error_at < at) return told;
  }
}

class Collector : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  using Command = GMMU_STRUCT(gmmu_dma_control_bench, command_t);
  const int n_ = std::get<0>(GetParam());
  const Manner manner_ = kManners[std::get<1>(GetParam())];

  std::vector<uint64_t> Commands(Steering& blocks, unsigned count, bool well) {
    std::vector<uint64_t> words;
    while (count-- > 0) {
      const CommandRule& rule = kCommandRules[blocks.Random(0, std::size(kCommandRules) - 1)];
      CommandHeaderWord header{blocks.rng() & ~kReservedBits};
      header.set_opcode(rule.opcode)
          .set_words(rule.most == rule.least ? rule.least : rule.least + blocks.Random(0, 12));
      header.set_src_space(blocks.Random(0, kSpacesOf[n_]));
      header.set_dst_space(blocks.Chance(90) ? blocks.Random(0, kSpacesOf[n_]) : blocks.Random(0, 255));
      if (rule.opcode == Opcode::kFlushTlb) header.set_scope(static_cast<Scope>(count % 3));
      const size_t length = header.words();
      if (!well && count == 0) {
        switch (blocks.Random(0, 3)) {
          case 0: header.raw ^= kReservedBits & (uint64_t{1} << blocks.Random(40, 47)); break;
          case 1: header.raw |= uint64_t{1} << blocks.Random(18, 23); break;
          case 2: header.set_opcode(static_cast<Opcode>(blocks.Random(10, 255))); break;
          default: header.set_words(length + blocks.Random(1, 2000));  // past the end of the buffer
        }
      }
      words.push_back(header.raw);
      for (size_t i = 1; i < length; ++i) words.push_back(blocks.rng());
    }
    return words;
  }
  void Idle(Steering& blocks, unsigned cycles) {
    auto& top = blocks.t;
    for (unsigned i = 0; i < cycles; ++i)
      blocks.Step(
          [&] {
            top.collect_halt_i[n_] = 1;
            top.collect_start_i[n_] = top.collect_ready_i[n_] = top.collect_tail_ready_i[n_] = 0;
            top.collect_word_valid_i[n_] = 1;
          },
          [&] {
            if (i == 0) return;
            EXPECT_FALSE(top.collect_valid_o[n_]) << "after halt";
            EXPECT_FALSE(top.collect_word_ready_o[n_]) << "after halt";
            EXPECT_FALSE(top.collect_awake_o[n_]) << "after halt";
          });
  }
  void Compare(Steering& blocks, const Told& told) {
    const auto seen = Unpack<Command>(blocks.t.collect_o[n_]);
    EXPECT_EQ(seen.over, told.over);
    if (told.over) return;
    EXPECT_EQ(seen.unreadable, told.unreadable);
    EXPECT_EQ(seen.offset, 8 * told.at);
    EXPECT_EQ(Pack(seen.header), told.header.raw);
    if (told.unreadable) return;
    EXPECT_EQ(seen.malformed, told.malformed);
    if (told.malformed) return;
    const CommandRule& rule = *RuleOf(told.header);
    const unsigned needs = rule.has_inline << 9 | rule.aperture << 8 | rule.src << 7 | rule.dst << 6 |
                           rule.settle << 5 | NeedsPrivilege(told.header) << 4 |
                           NamesNoSpace(told.header, kSpacesOf[n_]) << 3 | rule.operands;
    EXPECT_EQ(Pack(seen.needs), needs);
    EXPECT_EQ(Pack(seen.opcode), 0x200u >> static_cast<unsigned>(rule.opcode));
    CompareOperands(seen, rule, told);
  }
  /// Checks that each operand is in the field that its opcode determines.
  static void CompareOperands(const Command& seen, const CommandRule& rule, const Told& told) {
    const auto& w = told.operands;
    const bool words = rule.opcode == Opcode::kTableWrite || rule.opcode == Opcode::kTableRepeat;
    bool odd = (words || rule.opcode == Opcode::kSignalFence) && w[0] % 8;
    uint64_t step = 0;
    if (rule.aperture) EXPECT_EQ(seen.length, 8 * (w[0] >> 32));
    if (rule.dst || rule.aperture) EXPECT_EQ(seen.dst, w[rule.opcode == Opcode::kCopy ? 1 : 0]);
    switch (rule.opcode) {
      case Opcode::kCopy:
        EXPECT_EQ(seen.src, w[0]);
        EXPECT_EQ(seen.length, w[2] << 16 >> 16);
        odd = w[2] >> 48;
        break;
      case Opcode::kFill:
        EXPECT_EQ(seen.length, w[1] << 16 >> 16);
        EXPECT_EQ(seen.value, w[2]);
        odd = w[1] >> 48 || w[2] >> 32;
        break;
      case Opcode::kTableRepeat:
        EXPECT_EQ(seen.length, 8 * (w[1] & 0xffffffff));
        EXPECT_EQ(seen.value, w[2]);
        odd |= w[1] >> 32 != 0;
        step = w[3];
        break;
      case Opcode::kFlushTlb:
        EXPECT_EQ(seen.src, w[0]);
        EXPECT_EQ(seen.value, w[1]);
        break;
      case Opcode::kSignalFence: EXPECT_EQ(seen.length, 8u); [[fallthrough]];
      case Opcode::kApertureMap:
      case Opcode::kApertureUnmap: EXPECT_EQ(seen.value, w[1]); break;
      default: break;
    }
    EXPECT_EQ(seen.step, step);
    EXPECT_EQ(seen.odd, odd);
  }
  /// Runs one buffer from start to its end, or to a halt after `cycles`. Returns the number of
  /// cycles used.
  uint64_t Run(Steering& blocks, const std::vector<uint64_t>& words, size_t error_at, unsigned cycles = ~0u) {
    auto& top = blocks.t;
    const std::vector<Told> expected = Read(words, error_at);
    const uint64_t begin = blocks.now;
    WordStream stream;
    stream.Start(words, error_at);
    size_t seen = 0, tail = 0;
    // again: the accepted command must be stable for another cycle.
    bool again = false, in_tail = false;
    unsigned wait = 0;
    bool over = false;
    for (unsigned i = 0; i < 60000 && i < cycles && !over; ++i) {
      blocks.Step(
          [&] {
            top.collect_start_i[n_] = top.collect_halt_i[n_] = i == 0;
            top.collect_bytes_i[n_] = i == 0 ? 8 * words.size() : blocks.rng();
            stream.Drive(blocks, manner_.idle_percent, top.collect_word_valid_i[n_], top.collect_word_i[n_],
                         top.collect_word_error_i[n_]);
            if (i == 0) top.collect_word_valid_i[n_] = 0;
            top.collect_ready_i[n_] = !blocks.Chance(manner_.stall_percent);
            top.collect_tail_ready_i[n_] = in_tail && tail > 0 && !blocks.Chance(manner_.stall_percent);
            if (in_tail && tail == 0 && wait > 0) --wait;
            top.collect_tail_end_i[n_] = in_tail && tail == 0 && wait == 0;
          },
          [&] {
            if (again) Compare(blocks, expected[seen - 1]);
            again = false;
            const bool took = top.collect_word_valid_i[n_] && top.collect_word_ready_o[n_];
            stream.Sample(top.collect_word_valid_i[n_], top.collect_word_ready_o[n_]);
            if (in_tail) {
              if (took) ASSERT_GT(tail, 0u) << "a word of the next command";
              EXPECT_FALSE(top.collect_valid_o[n_]) << "a command while the tail is the taker's";
              tail -= took;
              if (took && tail == 0) wait = 2 + blocks.rng() % 3;
              if (top.collect_tail_end_i[n_]) in_tail = false;
              if (tail > 0 && top.collect_word_error_i[n_]) over = true;
              return;
            }
            if (i == 0 || !top.collect_valid_o[n_]) return;
            ASSERT_LT(seen, expected.size());
            const Told& told = expected[seen];
            Compare(blocks, told);
            if (told.over) EXPECT_EQ(stream.taken, words.size());
            else if (told.malformed) EXPECT_LE(stream.taken, told.at + 2);
            else if (!told.unreadable) EXPECT_EQ(stream.taken, told.at + 1 + told.operands.size()) << "words ahead";
            if (!top.collect_ready_i[n_]) return;
            ++seen;
            over = told.over || told.unreadable || told.malformed;
            again = !over;
            in_tail = again && told.has_tail;
            tail = in_tail ? told.tail : 0;
            wait = 2 + blocks.rng() % 3;
          });
      if (HasFatalFailure()) return 0;
    }
    if (cycles == ~0u) {
      EXPECT_TRUE(over) << "no end after " << seen << " commands";
      EXPECT_EQ(seen, expected.size());
    }
    return blocks.now - begin;
  }
};

TEST_P(Collector, TellsEveryCommandAndLeavesItsTail) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Steering blocks(seed);
    for (unsigned round = 0; round < 30; ++round) {
      Idle(blocks, 1 + round % 3);
      const auto words = Commands(blocks, blocks.Random(0, 30), round % 2 == 0);
      const bool fails = round % 3 == 2 && !words.empty();
      Run(blocks, words, fails ? blocks.Random(0, words.size() - 1) : ~size_t{0});
      if (HasFailure()) return;
    }
  }
}

TEST_P(Collector, HaltForgetsEverythingAtAnyMoment) {
  Steering blocks(7);
  for (unsigned round = 0; round < 150; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Run(blocks, Commands(blocks, 10, true), ~size_t{0}, blocks.Random(2, 60));
    Idle(blocks, blocks.Random(2, 4));
    if (HasFailure()) return;
  }
  Run(blocks, Commands(blocks, 10, true), ~size_t{0});
}

TEST_P(Collector, TheEndIsAtTheLastWordAndNotBefore) {
  Steering blocks(3);
  const CommandHeaderWord copy = CommandHeaderWord{}.set_opcode(Opcode::kCopy).set_words(4);
  const CommandHeaderWord nop = CommandHeaderWord{}.set_opcode(Opcode::kNop).set_words(1);
  for (size_t more = 0; more < 6; ++more) {  // `more`: words in the buffer after the copy's header
    std::vector<uint64_t> words(more, nop.raw);
    words.insert(words.begin(), {nop.raw, copy.raw});
    Idle(blocks, 2);
    Run(blocks, words, ~size_t{0});
    EXPECT_EQ(Read(words, ~size_t{0})[1].malformed, more < 3);
  }
  Idle(blocks, 2);
  Run(blocks, {}, ~size_t{0});
  Run(blocks, {}, 0);  // An empty buffer reads no words.
}

TEST_P(Collector, EveryWordOfACommandMayBeTheOneThatCannotBeRead) {
  Steering blocks(4);
  for (const CommandRule& rule : kCommandRules) {
    const size_t count = std::min(rule.most, rule.least + 3);
    const CommandHeaderWord header = CommandHeaderWord{}.set_opcode(rule.opcode).set_words(count);
    std::vector<uint64_t> words{CommandHeaderWord{}.set_words(1).raw, header.raw};
    for (size_t i = 1; i < count; ++i) words.push_back(blocks.rng());
    for (size_t bad = 0; bad < words.size(); ++bad) {
      SCOPED_TRACE(testing::Message() << "opcode " << int(rule.opcode) << " word " << bad);
      Idle(blocks, 2);
      Run(blocks, words, bad);
    }
  }
}

class CollectorRate : public Collector {};  // words and command processor are never stalled

TEST_P(CollectorRate, ACopyIsCollectedEveryFiveCycles) {
  Steering blocks(5);
  std::vector<uint64_t> words;
  for (unsigned i = 0; i < 40; ++i) {
    words.push_back(CommandHeaderWord{}.set_opcode(Opcode::kCopy).set_words(4).raw);
    words.insert(words.end(), 3, blocks.rng());
  }
  Idle(blocks, 2);
  EXPECT_LE(Run(blocks, words, ~size_t{0}), 5u * 40 + 10);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Collector, ::testing::Combine(::testing::Values(0, 1), ::testing::Range(0, 4)));
INSTANTIATE_TEST_SUITE_P(Sizes, CollectorRate, ::testing::Combine(::testing::Values(0, 1), ::testing::Values(0)));

}  // namespace
}  // namespace gmmu::dma
