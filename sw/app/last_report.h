// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "app/outputs.h"

namespace gmmu::app {

/// The report of a run that dies by a fault of the processor outside of every call into the driver, which can only say
/// that: it is made before the run, because nothing can be trusted afterwards.
class LastReport {
 public:
  struct Parts {
    std::FILE* out;
    std::string text;
    const OutputFile* json;  ///< null: none is wanted
    std::string json_text;
    std::vector<std::string> unfinished;  ///< files of other outputs, which go
  };
  /// One at a time.
  explicit LastReport(Parts parts);
  ~LastReport();
  LastReport(const LastReport&) = delete;
  LastReport& operator=(const LastReport&) = delete;

  /// Writes the one that there is and ends the program with exit status 1; returns when there is none. For the handler of
  /// a signal (DriverGuard::SetLastResort).
  static void Write();
};

}  // namespace gmmu::app
