// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "os/dxgkrnl/exclusive_access.h"

namespace gmmu::os {

class LogicalAdapter;
enum class IsolationScope;

// Conditions that turn on the IOMMU-based GPU isolation of WDDM 2.4. They come from the
// documentation; no open-source driver was observed with isolation enabled.

/// Bits of the DWORD IOMMUFlags in the GraphicsDrivers key. Other bits are ignored.
struct IommuFlags {
  static constexpr uint32_t kEnabled = 0x01;          ///< domains are created
  static constexpr uint32_t kEnableMappings = 0x02;   ///< memory is mapped into the domain; needs kEnabled
  static constexpr uint32_t kEnableAttach = 0x04;     ///< the domain is attached; needs kEnableMappings
  static constexpr uint32_t kBypassDriverCap = 0x08;  ///< ignore that the driver lacks the capability
  static constexpr uint32_t kAllowFailure = 0x10;     ///< the adapter starts even if isolation failed
  static constexpr uint32_t kAll = 0x1F;
};

/// The actions that IOMMUFlags request shortly after the adapter has started.
struct ForcedIsolation {
  bool create_domain = false;
  bool map = false;
  bool attach = false;
  bool ignore_failure = false;  ///< ignore failures of the three actions above only
};

/// `driver_cap`: DXGK_VIDMMCAPS.IoMmuSecureModeSupported.
ForcedIsolation ForceIsolation(uint32_t flags, bool driver_cap);

/// What happens to an adapter when a secure virtual machine starts.
enum class SecureVmStart {
  kNothingToDo,  ///< the virtual machine starts without a change to the adapter
  kActivate,     ///< isolation is switched on first; if that fails, the start fails
  kRefused,      ///< the start is refused because the driver lacks support
};

/// `enabled` is true if velocity staging key 14688597 (off by default) is set, or if isolation was
/// switched on since the machine was started. `active`: the adapter is in a domain. kAllowFailure
/// has no effect here.
SecureVmStart DecideSecureVm(bool enabled, bool driver_cap, bool active);

/// GPU isolation of one adapter that was started without a domain. While the adapter runs, this
/// class attaches it to a 1:1 domain that maps the memory that the GPU may access. Isolation stays
/// on until the machine is restarted: this class never switches it off, and an adapter that is
/// restarted is isolated again.
class GpuIsolation {
 public:
  explicit GpuIsolation(LogicalAdapter& adapter) : adapter_(adapter), exclusive_(adapter) {}

  /// Call shortly after the adapter has started. Performs what os.iommu or IOMMUFlags require.
  /// Throws OsError on failure, unless IOMMUFlags allow failure. If the driver requires isolation,
  /// or isolation was switched on earlier, the domain exists before the start (AdapterDomain).
  void OnStarted();
  /// Call when a secure virtual machine is about to start. Throws OsError if it must not start.
  void OnSecureVm();

  /// True if the GPU is in a domain, which may also be a remapping domain.
  bool active() const;
  /// Why forced isolation failed, if the failure was tolerated; otherwise empty.
  const std::string& ignored_failure() const { return ignored_failure_; }
  ExclusiveAccess& exclusive() { return exclusive_; }

 private:
  bool DriverCap() const;
  /// Applies RemapPolicy::kIdentity to a driver older than WDDM 2.9. Returns false if the policy
  /// requires no isolation. Throws OsError if a 1:1 domain is not possible.
  bool EnterByPolicy();
  /// Throws OsError if a driver that supports isolation has called a routine that isolation
  /// forbids, because the domain would not map the memory that such a routine allocates.
  void RefuseForbiddenRoutines() const;
  void Enable(const ForcedIsolation& actions, IsolationScope scope);

  LogicalAdapter& adapter_;
  ExclusiveAccess exclusive_;
  std::string ignored_failure_;
};

}  // namespace gmmu::os
