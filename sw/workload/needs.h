// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/errors.h"

namespace gmmu::os {
class Gpu;
}

namespace gmmu::workload {

struct Life;
struct Need;

/// Thrown before a procedure has made anything if the driver or the device lacks a capability; what() names it. The run
/// is then not applicable, which is not a failure.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotApplicable, which names `cap`, unless `there` is true.
void NeedCap(bool there, const std::string& cap);
/// Requires that the driver supports this project's escapes (kmd/escape.h), because it has no plug-in.
void NeedOurEscapes(const char* escape);
/// Requires a plug-in that writes copy commands of processes with their lists, and a memory segment. Use it for GPUs of
/// the physical model.
void NeedListedCopy(const Life& life);
/// Requires fill commands too.
void NeedListedCommands(const Life& life);
/// Requires a node for processes, and a user-mode half that writes their commands.
void NeedRender(const Life& life);
/// Requires that physically accessed allocations may be mapped into the aperture segment.
void NeedAperture(Life& life);
/// Requires the capabilities that a scenario states.
void NeedCaps(const os::Gpu& gpu, const std::vector<Need>& needs);

/// Thrown before a procedure has made anything if the machine lacks something that the procedure needs, or has too
/// little of it; what() names the keys to change.
class WrongMachine : public os::OsError {
 public:
  using os::OsError::OsError;
};

/// Requirements of several procedures. Each function throws WrongMachine if the machine does not meet one.

/// Requires that the driver has registered with at least this interface version; `name` is text like "WDDM 2.4".
void NeedVersion(const Life& life, ULONG version, const char* name);
/// Requires that GPU isolation is on already, or that a secure virtual machine can activate it.
void NeedIsolation(const Life& life);
/// Requires that the adapter can start translated and untranslated: the GPU reaches all memory and there is an IOMMU.
void NeedEveryDmaMode(const Life& life);
/// True if [os] iommu_flags, or a driver that needs isolation, activates GPU isolation at every start.
bool IsolatesAlways(const Life& life);
/// Requires that memory which does not respond for `ns` outlasts the wait for a preemption.
void NeedTimeoutWithin(const Life& life, uint64_t ns);
/// Throws unless Dxgkrnl granted the driver's request `what`.
void Require(NTSTATUS status, const char* what);

}  // namespace gmmu::workload
