// SPDX-License-Identifier: Apache-2.0
#include "twin/load_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/config.h"

namespace gmmu::sim::twin {
namespace {

using ::testing::HasSubstr;

const std::string kFolder = GMMU_POLICIES;

std::string Refusal(const std::string& file, const std::string& arguments = "") {
  try {
    static_cast<void>(LoadPolicy(file, arguments, 0)());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(LoadPolicy, MakesTheSharedObjectsPolicy) {
  const auto make = LoadPolicy(kFolder + "most_recent.so", "8", 0);
  TlbMiss miss;
  EXPECT_EQ(make()->Fill(miss), 8u);
  EXPECT_NE(make(), make());
}

TEST(LoadPolicy, RefusesWithTheReasonAndTheWayOut) {
  EXPECT_THAT(Refusal(kFolder + "missing.so"), HasSubstr("cannot be read"));
  EXPECT_THAT(Refusal(kFolder + "most_recent.so", "9"), HasSubstr("wants 1 or 8"));
  EXPECT_THAT(Refusal(kFolder + "most_recent_old.so"), HasSubstr("version 2"));
  EXPECT_THAT(Refusal(kFolder + "empty.so"), HasSubstr("GMMU_POLICY"));
  const std::string text = ::testing::TempDir() + "no_policy.so";
  std::ofstream(text) << "text";
  EXPECT_THAT(Refusal(text), HasSubstr("-shared"));
}

}  // namespace
}  // namespace gmmu::sim::twin
