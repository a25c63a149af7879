// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "events/record.h"

namespace gmmu::events {

/// Selects the records to keep. Cycles are GPU cycles since reset release.
struct WindowOptions {
  uint64_t from = 0, to = ~uint64_t{0};  ///< keeps events that overlap [from, to)
  enum class Trigger : uint8_t { kNone, kFault, kStall } trigger = Trigger::kNone;
  uint64_t stall = 0;        ///< kStall: cycles that an event of any kind must exceed to trigger
  uint64_t around = 10'000;  ///< cycles kept before and after a trigger
};

/// Parses "fault" or "stall:N" into `options`. Throws std::invalid_argument, which lists the valid
/// forms.
void ParseTrigger(const std::string& text, WindowOptions& options);

/// Forwards the records within the window. With a trigger, the records that ended in the last
/// `around` cycles are kept in memory, at most kMostWaiting of them. When the trigger fires, these
/// records are forwarded, and then all records that end within the next `around` cycles.
class Window : public RecordSink {
 public:
  static constexpr size_t kMostWaiting = 1'000'000;

  Window(const WindowOptions& options, RecordSink& to) : options_(options), to_(to) {}
  void Add(const Record& record) override;
  void Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) override;
  uint64_t triggers() const { return triggers_; }
  uint64_t first_trigger() const { return first_trigger_; }
  /// Number of records that were dropped because kMostWaiting records were already waiting for a
  /// trigger.
  uint64_t lost() const { return lost_; }

 private:
  bool Triggers(const Record& record) const;

  const WindowOptions options_;
  RecordSink& to_;
  std::deque<Record> waiting_;
  uint64_t open_until_ = 0;  // end of the open window; 0 before the trigger
  uint64_t triggers_ = 0, first_trigger_ = 0, lost_ = 0;
};

}  // namespace gmmu::events
