// SPDX-License-Identifier: Apache-2.0
#include "workload/counter_sums.h"

#include <gtest/gtest.h>

namespace gmmu::workload {
namespace {

std::vector<hw::Counter> Good() {
  std::vector<hw::Counter> counters;
  auto add = [&](const char* block, const char* name, uint64_t value) {
    counters.push_back({block, name, value, "requests", ""});
  };
  add("port_client0", "lookups", 100);
  add("port_client0", "hits", 80);
  add("port_client0", "misses", 14);
  add("port_client0", "merged", 5);
  add("port_client0", "faults", 1);
  add("gpu_l2", "l2_lookups", 20);
  add("gpu_l2", "l2_hits", 10);
  add("gpu_l2", "l2_misses", 4);
  add("gpu_l2", "l2_merged", 6);
  add("gpu_walker", "walks", 4);
  add("gpu_walker", "walks_ok", 3);
  add("gpu_walker", "walks_fault", 1);
  return counters;
}

std::vector<hw::Counter> GoodIommu() {
  std::vector<hw::Counter> counters;
  const std::pair<const char*, uint64_t> values[] = {
      {"requests", 60},        {"bypassed", 5},           {"interrupts", 4},  {"context_hits", 50},
      {"context_misses", 5},   {"context_ended", 2},      {"iotlb_hits", 40}, {"iotlb_misses", 13},
      {"table_cache_hits", 9}, {"table_cache_misses", 4}, {"missed", 12},     {"walks", 9},
      {"waited", 3},           {"walks_joined", 2}};
  for (const auto& [name, value] : values) counters.push_back({"iommu", name, value, "requests", ""});
  return counters;
}

TEST(CounterSums, HoldForAQuietMachineAndForOneWithoutThem) {
  EXPECT_TRUE(CounterSums(Good()).empty());
  EXPECT_TRUE(CounterSums(GoodIommu()).empty());
  EXPECT_TRUE(CounterSums({}).empty());
}

TEST(CounterSums, EveryCounterTakesPartInOneThatBreaksWithIt) {
  for (const auto& good : {Good(), GoodIommu()}) {
    for (size_t i = 0; i < good.size(); ++i) {
      std::vector<hw::Counter> counters = good;
      counters[i].value += 100;
      EXPECT_FALSE(CounterSums(counters).empty()) << counters[i].block << "." << counters[i].name;
    }
  }
}

TEST(CounterSums, AreOfEachGpuAlone) {
  std::vector<hw::Counter> counters;
  for (const char* unit : {"unit0.", "unit1."}) {
    for (hw::Counter counter : Good()) {
      counter.block = unit + counter.block;
      counters.push_back(counter);
    }
  }
  EXPECT_TRUE(CounterSums(counters).empty());
  counters[0].value += 1;              // one lookup too many on one GPU
  counters[Good().size()].value -= 1;  // one too few on the other; the errors must not cancel out
  ASSERT_EQ(CounterSums(counters).size(), 2u);
  EXPECT_EQ(CounterSums(counters)[1].text.rfind("unit1.port_client0: lookups", 0), 0u);
}

TEST(CounterSums, NoticeL1MissesThatNeverReachedTheL2) {
  std::vector<hw::Counter> counters = Good();
  counters[0].value += 20;  // lookups and misses of a port
  counters[2].value += 20;
  ASSERT_EQ(CounterSums(counters).size(), 1u);
  EXPECT_EQ(CounterSums(counters)[0].text, "gpu_l2: a lookup for each L1 miss does not hold: 20 >= 34");
}

TEST(CounterSums, AnIommuOfAnotherArchitectureHasNoSumsHere) {
  auto counters = Good();
  counters.push_back({"iommu", "requests", 60, "requests", ""});
  EXPECT_TRUE(CounterSums(counters).empty());
  counters.push_back({"iommu", "context_hits", 1, "requests", ""});
  EXPECT_FALSE(CounterSums(counters).empty()) << "a VT-d unit whose other counters are missing";
}

}  // namespace
}  // namespace gmmu::workload
