// SPDX-License-Identifier: Apache-2.0
#include "twin/walk_rows.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr unsigned kLinePages = 8;

bool Later(const WalkRows::Entering& a, const WalkRows::Entering& b) {
  return a.ps != b.ps ? a.ps > b.ps : a.order > b.order;
}

}  // namespace

void WalkRows::Push(Entering entering) {
  entering.order = order_++;
  entering_.push_back(entering);
  std::push_heap(entering_.begin(), entering_.end(), Later);
}

WalkRows::Entering WalkRows::Pop() {
  std::pop_heap(entering_.begin(), entering_.end(), Later);
  const Entering first = entering_.back();
  entering_.pop_back();
  return first;
}

void WalkRows::Add(const Row& row) {
  if (free_.empty()) free_.emplace_back();
  rows_.splice(rows_.end(), free_, free_.begin());
  rows_.back() = row;
  const auto at = std::prev(rows_.end());
  for (unsigned i = 0; i < row.pointer_count; ++i) {
    const Pointer& pointer = row.pointers[i];
    Push({pointer.ps, 0, Entering::Kind::kPointer, false, row.job.port, pointer.level, row.job.key, at});
  }
  Push({row.answer_ps, 0, Entering::Kind::kAnswered, false, row.job.port, 0, row.job.key, at});
}

const WalkRows::Row* WalkRows::Find(TlbKey key) const {
  for (const Row& row : rows_) {
    if (row.fault() || row.job.key.space != key.space) continue;
    const uint64_t pages = row.job.wide() ? row.job.fill : 1;
    if (row.job.key.vpn / pages == key.vpn / pages) return &row;
  }
  return nullptr;
}

bool WalkRows::Near(TlbKey key) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.job.key.space == key.space && row.job.key.vpn / kLinePages == key.vpn / kLinePages;
  });
}

void WalkRows::Drop(std::optional<unsigned> space) {
  const auto dropped = [&](const Entering& entering) { return !space || entering.key.space == *space; };
  entering_.erase(std::remove_if(entering_.begin(), entering_.end(), dropped), entering_.end());
  std::make_heap(entering_.begin(), entering_.end(), Later);
  for (auto row = rows_.begin(); row != rows_.end();) {
    const auto next = std::next(row);
    if (!space || row->job.key.space == *space) Remove(row);
    row = next;
  }
}

}  // namespace gmmu::sim::twin
