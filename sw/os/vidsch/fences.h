// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// The fence ids of one node.
///
/// Fence ids are 32 bits wide and wrap around; it is not documented how. Id 0 is never used.
/// Comparisons require that the two ids are less than 2^31 apart.
class Fences {
 public:
  /// `last` is the id that precedes the first fence id.
  explicit Fences(uint32_t last) : last_given_(last), last_completed_(last) {}

  /// True if `fence` equals `other` or comes after it.
  static bool Reached(uint32_t fence, uint32_t other) { return static_cast<int32_t>(fence - other) >= 0; }

  uint32_t New() {
    if (++last_given_ == 0) ++last_given_;
    return last_given_;
  }
  /// Marks `fence` and all earlier fences as completed. Does nothing if `fence` is older than the
  /// last completed fence.
  void Complete(uint32_t fence) {
    if (Reached(fence, last_completed_)) last_completed_ = fence;
  }
  void CompleteAll() { last_completed_ = last_given_; }

  uint32_t last_given() const { return last_given_; }
  uint32_t last_completed() const { return last_completed_; }

 private:
  uint32_t last_given_;
  uint32_t last_completed_;
};

}  // namespace gmmu::os
