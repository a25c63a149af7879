// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_ram_block against an array: a read value is stable until the next read. The test never
// reads a word in the cycle that writes it, because the result would be undefined.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

class RamBlockTest : public ApartTest {};

TEST_P(RamBlockTest, EqualsAnArray) { EqualsAnArray(2); }

INSTANTIATE_TEST_SUITE_P(Seeds, RamBlockTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
