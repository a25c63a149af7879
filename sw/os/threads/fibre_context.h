// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <functional>

#include "os/base/fibre_stack.h"

namespace gmmu::os {

/// A stack of its own and the point that the code on it has reached. Below the stack lies an
/// inaccessible page.
class FibreContext {
 public:
  /// `body` runs on the new stack, from the first Resume on.
  FibreContext(size_t stack_bytes, std::function<void()> body);
  /// If the body has not ended, its stack is unwound.
  ~FibreContext();
  FibreContext(const FibreContext&) = delete;
  FibreContext& operator=(const FibreContext&) = delete;

  /// Continues the body; returns when the body suspends or ends. Call from another stack.
  void Resume();
  /// Continues the caller of Resume; returns at the next Resume. Call from the body.
  void Suspend();
  bool ended() const { return ended_; }
  /// The exception with which the body has ended, or null.
  const std::exception_ptr& error() const { return error_; }

 private:
  FibreStack stack_, caller_stack_;
  boost::context::fiber context_;
  boost::context::fiber* caller_ = nullptr;  // context of the caller of Resume
  std::exception_ptr error_;
  bool ended_ = false;
};

}  // namespace gmmu::os
