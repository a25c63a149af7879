// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gmmu {

/// A function on its own thread that alternates with its owner: only one of the two runs at a time.
/// It can be suspended at any point, whatever stacks it uses.
class Turns {
 public:
  /// The body starts at the first Resume.
  explicit Turns(std::function<void()> body) : body_(std::move(body)) {}
  /// Destroy the object only before the body has started or after it has returned.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Runs the body until it calls Yield (Resume returns true) or returns (Resume returns false).
  /// Rethrows the body's exception. Calls `idle` ten times a second meanwhile. If `idle` throws,
  /// Resume rethrows that exception when the body next yields.
  bool Resume(const std::function<void()>& idle);
  /// Called by the body. Passes control to the owner until the next Resume.
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
