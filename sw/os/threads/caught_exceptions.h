// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cxxabi.h>

#include <cstring>

namespace gmmu::os {

/// The exceptions that a fibre is handling. The C++ runtime keeps them per operating system thread
/// (Itanium C++ ABI: Exception Handling, 2.2.2). A fibre that is switched out inside a handler must
/// therefore save its own exceptions; otherwise it would later end or rethrow an exception of
/// another fibre.
class CaughtExceptions {
 public:
  /// Contains no exceptions.
  CaughtExceptions() = default;
  /// Returns the exceptions that the current fibre is handling.
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
