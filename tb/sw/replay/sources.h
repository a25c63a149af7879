// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "replay/replay.h"
#include "trace/access.h"

namespace gmmu::replay {

/// A trace source that returns a list of accesses.
class ListSource : public trace::Source {
 public:
  explicit ListSource(std::vector<trace::Access> accesses) : accesses_(std::move(accesses)) {}
  std::optional<trace::Access> Next() override {
    if (next_ == accesses_.size()) return std::nullopt;
    return accesses_[next_++];
  }

 private:
  const std::vector<trace::Access> accesses_;
  size_t next_ = 0;
};

inline Opener Opens(const std::vector<trace::Access>& accesses) {
  return [accesses] { return std::make_unique<ListSource>(accesses); };
}

/// Returns `count` accesses to random whole lines in `footprint` bytes. `writes` per cent of them
/// are writes, the others are reads.
inline std::vector<trace::Access> RandomAccesses(uint64_t footprint, uint64_t count, uint64_t seed, unsigned writes = 0,
                                                 uint32_t streams = 1) {
  std::mt19937_64 random(seed);
  std::vector<trace::Access> accesses(count);
  for (uint64_t i = 0; i < count; ++i) {
    accesses[i].address = 0x7F00'0000'0000 + random() % (footprint / 64) * 64;
    accesses[i].bytes = 64;
    accesses[i].kind = random() % 100 < writes ? trace::Kind::kWrite : trace::Kind::kRead;
    accesses[i].stream = static_cast<uint32_t>(i % streams);
  }
  return accesses;
}

}  // namespace gmmu::replay
