// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/isolation.h"

namespace gmmu::os {

ForcedIsolation ForceIsolation(uint32_t flags, bool driver_cap) {
  const auto set = [flags](uint32_t bit) { return (flags & bit) != 0; };
  ForcedIsolation actions;
  if (!driver_cap && !set(IommuFlags::kBypassDriverCap)) return actions;  // the enable bits are ignored
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

}  // namespace gmmu::os
