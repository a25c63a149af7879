// SPDX-License-Identifier: Apache-2.0
#include "platform/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "platform/config_keys.h"

namespace gmmu::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(const std::string& text) {
  try {
    MachineConfig::FromToml(text, "m.toml");
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    EXPECT_LE(std::count(what.begin(), what.end(), '\n'), 2) << what;
    return what;
  }
  return "no error";
}

TEST(MachineConfig, OfAnEmptyFileIsTheDefaultMachine) {
  const MachineConfig config = MachineConfig::FromToml("", "m.toml");
  EXPECT_EQ(config.gpu.count, 1u);
  EXPECT_EQ(config.gpu.clock_mhz, 1000u);
  EXPECT_EQ(config.gpu.vram_bytes(), 64u << 20);
  EXPECT_EQ(config.gpu.highest_visible_address(), 0x1FFFFFFFFu);
  EXPECT_EQ(config.host.memory_bytes(), uint64_t{16} << 30);
  EXPECT_EQ(config.gpu.page_table_bits, (std::vector<uint64_t>{9, 9, 9, 9}));
  EXPECT_EQ(config.os.iommu, "remap");
  EXPECT_TRUE(config.sim.checker);
  EXPECT_NO_THROW(config.CheckBuilt());
  EXPECT_TRUE(config.BuildOptions().empty());
}

TEST(MachineConfig, NamesTheNearestKeyAndTheLineOfAnUnknownOne) {
  EXPECT_THAT(ErrorOf("[gpu]\n\nclok_mhz = 5\n"),
              AllOf(StartsWith("m.toml:3: "), HasSubstr("unknown key gpu.clok_mhz"),
                    HasSubstr("nearest is gpu.clock_mhz")));
  EXPECT_THAT(ErrorOf("[pcie]\nlane = 4\n"), HasSubstr("nearest is pcie.lanes"));
  EXPECT_THAT(ErrorOf("[gpu]\nlanes = 4\n"), HasSubstr("unknown key gpu.lanes"));
  EXPECT_THAT(ErrorOf("[pci]\nlanes = 4\n"),
              AllOf(StartsWith("m.toml:1: "), HasSubstr("nearest is [pcie]")));
}

TEST(MachineConfig, IsOneTableOfALargerFileWhoseLinesErrorsGive) {
  const std::string file = "title = \"a\"\n\n[machine.gpu]\ncount = 2\n[machine.host]\n";
  EXPECT_EQ(MachineConfig::FromToml(file, "s.toml", "machine").gpu.count, 2u);
  EXPECT_EQ(MachineConfig::FromToml("title = \"a\"", "s.toml", "machine").gpu.count, 1u);
  const auto error = [&](const std::string& line) {
    try {
      MachineConfig::FromToml(file + line, "s.toml", "machine");
    } catch (const ConfigError& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_THAT(error("memory_gb = 4"), AllOf(StartsWith("s.toml:6: "), HasSubstr("unknown key host.memory_gb")));
  EXPECT_THAT(error("[machine.pci]\nlanes = 4"), AllOf(StartsWith("s.toml:6: "), HasSubstr("nearest is [pcie]")));
}

TEST(MachineConfig, RefusesValuesOutOfRangeWithWhatIsAllowed) {
  EXPECT_THAT(ErrorOf("[gpu]\nlimit_bits = 64"), AllOf(StartsWith("m.toml:2: gpu.limit_bits = 64"),
                                                       HasSubstr("from 32 to 48 (bits)")));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_mib = -1"), HasSubstr("gpu.vram_mib = -1"));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_mib = \"big\""), HasSubstr("a whole number from 1 to 65536"));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_mib = 1.5"), HasSubstr("gpu.vram_mib"));
  EXPECT_THAT(ErrorOf("[gpu]\ncount = 5"), HasSubstr("a whole number from 1 to 4"));
  EXPECT_THAT(ErrorOf("[gpu]\ncount = 0"), HasSubstr("gpu.count = 0"));
  EXPECT_THAT(ErrorOf("[link]\nbytes_per_ns = 0"), HasSubstr("link.bytes_per_ns"));
  EXPECT_THAT(ErrorOf("[sim]\nchecker = 1"), HasSubstr("true or false"));
  EXPECT_THAT(ErrorOf("[os]\niommu = \"off\""), HasSubstr("\"remap\" or \"needed\" or \"identity\" or \"physical\""));
  EXPECT_THAT(ErrorOf("[gpu]\npage_table_bits = [9]"), HasSubstr("2 to 6"));
  EXPECT_THAT(ErrorOf("[gpu]\npage_table_bits = [9, 14]"), HasSubstr("each 1 to 13"));
  EXPECT_THAT(ErrorOf("gpu = 3"), HasSubstr("gpu is a section"));
}

TEST(MachineConfig, RefusesKeysThatContradict) {
  EXPECT_THAT(ErrorOf("[gpu]\npage_table_bits = [13, 13, 13]"), HasSubstr("51 address bits"));
  EXPECT_THAT(ErrorOf("[pcie]\nlanes = 3"), HasSubstr("power of two"));
  EXPECT_THAT(ErrorOf("[iommu]\npresent = false"), HasSubstr("iommu.present"));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_beats = 2"), HasSubstr("vram_beat_cycles"));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_mib = 1\naperture_mib = 1024"), HasSubstr("does not fit"));
}

TEST(MachineConfig, RefusesWhatIsNotToml) {
  EXPECT_THAT(ErrorOf("[gpu\nclock_mhz = 5"),
              AllOf(StartsWith("m.toml:1: "), HasSubstr("not TOML")));
}

TEST(MachineConfig, TakesOneUnitAndRefusesASecond) {
  EXPECT_EQ(MachineConfig::FromToml("[[gpu.unit]]\nclock_mhz = 7", "m").gpu.clock_mhz, 7u);
  EXPECT_THAT(ErrorOf("[[gpu.unit]]\n[[gpu.unit]]\n"),
              AllOf(StartsWith("m.toml:2: "), HasSubstr("[gpu] count = 2")));
}

TEST(MachineConfig, ReadsNestedFaults) {
  const auto inlined =
      MachineConfig::FromToml("[inject]\nvram_flip = {after_write_bytes = 4096}", "m");
  EXPECT_EQ(inlined.inject.vram_flip.after_write_bytes, 4096u);
  const auto section = MachineConfig::FromToml("[inject.vram_flip]\nafter_write_bytes = 1", "m");
  EXPECT_EQ(section.inject.vram_flip.after_write_bytes, 1u);
}

TEST(MachineConfig, PrintsAFileThatLoadsAsItself) {
  MachineConfig config = MachineConfig::Default();
  config.gpu.clock_mhz = 250;
  config.inject.leak = "adl \"x\"";
  config.gpu.page_table_bits = {9, 12};
  config.sim.checker = false;
  const std::string text = config.ToToml();
  EXPECT_EQ(MachineConfig::FromToml(text, "printed").ToToml(), text);
  EXPECT_THAT(text, HasSubstr("clock_mhz = 250"));
  for (const Key& key : ConfigKeys()) EXPECT_THAT(text, HasSubstr(key.description));
}

TEST(MachineConfig, OfOtherBuildSizesNamesTheCommandThatBuildsThem) {
  MachineConfig config = MachineConfig::Default();
  config.gpu.walks += 1;
  try {
    config.CheckBuilt("my.toml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("gpu.walks = "), HasSubstr("./gmmu build --config my.toml")));
  }
  EXPECT_EQ(config.BuildOptions(),
            std::vector<std::string>{"GMMU_WALKS=" + std::to_string(config.gpu.walks)});
}

TEST(MachineConfig, OfAMissingFileOrAFolderIsAnError) {
  EXPECT_THROW(MachineConfig::FromFile("/nonexistent/x.toml"), ConfigError);
  EXPECT_THROW(MachineConfig::FromFile("/"), ConfigError);
}

TEST(MachineConfig, OfAnEmptyFileOnDiskIsTheDefault) {
  const std::string path = ::testing::TempDir() + "gmmu_empty.toml";
  std::ofstream(path).close();
  EXPECT_NO_THROW(MachineConfig::FromFile(path));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace gmmu::sim
