// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "hw/client_accesses.h"
#include "events/histogram.h"
#include "trace/access.h"

namespace gmmu::replay {

/// Measurements of a set of accesses.
struct Tally {
  uint64_t accesses = 0;                              ///< completed accesses of the workload
  uint64_t merged = 0;                                ///< accesses that were coalesced into another one
  uint64_t requests = 0;                              ///< completed requests: lines of 64 bytes, or parts of lines
  uint64_t bytes = 0;                                 ///< bytes of the requests
  uint64_t faults = 0;                                ///< requests that completed with a fault
  uint64_t first_cycle = hw::ClientAccesses::kNever;  ///< cycle in which the first request was accepted
  uint64_t last_cycle = 0;                            ///< cycle of the last response
  /// Cycles from when a warp is ready to make an access (open loop: from the access's arrival) to
  /// the response for its last line.
  events::Histogram latency;
  std::array<events::Histogram, 3> by_kind;  ///< latency by trace::Kind
  std::vector<events::Histogram> by_client;
  events::Histogram port_latency;  ///< cycles from a request's first valid cycle at a port to its last beat

  explicit Tally(unsigned clients) : by_client(clients) {}
  uint64_t cycles() const { return last_cycle < first_cycle ? 0 : last_cycle - first_cycle + 1; }
};

/// The measurements of one epoch of a phase.
struct EpochTally {
  uint64_t accesses = 0;
  events::Histogram latency;
};

/// Compute units with warps that make the accesses of a workload.
///
/// In a closed loop, a warp has up to `window` accesses in flight. It makes the next access `gap`
/// cycles plus the access's own delay after the latest response. In an open loop, a warp makes each
/// access when it arrives, however many are in flight. A compute unit sends all lines of the access
/// that became ready first, then those of the next. Responses may come in any order.
class Traffic : public hw::ClientAccesses {
 public:
  struct Shape {
    unsigned compute_units = 1, warps = 1, window = 1;
    uint64_t gap = 0;
    bool open = false, deal = false, coalesce = false;
    uint8_t space = 0;
    uint64_t last_cycle = kNever - 1;  ///< last cycle that the machine can simulate; an access due later is an error
    std::string workload;              ///< the workload's name in that error
    bool demand = false;
    std::function<void(uint64_t va, bool write)> touched;  ///< with demand: called when an access has completed
  };
  /// `moved` translates addresses of the workload to GPU virtual addresses.
  Traffic(trace::Source& source, std::function<uint64_t(uint64_t)> moved, const Shape& shape);

  /// Starts a phase at this GPU cycle, with the next `accesses` accesses of the source. Call it
  /// while done() is true, and then call Instruments::DriveClients.
  void Begin(uint64_t accesses, uint64_t cycle);
  /// True if all accesses of the phase have completed. Rethrows an exception of the source.
  bool done() const;
  const Tally& tally() const { return tally_; }
  EpochTally TakeEpoch();
  /// in_flight is the number of accesses in flight. next_due is the cycle at which the next access
  /// is due (kNever: there is none).
  uint64_t in_flight() const { return in_flight_; }
  uint64_t next_due() const;

  // With Shape::demand, an access to an unmapped page waits until Retry repeats it. far_faults
  // returns the GPU virtual address and fault cycle of each waiting access, oldest first.
  struct FarFault {
    uint64_t va = 0, cycle = 0;
  };
  const std::vector<FarFault>& far_faults() const { return far_faults_; }
  /// Repeats the waiting accesses for which `mapped` returns true, and adds their wait times to
  /// `waited`. Then call Instruments::DriveClients.
  void Retry(const std::function<bool(uint64_t va)>& mapped, uint64_t cycle, events::Histogram& waited);

  // hw::ClientAccesses
  uint64_t Due(unsigned client) override;
  hw::ClientRequest Take(unsigned client, uint64_t cycle) override;
  void Answered(unsigned client, const hw::ClientAnswer& answer) override;
  void Stalled(unsigned client, const hw::ClientRequest& request, uint64_t cycle) override;

 private:
  static constexpr uint64_t kLookAhead = 1 << 16;  ///< maximum number of accesses read ahead for other warps
  struct Warp {
    std::deque<trace::Access> next;
    unsigned in_flight = 0;
    bool ready = false;    // queued at its compute unit
    bool starved = false;  // in Unit::starved: the warp's next access has not been read yet
    uint64_t last_issue = 0, last_answer = 0;
  };
  struct Ready {
    uint64_t cycle, order;
    unsigned warp;
    bool operator<(const Ready& other) const {  // inverted: the queue's top is the earliest
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };
  struct Pending {
    unsigned warp = 0;
    uint64_t due = 0, accesses = 0, requests = 0;
    trace::Kind kind = trace::Kind::kRead;
  };
  struct Request {
    hw::ClientRequest sent;
    size_t pending = 0;
    unsigned client = 0;
    bool waits = false;  // its page is unmapped; waits until the page is mapped
    bool retry = false;  // has left its port and must be sent again
  };
  struct Unit {
    std::deque<size_t> again;  // requests to send again
    std::priority_queue<Ready> ready;
    uint64_t at = 0, end = 0;  // unsent part of the current access, in the workload's addresses
    size_t pending = 0;
    std::vector<unsigned> starved;
  };

  Unit& UnitOf(unsigned warp) { return units_[warp % units_.size()]; }
  bool Fill(unsigned warp);
  void MakeReady(unsigned warp);
  void Issue(Unit& unit, uint64_t cycle);
  void Coalesce(unsigned warp, Unit& unit, Pending& pending);
  template <typename T>
  static size_t Keep(std::vector<T>& all, std::vector<size_t>& free, const T& one);
  void Wait(size_t request, uint64_t cycle);
  void Finish(unsigned client, const Pending& pending, uint64_t cycle);

  trace::Source& source_;
  const std::function<uint64_t(uint64_t)> moved_;
  const Shape shape_;
  std::vector<Warp> warps_;
  std::vector<Unit> units_;
  std::vector<Pending> pending_;
  std::vector<size_t> free_;
  std::vector<Request> requests_;  // requests in flight, by tag
  std::vector<size_t> free_requests_;
  std::vector<FarFault> far_faults_;
  std::vector<uint64_t> early_waits_;  // waits of requests that a port retried before Retry
  std::vector<size_t> waiting_;        // the request that each element of far_faults_ describes
  Tally tally_;
  EpochTally epoch_;
  std::optional<uint64_t> first_arrival_;
  uint64_t begin_ = 0, left_ = 0, read_ahead_ = 0, in_flight_ = 0, order_ = 0, dealt_ = 0;
  bool exhausted_ = true;
  std::exception_ptr error_;
};

}  // namespace gmmu::replay
