// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <exception>
#include <functional>

namespace gmmu::os {

/// Runs a routine on a stack of its own, painted beforehand, and says how deep it went.
///
/// What stands for hardware (a register access and all that the machine does meanwhile) runs on the
/// caller's stack, by Off: it is no part of what the routine uses. One routine at a time; it must not
/// change to another fibre but inside of Off.
class StackMeter {
 public:
  /// `bytes`: of the stack, far more than any routine should use, whole pages. Below it is memory that cannot be
  /// touched.
  explicit StackMeter(size_t bytes = 96 * 1024);
  ~StackMeter();
  StackMeter(const StackMeter&) = delete;
  StackMeter& operator=(const StackMeter&) = delete;

  /// Bytes of stack that `routine` touched. Its exceptions pass.
  size_t Run(const std::function<void()>& routine);
  /// Runs `work` on the stack of the caller of Run while a routine is running, else on this one.
  static void Off(const std::function<void()>& work);

 private:
  size_t Touched();
  size_t RunPainted(const std::function<void()>& routine);

  uint64_t* end() const { return begin_ + bytes_ / sizeof(uint64_t); }

  const size_t bytes_;
  uint64_t* begin_ = nullptr;
  boost::context::fiber* caller_ = nullptr;  // while the routine runs
  const std::function<void()>* off_ = nullptr;
  std::exception_ptr error_;
  size_t own_ = 0;  // what an empty routine touches
};

}  // namespace gmmu::os
