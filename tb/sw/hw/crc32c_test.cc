// SPDX-License-Identifier: Apache-2.0
#include "hw/crc32c.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace gmmu::hw {
namespace {

TEST(Crc32c, GivesTheCheckValueOfTheStandard) {
  EXPECT_EQ(Crc32c(0, "123456789", 9), 0xE3069283u);
  EXPECT_EQ(Crc32c(0, "", 0), 0u);
}

TEST(Crc32c, ChainsOverParts) {
  const char* text = "a page table entry";
  const size_t size = std::strlen(text);
  for (size_t cut = 0; cut <= size; ++cut)
    EXPECT_EQ(Crc32c(Crc32c(0, text, cut), text + cut, size - cut), Crc32c(0, text, size));
}

TEST(Crc32c, GivesTheCheckValue) {
  const char text[] = "123456789012345678901234";
  uint32_t slow = ~0u;
  for (int i = 0; i < 24; ++i) {
    slow ^= static_cast<uint8_t>(text[i]);
    for (int bit = 0; bit < 8; ++bit) slow = slow >> 1 ^ ((slow & 1) != 0 ? 0x82F63B78u : 0);
  }
  EXPECT_EQ(Crc32c(0, text, 24), ~slow);
}

TEST(Crc32c, IsTheSameByTables) {
  std::vector<uint8_t> bytes(100);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 11);
  for (size_t size = 0; size <= bytes.size(); ++size)
    EXPECT_EQ(Crc32c(0x1234, bytes.data(), size), Crc32cByTables(0x1234, bytes.data(), size)) << size;
}

}  // namespace
}  // namespace gmmu::hw
