// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// IOMMU-based GPU isolation of WDDM 2.4: what turns it on (documents only; no open driver was seen with
/// it on). Rules without state; GpuIsolation carries them out.

/// Bits of the DWORD IOMMUFlags in the GraphicsDrivers key; others are ignored.
struct IommuFlags {
  static constexpr uint32_t kEnabled = 0x01;          ///< domains are created
  static constexpr uint32_t kEnableMappings = 0x02;   ///< memory is mapped into the domain; needs kEnabled
  static constexpr uint32_t kEnableAttach = 0x04;     ///< the domain is attached; needs kEnableMappings
  static constexpr uint32_t kBypassDriverCap = 0x08;  ///< act without the driver's capability
  static constexpr uint32_t kAllowFailure = 0x10;     ///< the adapter starts though it failed
  static constexpr uint32_t kAll = 0x1F;
};

/// What Dxgkrnl does shortly after the adapter has started.
struct ForcedIsolation {
  bool create_domain = false;
  bool map = false;
  bool attach = false;
  bool ignore_failure = false;  ///< of these three, and of nothing else
};

/// `driver_cap`: DXGK_VIDMMCAPS.IoMmuSecureModeSupported.
ForcedIsolation ForceIsolation(uint32_t flags, bool driver_cap);

/// What the start of a secure virtual machine means for an adapter.
enum class SecureVmStart {
  kNothingToDo,  ///< it starts; the adapter stays as it is
  kActivate,     ///< isolation is switched on first; when that fails, so does the start
  kRefused,      ///< the driver lacks support
};

/// `enabled`: by velocity staging key 14688597, off by default, or because isolation was switched on before,
/// which nothing but a restart undoes. `active`: the adapter is behind a domain. kAllowFailure has no say here.
SecureVmStart DecideSecureVm(bool enabled, bool driver_cap, bool active);

/// How the first of the two queries for hardware-reserved ranges looks, which is open: it has no array in
/// either form.
enum class ReservedQuery { kNullPointer, kZeroCount };

/// Which pages kEnableMappings maps at the moment isolation is switched on. The sources say both: "all
/// physical memory" (the flag), and the memory that Dxgkrnl tracks (activation).
enum class IsolationScope {
  kTracked,  ///< what the driver's callbacks, VidMm and the reserved ranges hold; the rest as it comes
  kAll,      ///< every installed page
};

}  // namespace gmmu::os
