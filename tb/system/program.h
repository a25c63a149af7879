// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "workload/input.h"

namespace gmmu {

namespace fs = std::filesystem;

/// Runs the program as users do, in a folder of its own.
class Program : public ::testing::Test {
 protected:
  Program() : folder_(fs::temp_directory_path() / ("gmmu_system_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Program() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string WriteInput(uint64_t bytes) const {
    const auto data = workload::SeededInput(bytes + 1, bytes);
    Put("input", std::string(data.begin(), data.end()));
    return Path("input");
  }
  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Returns the program under test: the one in environment variable GMMU_PROGRAM, or else the one of this build.
  static std::string Tested() {
    const char* other = std::getenv("GMMU_PROGRAM");
    return other != nullptr ? other : GMMU_PROGRAM;
  }
  /// Runs the program and returns its exit status. Get("log") returns the text of both streams.
  int Run(const std::string& arguments) const {
    const int status = std::system((Tested() + " " + arguments + " > " + Path("log") + " 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  nlohmann::json Report(const std::string& name = "report.json") const { return nlohmann::json::parse(Get(name)); }
  static std::string Shipped(const std::string& name) {
    return std::string(GMMU_SOURCE_DIR) + "/sim/host/configs/" + name + ".toml";
  }
  /// Pages `bytes` bytes in and out with a configuration, and expects the output to equal the input.
  void ExpectRoundTrip(uint64_t bytes, const std::string& more = "") {
    const std::string input = WriteInput(bytes);
    ASSERT_EQ(Run("run " + input + " --out " + Path("copy") + " --json " + Path("report.json") + " " + more), 0)
        << Get("log");
    EXPECT_EQ(Get("input"), Get("copy"));
    const auto report = Report();
    EXPECT_TRUE(report["verified"]);
    EXPECT_EQ(report["bytes"], bytes);
    EXPECT_GT(report["cycles"], 0);
    EXPECT_TRUE(report["faults"].empty());
    EXPECT_TRUE(report["leaks"].empty());
  }
  /// Runs with the configuration text, and expects a failure whose log contains `text`.
  void ExpectFailure(const std::string& config, const std::string& text, uint64_t bytes = 65536) {
    Put("config.toml", config);
    const std::string input = WriteInput(bytes);
    EXPECT_EQ(Run("run " + input + " --config " + Path("config.toml") + " --out " + Path("copy") + " --json " +
                  Path("report.json")),
              1)
        << Get("log");
    EXPECT_THAT(Get("log"), ::testing::HasSubstr(text));
    EXPECT_FALSE(fs::exists(Path("copy")) && Get("copy") != Get("input"));
  }

  fs::path folder_;
};

}  // namespace gmmu
