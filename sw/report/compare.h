// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gmmu::report {

/// A text that JsonReport did not write.
class CompareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What differs between two reports (JsonReport) of the same work with the same seed on two engines, one
/// text each. Empty: they agree in everything that does not depend on time.
///
/// Compared: result, bytes, machine, checks, faults, leaks and findings; of runs that passed without a fault
/// also phases and the counters of work that software asked for, but those that the report lists under
/// `by_time`. Not compared: times, cycles, rates; the text of the device's own faults and how often each
/// is reported (as often as accesses were in flight); names of what the hardware holds; texts of findings.
/// Throws CompareError.
std::vector<std::string> Differences(std::string_view first, std::string_view second);

}  // namespace gmmu::report
