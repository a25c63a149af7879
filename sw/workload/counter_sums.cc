// SPDX-License-Identifier: Apache-2.0
#include "workload/counter_sums.h"

#include <map>
#include <string>

#include "hw/unit_names.h"

namespace gmmu::workload {
namespace {
using Block = std::map<std::string, uint64_t>;

uint64_t Of(const Block& block, const std::string& name) {
  const auto found = block.find(name);
  return found == block.end() ? 0 : found->second;
}

class Sums {
 public:
  void Equal(const std::string& what, uint64_t left, uint64_t right) {
    if (left != right) Add(what, " = ", left, right);
  }
  void AtLeast(const std::string& what, uint64_t left, uint64_t right) {
    if (left < right) Add(what, " >= ", left, right);
  }
  std::vector<hw::Finding> findings;

 private:
  void Add(const std::string& what, const char* relation, uint64_t left, uint64_t right) {
    findings.push_back(
        {"counters", what + " does not hold: " + std::to_string(left) + relation + std::to_string(right)});
  }
};

using Blocks = std::map<std::string, Block>;

void SumUnit(const std::string& prefix, Blocks& blocks, Sums& sums) {
  uint64_t l1_misses = 0;
  for (const auto& [name, block] : blocks) {
    if (name.rfind("port_", 0) != 0) continue;
    sums.Equal(prefix + name + ": lookups = hits + misses + merged + faults", Of(block, "lookups"),
               Of(block, "hits") + Of(block, "misses") + Of(block, "merged") + Of(block, "faults"));
    l1_misses += Of(block, "misses");
  }
  if (const auto l2 = blocks.find("gpu_l2"); l2 != blocks.end()) {
    const Block& block = l2->second;
    sums.Equal(prefix + "gpu_l2: lookups = hits + misses + merged", Of(block, "l2_lookups"),
               Of(block, "l2_hits") + Of(block, "l2_misses") + Of(block, "l2_merged"));
    sums.AtLeast(prefix + "gpu_l2: a lookup for each L1 miss", Of(block, "l2_lookups"), l1_misses);
    const Block& walker = blocks["gpu_walker"];
    const Block& policy = blocks["policy"];  // only the fast engine has this block
    sums.Equal(prefix + "gpu_walker: a walk for each L2 miss", Of(walker, "walks") + Of(policy, "l3_hits"),
               Of(block, "l2_misses") + Of(policy, "prefetch_walks"));
    sums.Equal(prefix + "gpu_walker: walks = walks_ok + walks_fault", Of(walker, "walks"),
               Of(walker, "walks_ok") + Of(walker, "walks_fault"));
  }
}

/// Checks the sums of a VT-d IOMMU's counters. IOMMUs of other architectures have other counters.
void SumVtd(const Block& block, Sums& sums) {
  const uint64_t contexts = Of(block, "context_hits") + Of(block, "context_misses");
  const uint64_t lookups = Of(block, "iotlb_hits") + Of(block, "iotlb_misses");
  sums.Equal("iommu: requests = bypassed + context_hits + context_misses", Of(block, "requests"),
             Of(block, "bypassed") + contexts);
  sums.Equal("iommu: context_hits + context_misses = context_ended + iotlb_hits + iotlb_misses", contexts,
             Of(block, "context_ended") + lookups);
  sums.Equal("iommu: iotlb_misses = table_cache_hits + table_cache_misses", Of(block, "iotlb_misses"),
             Of(block, "table_cache_hits") + Of(block, "table_cache_misses"));
  sums.Equal("iommu: missed = walks + waited", Of(block, "missed"), Of(block, "walks") + Of(block, "waited"));
  sums.AtLeast("iommu: a miss for each request that joined a walk", Of(block, "missed"), Of(block, "walks_joined"));
  sums.AtLeast("iommu: interrupt messages look at no context", Of(block, "bypassed"), Of(block, "interrupts"));
}

}  // namespace

std::vector<hw::Finding> CounterSums(const std::vector<hw::Counter>& counters) {
  std::map<std::string, Blocks> units;  // keyed by the GPU's prefix
  for (const hw::Counter& counter : counters) {
    const size_t prefix = hw::UnitPrefixLength(counter.block);
    units[counter.block.substr(0, prefix)][counter.block.substr(prefix)][counter.name] = counter.value;
  }
  Sums sums;
  for (auto& [prefix, blocks] : units) SumUnit(prefix, blocks, sums);
  const Block& iommu = units[""]["iommu"];
  if (iommu.count("context_hits") != 0) SumVtd(iommu, sums);
  return sums.findings;
}

}  // namespace gmmu::workload
