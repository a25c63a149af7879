// SPDX-License-Identifier: Apache-2.0
// Tests which translations and table pointers the twin's MMU caches, with 64 KiB leaf tables and
// dual entries at level 1. Each result is also compared with the reference walk.
#include "twin/mmu.h"

#include "tb/sim/twin/work.h"
#include "twin/gpu.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Scope;
using regs::Target;

/// The dual space of docs/page-tables.md as space 1; both words of its dual entry point to a leaf
/// table.
class TwinMmuTest : public ::testing::Test {
 protected:
  TwinMmuTest() {
    Put(0x3FF000, Table(0x3FE000, false));
    Put(0x3FE000, Table(0x3F8000, false));
    Put(kWord0, Table(0x3FC000, false));
    Put(kWord1, Table(0x3FB000, true));
    const uint32_t at = regs::kSpaceBase + regs::kSpaceStride;
    bench_.bare.Write(at + regs::SpaceGeometry::kOffset, regs::SpaceGeometry()
                                                             .set_levels(4)
                                                             .set_dual(1)
                                                             .set_bits0(9)
                                                             .set_bits1(9)
                                                             .set_bits2(9)
                                                             .set_bits3(9)
                                                             .set_root_entries(512)
                                                             .raw);
    bench_.bare.Write(at + regs::SpaceRoot::kOffset,
                      regs::SpaceRoot().set_address(0x3FF000).set_target(Target::kVram).set_enable(1).raw);
    EXPECT_NE(bench_.bare.Read(at + regs::SpaceRoot::kOffset), 0u);  // ensures that the write has arrived
  }
  void Put(uint64_t address, uint64_t word) { ASSERT_TRUE(gpu_.vram().Write(address, &word, sizeof word)); }
  static uint64_t Table(uint64_t address, bool k64) {
    return PteEntry().set_valid(1).set_target(Target::kVram).set_table_64k(k64).set_page(address >> 12).raw;
  }
  static uint64_t Page(uint64_t address) { return PteEntry().set_valid(1).set_page(address >> 12).raw; }
  Translated At(uint64_t va) {
    Cost cost;
    return mmu_.Lookup(0, 1, va, Access::kRead, 1, cost);
  }
  static constexpr uint64_t kVa = 0x12345678, kBlock = 0x12340000;
  static constexpr uint64_t kWord0 = 0x3F8910, kWord1 = 0x3F8918, kLeaf = 0x3FCA28, kLeaf64 = 0x3FB0A0;

  Bench bench_;
  Gpu& gpu_ = bench_.machine.gpu(0);
  Mmu& mmu_ = gpu_.mmu();
};

TEST_F(TwinMmuTest, NothingInTheWideHalfIsNeverKept) {
  EXPECT_EQ(At(kVa).fault, Fault::kEntryInvalid);
  Put(kLeaf64, Page(0x98760000));
  EXPECT_EQ(At(kVa).offset, 0x98765678u);
}

TEST_F(TwinMmuTest, AWideEntryIsKeptForItsWholeBlockUntilARangeTouchesIt) {
  Put(kLeaf64, Page(0x98760000));
  EXPECT_EQ(At(kVa).offset, 0x98765678u);
  Put(kLeaf64, Page(0x11110000));
  EXPECT_EQ(At(kBlock + 0xF000).offset, 0x9876F000u);
  mmu_.Invalidate(Scope::kRange, 1, kBlock + 0x10000, kBlock + 0x20000);
  EXPECT_EQ(At(kVa).offset, 0x98765678u);
  mmu_.Invalidate(Scope::kRange, 1, kBlock + 0x3000, kBlock + 0x4000);
  EXPECT_EQ(At(kVa).offset, 0x11115678u);
}

TEST_F(TwinMmuTest, TheTablesOfBothHalvesAreKeptApart) {
  Put(kLeaf, Page(0x55555000));
  EXPECT_EQ(At(kVa).offset, 0x55555678u);
  Put(kLeaf64 + 8, Page(0x66660000));
  EXPECT_EQ(At(kVa + 0x10000).offset, 0x66665678u);
  Put(kLeaf + 0x100, Page(0x77777000));
  Put(kLeaf64 + 24, Page(0x88880000));
  // Without a flush, changed entries have no effect, because the tables are cached.
  Put(kWord0, 0);
  Put(kWord1, 0);
  EXPECT_EQ(At(kVa + 0x20000).offset, 0x77777678u);
  EXPECT_EQ(At(kVa + 0x30000).offset, 0x88885678u);
  // Invalidating a range drops both cached tables.
  mmu_.Invalidate(Scope::kRange, 1, kVa + 0xB0000, kVa + 0xB0001);
  EXPECT_EQ(At(kVa + 0x40000).fault, Fault::kEntryInvalid);
  EXPECT_EQ(At(kVa + 0x40000).level, 1u);
}

TEST_F(Work, ARangeFlushDropsWhatItOverlapsAndNothingElse) {
  const auto line = [&](uint64_t va) {
    EXPECT_EQ(Client(regs::ClientCtrl(), va, 1).count(), 1u);
    return regs::ClientResult{b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset)}.crc();
  };
  const uint64_t ones = 1;
  b.bare.WriteVram(0x20000, &ones, 8);
  const uint64_t zero = line(0), also_zero = line(0x1000);
  const auto moved = regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page(0x20);
  for (const uint64_t entry : {0x2000, 0x2008}) b.bare.WriteVram(entry, &moved.raw, 8);
  EXPECT_EQ(Execute({Head(regs::Opcode::kFlushTlb, 3, 2 << 10 | uint64_t{1} << 32), 0x1FFF, 0x2000}), Fault::kNone);
  EXPECT_EQ(line(0), zero);
  EXPECT_NE(line(0x1000), also_zero);
}

TEST_F(Work, AResetDisablesTheSpaces) {
  EXPECT_EQ(Client(regs::ClientCtrl(), 0, 1).count(), 1u);
  b.machine.gpu(0).Reset();
  b.bare.Write(regs::Ctrl::kOffset, 1);
  EXPECT_EQ(Client(regs::ClientCtrl(), 0, 1).reason(), Fault::kSpaceDisabled);
}

}  // namespace
}  // namespace gmmu::sim::twin
