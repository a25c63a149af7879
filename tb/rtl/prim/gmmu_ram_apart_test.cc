// SPDX-License-Identifier: Apache-2.0
// gmmu_ram_apart against an array: a read value stands until the next read. Words are never read while they are
// written: what that gives is not stated.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

class RamApartTest : public ApartTest {};

TEST_P(RamApartTest, EqualsAnArray) { EqualsAnArray(0); }

INSTANTIATE_TEST_SUITE_P(Seeds, RamApartTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
