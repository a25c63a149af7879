// SPDX-License-Identifier: Apache-2.0
#include "twin/walk_rows.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr unsigned kLinePages = 8, kBlockPages = 16;

bool Later(const WalkRows::Entering& a, const WalkRows::Entering& b) {
  return a.ps != b.ps ? a.ps > b.ps : a.order > b.order;
}

}  // namespace

/// Queues an entry. Returns its rank among entries with equal times.
uint64_t WalkRows::Push(Entering entering) {
  entering.order = order_++;
  entering_.push_back(entering);
  std::push_heap(entering_.begin(), entering_.end(), Later);
  return entering.order;
}

WalkRows::Entering WalkRows::Pop() {
  std::pop_heap(entering_.begin(), entering_.end(), Later);
  const Entering first = entering_.back();
  entering_.pop_back();
  if (first.kind == Entering::Kind::kPointer) {
    const auto coming = std::find_if(coming_.begin(), coming_.end(),
                                     [&](const Coming& pointer) { return pointer.order == first.order; });
    *coming = coming_.back();
    coming_.pop_back();
  }
  return first;
}

void WalkRows::Add(const Row& row) {
  if (free_.empty()) free_.emplace_back();
  rows_.splice(rows_.end(), free_, free_.begin());
  rows_.back() = row;
  const auto at = std::prev(rows_.end());
  pages_.push_back({row.job.key, row.fault() ? 0 : row.job.wide() ? row.job.fill : 1u, &*at});
  for (unsigned i = 0; i < row.pointer_count; ++i) {
    const Pointer& pointer = row.pointers[i];
    const uint64_t order =
        Push({pointer.ps, 0, Entering::Kind::kPointer, false, row.job.port, pointer.level, row.job.key, at});
    coming_.push_back({pointer, order, row.job.key});
  }
  Push({row.answer_ps, 0, Entering::Kind::kAnswered, false, row.job.port, 0, row.job.key, at});
}

void WalkRows::Remove(std::list<Row>::iterator row) {
  pages_.erase(std::find_if(pages_.begin(), pages_.end(), [&](const Page& page) { return page.row == &*row; }));
  free_.splice(free_.begin(), rows_, row);
}

const WalkRows::Row* WalkRows::Find(TlbKey key, uint64_t ps) const {
  for (const Page& page : pages_)
    if (page.key.space == key.space && (page.key.vpn ^ key.vpn) < page.pages && page.row->answer_ps >= ps)
      return page.row;
  return nullptr;
}

std::optional<unsigned> WalkRows::EndedSince(TlbKey key, uint64_t ps) const {
  std::optional<uint64_t> ended;
  for (const Page& page : pages_) {
    const uint64_t pages = page.pages != 0 && page.row->job.big() ? kBlockPages : page.pages;
    const bool brings = page.key.space == key.space && (page.key.vpn ^ key.vpn) < pages;
    if (brings && page.row->answer_ps < ps) ended = std::max(ended.value_or(0), page.row->answer_ps);
  }
  if (!ended) return std::nullopt;
  return static_cast<unsigned>(std::count_if(pages_.begin(), pages_.end(), [&](const Page& page) {
    return page.row->answer_ps > *ended && page.row->answer_ps < ps;
  }));
}

bool WalkRows::Near(TlbKey key) const {
  return std::any_of(pages_.begin(), pages_.end(), [&](const Page& page) {
    return page.key.space == key.space && (page.key.vpn ^ key.vpn) < kLinePages;
  });
}

WalkRows::Brought WalkRows::Brings(unsigned level, const SpaceShape& shape, TlbKey key, const void* place,
                                   uint64_t ps) const {
  const unsigned shift = shape.shift[level] - 12u;
  const Coming* last = nullptr;
  bool last_same = false;
  for (const Coming& coming : coming_) {
    const Pointer& pointer = coming.pointer;
    if (pointer.level != level || pointer.ps > ps || pointer.ps <= entered_ps_) continue;
    const bool same = coming.key.space == key.space && coming.key.vpn >> shift == key.vpn >> shift;
    if (!same && (place == nullptr || pointer.place != place)) continue;
    if (last != nullptr && pointer.ps < last->pointer.ps) continue;
    if (last != nullptr && pointer.ps == last->pointer.ps && coming.order > last->order) continue;
    last = &coming;
    last_same = same;
  }
  return last == nullptr ? Brought::kNothing : last_same ? Brought::kThis : Brought::kOther;
}

void WalkRows::Drop(std::optional<unsigned> space) {
  const auto dropped = [&](const Entering& entering) { return !space || entering.key.space == *space; };
  entering_.erase(std::remove_if(entering_.begin(), entering_.end(), dropped), entering_.end());
  std::make_heap(entering_.begin(), entering_.end(), Later);
  coming_.erase(std::remove_if(coming_.begin(), coming_.end(),
                               [&](const Coming& coming) { return !space || coming.key.space == *space; }),
                coming_.end());
  for (auto row = rows_.begin(); row != rows_.end();) {
    const auto next = std::next(row);
    if (!space || row->job.key.space == *space) Remove(row);
    row = next;
  }
}

}  // namespace gmmu::sim::twin
