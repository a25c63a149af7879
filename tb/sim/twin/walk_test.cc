// SPDX-License-Identifier: Apache-2.0
// Tests each step of a walk as docs/page-tables.md describes it, and compares random walks with the reference walk.
#include "twin/walk.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "probe/reference_walk.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Target;

using Words = std::map<std::pair<Target, uint64_t>, uint64_t>;

Mapping WalkAll(const SpaceShape& space, uint64_t va, const Words& words) {
  if (const auto early = BeforeTheRoot(space, va)) return *early;
  const TablePlace root{space.root.target(), space.root.address()};
  TablePlace table = root;
  Half half = space.dual ? Half::k64 : Half::k4;
  for (unsigned level = space.root_level;;) {
    const auto word = words.find({table.target, EntryAddress(space, va, level, table, half)});
    if (word == words.end()) {
      Mapping mapping;
      mapping.fault = Fault::kTableRead;
      mapping.level = level;
      return mapping;
    }
    const Step step = Judge(space, va, level, table, half, PteEntry{word->second});
    if (step.other_half) {
      half = Half::k4;
      level = space.root_level;
      table = root;
      continue;
    }
    if (!step.table) return step.mapping;
    table = *step.table;
    --level;
  }
}

regs::SpaceRoot Root(uint64_t address) {
  return regs::SpaceRoot().set_address(address).set_target(Target::kVram).set_enable(1);
}

TEST(Walk, TranslatesTheWorkedExampleOfThePage) {
  const auto geometry =
      regs::SpaceGeometry().set_levels(4).set_bits0(9).set_bits1(9).set_bits2(9).set_bits3(9).set_root_entries(512);
  const SpaceShape space = SpaceShape::From(geometry, Root(0x3FF000), 48);
  const Words words = {{{Target::kVram, 0x3FF000}, 0x08000000003FE041},
                       {{Target::kVram, 0x3FE000}, 0x08000000003FD041},
                       {{Target::kVram, 0x3FD488}, 0x08000000003FC041},
                       {{Target::kVram, 0x3FCA28}, 0x0000000098765005}};
  const Mapping found = WalkAll(space, 0x12345678, words);
  EXPECT_EQ(found.fault, Fault::kNone);
  EXPECT_EQ(found.target, Target::kSystem);
  EXPECT_EQ(found.base, 0x98765000u);
  EXPECT_EQ(found.span_lg2, 12u);
  EXPECT_TRUE(found.coherent);
}

TEST(Walk, RefusesGeometriesThatAreNotAllowedOrNotBuilt) {
  const auto base = regs::SpaceGeometry()
                        .set_bits0(9)
                        .set_bits1(9)
                        .set_bits2(9)
                        .set_bits3(9)
                        .set_bits4(9)
                        .set_bits5(9)
                        .set_root_entries(1);
  for (const unsigned levels : {0u, 1u, 7u}) {
    auto geometry = base;
    EXPECT_FALSE(SpaceShape::From(geometry.set_levels(levels), Root(0), 57).usable) << levels;
  }
  auto wide = base;
  EXPECT_TRUE(SpaceShape::From(wide.set_levels(5), Root(0), 57).usable);
  EXPECT_FALSE(SpaceShape::From(wide.set_levels(5), Root(0), 48).usable);
  for (const unsigned bits : {0u, 14u}) {
    auto geometry = base;
    EXPECT_FALSE(SpaceShape::From(geometry.set_levels(3).set_bits1(bits), Root(0), 57).usable) << bits;
  }
  EXPECT_FALSE(SpaceShape::From(wide.set_levels(3), Root(0).set_enable(0), 48).usable);
  auto dual = base;
  dual.set_levels(3).set_dual(1);
  EXPECT_TRUE(SpaceShape::From(dual, Root(0), 57).usable);
  EXPECT_FALSE(SpaceShape::From(regs::SpaceGeometry(dual).set_bits1(13), Root(0), 57).usable);
  EXPECT_FALSE(SpaceShape::From(regs::SpaceGeometry(dual).set_bits0(3), Root(0), 57).usable);
}

TEST(Walk, TakesSixteenPagesFromAContiguousEntryThatAgreesWithItsAddress) {
  const auto geometry = regs::SpaceGeometry().set_levels(2).set_bits0(4).set_bits1(4).set_root_entries(16);
  const SpaceShape space = SpaceShape::From(geometry, Root(0), 48);
  const auto entry = PteEntry().set_valid(1).set_contiguous(1).set_target(Target::kVram);
  const Mapping block = Judge(space, 0x3456, 0, TablePlace(), Half::k4, PteEntry(entry).set_page(0x123)).mapping;
  EXPECT_EQ(block.span_lg2, 16u);
  EXPECT_EQ(block.base, 0x120000u);
  const Mapping page = Judge(space, 0x3456, 0, TablePlace(), Half::k4, PteEntry(entry).set_page(0x124)).mapping;
  EXPECT_EQ(page.span_lg2, 12u);
  EXPECT_EQ(page.base, 0x124000u);
}

TEST(Walk, AgreesWithTheReferenceWalkOnRandomTables) {
  const unsigned seed = 11;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  unsigned translated = 0;
  for (unsigned world = 0; world < 400; ++world) {
    regs::SpaceGeometry geometry;
    geometry.set_levels(2 + below(5)).set_root_entries(1 + below(40)).set_dual(below(3) == 0);
    for (unsigned level = 0; level < 6; ++level) geometry.raw |= (below(10) == 0 ? 3 : 4 + below(2)) << (8 + 4 * level);
    auto root = Root(0x1000 * (1 + below(4)));
    if (below(8) == 0) root.set_target(static_cast<Target>(below(4)));
    Words words;
    for (uint64_t at = 0; at < 0x6000; at += 8) {
      for (const Target target : {Target::kSystem, Target::kVram}) {
        if (below(40) == 0) continue;  // the word cannot be read
        PteEntry entry;
        entry.set_valid(below(16) != 0).set_zero(below(16) == 0).set_large(below(4) == 0);
        entry.set_coherent(below(2)).set_read_only(below(4) == 0).set_no_execute(below(4) == 0);
        entry.set_target(below(8) == 0 ? static_cast<Target>(below(4)) : static_cast<Target>(below(2)));
        entry.set_page(entry.large() != 0 ? below(4) << below(24) : 1 + below(5)).set_table_64k(below(3) == 0);
        if (below(30) == 0) entry.raw |= uint64_t{1} << below(64);
        words[{target, at}] = entry.raw;
      }
    }
    const SpaceShape space = SpaceShape::From(geometry, root, 57);
    const SpaceConfig reference = SpaceConfig::FromRegisters(geometry.raw, root.raw);
    for (unsigned i = 0; i < 50; ++i) {
      const uint64_t va = random() & ((uint64_t{1} << below(50)) - 1);
      const auto access = static_cast<Access>(below(3));
      const auto read = [&](Target target, uint64_t address) -> std::optional<uint64_t> {
        const auto word = words.find({target, address});
        return word == words.end() ? std::nullopt : std::optional(word->second);
      };
      const Translation right = ReferenceWalk(reference, va, access, read);
      const Mapping found = WalkAll(space, va, words);
      const Fault fault = found.fault != Fault::kNone ? found.fault : Permission(found, access);
      ASSERT_EQ(regs::NameOf(fault), regs::NameOf(right.fault)) << world << " " << std::hex << va;
      if (fault != Fault::kNone) {
        ASSERT_EQ(found.level, right.level);
        continue;
      }
      ASSERT_EQ(found.zero, right.zero);
      if (found.zero || found.span_lg2 == 16) continue;  // a block also maps its neighbours
      ASSERT_EQ(found.target, right.gpa.target);
      ASSERT_EQ(found.base + (va & ((uint64_t{1} << found.span_lg2) - 1)), right.gpa.offset);
      ++translated;
    }
  }
  EXPECT_GT(translated, 100u) << "nearly every walk is a fault";
}

}  // namespace
}  // namespace gmmu::sim::twin
