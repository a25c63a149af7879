// SPDX-License-Identifier: Apache-2.0
#include "probe/walk_log.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kLineBytes = 8 * 4096;  // virtual addresses mapped by one line of a leaf table

}  // namespace

std::vector<hw::Step> LoggedWalk::StepsUntil(uint64_t now, hw::Cause rest) const {
  Steps steps(event.begin);
  for (size_t i = 0; i < bursts.size(); ++i) {
    steps.Until(hw::Cause::kWalker, bursts[i].offered, event.reads[i].level);
    steps.Burst(bursts[i], now, event.reads[i].level);
  }
  if (bursts.empty() || bursts.back().done) steps.Until(rest, now);
  return steps.Take();
}

WalkLog::WalkLog(hw::EventSink& sink, unsigned unit, unsigned rows) : sink_(sink), unit_(unit), rows_(rows) {}

std::shared_ptr<LoggedWalk> WalkLog::Begin(uint64_t cycle, unsigned row, unsigned port, unsigned space, uint64_t va) {
  auto walk = std::make_shared<LoggedWalk>();
  walk->event.unit = unit_;
  walk->event.number = ++walks_;
  walk->event.begin = walk->event.end = cycle;
  walk->event.port = port;
  walk->event.row = row;
  walk->event.space = space;
  walk->event.va = va;
  rows_[row].before = std::move(rows_[row].walk);
  rows_[row].walk = walk;
  sink_.Depth(unit_, hw::Gauge::kWalks, cycle, ++busy_);
  return walk;
}

void WalkLog::Start(unsigned row, unsigned level, bool leaf_64k) {
  Row& r = rows_[row];
  if (r.walk && r.walk->bursts.empty()) r.walk->event.start_level = static_cast<int>(level);
  r.level = level;
  r.leaf_64k = leaf_64k;
}

Burst* WalkLog::Last(unsigned row) {
  const auto& walk = rows_[row].walk;
  return walk && !walk->bursts.empty() ? &walk->bursts.back() : nullptr;
}

void WalkLog::Accepted(unsigned row, const Burst& burst) {
  Row& r = rows_[row];
  if (!r.walk) return;
  r.walk->bursts.push_back(burst);
  hw::TableRead read;
  read.level = static_cast<int>(r.level);
  read.leaf_64k = r.leaf_64k;
  read.host = burst.host;
  read.address = burst.address;
  read.bytes = burst.bytes;
  read.offered = burst.offered;
  read.accepted = burst.accepted;
  r.walk->event.reads.push_back(read);
}

void WalkLog::Began(unsigned row, const Burst& burst) {
  Burst* last = Last(row);
  if (last == nullptr) return;
  *last = burst;
  rows_[row].walk->event.reads.back().word = burst.word;
  Row& r = rows_[row];
  if (r.level == 0) return;  // otherwise the entry's table is read next
  r.leaf_64k = r.level == 1 && regs::PteEntry{burst.word}.table_64k() != 0;
  --r.level;
}

void WalkLog::Answered(unsigned row, const Burst& burst) {
  Burst* last = Last(row);
  if (last == nullptr) return;
  *last = burst;
  hw::TableRead& read = rows_[row].walk->event.reads.back();
  read.answered = burst.answered;
  read.error = burst.error;
}

void WalkLog::Tell(uint64_t cycle, LoggedWalk& walk) {
  walk.event.end = cycle;
  walk.event.steps = walk.StepsUntil(cycle, hw::Cause::kFill);
  walk.over = true;
  if (!CheckSteps(walk.event)) ++broken_;
  sink_.Take(walk.event);
  sink_.Depth(unit_, hw::Gauge::kWalks, cycle, --busy_);
}

void WalkLog::End(uint64_t cycle, unsigned row) {
  Row& r = rows_[row];
  if (r.before && !r.before->over) Tell(cycle, *r.before);
  else if (r.walk && !r.walk->over) Tell(cycle, *r.walk);
}

void WalkLog::Reset(uint64_t cycle) {
  for (Row& row : rows_) {
    for (const auto& walk : {row.before, row.walk}) {
      if (!walk || walk->over) continue;
      walk->event.lost = true;
      Tell(cycle, *walk);
    }
    row = Row();
  }
}

std::shared_ptr<LoggedWalk> WalkLog::Find(unsigned space, uint64_t va, bool same_page, uint64_t since,
                                          uint64_t until) const {
  const uint64_t unit = same_page ? 4096 : kLineBytes;
  std::shared_ptr<LoggedWalk> found;
  for (const Row& row : rows_) {
    for (const auto& walk : {row.walk, row.before}) {
      if (!walk || walk->event.space != space || walk->event.va / unit != va / unit) continue;
      if (walk->event.begin > until || (walk->over && walk->event.end < since)) continue;
      if (!found || walk->event.number > found->event.number) found = walk;
    }
  }
  return found;
}

}  // namespace gmmu::sim
