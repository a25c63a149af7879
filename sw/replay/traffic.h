// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "hw/client_accesses.h"
#include "events/histogram.h"
#include "trace/access.h"

namespace gmmu::replay {

/// What was measured of some accesses.
struct Tally {
  uint64_t accesses = 0;                              ///< of the workload, that have their answers
  uint64_t merged = 0;                                ///< of them, that went out with another one
  uint64_t requests = 0;                              ///< lines of 64 bytes, or parts, that the ports answered
  uint64_t bytes = 0;                                 ///< of the requests
  uint64_t faults = 0;                                ///< requests that were answered with a fault
  uint64_t first_cycle = hw::ClientAccesses::kNever;  ///< in which the first request was taken
  uint64_t last_cycle = 0;                            ///< in which the last answer came
  /// Cycles from when its warp could make an access (open loop: from its arrival) to its last answer.
  events::Histogram latency;
  std::array<events::Histogram, 3> by_kind;  ///< the same by trace::Kind
  std::vector<events::Histogram> by_client;
  events::Histogram port_latency;  ///< cycles of a request, from its offer to a port to its last beat

  explicit Tally(unsigned clients) : by_client(clients) {}
  uint64_t cycles() const { return last_cycle < first_cycle ? 0 : last_cycle - first_cycle + 1; }
};

/// A phase's share of it, between two looks.
struct EpochTally {
  uint64_t accesses = 0;
  events::Histogram latency;
};

/// Compute units with warps that make the accesses of a workload.
///
/// Closed loop: a warp has up to `window` accesses in flight and makes the next one `gap` cycles, and what the access
/// itself states, after its latest answer. Open loop: it makes it when it arrives, whatever is in flight. A compute unit
/// sends the lines of the access that was ready first, then of the next one; they are answered in any order.
class Traffic : public hw::ClientAccesses {
 public:
  struct Shape {
    unsigned compute_units = 1, warps = 1, window = 1;
    uint64_t gap = 0;
    bool open = false, deal = false, coalesce = false;
    uint8_t space = 0;
  };
  /// `moved` gives the GPU virtual address of an address of the workload.
  Traffic(trace::Source& source, std::function<uint64_t(uint64_t)> moved, const Shape& shape);

  /// The next `accesses` of the source are a phase of their own, which begins at this GPU cycle. Call it when done(), and
  /// Instruments::DriveClients after it.
  void Begin(uint64_t accesses, uint64_t cycle);
  /// Every access of the phase has its answer. Throws what the source threw.
  bool done() const;
  const Tally& tally() const { return tally_; }
  EpochTally TakeEpoch();
  /// Accesses that are in flight, and when the next one is due (kNever: no warp has one).
  uint64_t in_flight() const { return in_flight_; }
  uint64_t next_due() const;

  // hw::ClientAccesses
  uint64_t Due(unsigned client) override;
  hw::ClientRequest Take(unsigned client, uint64_t cycle) override;
  void Answered(unsigned client, const hw::ClientAnswer& answer) override;

 private:
  static constexpr uint64_t kLookAhead = 1 << 16;  ///< accesses that are read ahead for other warps
  struct Warp {
    std::deque<trace::Access> next;
    unsigned in_flight = 0;
    bool ready = false;    // stands in the queue of its compute unit
    bool starved = false;  // among those for which nothing was read yet
    uint64_t last_issue = 0, last_answer = 0;
  };
  struct Ready {
    uint64_t cycle, order;
    unsigned warp;
    bool operator<(const Ready& other) const {  // the top of a queue is the earliest
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };
  struct Pending {
    unsigned warp = 0;
    uint64_t due = 0, accesses = 0, requests = 0;
    trace::Kind kind = trace::Kind::kRead;
  };
  struct Unit {
    std::priority_queue<Ready> ready;
    uint64_t at = 0, end = 0;  // what is not sent yet of the access under way, in the workload's addresses
    size_t pending = 0;
    std::vector<unsigned> starved;
  };

  Unit& UnitOf(unsigned warp) { return units_[warp % units_.size()]; }
  bool Fill(unsigned warp);
  void MakeReady(unsigned warp);
  void Issue(Unit& unit, uint64_t cycle);
  void Coalesce(unsigned warp, Unit& unit, Pending& pending);
  size_t Keep(const Pending& pending);
  void Finish(unsigned client, const Pending& pending, uint64_t cycle);

  trace::Source& source_;
  const std::function<uint64_t(uint64_t)> moved_;
  const Shape shape_;
  std::vector<Warp> warps_;
  std::vector<Unit> units_;
  std::vector<Pending> pending_;
  std::vector<size_t> free_;
  Tally tally_;
  EpochTally epoch_;
  std::optional<uint64_t> first_arrival_;
  uint64_t begin_ = 0, left_ = 0, read_ahead_ = 0, in_flight_ = 0, order_ = 0, dealt_ = 0;
  bool exhausted_ = true;
  std::exception_ptr error_;
};

}  // namespace gmmu::replay
