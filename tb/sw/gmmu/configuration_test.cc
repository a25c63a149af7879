// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>

#include "gmmu/gmmu.h"

namespace gmmu {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string ErrorOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LibraryConfiguration, ChangesKeysAndGivesTheirValuesAsToml) {
  Configuration configuration = Configuration::FromToml("[gpu]\nvram_mib = 32\n");
  EXPECT_EQ(configuration.Get("gpu.vram_mib"), "32");
  configuration.Set({"gpu.vram_mib=128", "os.iommu=physical", "sim.checker=false"});
  EXPECT_EQ(configuration.Get("gpu.vram_mib"), "128");
  EXPECT_EQ(configuration.Get("os.iommu"), "'physical'");
  EXPECT_EQ(configuration.Get("sim.checker"), "false");
  EXPECT_THAT(configuration.Keys(), Contains("gpu.vram_mib"));
  EXPECT_EQ(Configuration::FromToml(configuration.ToToml()).ToJson(), configuration.ToJson());
}

TEST(LibraryConfiguration, StaysAsItWasWhenAChangeIsRefused) {
  Configuration configuration;
  const std::string before = configuration.ToToml();
  EXPECT_THAT(ErrorOf([&] { configuration.Set({"gpu.vram_mib=128", "gpu.vram_mb=1"}); }),
              HasSubstr("unknown key gpu.vram_mb; the nearest is gpu.vram_mib"));
  EXPECT_THAT(ErrorOf([&] { configuration.Set({"iommu.present=false"}); }), HasSubstr("os.iommu"));
  EXPECT_EQ(configuration.ToToml(), before);
  configuration.Set({"iommu.present=false", "os.iommu=physical"});  // the two settings are valid together
  EXPECT_EQ(configuration.Get("iommu.present"), "false");
}

TEST(LibraryConfiguration, SaysWhatItCannotRead) {
  EXPECT_THAT(ErrorOf([] { Configuration::FromFile("/no/such.toml"); }), HasSubstr("/no/such.toml"));
  EXPECT_THAT(ErrorOf([] { Configuration::FromToml("[gpu]\nvram_mib = x", "mine.toml"); }), HasSubstr("mine.toml:2"));
  EXPECT_THAT(ErrorOf([] { Configuration::OfScenario("none"); }), HasSubstr("none"));
  EXPECT_THAT(ErrorOf([] { Configuration().Get("gpu.vram_mb"); }), HasSubstr("did you mean gpu.vram_mib?"));
}

}  // namespace
}  // namespace gmmu
