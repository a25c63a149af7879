// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::kmd {

/// How much of a preempted buffer is done, kept until the buffer runs again.
///
/// A context has one record, and a node has one for buffers without a context. That is enough: packets of a context
/// come back in order and before anything new of it (wddm-ddi 8.3), so at most the first of them is half done. It is
/// also why a buffer of the context that is not the recorded one, or comes for the first time, says that the recorded
/// packet is gone. Written at device level, where no memory can be had.
class Progress {
 public:
  void Keep(uint64_t buffer, uint32_t bytes) {
    buffer_ = buffer;
    bytes_ = bytes;
  }
  /// Bytes of the buffer that are done, 0 if nothing is known of it. Nothing is recorded afterwards.
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
