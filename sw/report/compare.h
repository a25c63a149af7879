// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gmmu::report {

/// Thrown for a text that is not a report written by JsonReport.
class CompareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the differences, one string each, between two reports (JsonReport) of the same work with
/// the same seed on two engines. The list is empty if the reports agree in everything that does not
/// depend on time. Throws CompareError.
///
/// Result, bytes, machine, checks, faults, leaks and findings are compared. For runs that passed
/// without a fault, phases and the counters of requested work are also compared, except those that
/// the report lists under `by_time`. The following are not compared: times, cycles and rates; the
/// text of the device's own faults, and how often each is reported (once per access in flight);
/// names of resources that the hardware holds; and texts of findings.
std::vector<std::string> Differences(std::string_view first, std::string_view second);

}  // namespace gmmu::report
