// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace gmmu::trace {

/// A workload that cannot be used. what() is one to three lines: the file with its line, or its record and offset, or
/// the generator with its key; what is wrong; and the way out.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gmmu::trace
