// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace gmmu::settings {

/// Thrown for settings that cannot be used. what() has one to three lines: the place, the error,
/// and the remedy.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gmmu::settings
