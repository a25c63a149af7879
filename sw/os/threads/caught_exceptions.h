// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cxxabi.h>

#include <cstring>

namespace gmmu::os {

/// The exceptions that are being handled. The C++ runtime keeps them by operating system thread (Itanium C++ ABI:
/// Exception Handling, 2.2.2). A fibre that is switched away inside a handler therefore takes its own along; otherwise
/// it would leave, or rethrow, another fibre's exception.
class CaughtExceptions {
 public:
  /// No exceptions.
  CaughtExceptions() = default;
  /// The exceptions being handled now.
  static CaughtExceptions Current() {
    CaughtExceptions now;
    std::memcpy(&now.globals_, abi::__cxa_get_globals(), sizeof now.globals_);
    return now;
  }
  void MakeCurrent() const { std::memcpy(abi::__cxa_get_globals(), &globals_, sizeof globals_); }

 private:
  struct Globals {
    void* caught;
    unsigned uncaught;
  };
  Globals globals_{};
};

}  // namespace gmmu::os
