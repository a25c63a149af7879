// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <regex>

#include "tb/rtl/dma/blocks.h"
#include "tb/rtl/dma/command_rules.h"

namespace gmmu::dma {
namespace {

void Check(Blocks& blocks, uint64_t header) {
  auto& top = blocks.t;
  top.decode_header_i = header;
  top.eval();
  const regs::CommandHeaderWord word{header};
  const CommandRule* rule = RuleOf(word);
  SCOPED_TRACE(testing::Message() << std::hex << header);
  const bool flush = word.opcode() == regs::Opcode::kFlushTlb;
  const bool good = WellFormed(word);
  EXPECT_EQ(top.decode_good_o, good);
  if (!good) return;
  EXPECT_EQ(top.decode_operands_o, rule->operands);
  EXPECT_EQ(top.decode_inline_o, rule->has_inline);
  EXPECT_EQ(top.decode_table_o, rule->table || (flush && word.scope() == regs::Scope::kGlobal));
  EXPECT_EQ(top.decode_aperture_o, rule->aperture);
  EXPECT_EQ(top.decode_src_o, rule->src);
  EXPECT_EQ(top.decode_dst_o, rule->dst);
  EXPECT_EQ(top.decode_settle_o, rule->settle);
}

TEST(Decode, EveryOpcodeAtEverySize) {
  Blocks blocks(1);
  for (uint64_t opcode = 0; opcode < 256; ++opcode)
    for (uint64_t words : {0, 1, 2, 3, 4, 5, 6, 7, 100, 0xffff})
      for (uint64_t scope = 0; scope < 4; ++scope) Check(blocks, opcode | scope << 10 | words << 48);
}

TEST(Decode, EveryReservedBit) {
  Blocks blocks(1);
  for (const CommandRule& rule : kCommandRules)
    for (unsigned bit = 0; bit < 64; ++bit)
      Check(blocks, (static_cast<uint64_t>(rule.opcode) | uint64_t{rule.least} << 48) ^ uint64_t{1} << bit);
}

TEST(Decode, ThePageOfCommandsHasTheirSizesAndPrivileges) {
  std::ifstream page(GMMU_SOURCE_DIR "/docs/integration.md");
  const std::regex row(R"(\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| ([^|]*) \|.*)");
  std::smatch found;
  size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, found, row)) continue;
    ASSERT_LT(rows, std::size(kCommandRules));
    const CommandRule& rule = kCommandRules[rows++];
    SCOPED_TRACE(found[1]);
    EXPECT_EQ(found[1], regs::NameOf(rule.opcode));
    EXPECT_EQ(std::stoul(found[2]), static_cast<unsigned>(rule.opcode));
    EXPECT_EQ(std::stoul(found[3]), rule.least);
    EXPECT_EQ(std::stoul(found[4]), rule.most);
    const std::string fields = found[5];
    EXPECT_EQ(fields.find("src_*") != std::string::npos, rule.src);
    EXPECT_EQ(fields.find("dst_*") != std::string::npos, rule.dst);
    EXPECT_EQ(fields.find("privileged") != std::string::npos, rule.table || rule.opcode == regs::Opcode::kFlushTlb);
  }
  EXPECT_EQ(rows, std::size(kCommandRules));
}

TEST(Decode, RandomHeaders) {
  Blocks blocks(5);
  for (int n = 0; n < 20000; ++n) {
    uint64_t header = blocks.rng();
    if (n % 2) header = (header & ~(kReservedBits | 0xf0 | uint64_t{0xfff8} << 48));
    Check(blocks, header);
  }
}

}  // namespace
}  // namespace gmmu::dma
