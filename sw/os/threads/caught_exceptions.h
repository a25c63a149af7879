// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cxxabi.h>

#include <cstring>

namespace gmmu::os {

/// The exceptions that are being handled. The C++ runtime keeps them by operating system thread (Itanium C++ ABI:
/// Exception Handling, 2.2.2), so a fibre that is switched away inside of a handler takes its own along: else it would
/// leave, or throw on, another fibre's.
class CaughtExceptions {
 public:
  /// None.
  CaughtExceptions() = default;
  /// Those of this moment.
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
