// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/events.h"
#include "probe/burst.h"

namespace gmmu::sim {

/// A walk with its reads, either in progress or completed.
struct LoggedWalk {
  hw::WalkEvent event;
  std::vector<Burst> bursts;  ///< the bursts of the table reads in event.reads
  bool over = false;
  /// Returns the walk's steps up to `now`; The time after the last read is attributed to `rest`.
  std::vector<hw::Step> StepsUntil(uint64_t now, hw::Cause rest) const;
};

/// Follows the rows of the walk table: the walk in each row and its table reads. Plain C++; calls
/// must come in cycle order.
class WalkLog {
 public:
  WalkLog(hw::EventSink& sink, unsigned unit, unsigned rows);

  /// Records that a walk for a lookup from `port` starts in `row`.
  std::shared_ptr<LoggedWalk> Begin(uint64_t cycle, unsigned row, unsigned port, unsigned space, uint64_t va);
  /// Records that the row reads a level-`level` entry next. Called when the row's walk starts, or
  /// later.
  void Start(unsigned row, unsigned level, bool leaf_64k);
  /// Records that the row's table read was accepted. The read belongs to the row's current walk.
  /// Began and Answered update the recorded burst.
  void Accepted(unsigned row, const Burst& burst);
  void Began(unsigned row, const Burst& burst);
  void Answered(unsigned row, const Burst& burst);
  /// Ends the walk and frees its row.
  void End(uint64_t cycle, unsigned row);
  /// Ends the walks in progress as lost, because the core is in reset.
  void Reset(uint64_t cycle);

  /// Searches the last two walks of each row. Returns the latest walk that was in progress during
  /// [since, until] and whose line contains this page, or null if there is none. If `same_page` is
  /// true, the walk must be for the page itself.
  std::shared_ptr<LoggedWalk> Find(unsigned space, uint64_t va, bool same_page, uint64_t since, uint64_t until) const;
  uint64_t broken() const { return broken_; }

 private:
  struct Row {
    std::shared_ptr<LoggedWalk> walk, before;  // `before`: previous walk, perhaps unreported
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
