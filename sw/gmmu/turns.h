// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gmmu {

/// A function on its own thread that alternates with its owner and never runs at the same time. It can be suspended
/// anywhere, whatever stacks it uses.
class Turns {
 public:
  /// The first Resume starts the body.
  explicit Turns(std::function<void()> body) : body_(std::move(body)) {}
  /// Destroy it only after the body has returned, or before it has started.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Runs the body until the body calls Yield (Resume returns true) or returns (Resume returns false). Throws the
  /// body's exception. Meanwhile `idle` is called ten times a second. If `idle` throws, Resume rethrows the exception
  /// once the body has yielded.
  bool Resume(const std::function<void()>& idle);
  /// Called by the body. Passes control to the owner until the owner's next Resume.
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
