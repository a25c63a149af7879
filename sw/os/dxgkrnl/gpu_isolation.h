// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "os/dxgkrnl/exclusive_access.h"
#include "os/kernel/isolation.h"

namespace gmmu::os {

class LogicalAdapter;
class IommuDomain;

/// GPU isolation of one adapter that was started without a domain: a 1:1 domain that holds what the GPU
/// may reach, attached while the adapter runs. Once on it stays on until the machine is restarted: nothing
/// here switches it off, and an adapter that is started again gets it again.
class GpuIsolation {
 public:
  explicit GpuIsolation(LogicalAdapter& adapter) : adapter_(adapter), exclusive_(adapter) {}

  /// Shortly after the adapter has started: what IOMMUFlags, the driver's need, or an earlier activation
  /// ask for. Throws OsError when it fails, unless IOMMUFlags allows that.
  void OnStarted();
  /// A secure virtual machine is started. Throws OsError when it must not.
  void OnSecureVm();

  /// The GPU is behind a domain, which may also be that of remapping.
  bool active() const;
  /// Why the forced path failed, and was let pass; empty: it did not.
  const std::string& ignored_failure() const { return ignored_failure_; }
  ExclusiveAccess& exclusive() { return exclusive_; }

 private:
  bool DriverCap() const;
  void Enable(const ForcedIsolation& actions);

  LogicalAdapter& adapter_;
  ExclusiveAccess exclusive_;
  std::string ignored_failure_;
};

}  // namespace gmmu::os
