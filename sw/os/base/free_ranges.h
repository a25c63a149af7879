// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "os/base/free_space.h"

namespace gmmu::os {

/// The free ranges ("holes") of an address space of any size, in ascending order; adjacent holes
/// are merged. They are stored in the leaves of a balanced tree, whose nodes count the places for
/// the most recently requested sizes. Calls take time logarithmic in the number of holes, except
/// for the first call with a new size. For memories, which can have millions of holes, use
/// FreePages instead.
class FreeRanges : public FreeSpace {
 public:
  struct Hole {
    uint64_t start;
    uint64_t end;
  };

  FreeRanges();
  ~FreeRanges() override;

  /// Adds the range and merges it with the holes that it touches.
  void Add(uint64_t start, uint64_t end) override;
  uint64_t Remove(uint64_t start, uint64_t end) override;
  bool Has(uint64_t start, uint64_t end) const override;
  uint64_t Places(const Wanted& wanted) const override;
  uint64_t Start(const Wanted& wanted, uint64_t place) const override;
  uint64_t StartBefore(uint64_t end) const override;

 private:
  // VRAM is allocated in pages and blocks alternately, so places are counted for several
  // combinations of size and alignment.
  static constexpr size_t kKinds = 4;
  /// A combination of size and alignment whose places are counted over the whole space.
  struct Kind {
    uint64_t size = 0;  // 0 if the element is unused
    uint64_t alignment = 1;
    // Generation number, which distinguishes counts for this combination from those for the
    // element's previous combinations.
    uint32_t since = 0;
  };
  struct Node;
  struct Summary;

  /// Returns the first hole that ends above `at`, or null if there is none. The pointer is valid
  /// until the next Add or Remove.
  const Hole* EndsBehind(uint64_t at) const;
  static uint64_t PlacesOf(const Hole& hole, const Wanted& wanted);
  /// Returns the index of the combination of size and alignment in kinds_, or kKinds if its places
  /// are not counted.
  size_t KindOf(const Wanted& wanted) const;
  uint64_t Places(const Summary& of, const Wanted& wanted, size_t kind) const;
  void Note(Summary& in, const Hole& hole, bool more) const;
  /// Replaces the hole `old` by the holes [first, end), at most two. If `old` is empty, it only
  /// specifies the position of the new hole. Returns the upper half of the node if the node was
  /// split.
  std::unique_ptr<Node> Replace(Summary& in, const Hole& old, const Hole* first, const Hole* end);
  void Replace(const Hole& old, const Hole* first, const Hole* end);

  std::unique_ptr<Summary> root_;
  mutable std::array<Kind, kKinds> kinds_;
  mutable uint32_t kinds_seen_ = 0;
};

}  // namespace gmmu::os
