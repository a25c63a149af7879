// SPDX-License-Identifier: Apache-2.0
// Tests illegal root addresses.
#include <gtest/gtest.h>

#include "mmu_machine.h"

namespace gmmu::bench {
namespace {

TEST(MmuRoot, ARootInTheApertureOrAPeerIsReservedAndReadsNothing) {
  for (regs::Target target : {regs::Target::kAperture, regs::Target::kPeer}) {
    Machine machine(false, 1);
    Control set;
    set.set_space = true;
    set.space = 1;
    set.config.enable = true;
    set.config.root_target = target;
    set.config.root_address = 0x3ff000;
    set.config.root_entries = 512;
    set.config.levels = 4;
    set.config.bits = {9, 9, 9, 9, 0, 0};
    machine.Do(set);
    const sim::Translation result = machine.Translate({0, 1, 0x12345678, regs::Access::kRead}).result;
    EXPECT_EQ(result.fault, regs::Fault::kEntryReserved);
    EXPECT_EQ(result.level, 3u);
    EXPECT_EQ(machine.counts.table_reads, 0u);
    for (const std::string& error : machine.errors()) ADD_FAILURE() << error;
  }
}

}  // namespace
}  // namespace gmmu::bench
