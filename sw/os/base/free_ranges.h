// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gmmu::os {

/// The free, half-open ranges ("holes") of an address space in ascending order, no two of which touch. They are in the
/// leaves of a balanced tree, whose nodes count the places of the sizes that were looked for last. A call takes a time
/// that grows with the logarithm of the number of holes, but for the first one that looks for a size.
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

  FreeRanges();
  ~FreeRanges();

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
  /// The first hole that ends behind `at`; null: there is none. Valid until the next Add or Remove.
  const Hole* EndsBehind(uint64_t at) const;

 private:
  // VRAM is allocated by pages and blocks in turn, so the places of more than one size stay counted.
  static constexpr size_t kKinds = 4;
  /// A size and alignment whose places are counted, without bounds.
  struct Kind {
    uint64_t size = 0;  // 0: none
    uint64_t alignment = 1;
    uint32_t since = 0;  // counts made for what stood here before have another number
  };
  struct Node;
  struct Summary;

  static uint64_t PlacesOf(const Hole& hole, const Wanted& wanted);
  /// The number of the kind; kKinds: it is not counted.
  size_t KindOf(const Wanted& wanted) const;
  uint64_t Places(const Summary& of, const Wanted& wanted, size_t kind) const;
  void Note(Summary& in, const Hole& hole, bool more) const;
  /// Puts the holes from `first` to before `end`, at most two, in the place of `old`; an `old` of no bytes is none, and
  /// lies where the new hole does. Returns the upper half of the node when it was divided.
  std::unique_ptr<Node> Replace(Summary& in, const Hole& old, const Hole* first, const Hole* end);
  void Replace(const Hole& old, const Hole* first, const Hole* end);

  std::unique_ptr<Summary> root_;
  mutable std::array<Kind, kKinds> kinds_;
  mutable uint32_t kinds_seen_ = 0;
};

}  // namespace gmmu::os
