// SPDX-License-Identifier: Apache-2.0
// Tests drivers that are loaded from shared objects.
#include "app/load_driver.h"

#include <elf.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Driver : Cli {
  static std::string Named(const std::string& name) { return GMMU_DRIVERS + name + ".so"; }
  nlohmann::json Report(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--engine", "fast", "--seed", "7", "--json", Path("report.json")});
    EXPECT_EQ(Run(arguments), kExitGood) << err_;
    std::ifstream file(Path("report.json"));
    auto report = nlohmann::json::parse(file);
    report.erase("host_seconds");
    return report;
  }
  std::string Text(const std::string& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

// The driver uses only kernel routines and the callback table, so its load address makes no
// difference to a run.
TEST_F(Driver, OfASharedObjectDoesWhatTheOneThatIsBuiltInDoes) {
  for (const char* scenario : {"main-job", "render-preemption", "linked-two", "power-cycle"}) {
    SCOPED_TRACE(scenario);
    nlohmann::json own = Report({"run", "--scenario", scenario});
    nlohmann::json loaded = Report({"run", "--scenario", scenario, "--driver", Named("own")});
    EXPECT_TRUE(own["machine"]["driver"].is_null());
    EXPECT_EQ(loaded["machine"]["driver"], Named("own"));
    own["machine"].erase("driver");
    loaded["machine"].erase("driver");
    EXPECT_EQ(own, loaded);
  }
}

// The driver is compiled with the headers of an older version, so its tables have the sizes of that
// version.
TEST_F(Driver, OfAnOlderInterfaceVersionDoesWhatTheOneThatIsBuiltInDoesAtThatVersion) {
  for (const auto& [name, version] : {std::pair{"wddm2_0", "2.0"}, {"wddm2_4", "2.4"}, {"wddm2_9", "2.9"}}) {
    SCOPED_TRACE(version);
    const std::string machine = "[gpu]\nlimit_bits = 36\n";
    std::ofstream(Path("any.toml")) << machine;
    std::ofstream(Path("own.toml")) << machine << "[driver]\ninterface_version = \"" << version << "\"\n";
    nlohmann::json own = Report({"run", "--config", Path("own.toml")});
    nlohmann::json loaded = Report({"run", "--config", Path("any.toml"), "--driver", Named(name)});
    own["configuration"]["driver"].erase("interface_version");
    loaded["configuration"]["driver"].erase("interface_version");
    own["machine"].erase("driver");
    loaded["machine"].erase("driver");
    EXPECT_EQ(own, loaded);
    EXPECT_EQ(own["machine"]["iommu"], "physical");
  }
}

TEST_F(Driver, CallsTheKernelForThreadsTimersWorkItemsAndTheRegistry) {
  std::ofstream(Path("registry.toml")) << "[registry.driver]\nDepth = 7\n";
  EXPECT_EQ(Run({"run", "--engine", "fast", "--config", Path("registry.toml"), "--driver", Named("calling")}),
            kExitFailed);
  EXPECT_THAT(err_, HasSubstr("driver: calling: status 0, deferred 1, served 1, path "
                              "\\Registry\\Machine\\System\\CurrentControlSet\\Services\\gmmu, depth 7\n"));
}

TEST_F(Driver, ThatDeclaresWhatIsNotModelledIsToldSoAndFailsWhenThatIsAskedFor) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--strict"}), kExitGood) << "our own declares nothing of the kind";
  EXPECT_THAT(out_, ::testing::Not(HasSubstr("not modelled")));
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Named("declaring"), "--json", Path("report.json")}), kExitGood);
  EXPECT_THAT(out_, AllOf(HasSubstr("declared, not modelled: DXGK_SEGMENTFLAGS.Agp of segment 2\n"),
                          HasSubstr("declared, not modelled: DXGK_SEGMENTFLAGS.UseBanking of segment 2\n"),
                          HasSubstr("declared, not modelled: DXGK_SEGMENTFLAGS.VprSupported of segment 2\n")));
  std::ifstream file(Path("report.json"));
  EXPECT_EQ(nlohmann::json::parse(file)["declared_not_modelled"][0], "DXGK_SEGMENTFLAGS.Agp of segment 2");
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Named("declaring"), "--strict"}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("declared, not modelled: DXGK_SEGMENTFLAGS.Agp of segment 2\n"));
  EXPECT_THAT(err_, HasSubstr("gmmu run --strict: the driver declares what is not modelled, 3 in all"));
}

TEST_F(Driver, ThatIsLoadedIsTheOneThatRunsAndWhatItPrintsIsShown) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Named("refusing")}), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("DriverEntry"), HasSubstr("0xc00000bb")));
  EXPECT_THAT(err_, HasSubstr("driver: refusing: number 42\n"));
}

TEST_F(Driver, ThatCrashesLeavesAReportWithThePlaceInItsFile) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Named("crashing"), "--json", Path("report.json")}),
            kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("bug check 0x7e"), HasSubstr("DriverEntry at driver_crashing.so+0x"),
                          HasSubstr("(DriverEntry) accessed 0x18")));
  std::ifstream file(Path("report.json"));
  EXPECT_EQ(nlohmann::json::parse(file)["faults"][0]["bug_check"]["code"], "0x7e");
}

struct Misdeed {
  const char* driver;
  const char* code;  ///< "" if the bug check has no code
  const char* text;
};
void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.driver; }
struct Trespassing : Driver, ::testing::WithParamInterface<Misdeed> {};

TEST_P(Trespassing, EndsWithAReportThatNamesTheCallAndTheMemory) {
  const Misdeed& misdeed = GetParam();
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Named(misdeed.driver), "--json", Path("report.json")}),
            kExitFailed)
      << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("What went wrong"), HasSubstr(misdeed.text)));
  std::ifstream file(Path("report.json"));
  const auto fault = nlohmann::json::parse(file)["faults"].at(0);
  EXPECT_EQ(fault["name"], "bug_check");
  EXPECT_EQ(fault["bug_check"]["code"], misdeed.code);
  EXPECT_THAT(fault["text"], HasSubstr(misdeed.text));
}

INSTANTIATE_TEST_SUITE_P(
    Drivers, Trespassing,
    ::testing::Values(
        Misdeed{"past_query", "0x7e",
                "wrote byte 8 of pOutputData of DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, which has 8 bytes"},
        Misdeed{"past_pool", "0xd6", "wrote byte 48 of pool block test, which has 40 bytes"},
        Misdeed{"past_pool_by_a_byte", "0xc1", "wrote to byte 40 of pool block test, which has 40 bytes"},
        Misdeed{"freed_twice", "0xc2", "ExFreePoolWithTag of pool block test, which has 40 bytes: it is freed already"},
        Misdeed{"freed_inside", "0xc2", "ExFreePoolWithTag of byte 16 of pool block test, which has 40 bytes"},
        Misdeed{"used_after_free", "0xd5", "read byte 8 of pool block test, which has 40 bytes and was freed"}),
    [](const auto& tested) { return std::string(tested.param.driver); });

TEST_F(Driver, ThatWritesOverMemoryThatIsNotItsOwnLeavesAReportThatSaysSo) {
  EXPECT_EXIT(
      {
        Run({"run", "--engine", "fast", "--driver", Named("wild"), "--json", Path("report.json"), "--trace-paging",
             Path("trace")});
        std::exit(0);
      },
      ::testing::ExitedWithCode(1), "");
  std::ifstream file(Path("report.json"));
  const auto report = nlohmann::json::parse(file);
  EXPECT_EQ(report["passed"], false);
  EXPECT_EQ(report["machine"]["driver"], Named("wild"));
  EXPECT_THAT(report["faults"].at(0)["text"], HasSubstr("crashed outside of every call into the driver"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "no other file is left";
}

TEST_F(Driver, ThatCannotBeLoadedIsRefusedWithTheReason) {
  ExpectRefusal({"run", "--driver", Path("nothing.so")}, "nothing.so");
  std::ofstream(Path("text.so")) << "no driver";
  ExpectRefusal({"run", "--driver", Path("text.so")}, "neither an ELF file, a PE file nor an archive");
  std::ofstream(Path("windows.sys")) << "MZ";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", "--driver"}, {"scan-driver"}}) {
    auto arguments = command;
    arguments.push_back(Path("windows.sys"));
    ExpectRefusal(arguments, "the file ends inside of the DOS header: 4 bytes at offset 0x3c");
  }
  ExpectRefusal({"run", "--driver", Named("without_entry")}, "has no function DriverEntry");
  ExpectRefusal({"run", "--driver", Named("unknown_routine")}, "NobodyHasThisRoutine");
  ExpectRefusal({"run", "--driver", Named("own"), "--json", Named("own")}, "is the file of --json and of --driver");
}

TEST_F(Driver, WhosePathIsNoUtf8HasAReportAndATraceAllTheSame) {
  const std::string file = Path("own\xff.so");
  std::filesystem::copy_file(Named("own"), file);
  ASSERT_EQ(Run({"run", "--engine", "fast", "--scenario", "context-allocations", "--driver", file, "--json",
                 Path("report"), "--trace-ddi", Path("calls")}),
            kExitGood)
      << err_;
  EXPECT_EQ(nlohmann::json::parse(Text(Path("report")))["machine"]["driver"], Path("own\xEF\xBF\xBD.so"));
  ASSERT_EQ(Run({"trace", Path("calls")}), kExitGood) << err_;
  ASSERT_EQ(Run({"check-driver", file, "--only", "context-allocations", "--json", Path("verdict"), "--junit",
                 Path("junit")}),
            kExitGood)
      << err_;
  EXPECT_TRUE(nlohmann::json::accept(Text(Path("verdict"))));
}

/// Returns a copy of an ELF file in which the hash table's address is unmapped. Loading it crashes
/// the dynamic loader.
std::string Damaged(std::string file) {
  const auto at = [&](uint64_t offset) { return file.data() + offset; };
  Elf64_Ehdr header;
  std::memcpy(&header, at(0), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, at(header.e_phoff + i * sizeof segment), sizeof segment);
    if (segment.p_type != PT_DYNAMIC) continue;
    Elf64_Dyn entry;
    for (uint64_t place = segment.p_offset; place < segment.p_offset + segment.p_filesz; place += sizeof entry) {
      std::memcpy(&entry, at(place), sizeof entry);
      if (entry.d_tag != DT_GNU_HASH && entry.d_tag != DT_HASH) continue;
      entry.d_un.d_ptr = uint64_t{1} << 46;
      std::memcpy(at(place), &entry, sizeof entry);
    }
  }
  return file;
}

TEST_F(Driver, OnWhichTheDynamicLoaderCrashesIsRefusedAsIsADeviceOrAPolicy) {
  const std::string file = Path("damaged.so"), why = "a process that loads it is ended by signal 11";
  std::ofstream(file) << Damaged(Text(Named("own")));
  ExpectRefusal({"run", "--engine", "fast", "--driver", file}, file + ": " + why);
  ExpectRefusal({"run", "--driver", Named("own"), "--device", file}, why);
  ExpectRefusal({"replay", "gen:sequential,count=100", "--engine", "fast", "--set", "policy.file=\"" + file + "\""},
                why);
  EXPECT_EQ(Run({"check-driver", file, "--only", "context-allocations"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr(why));
}

TEST_F(Driver, GetsExactlyTheRoutinesOfTheHeaders) {
  std::set<std::string> declared = {"DxgkInitialize"}, given;
  const auto names = [](const std::string& text, const std::string& pattern, std::set<std::string>& into) {
    const std::regex regex(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) into.insert((*at)[1]);
  };
  for (const char* header : {"wdm", "wdm_waits", "wdm_threads", "wdm_lists", "wdm_strings", "wdm_memory",
                             "wdm_registry", "wdm_debug", "wdm_names", "wdm_bus"}) {
    const std::string text = Text(GMMU_SOURCE_DIR "/sw/ddi/" + std::string(header) + ".h");
    names(text, "\n(?:DECLSPEC_NORETURN )?(?!typedef)[A-Za-z0-9_]+ ([A-Za-z0-9_]+)\\(", declared);
    names(text, "\nextern [A-Za-z_]+\\*? ([A-Za-z]+);", declared);
  }
  const std::string sized = Text(GMMU_SOURCE_DIR "/sw/ddi/ntstrsafe.h");
  std::set<std::string> routines;
  names(sized, "RtlString##unit##([A-Za-z]+)##a", routines);
  for (const std::string& routine : routines) {
    for (const char* unit : {"Cb", "Cch"}) {
      for (const char* width : {"A", "W"}) declared.insert("RtlString" + std::string(unit) + routine + width);
    }
  }
  names(Text(GMMU_SOURCE_DIR "/sw/ddi/kernel_routines.list"), "\n  ([A-Za-z0-9_]+);", given);
  EXPECT_GT(given.size(), 10u);
  EXPECT_EQ(declared, given);
}

}  // namespace
}  // namespace gmmu::app
