// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ddi/ntdef.h"

namespace gmmu::os {
class Gpu;
}

namespace gmmu::workload {

struct Life;
struct Need;

/// The driver or the device cannot carry what a scenario is about; what() is the capability that is missing. Thrown before
/// a procedure has made anything. The run is then not applicable, which is no failure.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotApplicable unless `there`.
void NeedCap(bool there, const std::string& cap);
/// The driver answers this project's escapes (kmd/escape.h): it has no plug-in.
void NeedOurEscapes(const char* escape);
/// Somebody writes the copies of processes with their lists, and there is a memory segment. For GPUs of the physical
/// model.
void NeedListedCopy(const Life& life);
/// And fills.
void NeedListedCommands(const Life& life);
/// Processes have a node of their own, and somebody writes their commands.
void NeedRender(const Life& life);
/// The driver lets what is accessed physically be mapped into the aperture segment.
void NeedAperture(Life& life);
/// What a scenario says that it needs.
void NeedCaps(const os::Gpu& gpu, const std::vector<Need>& needs);

/// What several procedures need of a machine. Each throws OsError with the keys to change when it is not so.

/// The driver has registered with this interface version at least; `name`: "WDDM 2.4".
void NeedVersion(const Life& life, ULONG version, const char* name);
/// GPU isolation is on already, or a secure virtual machine will activate it.
void NeedIsolation(const Life& life);
/// The adapter can start translated and untranslated: the GPU reaches all memory, and there is an IOMMU.
void NeedEveryDmaMode(const Life& life);
/// Memory that does not answer for `ns` outlasts the wait for a preemption.
void NeedTimeoutWithin(const Life& life, uint64_t ns);
/// Dxgkrnl gave `what` that a driver asked for.
void Require(NTSTATUS status, const char* what);

}  // namespace gmmu::workload
