// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// The fence ids of one node.
///
/// They have 32 bits and wrap (open: no source says how); 0 is never given out, and of two ids the one less than 2^31
/// ahead is the later one.
class Fences {
 public:
  /// `last`: the id that the first one follows.
  explicit Fences(uint32_t last) : last_given_(last), last_completed_(last) {}

  /// `fence` comes after `other`, or is it.
  static bool Reached(uint32_t fence, uint32_t other) { return static_cast<int32_t>(fence - other) >= 0; }

  uint32_t New() {
    if (++last_given_ == 0) ++last_given_;
    return last_given_;
  }
  /// Completes `fence` and all before it. An older one than the last changes nothing.
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
