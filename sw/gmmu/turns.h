// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gmmu {

/// A function on a thread of its own that runs in turn with its owner, never both at once: so it can be left in the
/// middle, whatever stacks it is on.
class Turns {
 public:
  /// The body begins with the first Resume.
  explicit Turns(std::function<void()> body) : body_(std::move(body)) {}
  /// The body must have ended, or never begun.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// The body runs until it calls Yield or ends; false: it has ended. Throws what the body threw. `idle` is called ten
  /// times a second meanwhile; what it throws leaves Resume after the body's turn has ended.
  bool Resume(const std::function<void()>& idle);
  /// Called by the body: the owner's turn, up to its next Resume.
  void Yield();
  bool begun() const { return thread_.joinable() || ended_; }
  bool ended() const { return ended_; }

 private:
  void Run();

  const std::function<void()> body_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool bodys_turn_ = false, ended_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace gmmu
