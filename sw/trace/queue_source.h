// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "trace/access.h"

namespace gmmu::trace {

/// A source that produces its accesses in batches, for example one batch per line of text, row or
/// tile.
class QueueSource : public Source {
 public:
  std::optional<Access> Next() final {
    while (at_ == queue_.size()) {
      queue_.clear();
      at_ = 0;
      if (ended_ || !Fill(queue_)) {
        ended_ = true;
        if (queue_.empty()) return std::nullopt;
      }
    }
    return queue_[at_++];
  }

 protected:
  /// Appends the next accesses, possibly none. Returns false at the end.
  virtual bool Fill(std::vector<Access>& queue) = 0;

 private:
  std::vector<Access> queue_;
  size_t at_ = 0;
  bool ended_ = false;
};

/// Interleaves lists of concurrent accesses: appends one access of each list in turn.
inline void InTurn(std::vector<std::vector<Access>>& lists, std::vector<Access>& queue) {
  for (size_t i = 0, left = 1; left != 0; ++i) {
    left = 0;
    for (const std::vector<Access>& list : lists) {
      if (i >= list.size()) continue;
      queue.push_back(list[i]);
      ++left;
    }
  }
  for (std::vector<Access>& list : lists) list.clear();
}

}  // namespace gmmu::trace
