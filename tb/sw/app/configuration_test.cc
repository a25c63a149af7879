// SPDX-License-Identifier: Apache-2.0
#include "app/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kmd/parameters.h"
#include "settings/keys.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(const std::string& text) {
  try {
    Configuration::FromToml(text, "m.toml");
  } catch (const settings::Error& error) {
    const std::string what = error.what();
    EXPECT_LE(std::count(what.begin(), what.end(), '\n'), 2) << what;
    return what;
  }
  return "no error";
}

os::Parameters Os(const std::string& text) { return Configuration::FromToml(text, "m.toml").OsParameters(0); }

TEST(Configuration, OfAnEmptyFileIsTheDefaultOne) {
  const Configuration config = Configuration::FromToml("", "m.toml");
  EXPECT_EQ(config.machine.gpu.count, 1u);
  EXPECT_EQ(config.OsParameters(0).iommu, os::RemapPolicy::kWhenPossible);
  EXPECT_EQ(config.ToToml(), Configuration().ToToml());
}

TEST(Configuration, NamesTheNearestKeyAndTheLineOfAnUnknownOne) {
  EXPECT_THAT(ErrorOf("[gpu]\n\nclok_mhz = 5\n"), AllOf(StartsWith("m.toml:3: "), HasSubstr("unknown key gpu.clok_mhz"),
                                                        HasSubstr("nearest is gpu.clock_mhz")));
  EXPECT_THAT(ErrorOf("[pcie]\nlane = 4\n"), HasSubstr("nearest is pcie.lanes"));
  EXPECT_THAT(ErrorOf("[gpu]\nlanes = 4\n"), HasSubstr("unknown key gpu.lanes"));
  EXPECT_THAT(ErrorOf("[pci]\nlanes = 4\n"), AllOf(StartsWith("m.toml:1: "), HasSubstr("nearest is [pcie]")));
}

TEST(Configuration, IsOneTableOfALargerFileWhoseLinesErrorsGive) {
  const std::string file = "title = \"a\"\n\n[machine.gpu]\ncount = 2\n[machine.host]\n";
  EXPECT_EQ(Configuration::FromToml(file, "s.toml", "machine").machine.gpu.count, 2u);
  EXPECT_EQ(Configuration::FromToml("title = \"a\"", "s.toml", "machine").machine.gpu.count, 1u);
  const auto error = [&](const std::string& line) {
    try {
      Configuration::FromToml(file + line, "s.toml", "machine");
    } catch (const settings::Error& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_THAT(error("memory_gb = 4"), AllOf(StartsWith("s.toml:6: "), HasSubstr("unknown key host.memory_gb")));
  EXPECT_THAT(error("[machine.pci]\nlanes = 4"), AllOf(StartsWith("s.toml:6: "), HasSubstr("nearest is [pcie]")));
}

TEST(Configuration, RefusesValuesOutOfRangeWithWhatIsAllowed) {
  EXPECT_THAT(ErrorOf("[gpu]\nlimit_bits = 64"),
              AllOf(StartsWith("m.toml:2: gpu.limit_bits = 64"), HasSubstr("from 32 to 48 (bits)")));
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
  EXPECT_THAT(ErrorOf("[inject]\nleak = \"money\""), AllOf(StartsWith("m.toml:2: "), HasSubstr("\"memory_object\"")));
}

TEST(Configuration, RefusesKeysThatContradict) {
  EXPECT_THAT(ErrorOf("[gpu]\npage_table_bits = [13, 13, 13]"), HasSubstr("51 address bits"));
  EXPECT_THAT(ErrorOf("[iommu]\npresent = false"), HasSubstr("iommu.present"));
  EXPECT_THAT(ErrorOf("[iommu]\npresent = false\n[os]\niommu = \"identity\""), HasSubstr("\"identity\" needs"));
  EXPECT_EQ(ErrorOf("[iommu]\npresent = false\n[os]\niommu = \"needed\""), "no error");
  EXPECT_THAT(ErrorOf("[os]\ncopies_entries = true"), HasSubstr("driver.contiguous_pages = false"));
  EXPECT_THAT(ErrorOf("[os]\nfill_kib = 6"), HasSubstr("multiple of 4"));
  EXPECT_THAT(ErrorOf("[os]\nwindow_pages = 24"), HasSubstr("multiple of 16"));
  EXPECT_THAT(ErrorOf("[os]\nmemory_block_kib = 12"), HasSubstr("12 is not a power of two"));
  EXPECT_THAT(ErrorOf("[gpu]\npage_table_bits = [9, 2]"), HasSubstr("os.window_pages = 256"));
  EXPECT_EQ(ErrorOf("[gpu]\npage_table_bits = [9, 2]\n[os]\nwindow_pages = 128"), "no error");
  EXPECT_THAT(ErrorOf("[driver]\nvisible_vram_kib = 60000"), HasSubstr("multiple of 64"));
  EXPECT_THAT(ErrorOf("[driver]\nvisible_vram_kib = 65600"), HasSubstr("at most 65536 KiB of VRAM of GPU 0"));
  EXPECT_EQ(ErrorOf("[driver]\nvisible_vram_kib = 131072\n[gpu]\nvram_mib = 512"), "no error");
  EXPECT_THAT(ErrorOf("[driver]\nvisible_vram_kib = 131072\n[gpu]\nvram_mib = 512\ncount = 3"),
              HasSubstr("at most 65536 KiB of VRAM of GPU 0"));
  EXPECT_THAT(ErrorOf("[driver]\nsave_area_kib = 65536"), HasSubstr("driver.save_area_kib"));
  EXPECT_THAT(ErrorOf("[driver]\ndual_pte = true"), HasSubstr("driver.dual_pte: needs driver.leaf_64k"));
  EXPECT_THAT(ErrorOf("[driver]\nisolation = false\nisolation_required = true"), HasSubstr("must be supported"));
  EXPECT_THAT(ErrorOf("[driver]\npage_table_bytes = [4096, 100]"), HasSubstr("100 is not a multiple of 4096"));
  EXPECT_THAT(ErrorOf("[driver]\npage_table_alignment = 64"), HasSubstr("must be 0 or at least 4096"));
  EXPECT_THAT(ErrorOf("[driver]\nleaf_64k = true\n[gpu]\npage_table_bits = [3, 9]"), HasSubstr("at least 4 bits"));
  EXPECT_THAT(ErrorOf("[driver]\npage_tables = \"system\"\n[gpu]\npage_table_bits = [10, 9]"),
              HasSubstr("at most 9 bits a level"));
}

TEST(Configuration, RefusesWhatIsNotToml) {
  EXPECT_THAT(ErrorOf("[gpu\nclock_mhz = 5"), AllOf(StartsWith("m.toml:1: "), HasSubstr("not TOML")));
}

TEST(Configuration, TakesOneUnitAndRefusesASecond) {
  EXPECT_EQ(Configuration::FromToml("[[gpu.unit]]\nclock_mhz = 7", "m").machine.gpu.clock_mhz, 7u);
  EXPECT_THAT(ErrorOf("[[gpu.unit]]\n[[gpu.unit]]\n"), AllOf(StartsWith("m.toml:2: "), HasSubstr("[gpu] count = 2")));
}

TEST(Configuration, ReadsNestedFaults) {
  const auto inlined = Configuration::FromToml("[inject]\nvram_flip = {after_write_bytes = 4096}", "m");
  EXPECT_EQ(inlined.machine.inject.vram_flip.after_write_bytes, 4096u);
  const auto section = Configuration::FromToml("[inject.vram_flip]\nafter_write_bytes = 1", "m");
  EXPECT_EQ(section.machine.inject.vram_flip.after_write_bytes, 1u);
}

TEST(Configuration, GivesEachLeakToItsOwner) {
  const auto tag = Configuration::FromToml("[inject]\nleak = \"pcie_tag\"", "m");
  EXPECT_TRUE(tag.machine.inject.lose_tag);
  EXPECT_EQ(tag.OsParameters(0).inject.leak, "");
  EXPECT_THAT(tag.ToToml(), HasSubstr("leak = 'pcie_tag'"));
  const auto fence = Configuration::FromToml("[inject]\nleak = \"fence\"", "m");
  EXPECT_FALSE(fence.machine.inject.lose_tag);
  EXPECT_EQ(fence.OsParameters(0).inject.leak, "fence");
}

TEST(Configuration, PrintsAFileThatLoadsAsItself) {
  for (const char* preset : {"documents", "windows-22621", "windows-26100"}) {
    const std::string text = Configuration::FromToml(
                                 "[gpu]\nclock_mhz = 250\npage_table_bits = [9, 12]\n[sim]\n"
                                 "checker = false\n[os]\nquantum_us = 7\npreset = \"" +
                                     std::string(preset) + "\"",
                                 "m.toml")
                                 .ToToml();
    EXPECT_EQ(Configuration::FromToml(text, "printed").ToToml(), text);
    EXPECT_THAT(text, AllOf(HasSubstr("clock_mhz = 250"), HasSubstr("quantum_us = 7"), HasSubstr(preset)));
    Configuration defaults;
    const settings::Keys keys = defaults.Keys();
    for (const settings::Key* key : keys.all()) EXPECT_THAT(text, HasSubstr(key->text));
  }
}

TEST(Configuration, OfAMissingFileOrAFolderIsAnError) {
  EXPECT_THROW(Configuration::FromFile("/nonexistent/x.toml"), settings::Error);
  EXPECT_THROW(Configuration::FromFile("/"), settings::Error);
}

TEST(Configuration, OfAnEmptyFileOnDiskIsTheDefault) {
  const std::string path = ::testing::TempDir() + "gmmu_empty_configuration.toml";
  std::ofstream(path).close();
  EXPECT_EQ(Configuration::FromFile(path).ToToml(), Configuration().ToToml());
  std::remove(path.c_str());
}

TEST(Configuration, OfEveryShippedFileLoads) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GMMU_SOURCE_DIR "/sim/host/configs")) {
    if (entry.is_directory()) continue;
    EXPECT_NO_THROW(Configuration::FromFile(entry.path().string())) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 15u);
}

TEST(Configuration, TakesTheOtherKeysOfOsFromThePresetAndStatedKeysBeforeIt) {
  const os::Parameters none = Os(""), documents = Os("[os]\npreset = \"documents\"");
  EXPECT_EQ(none.bring_up, os::BringUp::kLinked);
  EXPECT_EQ(documents.bring_up, os::BringUp::kLinked);
  EXPECT_EQ(documents.fill_bytes(), 1u << 20);

  const os::Parameters first = Os("[os]\nfill_kib = 64\npreset = \"windows-22621\"");
  EXPECT_EQ(first.bring_up, os::BringUp::kWindows22621);
  EXPECT_TRUE(first.deferred_destroy && first.root_before_submission && first.paging_address_is_offset);
  EXPECT_EQ(first.fill_bytes(), 64u << 10) << "stated";
  EXPECT_FALSE(first.submit_during_preemption);

  const os::Parameters second = Os("[os]\npreset = \"windows-26100\"\nwindow_pages = 512");
  EXPECT_EQ(second.bring_up, os::BringUp::kWindows26100);
  EXPECT_TRUE(second.immediate_updates_have_a_buffer && second.system_process_has_pasid);
  EXPECT_TRUE(second.submit_during_preemption);
  EXPECT_EQ(second.window_updates, os::WindowUpdates::kGpuPhysical);
  EXPECT_EQ(second.window_pages, 512u) << "stated";
}

TEST(Configuration, HandsTheDriverItsValuesInBytesAndSegments) {
  const auto values = Configuration::FromToml(
                          "[driver]\ncontext_kib = 8\nown_va_kib = 4\nvram_base_mib = 3\n"
                          "page_tables = \"system\"\nupdate_mode = \"gpu_virtual\"\n"
                          "page_table_bytes = [4096, 0, 4096]\nisolation = false",
                          "m.toml")
                          .OsParameters(0)
                          .driver;
  EXPECT_EQ(values.at("ContextBytes"), 8192u);
  EXPECT_EQ(values.at("DriverVaBytes"), 4096u);
  EXPECT_EQ(values.at("VramBase"), 3u << 20);
  EXPECT_EQ(values.at("PageTableSegment"), 0u);
  EXPECT_EQ(values.at("PageTableUpdateMode"), 1u);
  EXPECT_EQ(values.at("PageTableBytes2"), 4096u);
  EXPECT_EQ(values.at("Isolation"), 0u);
}

/// An empty configuration passes the same values to the driver as an empty registry.
TEST(Configuration, HasTheDriversOwnDefaults) {
  const auto values = Configuration().OsParameters(0).driver;
  const kmd::Parameters driver;
#define NUMBER(key, Value, initial, unit, min, max, text) EXPECT_EQ(values.at(#Value), driver.key);
#define BYTES(key, member, Value, lg2, initial, unit, min, max, text) EXPECT_EQ(values.at(#Value), driver.member);
#define SWITCH(key, Value, initial, text) EXPECT_EQ(values.at(#Value), driver.key);
#define CHOICE(key, member, Value, initial, text, ...) EXPECT_EQ(values.at(#Value), driver.member);
#define LEVELS(key, Value, unit, min, max, text) EXPECT_EQ(values.at(#Value "0"), driver.key[0]);
#define NO_KEY(member, Value, initial, text)
#include "kmd/driver.def"
}

TEST(Configuration, HasThePageOfTheSettings) {
  std::ifstream file(GMMU_SOURCE_DIR "/docs/settings.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, Configuration::Page()) << "make it again: build/gmmu config --markdown > docs/settings.md";
}

}  // namespace
}  // namespace gmmu::app
