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

/// Thrown before a procedure has created anything, if the driver or the device lacks a capability, which what() names.
/// The run is then not applicable, which is not a failure.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotApplicable, which names `cap`, if `there` is false.
void NeedCap(bool there, const std::string& cap);
/// Requires that the driver supports the escapes of this project (kmd/escape.h). Call it for an escape that a plug-in
/// cannot replace.
void NeedOurEscapes(const char* escape);
/// Requires a GPU of the physical addressing model with a memory segment, and a plug-in that writes processes' copy
/// commands together with their allocation lists.
void NeedListedCopy(const Life& life);
/// Like NeedListedCopy, and also requires fill commands.
void NeedListedCommands(const Life& life);
/// Requires a node for processes, and a user-mode half that writes the commands of processes.
void NeedRender(const Life& life);
/// Requires that physically accessed allocations may be mapped into the aperture segment.
void NeedAperture(Life& life);
/// Requires the capabilities that a scenario states.
void NeedCaps(const os::Gpu& gpu, const std::vector<Need>& needs);

/// Thrown before a procedure has created anything, if the machine lacks something that the procedure needs, or has too
/// little of it. what() names the keys to change.
class WrongMachine : public os::OsError {
 public:
  using os::OsError::OsError;
};

/// Requirements that several procedures share. Each function throws WrongMachine if the machine does not meet the
/// requirement.

/// Requires that the driver has registered with at least this interface version; `name` is its name, such as "WDDM
/// 2.4".
void NeedVersion(const Life& life, ULONG version, const char* name);
/// Requires that GPU isolation is already on, or that a secure virtual machine can activate it.
void NeedIsolation(const Life& life);
/// Requires a GPU that is not linked; `what` names the part of the system that does not serve linked GPUs.
void NeedOneGpu(const Life& life, const std::string& what);
/// Requires that the adapter can start translated and untranslated: the GPU can address all memory, and the machine has
/// an IOMMU.
void NeedEveryDmaMode(const Life& life);
/// True if [os] iommu_flags, or a driver that needs isolation, activates GPU isolation at every start.
bool IsolatesAlways(const Life& life);
/// Requires that the system recovers from the first timeout, so [os] tdr_limit_count must not be 0.
void NeedRecovery(const Life& life);
/// Like NeedRecovery, and also requires that memory that does not respond for `ns` nanoseconds outlasts the timeout of a preemption.
void NeedTimeoutWithin(const Life& life, uint64_t ns);
/// Throws if `status` is a failure. `what` names the driver's request to Dxgkrnl that returned it.
void Require(NTSTATUS status, const char* what);

}  // namespace gmmu::workload
