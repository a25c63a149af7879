// SPDX-License-Identifier: Apache-2.0
#include "os/base/free_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace gmmu::os {
namespace {

constexpr size_t kHolesOfALeaf = 128, kChildrenOfANode = 32;  // a larger node is split in two

uint64_t FirstStart(uint64_t start, const FreeRanges::Wanted& wanted) {
  return (std::max(start, wanted.from) + wanted.alignment - 1) & ~(wanted.alignment - 1);
}

}  // namespace

/// Summary of a node, stored in its parent so that a search need not access the node.
struct FreeRanges::Summary {
  uint64_t start = 0, end = 0;   // start of the first hole, and end of the last hole
  mutable uint64_t longest = 0;  // upper bound on the size of any hole
  mutable std::array<uint64_t, kKinds> places{};
  mutable std::array<uint32_t, kKinds> since{};  // places[i] is valid if since[i] equals kinds_[i].since
  std::unique_ptr<Node> node;
};

/// A leaf contains holes; an inner node contains children. Only the root may be empty.
struct FreeRanges::Node {
  std::vector<Hole> holes;
  std::vector<Summary> children;

  bool leaf() const { return children.empty(); }
  Summary& ChildOf(uint64_t at) {
    const auto behind = std::partition_point(children.begin(), children.end(),
                                             [&](const Summary& child) { return child.start <= at; });
    return behind == children.begin() ? *behind : *std::prev(behind);
  }
  void SetBounds(Summary& of) const {
    of.start = leaf() ? holes.front().start : children.front().start;
    of.end = leaf() ? holes.back().end : children.back().end;
  }
  /// Moves the upper half into a new node, and returns that node.
  std::unique_ptr<Node> Divide() {
    auto upper = std::make_unique<Node>();
    const auto move_half = [](auto& from, auto& to) {
      const auto half = from.begin() + static_cast<ptrdiff_t>(from.size() / 2);
      to.assign(std::make_move_iterator(half), std::make_move_iterator(from.end()));
      from.erase(half, from.end());
    };
    move_half(holes, upper->holes);
    move_half(children, upper->children);
    return upper;
  }
};

FreeRanges::FreeRanges() : root_(std::make_unique<Summary>()) { root_->node = std::make_unique<Node>(); }

FreeRanges::~FreeRanges() = default;

uint64_t FreeRanges::PlacesOf(const Hole& hole, const Wanted& wanted) {
  const uint64_t end = std::min(hole.end, wanted.to);
  const uint64_t first = FirstStart(hole.start, wanted);
  if (first < hole.start || first > end || end - first < wanted.size) return 0;
  return ((end - first - wanted.size) >> __builtin_ctzll(wanted.alignment)) + 1;
}

size_t FreeRanges::KindOf(const Wanted& wanted) const {
  return static_cast<size_t>(
      std::find_if(kinds_.begin(), kinds_.end(),
                   [&](const Kind& kind) { return kind.size == wanted.size && kind.alignment == wanted.alignment; }) -
      kinds_.begin());
}

void FreeRanges::Note(Summary& in, const Hole& hole, bool more) const {
  for (size_t i = 0; i < kKinds; ++i) {
    if (kinds_[i].size == 0 || in.since[i] != kinds_[i].since) continue;
    const uint64_t places = PlacesOf(hole, {kinds_[i].size, kinds_[i].alignment});
    in.places[i] = more ? in.places[i] + places : in.places[i] - places;
  }
  if (more) in.longest = std::max(in.longest, hole.end - hole.start);
}

std::unique_ptr<FreeRanges::Node> FreeRanges::Replace(Summary& in, const Hole& old, const Hole* first,
                                                      const Hole* end) {
  const bool any = old.start < old.end;
  if (any) Note(in, old, false);
  for (const Hole* hole = first; hole != end; ++hole) Note(in, *hole, true);
  Node& node = *in.node;
  if (node.leaf()) {
    auto at = std::partition_point(node.holes.begin(), node.holes.end(),
                                   [&](const Hole& held) { return held.start < old.start; });
    if (any && first != end) *at++ = *first++;
    else if (any) node.holes.erase(at);
    node.holes.insert(at, first, end);
  } else {
    Summary& child = node.ChildOf(old.start);
    const auto at = node.children.begin() + (&child - node.children.data());
    std::unique_ptr<Node> upper = Replace(child, old, first, end);
    if (child.node->holes.empty() && child.node->leaf()) {
      node.children.erase(at);
    } else if (upper != nullptr) {
      Summary half;
      half.longest = child.longest;
      upper->SetBounds(half);
      half.node = std::move(upper);
      child.since = {};
      node.children.insert(std::next(at), std::move(half));
    }
  }
  std::unique_ptr<Node> upper;
  if (node.holes.size() > kHolesOfALeaf || node.children.size() > kChildrenOfANode) upper = node.Divide();
  if (!node.leaf() || !node.holes.empty()) node.SetBounds(in);
  return upper;
}

void FreeRanges::Replace(const Hole& old, const Hole* first, const Hole* end) {
  std::unique_ptr<Node> upper = Replace(*root_, old, first, end);
  if (upper != nullptr) {
    auto above = std::make_unique<Summary>();
    above->longest = root_->longest;
    above->node = std::make_unique<Node>();
    Summary half;
    half.longest = root_->longest;
    upper->SetBounds(half);
    half.node = std::move(upper);
    root_->since = {};
    above->node->children.push_back(std::move(*root_));
    above->node->children.push_back(std::move(half));
    above->node->SetBounds(*above);
    root_ = std::move(above);
  }
  while (root_->node->children.size() == 1) *root_ = Summary(std::move(root_->node->children.front()));
}

const FreeRanges::Hole* FreeRanges::EndsBehind(uint64_t at) const {
  const Node* node = root_->node.get();
  while (!node->leaf()) {
    const auto child = std::partition_point(node->children.begin(), node->children.end(),
                                            [&](const Summary& each) { return each.end <= at; });
    if (child == node->children.end()) return nullptr;
    node = child->node.get();
  }
  const auto hole = std::partition_point(node->holes.begin(), node->holes.end(),
                                         [&](const Hole& each) { return each.end <= at; });
  return hole == node->holes.end() ? nullptr : &*hole;
}

void FreeRanges::Add(uint64_t start, uint64_t end) {
  if (start >= end) return;
  Hole whole{start, end}, old{start, start};
  if (const Hole* below = start == 0 ? nullptr : EndsBehind(start - 1); below != nullptr && below->end == start) {
    old = *below;
    whole.start = below->start;
  }
  if (const Hole* above = EndsBehind(end); above != nullptr && above->start == end) {
    whole.end = above->end;
    if (old.start == old.end) old = *above;
    else Replace(Hole(*above), nullptr, nullptr);
  }
  Replace(old, &whole, &whole + 1);
}

uint64_t FreeRanges::Remove(uint64_t start, uint64_t end) {
  uint64_t removed = 0;
  while (start < end) {
    const Hole* found = EndsBehind(start);
    if (found == nullptr || found->start >= end) break;
    const Hole hole = *found;
    std::array<Hole, 2> left;
    size_t count = 0;
    if (hole.start < start) left[count++] = {hole.start, start};
    if (end < hole.end) left[count++] = {end, hole.end};
    Replace(hole, left.data(), left.data() + count);
    removed += std::min(end, hole.end) - std::max(start, hole.start);
    start = hole.end;
  }
  return removed;
}

bool FreeRanges::Has(uint64_t start, uint64_t end) const {
  const Hole* hole = start < end ? EndsBehind(start) : nullptr;
  return hole != nullptr && hole->start <= start && end <= hole->end;
}

uint64_t FreeRanges::StartBefore(uint64_t end) const {
  const Hole* last = end == 0 ? nullptr : EndsBehind(end - 1);
  return last == nullptr ? end : std::min(last->start, end);
}

uint64_t FreeRanges::Places(const Summary& of, const Wanted& wanted, size_t kind) const {
  if (of.longest < wanted.size || of.end <= wanted.from || of.start >= wanted.to) return 0;
  const bool whole = wanted.from <= of.start && of.end <= wanted.to && kind < kKinds;
  if (whole && of.since[kind] == kinds_[kind].since) return of.places[kind];
  uint64_t places = 0, longest = 0;
  for (const Hole& hole : of.node->holes) {
    places += PlacesOf(hole, wanted);
    longest = std::max(longest, hole.end - hole.start);
  }
  for (const Summary& child : of.node->children) {
    places += Places(child, wanted, kind);
    longest = std::max(longest, child.longest);
  }
  of.longest = longest;
  if (whole) {
    of.places[kind] = places;
    of.since[kind] = kinds_[kind].since;
  }
  return places;
}

uint64_t FreeRanges::Places(const Wanted& wanted) const {
  size_t kind = KindOf(wanted);
  if (kind == kKinds && root_->longest >= wanted.size) {  // replace the oldest combination
    kind = kinds_seen_ % kKinds;
    kinds_[kind] = {wanted.size, wanted.alignment, ++kinds_seen_};
  }
  return Places(*root_, wanted, kind);
}

uint64_t FreeRanges::Start(const Wanted& wanted, uint64_t place) const {
  const size_t kind = KindOf(wanted);
  const Node* node = root_->node.get();
  while (!node->leaf()) {
    const Node* next = nullptr;
    for (const Summary& child : node->children) {
      const uint64_t places = Places(child, wanted, kind);
      if (place < places) {
        next = child.node.get();
        break;
      }
      place -= places;
    }
    if (next == nullptr) return 0;
    node = next;
  }
  for (const Hole& hole : node->holes) {
    const uint64_t places = PlacesOf(hole, wanted);
    if (place < places) return FirstStart(hole.start, wanted) + place * wanted.alignment;
    place -= places;
  }
  return 0;
}

}  // namespace gmmu::os
