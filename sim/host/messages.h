// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "hw/platform.h"

namespace gmmu::sim {

/// A FIFO of interrupt messages that have arrived at the CPU but have not been read by software.
class Messages {
 public:
  /// `arrived` is called after each Put.
  explicit Messages(std::function<void()> arrived = nullptr) : arrived_(std::move(arrived)) {}

  void Put(const hw::Message& message) {
    queue_.push_back(message);
    if (arrived_) arrived_();
  }
  bool empty() const { return queue_.empty(); }
  std::optional<hw::Message> Take() {
    if (queue_.empty()) return std::nullopt;
    const hw::Message message = queue_.front();
    queue_.pop_front();
    return message;
  }

 private:
  const std::function<void()> arrived_;
  std::deque<hw::Message> queue_;
};

}  // namespace gmmu::sim
