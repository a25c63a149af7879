// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "os/vidmm.h"
#include "workload/job.h"
#include "workload/lines.h"

namespace gmmu::workload {

/// One run of a GPU client's traffic engine: which lines it reads through which address space, and what must come.
struct ClientRun {
  unsigned client = 0;
  os::VidMm::Process* process = nullptr;
  uint64_t base = 0;  ///< GPU VA of line 0
  LineOrder order;
  uint32_t crc = 0;  ///< expected
};

/// Starts all runs, waits until every one has ended, and appends a check for each to `checks` (name: `what`). Runs with no line
/// are skipped. Throws os::DeviceFault when a client ended at a fault, os::OsTimeout when one does not end.
void RunClients(os::VidMm& vidmm, const std::vector<ClientRun>& runs, const std::string& what,
                std::vector<Check>& checks);

}  // namespace gmmu::workload
