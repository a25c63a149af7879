// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace gmmu::bench {

enum Scope : unsigned { kGlobal, kSpace, kRange };

/// An address space as software configures it.
struct Config {
  bool enable = false;
  unsigned target = 0, adapter = 0;
  uint64_t offset = 0;
  uint32_t entries = 0;
  unsigned levels = 0;
  uint32_t bits = 0;  // index bits, four bits of this field per level
  bool dual = false;  // level-1 entries are pairs

  bool operator==(const Config& o) const {
    return enable == o.enable && target == o.target && adapter == o.adapter && offset == o.offset &&
           entries == o.entries && levels == o.levels && bits == o.bits && dual == o.dual;
  }
  unsigned Bits(unsigned level) const { return bits >> (4 * level) & 15; }
  /// Returns whether the level's index has an extra lowest bit that selects one half of a pair.
  bool Pairs(unsigned level) const { return dual && level == 1; }
};

/// One operation of the control block.
struct ControlOp {
  bool set = false;
  unsigned scope = kGlobal, space = 0;
  uint64_t start = 0, end = 0;
  Config config;

  bool All() const { return !set && scope == kGlobal; }
  bool Ranged() const { return !set && scope == kRange; }
  /// Returns whether the range contains no address within the built width.
  bool Empty() const { return Ranged() && (start >= end || start >> 48 != 0); }
  uint64_t First() const { return start >> 12; }
  uint64_t Tail() const { return (std::min(end, uint64_t{1} << 48) - 1) >> 12; }
};

/// The shifts and masks computed from a legal geometry.
struct Prepared {
  std::array<uint64_t, 6> keep{};
  std::array<unsigned, 6> shift{};
  unsigned root_shift = 0, root_bits = 0;
  uint64_t beyond = 0;
};

/// Returns nullopt if the geometry is illegal: levels outside 2 to 6, index bits outside 1 to 13,
/// more than 36 page number bits in all, or, for a dual space, more than 12 bits at level 1 or
/// fewer than 4 at level 0.
inline std::optional<Prepared> Prepare(const Config& config) {
  if (config.levels < 2 || config.levels > 6) return {};
  constexpr uint64_t kAll = (uint64_t{1} << 36) - 1;
  Prepared row;
  unsigned sum = 0;
  for (unsigned l = 0; l < config.levels; ++l) {
    if (config.Bits(l) < 1 || config.Bits(l) > 13) return {};
    row.shift[l] = row.root_shift = sum;
    row.root_bits = config.Bits(l);
    row.keep[l] = sum < 36 ? kAll >> sum << sum : 0;
    sum += config.Bits(l);
  }
  if (sum > 36 || (config.dual && (config.Bits(1) > 12 || config.Bits(0) < 4))) return {};
  row.beyond = sum < 36 ? kAll >> sum << sum : 0;
  return row;
}

}  // namespace gmmu::bench
