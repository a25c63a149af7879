// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gmmu::report {

/// Thrown for a text that JsonReport did not write.
class CompareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the differences, one text each, between two reports (JsonReport) of the same work with the same seed on two
/// engines. The list is empty if they agree in everything that does not depend on time. Throws CompareError.
///
/// Result, bytes, machine, checks, faults, leaks and findings are compared, and for runs that passed without a fault
/// also phases and the counters of requested work, except those that the report lists under `by_time`.
/// Not compared are times, cycles and rates; the text of the device's own faults and how often each is reported (once
/// for each access in flight); names of resources that the hardware holds; and texts of findings.
std::vector<std::string> Differences(std::string_view first, std::string_view second);

}  // namespace gmmu::report
