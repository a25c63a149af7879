// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

#include <nlohmann/json.hpp>

#include "app/outputs.h"
#include "cli_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(Cli, PrintsHelpAndVersion) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("run"));
  EXPECT_EQ(Run({"run", "--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("--waves-from"));
  EXPECT_EQ(Run({"--version"}), 0);
  EXPECT_EQ(out_, std::string("gmmu " GMMU_VERSION " ") + kCommit + "\n") << "the project's version in CMake";
  EXPECT_THAT(kCommit, ::testing::MatchesRegex("unknown|[-.a-z0-9]{7,}"));
}

TEST_F(Cli, RunsEachProcedureOnTheDefaultMachineOrSaysWhatItNeeds) {
  size_t passed = 0;
  for (const workload::Procedure& procedure : workload::Procedures()) {
    SCOPED_TRACE(procedure.name);
    const std::string path = Path(procedure.name + ".toml");
    std::ofstream(path) << "title = \"t\"\nparts = [\"p\"]\nevidence = \"documents\"\nprocedure = \"" << procedure.name
                        << "\"\n";
    const int status = Run({"run", "--engine", "fast", "--scenario", path});
    passed += status == kExitGood;
    if (status == kExitNotApplicable) {
      EXPECT_THAT(out_, HasSubstr("gmmu run: not applicable: "));
    } else if (status != kExitGood) {
      EXPECT_THAT(out_, ::testing::AnyOf(HasSubstr("[machine."), HasSubstr("Dxgk"))) << "a key, or the driver's call";
    }
  }
  EXPECT_GE(passed, 8u);
}

TEST_F(Cli, GivesTheLineOfAMachineKeyThatAScenarioHasWrong) {
  const std::string path = Path("own.toml");
  std::ofstream(path) << "title = \"t\"\nparts = [\"p\"]\nevidence = \"documents\"\nprocedure = \"main_job\"\n"
                         "[machine.gpu]\nclok_mhz = 5\n";
  ExpectRefusal({"run", "--engine", "fast", "--scenario", path}, path + ":6: unknown key gpu.clok_mhz");
}

TEST_F(Cli, RefusesWhatItDoesNotKnow) {
  ExpectRefusal({}, "gmmu run");
  ExpectRefusal({"fly"}, "fly");
  ExpectRefusal({"run", "--sed", "1"}, "--sed");
  ExpectRefusal({"run", "--engine", "abacus"}, "fast");
}

TEST_F(Cli, RefusesBadNumbers) {
  ExpectRefusal({"run", "--seed", "many"}, "not a number");
  ExpectRefusal({"run", "--seed", "-1"}, "not a number");
  ExpectRefusal({"run", "--seed", "1x"}, "not a number");
  ExpectRefusal({"run", "--seed", "18446744073709551616"}, "not a number");
  ExpectRefusal({"run", "--waves", Path("w"), "--waves-from", "9", "--waves-to", "9"}, "half open");
  ExpectRefusal({"run", "--waves", Path("w"), "--waves-on", "stall"}, "stall:N");
  ExpectRefusal({"run", "--waves", Path("w"), "--waves-on", "fault", "--waves-from", "9"}, "--waves-from");
}

TEST_F(Cli, RefusesInputsBeforeAnythingIsWritten) {
  ExpectRefusal({"run", Path("missing"), "--out", Path("copy")}, "No such file");
  ExpectRefusal({"run", folder_.string(), "--out", Path("copy")}, "folder");
  std::ofstream(Path("big")).close();
  fs::resize_file(Path("big"), (uint64_t{256} << 20) + 1);
  ExpectRefusal({"run", Path("big"), "--json", Path("report")}, "256 MiB");
}

TEST_F(Cli, RefusesBadConfigurations) {
  ExpectRefusal({"run", "--config", Path("missing.toml")}, "missing.toml");
  std::ofstream(Path("bad.toml")) << "[gpu]\nvram_mb = 3\n";
  ExpectRefusal({"run", "--config", Path("bad.toml")}, "vram_mib");
  std::ofstream(Path("leak.toml")) << "[inject]\nleak = \"money\"\n";
  ExpectRefusal({"run", "--config", Path("leak.toml")}, "memory_object");
}

TEST_F(Cli, RunsTheFastEngineAndMarksItsTimes) {
  std::ofstream(Path("input")) << "some bytes";
  ASSERT_EQ(Run({"run", Path("input"), "--engine", "fast", "--json", Path("report"), "--out", Path("copy"),
                 "--dump-host", Path("image")}),
            0)
      << err_;
  EXPECT_THAT(out_, HasSubstr("fast engine, estimated timing"));
  EXPECT_THAT(out_, HasSubstr("Bandwidth (estimated)"));
  EXPECT_THAT(err_, HasSubstr("gmmu: page in\n"));
  const auto report = nlohmann::json::parse(std::ifstream(Path("report")));
  EXPECT_EQ(report["machine"]["engine"], "fast");
  EXPECT_EQ(report["machine"]["timing"], "estimated");
  EXPECT_TRUE(report["passed"]);
  const auto mappings = nlohmann::json::parse(std::ifstream(Path("image.json")));
  EXPECT_EQ(mappings["devices"][0]["bdf"], "01:00.0");
}

TEST_F(Cli, WritesATraceOfPagingAsLinesOfJson) {
  const std::string trace = Path("trace.jsonl");
  EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", "paging-buffers-in-aperture", "--trace-paging", trace}), 0)
      << err_ << out_;
  std::ifstream file(trace);
  size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const auto call = nlohmann::json::parse(line);
    EXPECT_TRUE(call.contains("operation") && call.contains("status") && call.contains("DmaSize")) << line;
  }
  EXPECT_GT(lines, 50u);
}

TEST_F(Cli, ComparesTwoReportsAndNamesTheDifference) {
  for (const char* name : {"first", "second"})
    ASSERT_EQ(Run({"run", "--engine", "fast", "--scenario", "context-allocations", "--json", Path(name)}), 0) << err_;
  EXPECT_EQ(Run({"compare", Path("first"), Path("second")}), 0) << out_;
  EXPECT_THAT(out_, HasSubstr("0 differences"));

  auto report = nlohmann::json::parse(std::ifstream(Path("second")));
  report["counters"]["gpu_engine"]["commands"] = 1;
  std::ofstream(Path("second")) << report;
  EXPECT_EQ(Run({"compare", Path("first"), Path("second")}), 1);
  EXPECT_THAT(out_, HasSubstr("differs: counters.gpu_engine.commands: "));
  std::ofstream(Path("third")) << "{}";
  ExpectRefusal({"compare", Path("first"), Path("third")}, "the second is no report of gmmu run --json");
}

/// The state of the heap determines the addresses of later blocks. It must not affect simulated
/// times.
TEST_F(Cli, ARunTakesTheSameTimeWhereverItsMemoryLies) {
  std::vector<uint64_t> cycles;
  for (const size_t holes : {0u, 200u, 2000u}) {
    std::vector<std::unique_ptr<char[]>> blocks;
    for (size_t i = 0; i < 2 * holes; ++i) blocks.emplace_back(new char[16 * (1 + i * 7 % 40)]);
    for (size_t i = 0; i < blocks.size(); i += 2) blocks[i * 9973 % blocks.size() & ~size_t{1}].reset();
    ASSERT_EQ(Run({"run", "--engine", "fast", "--scenario", "exclusive-access-under-load", "--json", Path("report")}),
              kExitGood)
        << err_;
    cycles.push_back(nlohmann::json::parse(std::ifstream(Path("report")))["cycles"]);
  }
  EXPECT_THAT(cycles, ::testing::Each(cycles.front()));
}

TEST_F(Cli, ListsEveryProcedureWithItsParameters) {
  EXPECT_EQ(Run({"run", "--procedures"}), 0) << err_;
  size_t parameters = 0;
  for (const workload::Procedure& procedure : workload::Procedures()) {
    EXPECT_THAT("\n" + out_, HasSubstr("\n" + procedure.name + "\n    " + procedure.description + "\n"));
    for (const auto& rule : procedure.parameters) {
      EXPECT_FALSE(rule.description.empty()) << procedure.name << "." << rule.name;
      EXPECT_THAT(out_, HasSubstr("\n    " + rule.name + " = " + std::to_string(rule.initial) + ", " +
                                  std::to_string(rule.min) + " to " + std::to_string(rule.max) + ": "));
      ++parameters;
    }
  }
  EXPECT_GT(parameters, 20u);
  ExpectRefusal({"run", "--procedures", "--list"}, "--list");
}

TEST_F(Cli, RefusesOptionsThatHaveNoEffect) {
  ExpectRefusal({"run", "--waves-from", "3"}, "--waves");
  ExpectRefusal({"run", "--waves-on", "fault"}, "--waves");
  ExpectRefusal({"run", "--engine", "fast", "--waves-to", "5"}, "--waves");
  ExpectRefusal({"run", "--list", "--scenario", "main-job"}, "--list");
  ExpectRefusal({"run", "--list", "--json", Path("x.json")}, "--list");
  ExpectRefusal({"run", "--list", "file"}, "--list");
}

TEST_F(Cli, RefusesWavesOfTheFastEngine) {
  ExpectRefusal({"run", "--engine", "fast", "--waves", Path("x.fst")}, "--engine rtl");
}

TEST_F(Cli, TheFastEngineTakesAnySizeOfTheHardware) {
  std::ofstream(Path("sizes.toml")) << "[gpu]\nclients = 7\nrings = 4\nspaces = 33\n";
  std::ofstream(Path("input")) << "some bytes";
  EXPECT_EQ(Run({"run", Path("input"), "--engine", "fast", "--config", Path("sizes.toml")}), 0) << out_ << err_;
  EXPECT_THAT(out_, HasSubstr("7 clients"));
}

TEST_F(Cli, RefusesOutputsThatCannotBeWritten) {
  ExpectRefusal({"run", "--out", Path("no/such/folder/copy")}, "cannot be created");
  ExpectRefusal({"run", "--json", folder_.string()}, "folder");
}

TEST_F(Cli, RefusesOutputsThatAreOneFileWithAnotherOrWithAnInput) {
  const auto contents = [](const std::string& path) {
    std::ifstream file(path);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  std::ofstream(Path("in")) << "some bytes";
  std::ofstream(Path("c.toml")) << "[gpu]\nvram_mib = 8\n";
  fs::create_symlink(Path("in"), Path("link"));
  const std::vector<std::string> run = {"run", "--engine", "fast"};
  const auto refuse = [&](std::vector<std::string> more, const std::string& text) {
    more.insert(more.begin(), run.begin(), run.end());
    ExpectRefusal(more, text);
  };
  for (const char* option : {"--out", "--json", "--dump-host", "--trace-paging"}) {
    refuse({Path("in"), option, Path("in")}, std::string("is the file of ") + option + " and of the input");
    refuse({Path("link"), option, Path("in")}, "and of the input");
    refuse({"--config", Path("c.toml"), option, Path("./c.toml")}, "and of --config");
    refuse({option, ""}, "the value is empty");
  }
  refuse({"--json", Path("x"), "--out", Path("x")}, "is the file of --json and of --out");
  refuse({"--dump-host", Path("x"), "--json", Path("x.json")}, "the mappings of --dump-host and of --json");
  EXPECT_EQ(contents(Path("in")), "some bytes");
  EXPECT_EQ(Run({"run", "--engine", "fast", Path("in"), "--out", Path("copy"), "--json", "/dev/null", "--trace-paging",
                 "/dev/null"}),
            0)
      << err_;
  EXPECT_EQ(contents(Path("copy")), "some bytes");
}

TEST_F(Cli, PrintsAConfigurationThatItLoadsAgain) {
  ASSERT_EQ(Run({"config"}), 0);
  const std::string first = out_;
  std::ofstream(Path("c.toml")) << first;
  ASSERT_EQ(Run({"config", "--config", Path("c.toml")}), 0) << err_;
  EXPECT_EQ(out_, first);
}

TEST_F(Cli, ChangesKeysOfTheConfigurationByOption) {
  std::ofstream(Path("c.toml")) << "[gpu]\nvram_mib = 96\naperture_mib = 8\n";
  ASSERT_EQ(Run({"config", "--config", Path("c.toml"), "--set", "gpu.vram_mib=128", "--set", "os.iommu=identity",
                 "--set", "gpu.page_table_bits=[9, 9, 9]", "--set", "os.preset=\"windows-26100\""}),
            0)
      << err_;
  EXPECT_THAT(out_, ::testing::AllOf(HasSubstr("\nvram_mib = 128\n"), HasSubstr("\naperture_mib = 8\n"),
                                     HasSubstr("\niommu = 'identity'\n"), HasSubstr("\npage_table_bits = [9, 9, 9]\n"),
                                     HasSubstr("\npreset = 'windows-26100'\n")));
  ASSERT_EQ(Run({"config", "--json-schema"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("\"build_option\": \"GMMU_L2_ENTRIES\""));
  ExpectRefusal({"config", "--set", "gpu.vram=1"},
                "--set gpu.vram=1:1: unknown key gpu.vram; the nearest is gpu.vram_mib");
  ExpectRefusal({"config", "--set", "gpu.vram_mib=0"}, "allowed: a whole number from 1 to 65536 (MiB)");
  ExpectRefusal({"config", "--set", "gpu.vram_mib"}, "write SECTION.KEY=VALUE");
  ExpectRefusal({"run", "--engine", "fast", "--scenario", "linked-two", "--set", "os.iommu=off"}, "os.iommu");
  ASSERT_EQ(Run({"run", "--engine", "fast", "--scenario", "context-allocations", "--set", "gpu.vram_mib=128", "--json",
                 Path("report")}),
            0)
      << err_;
  std::ifstream report(Path("report"));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(report), {}), HasSubstr("\"vram_mib\": 128,"));
}

TEST_F(Cli, ListsTheKeysOfTheConfigurationAndTheirPage) {
  ASSERT_EQ(Run({"config", "--list", "os"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("os.fill_kib = 1024, a whole number from 4 to 262144 (KiB)\n    Largest"));
  EXPECT_THAT(out_, ::testing::Not(HasSubstr("gpu.")));
  ASSERT_EQ(Run({"config", "--list"}), 0) << err_;
  EXPECT_THAT(out_, ::testing::AllOf(HasSubstr("gpu.count = 1"), HasSubstr("driver.update_mode = ")));
  ExpectRefusal({"config", "--list", "pci"}, "no section [pci]; the nearest is [pcie]");
  ASSERT_EQ(Run({"config", "--markdown"}), 0) << err_;
  EXPECT_THAT(out_, ::testing::StartsWith("# The settings\n"));
  ExpectRefusal({"config", "--markdown", "--list"}, "--list");
  ExpectRefusal({"config", "os"}, "--list");
}

TEST_F(Cli, AnOutputAppearsWholeOrNotAtAll) {
  std::ofstream(Path("old")) << "before";
  {
    OutputFile file(Path("old"));
    file.Write("after", 5);
  }
  std::ifstream kept(Path("old"));
  std::string text;
  kept >> text;
  EXPECT_EQ(text, "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  OutputFile file(Path("new"));
  file.Write("whole", 5);
  EXPECT_FALSE(fs::exists(Path("new")));
  file.Commit();
  EXPECT_EQ(fs::file_size(Path("new")), 5u);
}

TEST_F(Cli, SaysWhenADeviceIsFull) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  OutputFile file("/dev/full");
  try {
    file.Write("x", 1);
    file.Commit();
    FAIL() << "nothing was said";
  } catch (const OutputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/full"));
    EXPECT_THAT(error.what(), HasSubstr("space"));
  }
}

}  // namespace
}  // namespace gmmu::app
