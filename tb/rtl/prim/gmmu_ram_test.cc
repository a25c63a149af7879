// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_lutram and gmmu_ram_1r1w against an array: a read in the cycle of a write to the same word returns the old
// word, and a read value is stable until the next read.
#include <array>

#include "prims.h"

namespace gmmu::bench {
namespace {

class RamTest : public PrimTest {};

TEST_P(RamTest, EqualsAnArray) {
  std::array<uint32_t, 12> large{};
  std::array<uint32_t, 2> two{};
  const auto write = [&](unsigned address, uint32_t data) {
    t.write_i = 1;
    t.write_addr_i = static_cast<uint8_t>(address);
    t.data_i[0] = data;
  };
  for (unsigned a = 0; a < 12; ++a) {
    write(a, a);
    large[a] = two[a & 1] = a;
    Settle();
    Step();
  }
  uint32_t shown = 0, shown_two = 0;
  bool known = false;
  for (int i = 0; i < 6000; ++i) {
    t.write_i = 0;
    const unsigned address = Random(12);
    const auto data = static_cast<uint32_t>(rng());
    const bool writes = Random(2) == 0;
    if (writes) write(address, data);
    const unsigned from = Random(4) == 0 ? address : Random(12);
    const bool reads = Random(3) != 0;
    t.read_i = reads;
    t.read_addr_i = static_cast<uint8_t>(from);
    Settle();
    ASSERT_EQ(t.ram_o[0], large[from]);
    ASSERT_EQ(t.ram_o[1], two[from & 1]);
    if (known) {
      ASSERT_EQ(t.ram_o[2], shown);
      ASSERT_EQ(t.ram_o[3], shown_two);
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

INSTANTIATE_TEST_SUITE_P(Seeds, RamTest, Seeds(3));

}  // namespace
}  // namespace gmmu::bench
