// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/gmmu_regs.h"
#include "os/vidmm/vidmm.h"
#include "workload/job.h"
#include "workload/lines.h"

namespace gmmu::workload {

/// The progress of a client's run, or how it ended.
struct ClientEnd {
  uint64_t count = 0;  ///< accesses completed without a fault
  uint32_t crc = 0;    ///< CRC of the bytes read
  uint64_t mismatches = 0;
  std::optional<regs::Fault> fault;
  uint32_t level = 0;
  uint64_t fault_address = 0;
};

/// One run of a GPU client's traffic engine: the lines it reads, its address space, and the
/// expected data. A run with a pattern seed instead writes or reads the address pattern
/// (hw/traffic.h), and the engine compares the bytes itself.
struct ClientRun {
  unsigned client = 0;
  os::GpuProcess* process = nullptr;
  uint64_t base = 0;  ///< GPU VA of line 0
  LineOrder order;
  uint32_t crc = 0;                                ///< expected CRC, for reads without a pattern
  std::optional<uint64_t> pattern = std::nullopt;  ///< seed of the address pattern
  bool write = false;                              ///< true: the run writes, with or without the pattern
  bool execute = false;
  std::optional<regs::Fault> fault = std::nullopt;  ///< the fault at which the run must end
  uint32_t depth = 0;                               ///< maximum number of accesses in flight; 0: the hardware's maximum
};

/// Returns a run over every line of [base, base + bytes), in order.
ClientRun AllLines(os::GpuProcess* process, uint64_t base, uint64_t bytes);

/// Runs that are started together. Runs without lines are skipped.
class ClientBatch {
 public:
  /// Starts the runs; `what` names them in checks and errors.
  ClientBatch(os::VidMm& vidmm, std::vector<ClientRun> runs, std::string what);
  /// True while at least one run is active.
  bool busy() const;
  /// Waits until all runs have ended and appends a check for each to `checks`. Throws
  /// os::DeviceFault if a client's run ended with an unexpected fault, and os::OsTimeout if a run
  /// does not end in time.
  void Finish(std::vector<Check>& checks);

 private:
  void FinishOne(const ClientRun& run, std::vector<Check>& checks);
  void Judge(const ClientRun& run, const ClientEnd& end, std::vector<Check>& checks);

  os::VidMm& vidmm_;
  std::vector<ClientRun> runs_;
  /// Results of runs that a plug-in emulates. The constructor makes half of the accesses, each call
  /// to busy() one more, and Finish the rest.
  mutable std::vector<ClientEnd> ends_;
  std::string what_;
  uint64_t bound_ns_ = 0;
  uint64_t deadline_ = 0;
};

/// Returns a run in which client 0 reads [va, va + expected.size()) and expects the bytes of
/// `expected`.
ClientRun ReadOf(os::GpuProcess* process, uint64_t va, const std::vector<uint8_t>& expected);

/// Starts the runs and waits until they end.
void RunClients(os::VidMm& vidmm, const std::vector<ClientRun>& runs, const std::string& what,
                std::vector<Check>& checks);

}  // namespace gmmu::workload
