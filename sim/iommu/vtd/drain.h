// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>

namespace gmmu::sim {

/// Counts requests in flight by epoch, so that an invalidation waits only for the requests that arrived before it.
///
/// A request enters the current epoch as a walk, becomes a read or a write once translated, and leaves when its access
/// is done. Mark() closes the epoch. The mark is complete when neither the closed epoch nor any older one has a request
/// of the marked kinds.
class VtdDrainTracker {
 public:
  enum Kind : uint8_t { kWalk, kRead, kWrite };
  struct Wait {
    std::array<uint64_t, 3> upto{};  ///< by kind: no epoch below this one may have a request of that kind
    void Join(const Wait& other);
  };

  uint64_t Enter(Kind kind);  ///< returns the epoch, to be passed to Change and Leave
  void Change(uint64_t epoch, Kind from, Kind to);
  void Leave(uint64_t epoch, Kind kind);

  /// Returns a mark that covers all requests of the selected kinds that have arrived so far. Walks are always covered.
  Wait Mark(bool reads, bool writes);
  bool Done(const Wait& wait) const;
  uint64_t in_flight() const { return in_flight_; }

 private:
  std::array<uint64_t, 3>& At(uint64_t epoch) { return counts_[epoch - first_]; }

  std::deque<std::array<uint64_t, 3>> counts_{{}};
  uint64_t first_ = 0;  ///< epoch of counts_.front()
  uint64_t in_flight_ = 0;
};

}  // namespace gmmu::sim
