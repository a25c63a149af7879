// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <exception>
#include <functional>

#include "os/base/fibre_stack.h"

namespace gmmu::os {

/// Runs a routine on a separate stack that is filled with a pattern, and measures how much of the
/// stack the routine used.
///
/// Off runs code that models hardware (a register access and the resulting work of the machine) on
/// the caller's stack, so that it does not count as the routine's stack use. The meter runs one
/// routine at a time. The routine may switch fibres only inside Off.
class StackMeter {
 public:
  /// `bytes`: size of the stack, a multiple of the page size and far more than any routine should
  /// use. A guard area lies below the stack.
  explicit StackMeter(size_t bytes = 96 * 1024);
  ~StackMeter();
  StackMeter(const StackMeter&) = delete;
  StackMeter& operator=(const StackMeter&) = delete;

  /// Returns the number of stack bytes that `routine` touched. Rethrows the routine's exceptions.
  size_t Run(const std::function<void()>& routine);
  /// Runs `work` on the stack of Run's caller if a routine is running, otherwise on the current stack.
  static void Off(const std::function<void()>& work);

 private:
  size_t Touched();
  size_t RunPainted(const std::function<void()>& routine);

  uint64_t* end() const { return begin_ + bytes_ / sizeof(uint64_t); }

  const size_t bytes_;
  uint64_t* begin_ = nullptr;
  FibreStack stack_, caller_stack_;
  boost::context::fiber* caller_ = nullptr;  // the caller's context while the routine runs
  const std::function<void()>* off_ = nullptr;
  std::exception_ptr error_;
  size_t own_ = 0;  // stack bytes used by an empty routine
};

}  // namespace gmmu::os
