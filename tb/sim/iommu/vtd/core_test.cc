// SPDX-License-Identifier: Apache-2.0
// Tests the VT-d unit's parameters and counters.
#include "iommu/vtd/core.h"

#include <set>
#include <stdexcept>

#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

TEST(VtdParameters, AreRefusedOutsideTheirBounds) {
  const auto refused = [](auto change) {
    VtdParameters p;
    change(p);
    EXPECT_THROW(VtdCore{p}, std::invalid_argument);
  };
  refused([](VtdParameters& p) { p.haw = 31; });
  refused([](VtdParameters& p) { p.haw = 53; });
  refused([](VtdParameters& p) { p.sagaw = 0; });
  refused([](VtdParameters& p) { p.sagaw = 1; });
  refused([](VtdParameters& p) { p.mgaw = 58; });
  refused([](VtdParameters& p) { p.num_fault_records = 0; });
  refused([](VtdParameters& p) { p.num_fault_records = 257; });
  refused([](VtdParameters& p) { p.iro = p.fro; });
  refused([](VtdParameters& p) { p.iotlb_sets = 0; });
}

TEST(VtdCounters, CarryUnitDescriptionAndAUniqueName) {
  std::set<std::string> names;
  for (const hw::Counter& counter : VtdBench().core.Counters()) {
    EXPECT_EQ(counter.block, "iommu");
    EXPECT_FALSE(counter.unit.empty() || counter.description.empty()) << counter.name;
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
  }
}

}  // namespace
}  // namespace gmmu::sim
