// SPDX-License-Identifier: Apache-2.0
#include "host/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hw/gmmu_regs.h"
#include "settings/keys.h"

namespace gmmu::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ErrorOf(const std::string& text) {
  MachineConfig config;
  try {
    settings::Load(config.Keys(), text, "m.toml");
    config.Check("m.toml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MachineConfig, IsTheDefaultMachineUnlessToldOtherwise) {
  const MachineConfig config = MachineConfig::Default();
  EXPECT_EQ(config.gpu.count, 1u);
  EXPECT_EQ(config.gpu.clock_mhz, 1000u);
  EXPECT_EQ(config.gpu.vram_bytes(), 64u << 20);
  EXPECT_EQ(config.gpu.highest_visible_address(), 0x1FFFFFFFFu);
  EXPECT_EQ(config.host.memory_bytes(), uint64_t{16} << 30);
  EXPECT_EQ(config.gpu.page_table_bits, (std::vector<uint64_t>{9, 9, 9, 9}));
  EXPECT_TRUE(config.sim.checker);
  EXPECT_NO_THROW(config.Check("m.toml"));
  EXPECT_NO_THROW(config.CheckBuilt());
  EXPECT_TRUE(config.BuildOptions().empty());
}

TEST(MachineConfig, ShowsAllOfVramInBar2UpTo256MiBOfAllGpusTogether) {
  const auto shown = [](uint64_t vram_mib, uint64_t gpus) {
    MachineConfig config;
    config.gpu.vram_mib = vram_mib;
    config.gpu.count = gpus;
    return config.gpu.window_bytes(static_cast<unsigned>(gpus - 1)) >> 20;
  };
  EXPECT_EQ(shown(1, 1), 64u);
  EXPECT_EQ(shown(64, 1), 64u);
  EXPECT_EQ(shown(65, 1), 128u);
  EXPECT_EQ(shown(200, 1), 256u);
  EXPECT_EQ(shown(65'536, 1), 256u);
  EXPECT_EQ(shown(65'536, 2), 128u);
  EXPECT_EQ(shown(65'536, 3), 64u);
  EXPECT_EQ(shown(65'536, 4), 64u);
}

TEST(MachineConfig, RefusesKeysThatContradict) {
  EXPECT_THAT(ErrorOf("[gpu]\npage_table_bits = [13, 13, 13]"), HasSubstr("51 address bits"));
  EXPECT_EQ(ErrorOf("[gpu]\nva_bits = 57\npage_table_bits = [13, 13, 13]"), "no error");
  EXPECT_THAT(ErrorOf("[pcie]\nlanes = 3"), HasSubstr("power of two"));
  EXPECT_THAT(ErrorOf("[gpu]\ndata_bits = 65"), HasSubstr("gpu.data_bits"));
  EXPECT_THAT(ErrorOf("[gpu]\nreads_in_flight = 3"), HasSubstr("gpu.reads_in_flight"));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_beats = 2"), HasSubstr("vram_beat_cycles"));
  EXPECT_THAT(ErrorOf("[gpu]\nvram_mib = 1\naperture_mib = 1024"), HasSubstr("does not fit"));
  EXPECT_THAT(ErrorOf("[host]\ngpu_reserved_kib = 6"), HasSubstr("multiple of 4"));
  EXPECT_THAT(ErrorOf("[host]\ndram_row_bytes = 100"), HasSubstr("multiple of host.dram_burst_bytes = 64"));
  EXPECT_THAT(ErrorOf("[host]\ndram_trfc_ps = 7800000"), HasSubstr("below host.dram_trefi_ps"));
}

TEST(MachineConfig, KnowsItsOwnSectionsOnly) {
  EXPECT_THAT(ErrorOf("[os]\niommu = \"remap\""), HasSubstr("unknown section [os]"));
  EXPECT_THAT(ErrorOf("[inject]\nwrong_pte = true"), HasSubstr("unknown key inject.wrong_pte"));
}

TEST(MachineConfig, OfOtherBuildSizesNamesTheCommandThatBuildsThem) {
  MachineConfig config = MachineConfig::Default();
  config.gpu.walks += 1;
  try {
    config.CheckBuilt("my.toml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("gpu.walks = "), HasSubstr("./gmmu build --config my.toml")));
  }
  EXPECT_EQ(config.BuildOptions(), std::vector<std::string>{"GMMU_WALKS=" + std::to_string(config.gpu.walks)});
}

TEST(MachineConfig, OfFewerTlbEntriesAndWalksNeedsNoBuildAndTellsTheRegisterForThem) {
  const MachineConfig built = MachineConfig::Default();
  EXPECT_EQ(built.TurnedDown().raw, 0u);
  EXPECT_NO_THROW(built.CheckNotTurnedDown("who"));
  MachineConfig config = built;
  config.gpu.l1_entries = 5;
  config.gpu.l2_entries = built.gpu.l2_entries / 4;
  config.gpu.l2_ways = built.gpu.l2_ways / 2;
  config.gpu.walk_cache = 2;
  config.gpu.walks = 1;
  EXPECT_NO_THROW(config.CheckBuilt());
  EXPECT_TRUE(config.BuildOptions().empty());
  EXPECT_EQ(config.TurnedDown().l1_entries(), 5u);
  EXPECT_EQ(config.TurnedDown().l2_entries(), config.gpu.l2_entries);
  EXPECT_EQ(config.TurnedDown().l2_ways(), config.gpu.l2_ways);
  EXPECT_EQ(config.TurnedDown().walk_cache(), 2u);
  EXPECT_EQ(config.TurnedDown().walks(), 1u);
  try {
    config.CheckNotTurnedDown("a platform of mine");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a platform of mine does not write"), HasSubstr("sizes_in_use")));
  }
}

TEST(MachineConfig, RefusesAnL2TlbThatIsNoWholeNumberOfSets) {
  EXPECT_THAT(ErrorOf("[gpu]\nl2_entries = 500"), HasSubstr("m.toml: gpu.l2_entries"));
  EXPECT_THAT(ErrorOf("[gpu]\nl2_ways = 3"), HasSubstr("512 with gpu.l2_ways = 3 is not"));
  EXPECT_THAT(ErrorOf("[gpu]\nl2_entries = 32"), HasSubstr("the 16 entries of a block"));
  EXPECT_EQ(ErrorOf("[gpu]\nl2_entries = 32\nl2_ways = 2"), "no error");
  EXPECT_EQ(ErrorOf("[gpu]\nl2_entries = 96\nl2_ways = 3"), "no error");
  EXPECT_EQ(ErrorOf("[gpu]\nl2_entries = 32\n[policy]\nl2_block_pages = 8"), "no error");
}

TEST(MachineConfig, OfSizesThatNoRtlHasNamesNoBuild) {
  const MachineConfig built = MachineConfig::Default();
  MachineConfig ways = built, three = built, cache = built;
  ways.gpu.l2_entries = 1152, ways.gpu.l2_ways = 9;
  three.gpu.l2_entries = 96, three.gpu.l2_ways = 3;
  cache.gpu.walk_cache = 24;
  for (const MachineConfig* config : {&ways, &three, &cache}) {
    EXPECT_NO_THROW(config->Check("m.toml")) << "the fast engine takes it";
    EXPECT_THROW(config->BuildOptions(), ConfigError);
    try {
      config->CheckBuilt("m.toml");
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("no RTL has gpu.l2_entries = "), HasSubstr("--engine fast"),
                                      Not(HasSubstr("./gmmu build"))));
    }
  }
}

TEST(MachineConfig, OfMoreL2SetsThanWereBuiltNeedsABuild) {
  const MachineConfig built = MachineConfig::Default();
  MachineConfig config = built;
  config.gpu.l2_ways /= 2;  // the built number of entries, but in twice as many sets
  EXPECT_EQ(config.BuildOptions(), std::vector<std::string>{"GMMU_L2_WAYS=" + std::to_string(config.gpu.l2_ways)});
  try {
    config.CheckBuilt("");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("./gmmu build --set gpu.l2_ways=" + std::to_string(config.gpu.l2_ways) + "\n"));
  }
  config = built;
  config.gpu.walk_cache = 2;
  config.gpu.walks = built.gpu.walks + 1;  // the message lists only the sizes that exceed the built ones
  EXPECT_EQ(config.BuildOptions(), std::vector<std::string>{"GMMU_WALKS=" + std::to_string(config.gpu.walks)});
}

TEST(MachineConfig, WithAPolicyIsRefusedByOtherEnginesByTheNamesOfItsKeys) {
  MachineConfig config = MachineConfig::Default();
  EXPECT_NO_THROW(config.CheckNoPolicy("rtl"));
  config.policy.ideal = true;
  config.policy.walks = 9;
  try {
    config.CheckNoPolicy("rtl");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--engine rtl"), HasSubstr("policy.ideal, policy.walks")));
  }
  EXPECT_THAT(ErrorOf("[policy]\nl2_block_pages = 3"), HasSubstr("power of two"));
  EXPECT_THAT(ErrorOf("[policy]\narguments = \"8\""), HasSubstr("policy.file"));
}

}  // namespace
}  // namespace gmmu::sim
