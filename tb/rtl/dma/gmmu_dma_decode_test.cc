// SPDX-License-Identifier: Apache-2.0
#include "hw/gmmu_regs.h"
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {
namespace {

using regs::CommandHeaderWord;
using regs::Opcode;
using regs::Scope;

/// What the command page says of an opcode.
struct Rule {
  Opcode opcode;
  unsigned operands, least, most;  // words after the header; words with header
  bool has_inline, table, aperture, src, dst, settle;
};
constexpr unsigned kMost = 0xffff;
constexpr Rule kRules[] = {
    {Opcode::kNop, 0, 1, kMost, false, false, false, false, false, false},
    {Opcode::kCopy, 3, 4, 4, false, false, false, true, true, false},
    {Opcode::kFill, 3, 4, 4, false, false, false, false, true, false},
    {Opcode::kTableWrite, 1, 3, kMost, true, true, false, false, true, false},
    {Opcode::kTableRepeat, 4, 5, 5, false, true, false, false, true, false},
    {Opcode::kApertureMap, 2, 3, 3, false, true, true, false, false, false},
    {Opcode::kApertureList, 1, 2, kMost, true, true, true, false, false, false},
    {Opcode::kApertureUnmap, 2, 3, 3, false, true, true, false, false, false},
    {Opcode::kFlushTlb, 2, 3, 3, false, false, false, false, false, true},
    {Opcode::kSignalFence, 2, 3, 3, false, false, false, false, true, true},
};
constexpr uint64_t kReserved = uint64_t{0xff} << 40 | uint64_t{0x3f} << 18;

void Check(Blocks& blocks, uint64_t header) {
  auto& top = *blocks.top;
  top.decode_header_i = header;
  top.eval();
  const CommandHeaderWord word{header};
  const Rule* rule = nullptr;
  for (const Rule& candidate : kRules)
    if (candidate.opcode == word.opcode()) rule = &candidate;
  SCOPED_TRACE(testing::Message() << std::hex << header);
  const bool flush = word.opcode() == Opcode::kFlushTlb;
  const bool good = rule && word.words() >= rule->least && word.words() <= rule->most &&
                    (header & kReserved) == 0 && !(flush && (header >> 10 & 3) == 3);
  EXPECT_EQ(top.decode_good_o, good);
  if (!good) return;
  EXPECT_EQ(top.decode_operands_o, rule->operands);
  EXPECT_EQ(top.decode_inline_o, rule->has_inline);
  EXPECT_EQ(top.decode_table_o, rule->table || (flush && word.scope() == Scope::kGlobal));
  EXPECT_EQ(top.decode_aperture_o, rule->aperture);
  EXPECT_EQ(top.decode_src_o, rule->src);
  EXPECT_EQ(top.decode_dst_o, rule->dst);
  EXPECT_EQ(top.decode_settle_o, rule->settle);
}

TEST(Decode, EveryOpcodeAtEverySize) {
  Blocks blocks(1);
  for (uint64_t opcode = 0; opcode < 256; ++opcode)
    for (uint64_t words : {0, 1, 2, 3, 4, 5, 6, 7, 100, 0xffff})
      for (uint64_t scope = 0; scope < 4; ++scope)
        Check(blocks, opcode | scope << 10 | words << 48);
}

TEST(Decode, EveryReservedBit) {
  Blocks blocks(1);
  for (const Rule& rule : kRules)
    for (unsigned bit = 0; bit < 64; ++bit)
      Check(blocks, (static_cast<uint64_t>(rule.opcode) | uint64_t{rule.least} << 48) ^
                        uint64_t{1} << bit);
}

TEST(Decode, RandomHeaders) {
  Blocks blocks(5);
  for (int n = 0; n < 20000; ++n) {
    uint64_t header = blocks.rng();
    if (n % 2) header = (header & ~(kReserved | 0xf0 | uint64_t{0xfff8} << 48));
    Check(blocks, header);
  }
}

}  // namespace
}  // namespace gmmu::dma
