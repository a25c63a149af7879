// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/gpu_isolation.h"

#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"
#include "os/miniport/adapter_answers.h"
#include "os/miniport/interface_version.h"

namespace gmmu::os {

ForcedIsolation ForceIsolation(uint32_t flags, bool driver_cap) {
  const auto set = [flags](uint32_t bit) { return (flags & bit) != 0; };
  ForcedIsolation actions;
  // Without driver support, the enable bits have no effect unless kBypassDriverCap is set.
  if (!driver_cap && !set(IommuFlags::kBypassDriverCap)) return actions;
  actions.create_domain = set(IommuFlags::kEnabled);
  actions.map = actions.create_domain && set(IommuFlags::kEnableMappings);
  actions.attach = actions.map && set(IommuFlags::kEnableAttach);
  actions.ignore_failure = actions.create_domain && set(IommuFlags::kAllowFailure);
  return actions;
}

SecureVmStart DecideSecureVm(bool enabled, bool driver_cap, bool active) {
  if (!enabled) return SecureVmStart::kNothingToDo;
  if (!driver_cap) return SecureVmStart::kRefused;
  return active ? SecureVmStart::kNothingToDo : SecureVmStart::kActivate;
}

bool GpuIsolation::DriverCap() const {
  return adapter_.answers().driver.MemoryManagementCaps.IoMmuSecureModeSupported != 0;
}

bool GpuIsolation::active() const { return adapter_.mode() != DmaMode::kPhysical; }

void GpuIsolation::RefuseForbiddenRoutines() const {
  if (!DriverCap()) return;
  const char* const routine = adapter_.kernel().driver().forbidden_routine;
  if (routine == nullptr) return adapter_.kernel().driver().Forbid();
  throw OsError(std::string("DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 1, and the driver called ") + routine +
                ", which GPU isolation forbids: its memory comes from the callbacks of DXGKRNL_INTERFACE");
}

void GpuIsolation::Enable(const ForcedIsolation& actions, IsolationScope scope) {
  if (adapter_.kernel().iommu() == nullptr)
    throw OsError("GPU isolation needs an IOMMU, and there is none ([iommu] present)");
  if (!actions.create_domain) return;
  adapter_.dma().MakeIsolation();
  if (actions.map) adapter_.dma().MapIsolation(scope);
  if (!actions.attach) return;
  exclusive_.Run("attach of the isolation domain", [this] { adapter_.dma().AttachIsolation(); });
  adapter_.dxgkrnl().NoteIsolation();
}

// For drivers of WDDM 2.9 and later, AdapterDomain::Decide creates the domain before the start.
bool GpuIsolation::EnterByPolicy() {
  const ULONG version = adapter_.answers().version;
  if (adapter_.dxgkrnl().remap_policy() != RemapPolicy::kIdentity || HasMemoryCaps(version) ||
      adapter_.kernel().iommu() == nullptr) {
    return false;
  }
  if (!adapter_.dma().can_be_1to1()) {
    throw OsError(
        "[os] iommu = \"identity\" is not for a driver that registers with " + NameOfVersion(version) +
        " and has no GPU isolation (DXGK_VIDMMCAPS.IoMmuSecureModeSupported, WDDM 2.4): a 1:1 domain would not "
        "have the memory that it takes from the kernel; use \"physical\"");
  }
  exclusive_.Run("attach of the 1:1 domain", [this] { adapter_.dma().EnterIdentity(); });
  return true;
}

void GpuIsolation::OnStarted() {
  ignored_failure_.clear();
  RefuseForbiddenRoutines();
  if (active()) return;
  // A driver that is older than WDDM 2.9, or that fails the IOMMU_CAPS query, reports only after
  // its start which isolation it supports and requires.
  const bool required = adapter_.answers().driver.MemoryManagementCaps.IoMmuSecureModeRequired != 0;
  if (required || (adapter_.dxgkrnl().isolation_noted() && DriverCap()))
    return Enable({true, true, true, false}, IsolationScope::kTracked);
  if (EnterByPolicy()) return;
  const ForcedIsolation actions = ForceIsolation(adapter_.kernel().parameters().iommu_flags, DriverCap());
  if (!actions.create_domain) return;
  if (!DriverCap() && adapter_.kernel().parameters().isolation_maps == IsolationScope::kTracked) {
    throw OsError(
        "os.isolation_maps: \"tracked\" leaves out the memory of a driver that does not support isolation "
        "(DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 0), which os.iommu_flags isolates all the same; it needs \"all\"");
  }
  try {
    Enable(actions, adapter_.kernel().parameters().isolation_maps);
  } catch (const BugCheck&) {
    throw;
  } catch (const DeviceFault&) {
    throw;  // kAllowFailure does not cover device faults
  } catch (const OsError& error) {
    if (!actions.ignore_failure) throw;
    ignored_failure_ = error.what();
    adapter_.dma().AbandonIsolation();
  }
}

void GpuIsolation::OnSecureVm() {
  const bool enabled = adapter_.kernel().parameters().secure_vm_key || adapter_.dxgkrnl().isolation_noted();
  switch (DecideSecureVm(enabled, DriverCap(), active())) {
    case SecureVmStart::kNothingToDo: return;
    case SecureVmStart::kActivate: return Enable({true, true, true, false}, IsolationScope::kTracked);
    case SecureVmStart::kRefused:
      throw OsError("a secure virtual machine cannot start: the driver of " + adapter_.function().bdf.ToString() +
                    " does not support isolation (DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 0)");
  }
}

}  // namespace gmmu::os
