// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/ntddk.h"
#include "os/kernel/errors.h"

namespace gmmu::workload {

struct Life;

/// The driver does not have what a procedure is about, and need not: what() names the cap.
class NotApplicable : public os::OsError {
 public:
  using OsError::OsError;
};

/// What several procedures need of a machine. Each throws OsError, or NotApplicable, with the keys to change when it is not so.

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
