// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmmu::os {

/// The free, half-open ranges ("holes") of an address space in ascending order, no two of which touch. They lie in
/// groups, each of which remembers how many places of one size it has: a place is chosen among hundreds of thousands of
/// holes by a look at some hundreds.
class FreeRanges {
 public:
  struct Hole {
    uint64_t start;
    uint64_t end;
  };
  /// What is looked for: `size` bytes at a multiple of `alignment` (a power of two) within [from, to).
  struct Wanted {
    uint64_t size;
    uint64_t alignment;
    uint64_t from = 0;
    uint64_t to = ~uint64_t{0};
  };

  /// Adds [start, end), nothing of which may be free; joins it with the holes that it touches.
  void Add(uint64_t start, uint64_t end);
  /// Takes away what of [start, end) is free; returns its bytes.
  uint64_t Remove(uint64_t start, uint64_t end);
  /// Whether all of [start, end) is free.
  bool Has(uint64_t start, uint64_t end) const;
  /// How many starts there are for what is wanted.
  uint64_t Places(const Wanted& wanted) const;
  /// The start of number `place`, counted in ascending order from 0; `place` is below Places(wanted).
  uint64_t Start(const Wanted& wanted, uint64_t place) const;

 private:
  struct Group {
    std::vector<Hole> holes;  // never empty
    // What Places last found for this size and alignment without bounds; size 0: nothing.
    mutable uint64_t size = 0;
    mutable uint64_t alignment = 0;
    mutable uint64_t places = 0;
  };
  static uint64_t PlacesOf(const Hole& hole, const Wanted& wanted);
  static uint64_t PlacesOf(const Group& group, const Wanted& wanted);
  /// The group in which a hole with this start lies or would lie.
  size_t GroupOf(uint64_t start) const;
  void Insert(Hole hole);
  /// Removes hole `at` of group `group`.
  void Erase(size_t group, size_t at);

  std::vector<Group> groups_;
};

}  // namespace gmmu::os
