// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "app/outputs.h"

namespace gmmu::app {

/// The report of a run that ends with a processor fault outside any call into the driver. It is
/// prepared before the run, because no state can be trusted after such a fault, and it reports only
/// that fault.
class LastReport {
 public:
  struct Parts {
    std::FILE* out;
    std::string text;
    const OutputFile* json;  ///< null: no JSON report was requested
    std::string json_text;
    std::vector<std::string> unfinished;  ///< files of the other outputs, which are removed because they are incomplete
  };
  /// Only one LastReport may exist at a time.
  explicit LastReport(Parts parts);
  ~LastReport();
  LastReport(const LastReport&) = delete;
  LastReport& operator=(const LastReport&) = delete;

  /// Writes the report of the current LastReport and ends the program with exit status 1. Returns
  /// if there is no LastReport. Call it in a signal handler (DriverGuard::SetLastResort).
  static void Write();
};

}  // namespace gmmu::app
