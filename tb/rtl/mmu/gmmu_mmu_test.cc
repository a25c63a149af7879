// SPDX-License-Identifier: Apache-2.0
// Directed tests of the MMU: each fault and the priority of faults, what is cached and what is not,
// invalidations and what they wait for.
#include <gtest/gtest.h>

#include "mmu_test.h"

namespace gmmu::bench {
namespace {

TEST_F(MmuTest, TranslatesTheWorkedExample) {
  const sim::Translation result = At(kVa);
  EXPECT_EQ(result.fault, Fault::kNone);
  EXPECT_EQ(result.gpa.target, Target::kSystem);
  EXPECT_EQ(result.gpa.offset, 0x98765678u);
  EXPECT_TRUE(result.coherent);
  EXPECT_EQ(Reads(), 4u);
}

TEST_F(MmuTest, FaultsOnASpaceThatIsNotEnabledOrNotBuilt) {
  ExpectFault(Fault::kSpaceDisabled, 0, kVa, Access::kRead, 2);
  ExpectFault(Fault::kSpaceDisabled, 0, ~uint64_t{0}, Access::kRead, 40);
  config_.enable = false;
  SetSpace(1, config_);
  ExpectFault(Fault::kSpaceDisabled, 3, kVa);
  EXPECT_EQ(Reads(), 0u);
}

TEST_F(MmuTest, FaultsOnGeometriesThatAreNotAllowed) {
  machine_.check = false;  // The reference walk supports only legal geometries.
  for (const auto& bits : {std::array<uint8_t, 6>{9, 9, 14, 4, 0, 0}, std::array<uint8_t, 6>{9, 0, 9, 9, 0, 0},
                           std::array<uint8_t, 6>{13, 13, 13, 1, 0, 0}}) {
    config_.bits = bits;
    SetSpace(1, config_);
    EXPECT_EQ(At(0).fault, Fault::kSpaceDisabled);
  }
  config_.bits = {9, 9, 9, 9, 0, 0};
  for (unsigned levels : {0u, 1u, 7u}) {
    config_.levels = levels;
    SetSpace(1, config_);
    EXPECT_EQ(At(0).fault, Fault::kSpaceDisabled);
  }
  EXPECT_EQ(Reads(), 0u);
}

TEST_F(MmuTest, FaultsOnAddressesAboveTheGeometry) {
  ExpectFault(Fault::kVaRange, 3, kVa | uint64_t{1} << 48);
  ExpectFault(Fault::kVaRange, 3, kVa | uint64_t{1} << 63);
  EXPECT_EQ(At(kVa).fault, Fault::kNone);
  // This address must fault although the page of its lower bits is now cached.
  ExpectFault(Fault::kVaRange, 3, kVa | uint64_t{1} << 63);
  config_.levels = 3;
  config_.root_address = kLevel2;
  SetSpace(1, config_);
  EXPECT_EQ(At(kVa).fault, Fault::kNone);
  ExpectFault(Fault::kVaRange, 2, kVa | uint64_t{1} << 39);
}

TEST_F(MmuTest, FaultsOnARootIndexAtOrAboveTheRootsEntries) {
  config_.root_entries = 3;
  SetSpace(1, config_);
  Put(kRoot + 16, PteEntry{}.set_zero(1).raw);
  EXPECT_TRUE(At(uint64_t{2} << 39).zero);
  ExpectFault(Fault::kRootBound, 3, uint64_t{3} << 39);
  config_.root_entries = 0;
  SetSpace(1, config_);
  ExpectFault(Fault::kRootBound, 3, kVa);
}

TEST_F(MmuTest, FaultsOnABusErrorAtEveryLevelAndForgetsIt) {
  const uint64_t entries[] = {kLeaf + 0xa28, kLevel1 + 0x488, kLevel2, kRoot};
  for (unsigned level = 0; level < 4; ++level) {
    Machine machine(false, 2);
    machine.memory.fill = [this](TableMemory::Key key) { return machine_.memory.Read(key); };
    machine.memory.Poison({1, entries[level]});
    Control control;
    control.set_space = true;
    control.space = 1;
    control.config = config_;
    machine.Do(control);
    for (int again = 0; again < 2; ++again) {
      const uint64_t before = machine.counts.table_reads;
      const sim::Translation result = machine.Translate({0, 1, kVa, Access::kRead}).result;
      EXPECT_EQ(static_cast<int>(result.fault), static_cast<int>(Fault::kTableRead));
      EXPECT_EQ(result.level, level);
      EXPECT_GT(machine.counts.table_reads, before);
    }
    EXPECT_EQ(machine.counts.l2_fills, 0u);
    EXPECT_TRUE(machine.errors().empty());
  }
}

TEST_F(MmuTest, ANeighboursBusErrorNeverShowsAndItsLineIsNotCached) {
  if (machine_.t.data_words_o > 1) GTEST_SKIP() << "a beat holds both entries";
  machine_.memory.Poison({1, kLeaf + 0xa28 + 8});
  ExpectFault(Fault::kEntryInvalid, 0, kVa - 0x1000);
  const uint64_t reads = Reads();
  // The previous miss was on the adjacent page, so this miss fetches the whole line.
  EXPECT_EQ(At(kVa).fault, Fault::kNone);
  EXPECT_EQ(Reads(), reads + 1);
  EXPECT_EQ(machine_.counts.l2_fills, 0u);
  ExpectFault(Fault::kTableRead, 0, kVa + 0x1000);
}

TEST_F(MmuTest, FaultsOnInvalidEntriesWhateverTheirOtherBits) {
  for (const uint64_t word : {uint64_t{0}, ~uint64_t{3}}) {
    for (const auto& [address, level] :
         {std::pair{kLeaf + 0xa28, 0u}, {kLevel1 + 0x488, 1u}, {kLevel2, 2u}, {kRoot, 3u}}) {
      const uint64_t before = machine_.memory.Read({1, address});
      Put(address, word);
      Flush(Scope::kSpace, 1);
      ExpectFault(Fault::kEntryInvalid, level, kVa, Access::kWrite);
      Put(address, before);
    }
  }
}

TEST_F(MmuTest, AnEntryThatBecomesValidNeedsNoFlush) {
  ExpectFault(Fault::kEntryInvalid, 0, kVa + 0x1000);
  // This lookup fetches the line that contains both entries.
  EXPECT_EQ(At(kVa).fault, Fault::kNone);
  Put(kLeaf + 0xa30, Page(0x5000));
  EXPECT_EQ(At(kVa + 0x1000).gpa.offset, 0x5678u);
}

TEST_F(MmuTest, AFaultIsNotHandedToALookupThatCameAfterTheEntryWasRead) {
  machine_.manners.latency = 100;
  machine_.manners.early_read = 100;
  At(kVa);
  machine_.Post({0, 1, kVa + 0x10000, Access::kRead});
  const uint64_t reads = Reads();
  while (Reads() == reads) machine_.Step();
  Put(kLeaf + 0xaa8, Page(0x5000));
  for (int i = 0; i < 3; ++i) machine_.Step();
  machine_.Post({1, 1, kVa + 0x10000, Access::kRead});
  EXPECT_TRUE(machine_.Run(1000));
  for (const Answer& answer : machine_.TakeAnswers()) {
    if (answer.request.port == 1) {
      EXPECT_EQ(answer.result.fault, Fault::kNone);
    }
  }
}

TEST_F(MmuTest, FaultsOnReservedForms) {
  const uint64_t page = Page(0x98765000);
  const uint64_t leaf_forms[] = {PteEntry{page}.set_reserved63(1).raw,
                                 PteEntry{page}.set_table_64k(1).raw,
                                 PteEntry{page}.set_large(1).raw,
                                 PteEntry{page}.set_adapter(1).raw,
                                 page | uint64_t{1} << 48,
                                 page | uint64_t{1} << 51};
  for (const uint64_t form : leaf_forms) {
    Put(kLeaf + 0xa28, form);
    ExpectFault(Fault::kEntryReserved, 0, kVa);
  }
  const uint64_t table = 0x08000000003FC041;
  const uint64_t table_forms[] = {PteEntry{table}.set_contiguous(1).raw,
                                  PteEntry{table}.set_target(Target::kAperture).raw,
                                  PteEntry{table}.set_target(Target::kPeer).raw,
                                  PteEntry{table}.set_large(1).raw};  // a 2 MiB page at a misaligned 4 KiB frame
  for (const uint64_t form : table_forms) {
    Put(kLevel1 + 0x488, form);
    Flush(Scope::kSpace, 1);  // Drop the cached pointer of the valid entry.
    ExpectFault(Fault::kEntryReserved, 1, kVa);
  }
}

TEST_F(MmuTest, ChecksPermissionsOnHitsAndOnMisses) {
  Put(kLeaf + 0xa28, PteEntry{Page(0x1000)}.set_read_only(1).raw);
  Put(kLeaf + 0xa30, PteEntry{Page(0x2000)}.set_no_execute(1).raw);
  for (int again = 0; again < 2; ++again) {
    ExpectFault(Fault::kWriteProtect, 0, kVa, Access::kWrite);
    EXPECT_EQ(At(kVa).fault, Fault::kNone);
    EXPECT_EQ(At(kVa, Access::kExecute).fault, Fault::kNone);
    ExpectFault(Fault::kExecuteProtect, 0, kVa + 0x1000, Access::kExecute);
    EXPECT_EQ(At(kVa + 0x1000, Access::kWrite).fault, Fault::kNone);
  }
  EXPECT_LE(Reads(), 5u);
}

TEST_F(MmuTest, AttributesOfTablesDoNotCount) {
  Put(kLevel1 + 0x488, PteEntry{0x08000000003FC041}.set_read_only(1).set_no_execute(1).raw);
  EXPECT_EQ(At(kVa, Access::kWrite).fault, Fault::kNone);
  EXPECT_EQ(At(kVa, Access::kExecute).fault, Fault::kNone);
}

TEST_F(MmuTest, ZeroDominatesAtEveryLevelAndHasNoPermissions) {
  for (const auto& [address, level] :
       {std::pair{kLeaf + 0xa28, 0u}, {kLevel1 + 0x488, 1u}, {kLevel2, 2u}, {kRoot, 3u}}) {
    const uint64_t before = machine_.memory.Read({1, address});
    Put(address, ~uint64_t{0});
    Flush(Scope::kSpace, 1);
    for (const Access access : {Access::kRead, Access::kWrite, Access::kExecute}) {
      const sim::Translation result = At(kVa, access);
      EXPECT_EQ(result.fault, Fault::kNone);
      EXPECT_TRUE(result.zero) << "level " << level;
    }
    Put(address, before);
  }
}

TEST_F(MmuTest, LargePagesAreCachedWithTheirWholeCoverage) {
  Put(kLevel1 + 0x488, PteEntry{Page(uint64_t{0x40000000}, Target::kVram)}.set_large(1).raw);
  EXPECT_EQ(At(0x12200000).gpa.offset, 0x40000000u);
  const uint64_t reads = Reads();
  for (uint64_t offset = 0; offset < 0x200000; offset += 0x11123) {
    EXPECT_EQ(At(0x12200000 + offset).gpa.offset, 0x40000000u + offset);
  }
  EXPECT_EQ(Reads(), reads);
  EXPECT_EQ(At(0x12000000).fault, Fault::kEntryInvalid);
  EXPECT_EQ(At(0x12400000).fault, Fault::kEntryInvalid);
}

TEST_F(MmuTest, AContiguousBlockIsCachedFromOneEntry) {
  for (uint64_t i = 0; i < 16; ++i) {
    Put(kLeaf + 0xa00 + i * 8, PteEntry{Page(0x770000 + (i << 12))}.set_contiguous(1).raw);
  }
  EXPECT_EQ(At(kVa).gpa.offset, 0x775678u);
  const uint64_t reads = Reads();
  for (unsigned port = 0; port < 2; ++port) {
    for (uint64_t i = 0; i < 16; ++i) {
      EXPECT_EQ(At(0x12340000 + (i << 12), Access::kRead, 1, port).gpa.offset, 0x770000 + (i << 12));
    }
  }
  EXPECT_EQ(Reads(), reads);
}

TEST_F(MmuTest, TheContiguousHintIsIgnoredInTablesOfFewerThanSixteenEntries) {
  config_.bits = {2, 9, 9, 9, 0, 0};
  SetSpace(1, config_);
  Put(kLevel1, 0x08000000003FC041);
  for (uint64_t i = 0; i < 4; ++i) Put(kLeaf + i * 8, PteEntry{Page(0x770000 + (i << 12))}.set_contiguous(1).raw);
  EXPECT_EQ(At(0x1000).gpa.offset, 0x771000u);
  EXPECT_EQ(At(0x2000).gpa.offset, 0x772000u);
  EXPECT_EQ(At(0x4000).fault, Fault::kEntryInvalid);
}

TEST_F(MmuTest, TheWholeLineOfGoodEntriesIsCached) {
  for (uint64_t i = 0; i < 8; ++i) Put(kLeaf + 0xa00 + i * 8, i == 3 ? 0 : Page(0x100000 + (i << 12)));
  EXPECT_EQ(At(0x12340000).gpa.offset, 0x100000u);
  EXPECT_EQ(At(0x12341000).gpa.offset, 0x101000u);  // The second miss fetches the whole line.
  const uint64_t reads = Reads();
  for (uint64_t i = 0; i < 8; ++i) {
    if (i == 3) continue;
    EXPECT_EQ(At(0x12340000 + (i << 12)).gpa.offset, 0x100000 + (i << 12));
  }
  EXPECT_EQ(Reads(), reads);
  ExpectFault(Fault::kEntryInvalid, 0, 0x12343000);
  EXPECT_GT(Reads(), reads);
}

TEST_F(MmuTest, TheWalkCacheLeavesOneReadOfTheLeafLine) {
  Put(kLeaf + 0xf00, Page(0x9000));
  At(kVa);
  const uint64_t reads = Reads();
  EXPECT_EQ(At(0x123e0000).gpa.offset, 0x9000u);
  EXPECT_EQ(Reads(), reads + 1);
}

}  // namespace
}  // namespace gmmu::bench
