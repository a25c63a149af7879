// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/statuses.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ddi/ntstatus.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

struct Legal {
  NTSTATUS status;
  const char* name;
};

const std::map<std::string, std::vector<Legal>>& Rules() {
  static const std::map<std::string, std::vector<Legal>> kRules = {
#define S(name) {STATUS_##name, "STATUS_" #name},
#define STATUSES(entry, list) {#entry, {list}},
#include "os/miniport/statuses.def"
#undef S
  };
  return kRules;
}

}  // namespace

std::string IllegalStatus(const std::string& entry, NTSTATUS status) {
  const auto rule = Rules().find(entry);
  if (rule == Rules().end()) return "";
  const auto& legal = rule->second;
  if (std::any_of(legal.begin(), legal.end(), [&](const Legal& one) { return one.status == status; })) return "";
  std::string names;
  for (const Legal& one : legal) names += (names.empty() ? "" : ", ") + std::string(one.name);
  return entry + " returned status " + Hex(static_cast<uint32_t>(status)) + "; its reference page lists only " + names;
}

}  // namespace gmmu::os
