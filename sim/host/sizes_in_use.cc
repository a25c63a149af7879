// SPDX-License-Identifier: Apache-2.0
#include "host/sizes_in_use.h"

#include "hw/gmmu_regs.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kBlockEntries = 16;  // translations in an L2 block

bool IsPower(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

bool CanTurnDownL2(const TlbSizes& wanted, const TlbSizes& built) {
  if (wanted.l2_entries == built.l2_entries && wanted.l2_ways == built.l2_ways) return true;
  if (!IsPower(wanted.l2_entries) || !IsPower(wanted.l2_ways) || wanted.l2_ways > built.l2_ways) return false;
  const uint64_t sets = wanted.l2_entries / kBlockEntries / wanted.l2_ways;
  return sets >= 1 && sets <= built.l2_entries / kBlockEntries / built.l2_ways;
}

}  // namespace

regs::SizesInUse TlbSizes::Register() const {
  return regs::SizesInUse()
      .set_l1_entries(l1_entries)
      .set_l2_entries(l2_entries)
      .set_l2_ways(l2_ways)
      .set_walk_cache(walk_cache)
      .set_walks(walks);
}

TlbSizes TlbSizes::Asked(regs::SizesInUse word, const TlbSizes& built) {
  const auto or_built = [](uint64_t asked, uint64_t all) { return asked == 0 ? all : asked; };
  return {or_built(word.l1_entries(), built.l1_entries), or_built(word.l2_entries(), built.l2_entries),
          or_built(word.l2_ways(), built.l2_ways), or_built(word.walk_cache(), built.walk_cache),
          or_built(word.walks(), built.walks)};
}

bool CanBuild(const TlbSizes& sizes) {
  return IsPower(sizes.l2_entries) && IsPower(sizes.l2_ways) && sizes.l2_entries >= kBlockEntries * sizes.l2_ways &&
         IsPower(sizes.walk_cache);
}

bool CanTurnDown(const TlbSizes& wanted, const TlbSizes& built) {
  const bool walk_cache = wanted.walk_cache == built.walk_cache ||
                          (IsPower(wanted.walk_cache) && wanted.walk_cache >= 2 &&
                           wanted.walk_cache <= built.walk_cache);
  return walk_cache && CanTurnDownL2(wanted, built) && wanted.l1_entries >= 2 &&
         wanted.l1_entries <= built.l1_entries && wanted.walks >= 1 && wanted.walks <= built.walks;
}

}  // namespace gmmu::sim
