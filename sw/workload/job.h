// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"
#include "hw/platform.h"
#include "os/base/errors.h"
#include "os/base/ledger.h"
#include "os/base/parameters.h"

namespace gmmu::os {
class Remapping;
struct RemappingParts;
}  // namespace gmmu::os

namespace gmmu::workload {

/// One phase of the run. Nanoseconds and cycles are in the machine's time.
struct Phase {
  std::string name;
  uint64_t bytes = 0;
  uint64_t ns = 0;
  uint64_t cycles = 0;
  bool link = true;  ///< true: the bytes cross the link; false: they stay in VRAM
};

/// The failure that a run must end with.
struct Expectation {
  std::string fault;       ///< name of the fault: "bug_check", "entry_invalid", ...
  uint32_t stop_code = 0;  ///< stop code of the bug check
  std::string text;        ///< part of the fault's text
};

/// A comparison that the run made, and its result.
struct Check {
  std::string name;
  bool passed = false;
  std::string text;                               ///< the difference; empty if passed
  std::optional<os::Fault> fault = std::nullopt;  ///< the expected fault at which a client ended
};

/// A driver call that [inject] fail_callback or fail_allocation caused to fail.
struct Refusal {
  uint64_t seen = 0;   ///< number of calls that could have been refused
  std::string what;    ///< the refused call; empty: the driver made fewer calls
  std::string inside;  ///< the driver's entry point that made the call
};

struct JobResult {
  bool verified = false;  ///< every byte was read back correctly, and every check passed
  uint64_t bytes = 0;     ///< size of the input
  uint64_t bytes_verified = 0;
  uint64_t cycles = 0;
  uint64_t cycles_evaluated = 0;
  uint64_t simulated_ns = 0;
  double host_seconds = 0;
  /// The GPU's DMA modes, in the order in which it entered them. A start or the activation of
  /// isolation may change the mode.
  std::vector<os::DmaMode> modes;
  unsigned clients = 0;
  std::vector<Phase> phases;
  std::vector<Check> checks;
  std::vector<os::Fault> faults;
  std::vector<os::Leak> leaks;
  std::vector<hw::Finding> findings;
  std::vector<hw::Counter> counters;
  /// Capabilities that the driver declares but the model does not implement, such as "DXGK_SEGMENTFLAGS.Agp of segment
  /// 1".
  std::vector<std::string> unmodelled;
  std::optional<Expectation> expected;
  std::optional<Refusal> refusal;    ///< absent: no refusal was requested
  std::vector<std::string> by_time;  ///< Scenario::by_time
  /// Number of occurrences of each event, by name (os::Kernel::Happened).
  std::map<std::string, uint64_t> happened;
  /// The capability that this scenario needs but the driver or the device lacks. If it is not
  /// empty, the procedure did not run.
  std::string not_applicable;
  /// The reason why the run ended before the job began: power-on or a restart with another policy
  /// failed, or the machine did not meet a procedure's requirement. Empty if the job began, or if
  /// the run ended with a bug check, a timeout or a device fault.
  std::string not_begun;
  /// Set if the run ended early because the machine or a segment ran out of memory: the reason.
  std::string too_small;

  /// True if the run was verified without a fault, leak or finding, or if the expected fault, and
  /// no other, occurred at least once.
  bool Passed() const;
  /// True if the run expects this fault.
  bool Expected(const os::Fault& fault) const;
  /// True if the scenario was not applicable, the procedure therefore did not run, and no error
  /// occurred.
  bool NotApplicable() const;
};

struct JobOptions {
  os::Parameters os;  ///< machine and policy
  const std::vector<uint8_t>* input = nullptr;
  uint64_t seed = 0;
  uint64_t lowest_source = 0;               ///< host physical address above which the source buffers are allocated
  PDRIVER_INITIALIZE driver = DriverEntry;  ///< the display driver
  /// Creates the driver for the machine's remapping unit (see os::Kernel). Null selects the driver for the unit that
  /// the firmware tables describe.
  std::unique_ptr<os::Remapping> (*remapping)(const os::RemappingParts& parts) = nullptr;
  /// Receives the bytes that the CPU read back after page-out, in order. May throw.
  std::function<void(const void* bytes, size_t size)> out;
  /// Called after the last page-in fence of the first piece has completed.
  std::function<void()> after_first_page_in;
  /// Receives the phase, the bytes completed so far, and the total bytes of the phase over the
  /// whole run.
  std::function<void(const std::string& phase, uint64_t done, uint64_t total)> progress;
};

/// Runs the main job over one GPU power cycle: power on, allocation, processes, page-in, use,
/// page-out, aperture, power off. See RunLife (life.h) for the results and exceptions.
void RunMainJob(hw::Platform& platform, const JobOptions& options, JobResult& result);

}  // namespace gmmu::workload
