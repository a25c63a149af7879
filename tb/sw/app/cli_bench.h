// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/commit.h"

namespace gmmu::app {

/// Runs the program as a function, in a new folder for its files.
class Cli : public ::testing::Test {
 protected:
  Cli() : folder_(std::filesystem::temp_directory_path() / ("gmmu_cli_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Cli() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  int Run(std::vector<std::string> arguments) {
    std::vector<const char*> argv = {"gmmu"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    std::FILE* out = std::tmpfile();
    std::FILE* err = std::tmpfile();
    const int status = Main(static_cast<int>(argv.size()), argv.data(), out, err);
    out_ = Contents(out);
    err_ = Contents(err);
    return status;
  }
  static std::string Contents(std::FILE* file) {
    std::string text;
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
  }
  /// Expects an error message of one to three lines that contain `text`, and no new file in the folder.
  void ExpectRefusal(std::vector<std::string> arguments, const std::string& text) {
    const auto files = std::distance(std::filesystem::directory_iterator(folder_), {});
    EXPECT_EQ(Run(arguments), kExitUsage);
    EXPECT_THAT(err_, ::testing::HasSubstr(text));
    EXPECT_LE(std::count(err_.begin(), err_.end(), '\n'), 3) << err_;
    EXPECT_THAT(out_, ::testing::IsEmpty());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), files);
  }

  std::filesystem::path folder_;
  std::string out_, err_;
};

}  // namespace gmmu::app
