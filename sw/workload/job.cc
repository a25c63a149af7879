// SPDX-License-Identifier: Apache-2.0
#include "workload/job.h"

#include <algorithm>

namespace gmmu::workload {

bool JobResult::Passed() const {
  if (!leaks.empty() || !findings.empty() || !not_applicable.empty()) return false;
  if (!expected) return verified && faults.empty();
  return !faults.empty() &&
         std::all_of(faults.begin(), faults.end(), [&](const os::Fault& fault) { return Expected(fault); });
}

bool JobResult::Expected(const os::Fault& fault) const {
  return expected && fault.name == expected->fault && fault.stop_code == expected->stop_code &&
         fault.text.find(expected->text) != std::string::npos;
}

bool JobResult::NotApplicable() const {
  return !not_applicable.empty() && faults.empty() && leaks.empty() && findings.empty();
}

}  // namespace gmmu::workload
