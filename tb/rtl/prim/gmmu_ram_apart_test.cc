// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_ram_apart against an array: a read value is stable until the next read. The test never
// reads a word in the cycle that writes it, because the result would be undefined.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

class RamApartTest : public ApartTest {};

TEST_P(RamApartTest, EqualsAnArray) { EqualsAnArray(0); }

INSTANTIATE_TEST_SUITE_P(Seeds, RamApartTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
