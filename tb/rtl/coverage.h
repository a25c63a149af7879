// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verilated.h"
#ifdef GMMU_COVERAGE
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>

#include "verilated_cov.h"
#endif

namespace gmmu {

/// Saves the coverage of a bench's model before the model is destroyed. Does nothing unless the
/// program is built with GMMU_COVERAGE (`make coverage`).
///
/// BlockBench, which owns the model, declares its Coverage after the model, so that Coverage is
/// destroyed first. When the program exits, the sum over all its models is written to the file that
/// the environment variable GMMU_COVERAGE_FILE names.
class Coverage {
 public:
  explicit Coverage(VerilatedContext& context) : context_(context) {}
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

#ifdef GMMU_COVERAGE
  ~Coverage() {
    static Sum sum;
    if (sum.file.empty()) return;
    const std::string part = sum.file + ".part";
    context_.coveragep()->write(part);
    std::ifstream lines(part);
    for (std::string line; std::getline(lines, line);) {  // A line has the form: C 'key' count
      const size_t end = line.rfind("' ");
      if (line.compare(0, 3, "C '") == 0 && end != std::string::npos) {
        sum.counts[line.substr(3, end - 3)] += std::strtoull(line.c_str() + end + 2, nullptr, 10);
      }
    }
    std::filesystem::remove(part);
  }

 private:
  struct Sum {
    const std::string file = std::getenv("GMMU_COVERAGE_FILE") ? std::getenv("GMMU_COVERAGE_FILE") : "";
    std::unordered_map<std::string, uint64_t> counts;

    ~Sum() {
      std::ofstream out(file);
      out << "# SystemC::Coverage-3\n";
      for (const auto& [key, count] : counts) out << "C '" << key << "' " << count << '\n';
    }
  };
#endif

 private:
  VerilatedContext& context_;
};

}  // namespace gmmu
