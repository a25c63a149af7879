// SPDX-License-Identifier: Apache-2.0
// gmmu_lutram and gmmu_ram_1r1w against an array: reads beside writes of the same word see the old
// one, and a read value stands until the next read.
#include <array>

#include "prims.h"

namespace gmmu::bench {
namespace {

class RamTest : public PrimTest {};

TEST_P(RamTest, EqualsAnArray) {
  std::array<uint32_t, 12> large{};
  std::array<uint32_t, 2> two{};
  const auto write = [&](unsigned address, uint32_t data) {
    top_->write_i = 1;
    top_->write_addr_i = static_cast<uint8_t>(address);
    top_->data_i[0] = data;
  };
  for (unsigned a = 0; a < 12; ++a) {
    write(a, a);
    large[a] = two[a & 1] = a;
    top_->eval();
    Step();
  }
  uint32_t shown = 0, shown_two = 0;
  bool known = false;
  for (int i = 0; i < 6000; ++i) {
    top_->write_i = 0;
    const unsigned address = Random(12);
    const auto data = static_cast<uint32_t>(random_());
    const bool writes = Random(2) == 0;
    if (writes) write(address, data);
    const unsigned from = Random(4) == 0 ? address : Random(12);
    const bool reads = Random(3) != 0;
    top_->read_i = reads;
    top_->read_addr_i = static_cast<uint8_t>(from);
    top_->eval();
    ASSERT_EQ(top_->ram_o[0], large[from]);
    ASSERT_EQ(top_->ram_o[1], two[from & 1]);
    if (known) {
      ASSERT_EQ(top_->ram_o[2], shown);
      ASSERT_EQ(top_->ram_o[3], shown_two);
    }
    if (reads) {
      shown = large[from];
      shown_two = two[from & 1];
      known = true;
    }
    if (writes) large[address] = two[address & 1] = data;
    Step();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RamTest, testing::Range(1, 4));

}  // namespace
}  // namespace gmmu::bench
