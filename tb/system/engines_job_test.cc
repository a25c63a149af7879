// SPDX-License-Identifier: Apache-2.0
// Runs one job on both engines. Bytes, checks, faults, leaks and time-independent counters must be equal.
#include <string>
#include <vector>

#include "os/kernel/kernel.h"
#include "report/compare.h"
#include "tb/system/program.h"

namespace gmmu {
namespace {

using Json = nlohmann::json;

class EnginesJob : public Program {
 protected:
  struct Outcome {
    int status = 0;
    Json report;
    std::string copy;
  };

  Outcome RunOn(const std::string& engine, const std::string& input, const std::string& more) {
    Outcome outcome;
    std::filesystem::remove(Path("copy"));
    outcome.status = Run("run " + input + " --engine " + engine + " --out " + Path("copy") + " --json " +
                         Path("report.json") + " " + more);
    outcome.report = Report();
    outcome.copy = Get("copy");
    return outcome;
  }
  /// Runs both engines and compares their results. Both runs must end with exit status `status`. Returns the RTL's
  /// outcome.
  Outcome ExpectSame(uint64_t bytes, const std::string& config = "", const std::string& more = "", int status = 0) {
    std::string arguments = more;
    if (!config.empty()) {
      Put("config.toml", config);
      arguments += " --config " + Path("config.toml");
    }
    const std::string input = WriteInput(bytes);
    const Outcome rtl = RunOn("rtl", input, arguments);
    const Outcome fast = RunOn("fast", input, arguments);
    EXPECT_EQ(rtl.status, status);
    EXPECT_EQ(fast.status, status) << Get("log");
    EXPECT_EQ(rtl.copy, fast.copy);
    EXPECT_EQ(rtl.report["machine"]["timing"], "exact");
    EXPECT_EQ(fast.report["machine"]["timing"], "estimated");
    EXPECT_THAT(report::Differences(rtl.report.dump(), fast.report.dump()), ::testing::IsEmpty());
    if (rtl.status == 0) EXPECT_EQ(rtl.copy, Get("input"));
    return rtl;
  }
  Outcome ExpectSameFailure(uint64_t bytes, const std::string& config) { return ExpectSame(bytes, config, "", 1); }
};

TEST_F(EnginesJob, NoByte) { ExpectSame(0); }
TEST_F(EnginesJob, OneByte) { ExpectSame(1); }
TEST_F(EnginesJob, VramThatBar2DoesNotShow) { ExpectSame(50'000, "[gpu]\nvram_mib = 320\n"); }
TEST_F(EnginesJob, OddPages) { ExpectSame(100'003, "", "--seed 7"); }
TEST_F(EnginesJob, PhysicalPages) { ExpectSame(70'000, "[gpu]\nlimit_bits = 48\n[os]\niommu = \"physical\"\n"); }
TEST_F(EnginesJob, NoIommu) {
  ExpectSame(30'000, "[gpu]\nlimit_bits = 48\n[os]\niommu = \"physical\"\n[iommu]\npresent = false\n");
}
TEST_F(EnginesJob, FewerTlbEntriesAndWalksThanWereBuilt) {
  const std::string few = "[gpu]\nl1_entries = 4\nl2_entries = 128\nl2_ways = 2\nwalk_cache = 4\nwalks = 2\n";
  const Outcome turned = ExpectSame(300'000, few);
  const Outcome all = ExpectSame(300'000);
  const auto count = [](const Outcome& outcome, const char* block, const char* name) {
    return outcome.report["counters"][block][name].get<uint64_t>();
  };
  EXPECT_GT(count(turned, "gpu_l2", "l2_evictions"), 0u);
  EXPECT_GT(count(turned, "gpu_walker", "walks"), count(all, "gpu_walker", "walks"));
  EXPECT_GT(turned.report["cycles"].get<uint64_t>(), all.report["cycles"].get<uint64_t>());
}
TEST_F(EnginesJob, SmallVram) { ExpectSame(700'000, "[gpu]\nvram_mib = 1\naperture_mib = 1\n"); }
TEST_F(EnginesJob, TwoLevels) { ExpectSame(70'000, "[gpu]\npage_table_bits = [10, 12]\n"); }
TEST_F(EnginesJob, SixLevels) { ExpectSame(70'000, "[gpu]\npage_table_bits = [5, 6, 7, 6, 6, 6]\n"); }

TEST_F(EnginesJob, UnmappedPage) { ExpectSameFailure(65'536, "[inject]\nunmapped_page = true\n"); }
TEST_F(EnginesJob, WrongEntry) { ExpectSameFailure(65'536, "[inject]\nwrong_pte = true\n"); }
TEST_F(EnginesJob, WrongAdl) {
  ExpectSameFailure(65'536, "[gpu]\nlimit_bits = 48\n[os]\niommu = \"physical\"\n[inject]\nwrong_adl = true\n");
}
TEST_F(EnginesJob, LostFence) { ExpectSameFailure(65'536, "[inject]\ndrop_fence = true\n"); }
TEST_F(EnginesJob, MissingFlush) { ExpectSameFailure(65'536, "[inject]\nmissing_flush = true\n"); }
TEST_F(EnginesJob, LateInterrupts) { ExpectSame(10'000, "[inject]\nlate_interrupt_ns = 5000\n"); }
TEST_F(EnginesJob, FlippedBit) { ExpectSameFailure(400'000, "[inject.vram_flip]\nafter_write_bytes = 400000\n"); }

/// Each test leaks one kind of object; leaked objects are counted at power-off.
class EnginesLeak : public EnginesJob, public ::testing::WithParamInterface<std::string> {};

TEST_P(EnginesLeak, IsNamed) {
  const Outcome rtl = ExpectSameFailure(5'000, "[inject]\nleak = \"" + GetParam() + "\"\n");
  EXPECT_THAT(Get("log"), ::testing::HasSubstr("leaked "));
  std::vector<std::string> kinds;
  for (const auto& leak : rtl.report["leaks"]) kinds.push_back(leak["kind"]);
  EXPECT_THAT(kinds, ::testing::Contains(GetParam()));
}

std::vector<std::string> LeakKinds() {
  std::vector<std::string> kinds = os::Inject::LeakKinds();
  kinds.push_back("pcie_tag");
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(Kinds, EnginesLeak, ::testing::ValuesIn(LeakKinds()),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace gmmu
