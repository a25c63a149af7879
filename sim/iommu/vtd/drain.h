// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>

namespace gmmu::sim {

/// Counts requests in flight by epoch, so that an invalidation waits only for requests that arrived
/// before it.
///
/// A request enters the current epoch as a walk, becomes a read or a write when it is translated,
/// and leaves when its access is done. Mark() closes the epoch. The mark is complete when the
/// closed epoch and all older ones have no more requests of the marked kinds.
class VtdDrainTracker {
 public:
  enum Kind : uint8_t { kWalk, kRead, kWrite };
  struct Wait {
    std::array<uint64_t, 3> upto{};  ///< by kind: no epoch below this may have such a request
    void Join(const Wait& other);
  };

  uint64_t Enter(Kind kind);  ///< returns the epoch, for Change and Leave
  void Change(uint64_t epoch, Kind from, Kind to);
  void Leave(uint64_t epoch, Kind kind);

  /// Returns a mark for all requests of the selected kinds that have arrived so far. Walks are
  /// always included.
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
