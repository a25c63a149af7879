// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <fmt/format.h>

#include "app/cli.h"
#include "workload/input.h"

namespace gmmu::app {
namespace {

std::string TextOf(const std::string& path) {
  const std::vector<uint8_t> bytes = workload::LoadInput(path);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int Compare(const std::string& first, const std::string& second, std::FILE* out) {
  std::vector<std::string> differences;
  try {
    differences = report::Differences(TextOf(first), TextOf(second));
  } catch (const report::CompareError& error) {
    throw workload::InputError(first + ", " + second + ": " + error.what());
  }
  for (const std::string& difference : differences) fmt::print(out, "differs: {}\n", difference);
  fmt::print(out, "{} differences\n", differences.size());
  return differences.empty() ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app
