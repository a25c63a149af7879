// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cxxabi.h>

#include <cstring>

namespace gmmu::os {

/// The exceptions that are being handled. The C++ runtime keeps them per operating system thread (Itanium C++ ABI:
/// Exception Handling, 2.2.2). When a fibre is switched out inside a handler, it must therefore save its own
/// exceptions; otherwise it would later leave, or rethrow, an exception of another fibre.
class CaughtExceptions {
 public:
  /// Contains no exceptions.
  CaughtExceptions() = default;
  /// Returns the exceptions that are being handled now.
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
