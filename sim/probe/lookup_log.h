// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hw/events.h"
#include "probe/burst.h"
#include "probe/walk_log.h"

namespace gmmu::sim {

/// A lookup, either in flight or completed.
struct LoggedLookup {
  hw::LookupEvent event;
  bool zero = false;
  bool answered = false, told = false;
};

/// Follows the lookups of every translation port from request to response. Plain C++; calls must
/// come in cycle order.
class LookupLog {
 public:
  enum class Count : uint8_t { kHit, kMiss, kMerged, kFault };

  LookupLog(hw::EventSink& sink, unsigned unit, unsigned ports, const WalkLog& walks);

  /// Records that the port accepted a request.
  std::shared_ptr<LoggedLookup> Taken(uint64_t cycle, unsigned port, unsigned tag, unsigned space, uint64_t va,
                                      regs::Access access);
  /// Records that `walk` started for a lookup on the walk's port. When the lookup ends, its page
  /// identifies the walk.
  void Walks(const std::shared_ptr<LoggedWalk>& walk);
  /// Records the response to the lookup with this tag.
  void Answered(uint64_t cycle, unsigned port, unsigned tag, regs::Fault fault, bool zero);
  /// Records the outcome of the port's next lookup, in response order. The call may come before or
  /// after Answered for that lookup.
  void Counted(unsigned port, Count count);
  void Reset(uint64_t cycle);

  /// Returns the number of the port's lookups in flight.
  size_t pending(unsigned port) const { return ports_[port].pending.size(); }
  uint64_t broken() const { return broken_; }

 private:
  struct Port {
    std::deque<std::shared_ptr<LoggedLookup>> pending, answered;
    std::deque<Count> counts;
    std::deque<std::shared_ptr<LoggedWalk>> walks;  // not matched to a lookup yet
  };
  void Tell(LoggedLookup& lookup, Count count);
  std::shared_ptr<LoggedWalk> WalkOf(const hw::LookupEvent& event, Count count);

  hw::EventSink& sink_;
  const unsigned unit_;
  const WalkLog& walks_;
  std::vector<Port> ports_;
  unsigned waiting_ = 0;
  uint64_t lookups_ = 0, broken_ = 0;
};

/// Follows the clients' accesses: their translations and the bursts that transfer their data.
class AccessLog {
 public:
  AccessLog(hw::EventSink& sink, unsigned unit, unsigned clients);

  /// Records that the client's pins accepted an access, which uses this slot. It is not called for
  /// accesses of the traffic engine.
  void AtPins(uint64_t cycle, unsigned client, unsigned slot);
  void Begin(unsigned client, const std::shared_ptr<LoggedLookup>& lookup);
  /// Records that the access's burst has completed.
  void Data(unsigned client, const Burst& burst);
  /// Records that the pins accepted the last beat of the access's response.
  void Answered(uint64_t cycle, unsigned client, unsigned slot, regs::Fault fault);
  /// Reports the accesses that have completed to the sink. Call it once per cycle.
  void Tell();
  void Reset();
  uint64_t broken() const { return broken_; }

 private:
  static constexpr unsigned kSlots = 256;  // number of possible tags
  struct Slot {
    bool at_pins = false, has_burst = false, ended = false;
    uint64_t pins = 0, end = 0;
    regs::Fault fault = regs::Fault::kNone;
    Burst burst;
    std::shared_ptr<LoggedLookup> lookup;
  };
  struct Open {
    unsigned client, number;
    Slot slot;
  };
  /// Sets the end time of the access if it is known, and returns whether it is. `over`: no further
  /// event of the access will come.
  static bool Ended(Slot& slot, bool over);
  void TellOne(unsigned client, unsigned number, const Slot& slot);

  hw::EventSink& sink_;
  const unsigned unit_;
  std::vector<std::array<Slot, kSlots>> clients_;
  std::vector<Open> open_;  // complete accesses whose lookup is not reported yet
  std::vector<std::pair<unsigned, unsigned>> ready_;
  uint64_t accesses_ = 0, broken_ = 0;
};

}  // namespace gmmu::sim
