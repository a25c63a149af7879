// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "replay/backing.h"
#include "replay/demand_pages.h"
#include "replay/footprint.h"
#include "replay/options.h"
#include "replay/traffic.h"
#include "trace/header.h"

namespace gmmu::workload {
struct JobOptions;
struct JobResult;
}  // namespace gmmu::workload

namespace gmmu::replay {

/// Thrown for a workload or an option that cannot be replayed. what() contains the reason and the remedy.
class ReplayError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Opens the workload at its beginning. It is called twice per run, and both sources must produce
/// the same accesses.
using Opener = std::function<std::unique_ptr<trace::Source>()>;

/// Remedies if VRAM is full, appended to error messages.
inline constexpr const char* kMoreRoom =
    "Give more VRAM (gpu.vram_mib), fewer accesses (--accesses N), page tables in system memory "
    "(driver.page_tables=system), or --memory system.";

/// Properties of the machine against which the options are checked.
struct MachineFacts {
  unsigned client_ports = 0;
  uint64_t vram_bytes = 0;
  unsigned va_bits = 0;
  uint64_t period_ps = 1000;   ///< period of the GPU's clock
  uint64_t visible_bytes = 0;  ///< part of VRAM that may hold page tables; 0: all of VRAM
  /// Per level, leaf first: the address range that a table covers, and its size in VRAM (0: it is
  /// in system memory).
  struct Level {
    uint64_t covers, bytes;
  };
  std::vector<Level> levels{};
};

/// A workload and its checked options, after a first pass over the accesses.
struct Plan {
  Options options;  ///< options with defaults filled in
  trace::Header header;
  Footprint footprint;
  uint64_t warmup = 0, region = 0;  ///< number of accesses of each phase
  uint64_t period_ps = 1000;        ///< period of the GPU's clock
};

/// Reads the selected accesses, without a machine. Throws ReplayError for physical addresses, for
/// options that contradict the machine or each other, if the selected region contains no access, or
/// if pages or page tables do not fit in VRAM. Exceptions of the source propagate. `progress`
/// receives the number of accesses read and the total (0: unknown).
Plan MakePlan(const Options& options, const trace::Header& header, const Opener& open, const MachineFacts& machine,
              const std::function<void(uint64_t done, uint64_t total)>& progress = nullptr);

/// The measurements of one epoch, which lies between two readings of the counters.
struct Row {
  uint64_t first_cycle = 0, last_cycle = 0;  ///< GPU cycles, half open
  EpochTally tally;
  std::vector<hw::Counter> counters;  ///< increments during the epoch; the first epoch begins with the region
};

struct PhaseResult {
  std::string name;  ///< "warm-up", "region"
  Tally tally{0};
  std::vector<hw::Counter> counters;  ///< increments during the phase
  std::vector<Row> rows;              ///< rows of the region, if epochs were requested
  DemandTally demand;                 ///< valid with Options::demand
};

struct Result {
  BackingFacts backing;
  std::vector<PhaseResult> phases;
};

/// Runs the workload in one power cycle of the machine: power on, create a process with the touched
/// pages mapped, run the phases with nothing in flight between them, power off. workload::RunLife
/// describes the exceptions and the machine's part of the report. `job.progress` counts pieces in
/// the phase "mapping", and accesses in the other phases.
void RunReplay(hw::Platform& platform, const Plan& plan, const Opener& open, const workload::JobOptions& job,
               workload::JobResult& job_result, Result& result);

}  // namespace gmmu::replay
