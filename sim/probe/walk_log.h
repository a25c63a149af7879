// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/events.h"
#include "probe/burst.h"

namespace gmmu::sim {

/// A walk in progress or ended, with its reads.
struct LoggedWalk {
  hw::WalkEvent event;
  std::vector<Burst> bursts;  ///< as event.reads
  bool over = false;
  /// The walk's steps up to `now`, or to its end.
  std::vector<hw::Step> StepsUntil(uint64_t now, hw::Cause rest) const;
};

/// Follows the rows of the walk table: which walk each has, and its table reads. Plain C++; calls in the order of cycles.
class WalkLog {
 public:
  WalkLog(hw::EventSink& sink, unsigned unit, unsigned rows);

  /// A row begins for a lookup of `port`.
  std::shared_ptr<LoggedWalk> Begin(uint64_t cycle, unsigned row, unsigned port, unsigned space, uint64_t va);
  /// At its begin or later: the row will read the entry of `level` next.
  void Start(unsigned row, unsigned level, bool leaf_64k);
  /// A table read of the row was accepted at the edge; it belongs to the walk that has not ended. The burst may change
  /// until Answered.
  void Accepted(unsigned row, const Burst& burst);
  void Began(unsigned row, const Burst& burst);
  void Answered(unsigned row, const Burst& burst);
  /// The walk's row becomes free.
  void End(uint64_t cycle, unsigned row);
  /// The core is in reset: walks in progress are lost.
  void Reset(uint64_t cycle);

  /// The latest walk, under way or one of the last two of its row, whose line has this page and that was under way in
  /// [since, until]; null: none. `same_page`: of the page itself.
  std::shared_ptr<LoggedWalk> Find(unsigned space, uint64_t va, bool same_page, uint64_t since, uint64_t until) const;
  uint64_t broken() const { return broken_; }

 private:
  struct Row {
    std::shared_ptr<LoggedWalk> walk, before;  // before: its end may still have to be reported
    unsigned level = 0;                        // level of the next read
    bool leaf_64k = false;
  };
  void Tell(uint64_t cycle, LoggedWalk& walk);
  Burst* Last(unsigned row);

  hw::EventSink& sink_;
  const unsigned unit_;
  std::vector<Row> rows_;
  uint64_t walks_ = 0, broken_ = 0;
  unsigned busy_ = 0;
};

}  // namespace gmmu::sim
