// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/events.h"
#include "probe/burst.h"

namespace gmmu::sim {

/// A walk, in progress or completed, with its reads.
struct LoggedWalk {
  hw::WalkEvent event;
  std::vector<Burst> bursts;  ///< the bursts of event.reads
  bool over = false;
  /// Returns the walk's steps up to `now`, or all of them if the walk has completed.
  std::vector<hw::Step> StepsUntil(uint64_t now, hw::Cause rest) const;
};

/// Follows the rows of the walk table: each row's walk and table reads. Plain C++; calls must come in cycle order.
class WalkLog {
 public:
  WalkLog(hw::EventSink& sink, unsigned unit, unsigned rows);

  /// Records that a walk starts in `row` for a lookup from `port`.
  std::shared_ptr<LoggedWalk> Begin(uint64_t cycle, unsigned row, unsigned port, unsigned space, uint64_t va);
  /// Records that the row will read the entry of `level` next. It is called when the row's walk starts or later.
  void Start(unsigned row, unsigned level, bool leaf_64k);
  /// Records that the row's table read was accepted at the edge. The read belongs to the row's current walk. The burst
  /// object might change until the read's response.
  void Accepted(unsigned row, const Burst& burst);
  void Began(unsigned row, const Burst& burst);
  void Answered(unsigned row, const Burst& burst);
  /// Ends the walk and frees the row.
  void End(uint64_t cycle, unsigned row);
  /// Drops the walks in progress, because the core is in reset.
  void Reset(uint64_t cycle);

  /// Searches each row's last two walks. Returns the latest walk whose line contains this page and that was in progress
  /// during [since, until], or null if there is none. With `same_page`, the walk must be for the page itself.
  std::shared_ptr<LoggedWalk> Find(unsigned space, uint64_t va, bool same_page, uint64_t since, uint64_t until) const;
  uint64_t broken() const { return broken_; }

 private:
  struct Row {
    std::shared_ptr<LoggedWalk> walk, before;  // before: the previous walk, whose end might not be reported yet
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
