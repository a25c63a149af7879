// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/error.h"
#include "trace/import.h"
#include "trace/open.h"

namespace gmmu::trace {

inline bool operator==(const Access& a, const Access& b) {
  return a.address == b.address && a.bytes == b.bytes && a.kind == b.kind && a.stream == b.stream &&
         a.cycles == b.cycles;
}
inline void PrintTo(const Access& a, std::ostream* to) {
  *to << a.stream << " kind " << static_cast<int>(a.kind) << " 0x" << std::hex << a.address << std::dec << " "
      << a.bytes << " bytes, " << a.cycles << " cycles";
}

inline Access Read(uint64_t address, uint32_t bytes, uint64_t cycles = 0, uint32_t stream = 0) {
  return {address, bytes, Kind::kRead, stream, cycles};
}
inline Access Write(uint64_t address, uint32_t bytes, uint64_t cycles = 0, uint32_t stream = 0) {
  return {address, bytes, Kind::kWrite, stream, cycles};
}

inline std::vector<Access> All(Source& source) {
  std::vector<Access> all;
  while (const auto access = source.Next()) all.push_back(*access);
  return all;
}

/// Returns the message of the error that `action` throws, or "" if there is none.
template <typename Action>
std::string Refusal(Action action) {
  try {
    action();
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

/// Provides a folder for the files of a test.
class TraceTest : public ::testing::Test {
 protected:
  TraceTest() : folder_(std::filesystem::temp_directory_path() / ("gmmu_trace_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TraceTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string File(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  /// Imports a file with these bytes in the format of another program. Returns the accesses.
  std::vector<Access> Imported(const std::string& format, const std::string& bytes, const ImportOptions& options = {}) {
    notes_.clear();
    Workload workload = Import(format, File("input", bytes), options, notes_);
    header_ = workload.header;
    return All(*workload.source);
  }
  std::string ImportRefusal(const std::string& format, const std::string& bytes, const ImportOptions& options = {}) {
    return Refusal([&] { Imported(format, bytes, options); });
  }

  std::filesystem::path folder_;
  std::vector<std::string> notes_;
  Header header_;
};

}  // namespace gmmu::trace
