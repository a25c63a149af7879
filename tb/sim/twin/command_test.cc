// SPDX-License-Identifier: Apache-2.0
#include "twin/command.h"

#include <gtest/gtest.h>

#include <vector>

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Opcode;

uint64_t Head(Opcode opcode, unsigned words, uint64_t more = 0) {
  return regs::CommandHeaderWord().set_opcode(opcode).set_words(words).raw | more;
}

constexpr CommandRights kRights{true, 0, 16, 64, 0x700000};

TEST(Command, AHeaderIsJudgedByOpcodeSizeAndReservedBits) {
  const auto judge = [](uint64_t header, uint64_t left = 100) {
    return JudgeHeader(regs::CommandHeaderWord{header}, left);
  };
  EXPECT_EQ(judge(Head(Opcode::kNop, 7)), Fault::kNone);
  EXPECT_EQ(judge(Head(Opcode::kNop, 0)), Fault::kCommandBad);
  EXPECT_EQ(judge(Head(Opcode::kNop, 7), 6), Fault::kCommandBad);
  EXPECT_EQ(judge(Head(static_cast<Opcode>(10), 1)), Fault::kCommandBad);
  EXPECT_EQ(judge(Head(Opcode::kTableWrite, 2)), Fault::kCommandBad);  // no entry
  EXPECT_EQ(judge(Head(Opcode::kApertureList, 2)), Fault::kNone);      // an empty list of pages
  EXPECT_EQ(judge(Head(Opcode::kFlushTlb, 3, 3 << 10)), Fault::kCommandBad);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const bool reserved = (bit >= 18 && bit < 24) || (bit >= 40 && bit < 48);
    if (reserved) EXPECT_EQ(judge(Head(Opcode::kCopy, 4, uint64_t{1} << bit)), Fault::kCommandBad) << bit;
  }
}

TEST(Command, FaultsHaveTheOrderOfThePage) {
  const uint64_t space = uint64_t{20} << 24;  // not built
  const auto judge = [](std::vector<uint64_t> words, bool privileged) {
    CommandRights rights = kRights;
    rights.privileged = privileged;
    return JudgeCommand(words.data(), rights).fault;
  };
  const uint64_t long_copy = uint64_t{1} << 48;
  EXPECT_EQ(judge({Head(Opcode::kCopy, 4, space | 1 << 13), 0, 0, long_copy}, false), Fault::kNotPrivileged);
  EXPECT_EQ(judge({Head(Opcode::kCopy, 4, space | 1 << 13), 0, 0, long_copy}, true), Fault::kCommandBad);
  EXPECT_EQ(judge({Head(Opcode::kCopy, 4, space | 1 << 13), 0, 0, 8}, true), Fault::kSpaceDisabled);
  EXPECT_EQ(judge({Head(Opcode::kApertureMap, 3), 63 | uint64_t{2} << 32, 1}, true), Fault::kApertureRange);
  EXPECT_EQ(judge({Head(Opcode::kApertureMap, 3), 62 | uint64_t{2} << 32, 1}, true), Fault::kNone);
  EXPECT_EQ(judge({Head(Opcode::kFlushTlb, 3, 1 << 10), 9, 3}, false), Fault::kNone);  // no range
}

TEST(Command, WithoutPrivilegeItNamesTheSpaceOfItsBufferOnly) {
  constexpr unsigned kOwn = 5;
  for (unsigned source = 0; source < 8; ++source) {
    for (unsigned destination = 0; destination < 8; ++destination) {
      for (const bool privileged : {false, true}) {
        CommandRights rights = kRights;
        rights.privileged = privileged;
        rights.space = kOwn;
        const uint64_t spaces = uint64_t{source} << 24 | uint64_t{destination} << 32;
        const std::vector<uint64_t> copy = {Head(Opcode::kCopy, 4, spaces), 0, 0, 8};
        const std::vector<uint64_t> fill = {Head(Opcode::kFill, 4, spaces), 0, 8, 0};
        const std::vector<uint64_t> flush = {Head(Opcode::kFlushTlb, 3, spaces | 1 << 10), 0, 0};
        const bool both = source == kOwn && destination == kOwn, one = destination == kOwn;
        const auto fault = [&](bool allowed) { return privileged || allowed ? Fault::kNone : Fault::kNotPrivileged; };
        EXPECT_EQ(JudgeCommand(copy.data(), rights).fault, fault(both)) << source << destination;
        EXPECT_EQ(JudgeCommand(fill.data(), rights).fault, fault(one)) << source << destination;
        EXPECT_EQ(JudgeCommand(flush.data(), rights).fault, fault(one)) << source << destination;
      }
    }
  }
}

}  // namespace
}  // namespace gmmu::sim::twin
