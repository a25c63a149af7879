// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace gmmu::sim::twin {

/// Interrupt causes and messages (rtl/top/README.md). A message becomes due when an enabled cause
/// appears, and when software clears causes but an enabled cause remains set. Messages are sent one
/// at a time. A due message waits while the port is closed, and is dropped when no enabled cause is
/// left.
class Interrupts {
 public:
  /// `begin` starts sending a message. The owner calls Sent() when the message has been sent.
  explicit Interrupts(std::function<void()> begin) : begin_(std::move(begin)) {}

  uint64_t status() const { return status_; }
  uint64_t enable() const { return enable_; }
  void Raise(uint64_t causes) {
    Appear(causes & ~status_ & enable_);
    status_ |= causes;
    Try();
  }
  void Clear(uint64_t bits) {
    status_ &= ~bits;
    Appear(standing());
    Try();
  }
  void set_enable(uint64_t enable) {
    Appear(status_ & enable & ~enable_);
    enable_ = enable;
    Try();
  }
  /// Sets whether messages may be sent: the PCI function's message and bus mastering must be
  /// enabled, and the GPU must not be silenced.
  void set_open(bool open) {
    open_ = open;
    Try();
  }
  void Sent() {
    sending_ = false;
    Try();
  }
  /// Call it if the message cannot be sent now; it stays due.
  void PutBack() {
    sending_ = false;
    owed_ = true;
  }
  bool idle() const { return !sending_ && !owed_; }
  void Reset() { status_ = enable_ = 0, owed_ = sending_ = false; }

 private:
  uint64_t standing() const { return status_ & enable_; }
  void Appear(uint64_t causes) { owed_ = owed_ || causes != 0; }
  void Try() {
    if (standing() == 0) owed_ = false;
    if (!owed_ || !open_ || sending_) return;
    owed_ = false;
    sending_ = true;
    begin_();
  }

  const std::function<void()> begin_;
  uint64_t status_ = 0, enable_ = 0;
  bool open_ = false, owed_ = false, sending_ = false;
};

}  // namespace gmmu::sim::twin
