// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/input.h"
#include "trace/open.h"

namespace gmmu::trace {

/// Options of an importer. Properties that a format does not define have no default; an importer
/// that needs such a property requires the option.
struct ImportOptions {
  std::optional<Addresses> addresses;
  std::optional<uint32_t> unit;        ///< as Header::unit
  std::optional<uint32_t> bytes;       ///< size of one access
  std::optional<uint64_t> page_bytes;  ///< page size of the recorded system
  unsigned address_bits = 48;
  bool fetches = false;     ///< lackey, champsim: also imports instruction fetches
  uint32_t coalesce = 128;  ///< accelsim: line size within which the threads of an instruction make one access
  uint32_t blocks = 1;      ///< accelsim: thread blocks that run concurrently
  /// For ramulator2-readwrite: the number of units at each DRAM level, in the order of the address
  /// vectors. The product must fit in 64 bits.
  std::vector<uint64_t> organization;
  std::string name;  ///< name of the trace; empty: the file's name
};

struct Format {
  std::string name;
  std::string text;   ///< describes the file and the program that writes it
  std::string needs;  ///< mandatory options
};
const std::vector<Format>& Formats();

/// Opens a trace of another program, which is read on demand. `path` may be `-` for standard input.
/// Throws TraceError for an unknown format, or an option that is missing or contradicts the format.
/// Next() throws TraceError for an invalid line. Before Next() returns the end, it adds a line to
/// `notes` for each kind of input that was skipped.
Workload Import(const std::string& format, const std::string& path, const ImportOptions& options,
                std::vector<std::string>& notes, Input::Watch watch = nullptr);

// Each function returns the source of one format. `header` must be complete, except for count.
std::unique_ptr<Source> ReadLackey(const std::string& path, const Header& header, const ImportOptions& options,
                                   Input::Watch watch);
std::unique_ptr<Source> ReadAccelSim(const std::string& path, const Header& header, const ImportOptions& options,
                                     std::vector<std::string>& notes, Input::Watch watch);
std::unique_ptr<Source> ReadChampSim(const std::string& path, const Header& header, const ImportOptions& options,
                                     Input::Watch watch);
std::unique_ptr<Source> ReadRamulatorDram(const std::string& path, const Header& header, uint32_t bytes,
                                          Input::Watch watch);
std::unique_ptr<Source> ReadRamulatorCpu(const std::string& path, const Header& header, uint32_t bytes,
                                         Input::Watch watch);
std::unique_ptr<Source> ReadRamulator2LoadStore(const std::string& path, const Header& header, uint32_t bytes,
                                                Input::Watch watch);
std::unique_ptr<Source> ReadRamulator2ReadWrite(const std::string& path, const Header& header, uint32_t bytes,
                                                const std::vector<uint64_t>& organization, Input::Watch watch);
std::unique_ptr<Source> ReadDramSim(const std::string& path, const Header& header, uint32_t bytes, Input::Watch watch);

}  // namespace gmmu::trace
