// SPDX-License-Identifier: Apache-2.0
// Page tables of two spaces for the walk table's test, and a reference walk over them. A word of
// memory is a function of its address and the version of the tables.
#pragma once

#include <array>
#include <optional>

#include "blocks.h"

namespace gmmu::bench {

class WalkTables {
 protected:
  struct Result {
    unsigned cause = 0, level = 0;
    uint64_t page = 0;
  };
  struct Shape {
    unsigned levels;
    std::array<unsigned, 6> shift, bits;
  };
  struct Start {
    unsigned level;
    uint64_t pfn;
    bool vram;
  };
  std::array<Shape, 2> shapes_;
  uint64_t version_ = 0;

  static uint64_t Mix(uint64_t x) {
    x *= 0x9e3779b97f4a7c15ull;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
  }
  uint64_t Word(bool vram, uint64_t address) const {
    const uint64_t mix = Mix(address + vram + version_ * 0x1000003);
    uint64_t word = (mix & 0xffff'ffff'f000) | 1 | (mix >> 50 & 1) << 6 | (mix >> 51 & 7) << 2;
    const unsigned kind = mix >> 57 & 15;
    if (kind == 0) word &= ~uint64_t{1};
    if (kind == 1) word |= 2;
    if (kind == 2) word |= uint64_t{1} << (48 + (mix >> 40) % 16);
    if (kind == 3 || kind == 4) word = (word | 1 << 5) & ~uint64_t{0x3fff'f000};
    if (kind >= 13) word = (word | 1 << 8) & ~uint64_t{0xf000};
    if (kind >= 13) word |= (address >> 3 & 15) << 12;
    return word;
  }
  static bool Error(uint64_t address) { return Mix(address >> 6) >> 58 == 0; }

  Start Root(unsigned space) const { return {shapes_[space].levels - 1, 0x1000 + space * 0x77, space == 0}; }
  static uint64_t Index(const Shape& shape, const Key& key, unsigned level) {
    return key.vpn >> shape.shift[level] & ((1u << shape.bits[level]) - 1);
  }
  /// Reads one entry. Returns the start in the next lower table, or nullopt if the walk ends with
  /// `result`.
  std::optional<Start> After(const Key& key, const Start& at, Result* result) const {
    const Shape& shape = shapes_[key.space];
    const uint64_t address = ((at.pfn + (Index(shape, key, at.level) >> 9)) << 12 | (Index(shape, key, at.level) & 511)
                                                                                        << 3) &
                             0xffff'ffff'ffff;
    const uint64_t word = Word(at.vram, address);
    const auto bits = [word](unsigned low, unsigned count) { return word >> low & ((uint64_t{1} << count) - 1); };
    const uint64_t cover = (uint64_t{1} << shape.shift[at.level]) - 1, pfn = bits(12, 36);
    const bool leaf = at.level == 0, zero = bits(1, 1), large = bits(5, 1), table = !leaf && !large;
    result->level = at.level;
    if (Error(address)) return result->cause = 6, std::nullopt;
    if (!zero) {
      const bool reserved = bits(63, 1) || bits(9, 1) || bits(48, 4) || (bits(52, 6) != 0 && bits(6, 2) != 3) ||
                            (leaf && large) || (!leaf && bits(8, 1)) || (!leaf && large && (pfn & cover) != 0) ||
                            (table && bits(6, 2) > 1);
      if (!bits(0, 1)) return result->cause = 4, std::nullopt;
      if (reserved) return result->cause = 5, std::nullopt;
      if (table) return Start{at.level - 1, pfn, bits(6, 2) == 1};
    }
    const bool contiguous = leaf && !zero && bits(8, 1) && shape.bits[0] >= 4 && (pfn & 15) == (key.vpn & 15);
    const bool big = leaf ? contiguous : shape.shift[at.level] >= 4;
    result->page = (pfn | (key.vpn & cover)) << 16 | bits(6, 2) << 14 | bits(52, 6) << 8 | uint64_t{zero} << 7 |
                   (zero ? 0 : bits(2, 1) << 6 | bits(3, 1) << 5 | bits(4, 1) << 4) | uint64_t{big} << 3 | at.level;
    return std::nullopt;
  }
  /// Returns the fault that ends the walk before its first read, or 0. It is the same for the eight
  /// keys of a line.
  static unsigned Refusal(const Key& key) { return (key.vpn >> 3) % 7 == 0 ? 2 : 0; }
  Result Walk(const Key& key) const {
    Result result;
    Start at = Root(key.space);
    result.level = at.level;
    result.cause = Refusal(key);
    if (result.cause != 0) return result;
    while (const auto next = After(key, at, &result)) at = *next;
    return result;
  }
};

}  // namespace gmmu::bench
