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

/// Thrown if the driver or the device lacks a capability, which what() names, before the procedure
/// has created anything. The run is then not applicable, which is not a failure.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotApplicable with the name `cap` if `there` is false.
void NeedCap(bool there, const std::string& cap);
/// Requires a driver that supports the built-in driver's escapes (kmd/escape.h). Call this only for
/// escapes that a plug-in cannot replace.
void NeedOurEscapes(const char* escape);
/// Requires a GPU with the physical addressing model and a memory segment, and a plug-in that
/// writes copy commands of processes together with their allocation lists.
void NeedListedCopy(const Life& life);
/// Like NeedListedCopy, and also requires fill commands.
void NeedListedCommands(const Life& life);
/// Requires a node for processes, and a user-mode half that writes commands for processes.
void NeedRender(const Life& life);
/// Requires a driver that permits mapping physically accessed allocations into the aperture
/// segment.
void NeedAperture(Life& life);
/// Requires the capabilities that a scenario states.
void NeedCaps(const os::Gpu& gpu, const std::vector<Need>& needs);

/// Thrown if the machine lacks a resource that the procedure needs, or has too little of it, before
/// the procedure has created anything. what() names the keys to change.
class WrongMachine : public os::OsError {
 public:
  using os::OsError::OsError;
};

/// Requirements that several procedures share. Each of these functions throws WrongMachine if the
/// machine does not meet its requirement.

/// Requires that the driver has registered at least this interface version; `name` is the version's
/// name, such as "WDDM 2.4".
void NeedVersion(const Life& life, ULONG version, const char* name);
/// Requires that GPU isolation is already active, or that a secure virtual machine can activate it.
void NeedIsolation(const Life& life);
/// Requires a GPU that is not linked; `what` names the feature that does not support linked GPUs.
void NeedOneGpu(const Life& life, const std::string& what);
/// Requires that the adapter can start with and without DMA remapping: the GPU can address all
/// memory, and the machine has an IOMMU.
void NeedEveryDmaMode(const Life& life);
/// True if GPU isolation is activated at every start, by [os] iommu_flags or because the driver
/// needs it.
bool IsolatesAlways(const Life& life);
/// Requires that the system recovers from the first timeout: [os] tdr_limit_count must not be 0.
void NeedRecovery(const Life& life);
/// Like NeedRecovery, and also requires a timeout delay of less than `ns` / 4, so that the timeout
/// expires while memory does not respond for `ns` nanoseconds.
void NeedTimeoutWithin(const Life& life, uint64_t ns);
/// Throws if `status` is a failure. `what` names the driver's request to Dxgkrnl that returned the
/// status.
void Require(NTSTATUS status, const char* what);

}  // namespace gmmu::workload
