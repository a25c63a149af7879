// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kTag = 0x74736574;  // "test"

struct PoolTest : ::testing::Test {
  /// Expects that `call` triggers this bug check with a message that contains `text`. Returns the
  /// bug check's parameters.
  static std::array<uint64_t, 4> Stops(StopCode code, const std::string& text, const std::function<void()>& call) {
    try {
      call();
    } catch (const BugCheck& stop) {
      EXPECT_EQ(stop.code(), code) << stop.what();
      EXPECT_THAT(stop.what(), HasSubstr(text));
      return stop.parameters();
    }
    ADD_FAILURE() << "no bug check: " << text;
    return {};
  }
  uint8_t* Take(size_t bytes) { return static_cast<uint8_t*>(pool.Allocate(bytes, kTag)); }

  Ledger ledger;
  Pool pool{ledger};
};

TEST_F(PoolTest, GivesZerosAtMultiplesOf16AndCountsWhatIsNotGivenBack) {
  for (const size_t bytes : {1u, 16u, 40u, 4096u, 5000u, 1u << 20}) {
    uint8_t* const block = Take(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uint64_t>(block) % 16, 0u);
    for (size_t at = 0; at < bytes; ++at) EXPECT_EQ(std::exchange(block[at], 0xAA), 0);
    EXPECT_EQ(ledger.open(), 1u);
    EXPECT_EQ(ledger.Leaks()[0].name, "test, " + std::to_string(bytes) + " bytes");
    pool.Free(block, kTag);
    EXPECT_EQ(ledger.open(), 0u);
  }
  EXPECT_EQ(Take(0), nullptr);
  EXPECT_EQ(Take(size_t{1} << 40), nullptr);
}

TEST_F(PoolTest, NoAddressIsGivenOutTwice) {
  uint8_t* const first = Take(64);
  pool.Free(first, kTag);
  EXPECT_NE(Take(64), first);
}

TEST_F(PoolTest, ASecondFreeIsABugCheckAndSoIsOneOfWhatIsNoBlock) {
  uint8_t* const block = Take(40);
  uint8_t local = 0;
  EXPECT_EQ(Stops(StopCode::kBadPoolCaller, "of byte 8 of pool block test, which has 40 bytes: only what",
                  [&] { pool.Free(block + 8, kTag); })[0],
            0x46u);
  EXPECT_EQ(Stops(StopCode::kBadPoolCaller, "of what is no pool block", [&] { pool.Free(&local, kTag); })[0], 0x46u);
  const auto tag = Stops(StopCode::kBadPoolCaller, "the tag of this call is abcd",
                         [&] { pool.Free(block, 0x64636261); });
  EXPECT_EQ(tag[0], 0xAu);
  EXPECT_EQ(tag[2], kTag);
  pool.Free(block, 0);  // any tag
  EXPECT_EQ(Stops(StopCode::kBadPoolCaller, "which has 40 bytes: it is freed already",
                  [&] { pool.Free(block, kTag); })[0],
            7u);
}

TEST_F(PoolTest, WhatWasWrittenBesideABlockIsFoundWhenItIsFreed) {
  uint8_t* const behind = Take(40);
  behind[43] = 1;
  EXPECT_EQ(Stops(StopCode::kSpecialPoolCorruption, "wrote to byte 43 of pool block test, which has 40 bytes",
                  [&] { pool.Free(behind, kTag); })[3],
            0x24u);
  uint8_t* const before = Take(40);
  before[-4] = 1;
  EXPECT_EQ(Stops(StopCode::kSpecialPoolCorruption, "wrote to byte -4 of pool block test",
                  [&] { pool.Free(before, kTag); })[3],
            0x23u);
}

TEST_F(PoolTest, WhatWasWrittenBesideABlockThatIsKeptIsFoundWhenTheDriverIsUnloaded) {
  Take(40);
  uint8_t* const freed = Take(40);
  pool.Free(freed, kTag);
  EXPECT_NO_THROW(pool.Check());
  uint8_t* const kept = Take(17);
  kept[31] = 1;
  EXPECT_EQ(Stops(StopCode::kSpecialPoolCorruption,
                  "wrote to byte 31 of pool block test, which has 17 bytes; it was found when the driver was unloaded",
                  [&] { pool.Check(); })[3],
            0x24u);
}

TEST_F(PoolTest, KnowsWhatLiesAtAnAddressThatCannotBeTouched) {
  uint8_t* const block = Take(40);
  uint8_t* const other = Take(8);
  const auto beyond = GuardedMemory::Find(block + 100);
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->code, StopCode::kPageFaultBeyondPool);
  EXPECT_EQ(beyond->text, "byte 100 of pool block test, which has 40 bytes");
  EXPECT_DEATH(static_cast<volatile uint8_t*>(block)[48] = 1, "");
  pool.Free(other, kTag);
  const auto freed = GuardedMemory::Find(other);
  ASSERT_TRUE(freed);
  EXPECT_EQ(freed->code, StopCode::kPageFaultInFreedPool);
  EXPECT_EQ(freed->text, "byte 0 of pool block test, which has 8 bytes and was freed");
  EXPECT_DEATH(static_cast<volatile uint8_t*>(other)[0] = 1, "");
  EXPECT_FALSE(GuardedMemory::Find(&ledger));
}

}  // namespace
}  // namespace gmmu::os
