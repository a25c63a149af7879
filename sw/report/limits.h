// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::report {

/// What the machine could do at best, and how it was configured.
struct Limits {
  double link_bytes_per_second = 0;  ///< PCIe payload with full packets, one direction
  double bus_bytes_per_second = 0;   ///< one data bus of the GPU, one direction
  uint64_t clock_mhz = 0;
  uint64_t bus_bits = 0;
  std::string engine;  ///< "rtl", "fast"
  std::string timing;  ///< "exact": cycle by cycle; "estimated": every time, rate and cycle count is a guess
  uint64_t seed = 0;
  std::string input;     ///< what was paged
  std::string scenario;  ///< empty: none
  std::string driver;    ///< shared object that had it; empty: the one that is built in
};

}  // namespace gmmu::report
