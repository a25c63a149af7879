// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::kmd {

/// Records how much of a preempted buffer has been executed, until the buffer runs again.
///
/// Each context has one record, and each node has one for buffers without a context. One record is
/// enough: a context's packets are resubmitted in order and before new ones (wddm-ddi 8.3), so only
/// the first of them can be partly executed. For the same reason, if the next submission is a
/// different buffer or is not a resubmission, the recorded packet has been dropped. The record is
/// written at device level, where memory cannot be allocated.
class Progress {
 public:
  void Keep(uint64_t buffer, uint32_t bytes) {
    buffer_ = buffer;
    bytes_ = bytes;
  }
  /// Returns the number of bytes of the buffer that have been executed (0 if no progress is
  /// recorded), and clears the record.
  uint32_t Take(uint64_t buffer, bool resubmission) {
    const uint32_t done = resubmission && buffer == buffer_ ? bytes_ : 0;
    *this = {};
    return done;
  }

 private:
  uint64_t buffer_ = 0;
  uint32_t bytes_ = 0;  ///< 0: no progress is recorded
};

}  // namespace gmmu::kmd
