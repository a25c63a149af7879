// SPDX-License-Identifier: Apache-2.0
// A policy in a shared object, for tests of loading policies: the L2 replaces the most recently used way. Its argument
// is the number of entries that a walk fetches.
#include <cstdlib>

#include "twin/policy.h"

namespace {

using namespace gmmu::sim::twin;

class MostRecent : public Policy {
 public:
  explicit MostRecent(unsigned fill) : fill_(fill) {}
  unsigned Place(const TlbSet& set) override {
    if (set.level == 1) return Policy::Place(set);
    unsigned latest = 0;
    for (unsigned way = 0; way < set.count; ++way) {
      if (!set.lines[way].valid) return way;
      if (set.lines[way].used_ps > set.lines[latest].used_ps) latest = way;
    }
    return latest;
  }
  unsigned Fill(const TlbMiss& /*miss*/) override { return fill_; }

 private:
  const unsigned fill_;
};

}  // namespace

#ifdef OLD
extern "C" const PolicyEntry gmmu_policy = {PolicyEntry::kVersion + 1, nullptr};
#else
GMMU_POLICY([](const char* arguments, uint64_t, const char** error) -> Policy* {
  const int fill = *arguments == '\0' ? 1 : std::atoi(arguments), most = 8;
  if (fill == 1 || fill == most) return new MostRecent(static_cast<unsigned>(fill));
  *error = "wants 1 or 8 entries to a walk";
  return nullptr;
});
#endif
