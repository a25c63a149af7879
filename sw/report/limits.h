// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::report {

/// The machine's peak rates and configuration. Both rates are 0 for engine "device", which models
/// neither a link nor a bus.
struct Limits {
  double link_bytes_per_second = 0;  ///< PCIe payload bandwidth with full packets, one direction
  double bus_bytes_per_second = 0;   ///< bandwidth of one data bus of the GPU, one direction
  uint64_t clock_mhz = 0;
  uint64_t bus_bits = 0;
  std::string engine;  ///< "rtl", "fast" or "board"
  std::string timing;  ///< "exact": cycle by cycle; "estimated": times come from a model (docs/twin.md);
                       ///< "wall clock", "simulated board"
  uint64_t seed = 0;
  std::string input;          ///< name of the input data
  std::string scenario;       ///< empty: none
  std::string version;        ///< version of the program
  std::string commit;         ///< commit of the program's sources, or "unknown"
  std::string configuration;  ///< the whole configuration as JSON; empty: not known
  std::string driver;         ///< path of the driver's shared object; empty: the built-in driver
};

}  // namespace gmmu::report
