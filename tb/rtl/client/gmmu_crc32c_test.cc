// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

class Crc32c : public BlocksTest {
 protected:
  uint32_t Crc(uint32_t crc, uint64_t word) {
    t.crc_value_i = crc;
    t.crc_data_i = word;
    t.eval();
    return t.crc_o;
  }
  /// Returns the CRC-32C of `bytes`, including the initial and final inversions, which the RTL
  /// function omits.
  uint32_t Whole(const std::vector<uint8_t>& bytes) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < bytes.size(); i += 8) {
      uint64_t word;
      std::memcpy(&word, &bytes[i], 8);
      crc = Crc(crc, word);
    }
    return ~crc;
  }
};

TEST_P(Crc32c, TheExamplesOfRfc3720) {
  std::vector<uint8_t> up(32), down(32);
  for (unsigned i = 0; i < 32; ++i) up[i] = static_cast<uint8_t>(i), down[31 - i] = up[i];
  EXPECT_EQ(Whole(std::vector<uint8_t>(32, 0)), 0x8A9136AAu);
  EXPECT_EQ(Whole(std::vector<uint8_t>(32, 0xff)), 0x62A8AB43u);
  EXPECT_EQ(Whole(up), 0x46DD794Eu);
  EXPECT_EQ(Whole(down), 0x113FDB5Cu);
}

TEST_P(Crc32c, EveryBitAlone) {
  EXPECT_EQ(Crc(0, 0), 0u);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const uint64_t one = uint64_t{1} << bit;
    EXPECT_EQ(Crc(0, one), Crc32cStep(0, one)) << "bit " << bit << " of the word";
    if (bit < 32) EXPECT_EQ(Crc(1u << bit, 0), Crc32cStep(1u << bit, 0)) << "bit " << bit;
  }
}

TEST_P(Crc32c, RandomValuesAndWords) {
  for (int i = 0; i < 20000; ++i) {
    const uint32_t crc = static_cast<uint32_t>(rng());
    const uint64_t word = rng();
    ASSERT_EQ(Crc(crc, word), Crc32cStep(crc, word)) << std::hex << crc << " " << word;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Crc32c, Seeds(1));

}  // namespace
}  // namespace gmmu::client
