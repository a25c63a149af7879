// SPDX-License-Identifier: Apache-2.0
#include "twin/walk_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace gmmu::sim::twin {
namespace {

using Kind = WalkRows::Entering::Kind;

WalkRows::Row RowOf(TlbKey key, uint64_t answer_ps) {
  WalkRows::Row row;
  row.job.key = key;
  row.answer_ps = answer_ps;
  return row;
}

SpaceShape RowsShape() {
  SpaceShape shape;
  for (unsigned level = 0; level < 7; ++level) shape.shift[level] = static_cast<uint8_t>(12 + 9 * level);
  return shape;
}

TEST(WalkRows, ANarrowRowIsJoinedByItsPageAWideOneByItsLine) {
  WalkRows rows;
  rows.Add(RowOf({1, 0x12}, 100));
  WalkRows::Row wide = RowOf({1, 0x21}, 200);
  wide.job.plan.line = true;
  wide.job.fill = 8;
  rows.Add(wide);
  ASSERT_NE(rows.Find({1, 0x12}), nullptr);
  EXPECT_EQ(rows.Find({1, 0x12})->answer_ps, 100u);
  EXPECT_EQ(rows.Find({1, 0x13}), nullptr);
  EXPECT_EQ(rows.Find({2, 0x12}), nullptr) << "another space";
  ASSERT_NE(rows.Find({1, 0x27}), nullptr);
  EXPECT_EQ(rows.Find({1, 0x28}), nullptr);
  EXPECT_TRUE(rows.Near({1, 0x13}));
  EXPECT_FALSE(rows.Near({1, 0x18}));
}

TEST(WalkRows, AFaultIsToldToNobodyElse) {
  WalkRows rows;
  WalkRows::Row row = RowOf({1, 5}, 100);
  row.job.mapping.fault = regs::Fault::kEntryInvalid;
  rows.Add(row);
  EXPECT_EQ(rows.Find({1, 5}), nullptr);
}

TEST(WalkRows, WhatEntersComesInTheOrderOfItsTimes) {
  WalkRows rows;
  WalkRows::Row row = RowOf({1, 0x200}, 300);
  row.pointers[row.pointer_count++] = {2, 100};
  row.pointers[row.pointer_count++] = {1, 200};
  rows.Add(row);
  rows.EnterL1(3, {1, 0x200}, true, 250);
  EXPECT_FALSE(rows.Next(99).has_value());
  std::vector<Kind> kinds;
  std::vector<uint64_t> times;
  while (const auto entering = rows.Next(1'000)) {
    kinds.push_back(entering->kind);
    times.push_back(entering->ps);
    if (entering->kind == Kind::kAnswered) rows.EnterPages(entering->row, 320);
    if (entering->kind == Kind::kPages) rows.Remove(entering->row);
  }
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kPointer, Kind::kPointer, Kind::kL1, Kind::kAnswered, Kind::kPages}));
  EXPECT_EQ(times, (std::vector<uint64_t>{100, 200, 250, 300, 320}));
  EXPECT_EQ(rows.Find({1, 0x200}), nullptr);
}

TEST(WalkRows, APointerIsBroughtForAllPagesOfItsTableUnlessAnotherOneTakesItsPlace) {
  using Brought = WalkRows::Brought;
  WalkRows rows;
  const SpaceShape shape = RowsShape();
  const int place = 0, elsewhere = 0;
  WalkRows::Row row = RowOf({1, 0x200}, 300);
  row.pointers[row.pointer_count++] = {1, 100, &place};
  rows.Add(row);
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x3FF}, &place, 100), Brought::kThis);
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x3FF}, &place, 99), Brought::kNothing) << "not yet";
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x400}, &elsewhere, 100), Brought::kNothing) << "the next table";
  EXPECT_EQ(rows.Brings(1, shape, {2, 0x200}, &elsewhere, 100), Brought::kNothing) << "another space";
  EXPECT_EQ(rows.Brings(2, shape, {1, 0x200}, &place, 100), Brought::kNothing);
  WalkRows::Row other = RowOf({1, 0x400}, 300);
  other.pointers[other.pointer_count++] = {1, 150, &place};
  rows.Add(other);
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x200}, &place, 200), Brought::kOther);
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x200}, &place, 120), Brought::kThis);
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x200}, nullptr, 200), Brought::kThis) << "no place is shared";
  ASSERT_TRUE(rows.Next(160));
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x200}, &place, 200), Brought::kNothing) << "all has been entered";
}

TEST(WalkRows, OfPointersOfOneTimeTheFirstCounts) {
  using Brought = WalkRows::Brought;
  WalkRows rows;
  const SpaceShape shape = RowsShape();
  const int place = 0;
  for (const uint64_t vpn : {0x400u, 0x200u, 0x600u}) {
    WalkRows::Row row = RowOf({1, vpn}, 300);
    row.pointers[row.pointer_count++] = {1, 100, &place};
    rows.Add(row);
  }
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x400}, &place, 100), Brought::kThis);
  EXPECT_EQ(rows.Brings(1, shape, {1, 0x200}, &place, 100), Brought::kOther);
}

TEST(WalkRows, WhoLooksAgainLaterJoinsWhatWalksThenAndKnowsWhatEndedBefore) {
  WalkRows rows;
  rows.Add(RowOf({1, 0x200}, 300));
  rows.Add(RowOf({1, 0x300}, 400));
  EXPECT_NE(rows.Find({1, 0x200}, 300), nullptr);
  EXPECT_EQ(rows.Find({1, 0x200}, 301), nullptr) << "it has ended by then";
  EXPECT_EQ(rows.EndedSince({1, 0x200}, 300), std::nullopt);
  EXPECT_EQ(rows.EndedSince({1, 0x200}, 301), 0u);
  EXPECT_EQ(rows.EndedSince({1, 0x200}, 401), 1u);
  EXPECT_EQ(rows.EndedSince({2, 0x200}, 401), std::nullopt);
  EXPECT_EQ(rows.EndedSince({1, 0x201}, 401), std::nullopt) << "a page by itself brings no other";
}

TEST(WalkRows, AnInvalidatedSpaceEntersNothing) {
  WalkRows rows;
  for (const unsigned space : {1u, 2u}) {
    rows.Add(RowOf({space, 7}, 100));
    rows.EnterL1(0, {space, 7}, false, 50);
  }
  rows.Drop(1u);
  EXPECT_EQ(rows.Find({1, 7}), nullptr);
  EXPECT_NE(rows.Find({2, 7}), nullptr);
  unsigned left = 0;
  while (const auto entering = rows.Next(1'000)) left += entering->key.space == 2 ? 1 : 100;
  EXPECT_EQ(left, 2u);
}

}  // namespace
}  // namespace gmmu::sim::twin
