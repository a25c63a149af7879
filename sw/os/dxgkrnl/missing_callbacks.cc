// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/missing_callbacks.h"

#include <string>
#include <type_traits>

#include "os/kernel/kernel.h"

namespace gmmu::os {
namespace {

template <auto kMember>
struct Missing;
template <typename Result, typename... Args, Result (*DXGKRNL_INTERFACE::*kMember)(Args...)>
struct Missing<kMember> {
  static void Put(DXGKRNL_INTERFACE& table, const char* callback, Irql highest) {
    name = callback;
    highest_irql = highest;
    if (table.*kMember == nullptr) table.*kMember = Call;
  }

 private:
  static Result Call(Args...) {
    Kernel::Called(name, highest_irql).NoteUnmodelled(std::string("a call of ") + name);
    if constexpr (std::is_same_v<Result, NTSTATUS>) return STATUS_NOT_SUPPORTED;
    if constexpr (!std::is_void_v<Result>) return Result{};
  }
  static inline const char* name = nullptr;
  static inline Irql highest_irql = kHigh;
};

}  // namespace

// The IRQL limits come from the callbacks' reference pages. The limit is kHigh if the page states
// none, or permits any IRQL under some condition.
void PutMissingCallbacks(DXGKRNL_INTERFACE& table) {
#define MISSING(name, highest) Missing<&DXGKRNL_INTERFACE::name>::Put(table, #name, highest)
  MISSING(DxgkCbEvalAcpiMethod, kPassive);
  MISSING(DxgkCbIndicateChildStatus, kDispatch);
  MISSING(DxgkCbQueryServices, kPassive);
  MISSING(DxgkCbIsDevicePresent, kPassive);
  MISSING(DxgkCbGetHandleParent, kApc);
  MISSING(DxgkCbEnumHandleChildren, kPassive);
  MISSING(DxgkCbQueryVidPnInterface, kApc);
  MISSING(DxgkCbQueryMonitorInterface, kApc);
  MISSING(DxgkCbGetCaptureAddress, kPassive);
  MISSING(DxgkCbLogEtwEvent, kHigh);
  MISSING(DxgkCbExcludeAdapterAccess, kPassive);
  MISSING(DxgkCbSetPowerComponentActive, kPassive);
  MISSING(DxgkCbSetPowerComponentIdle, kDispatch);
  MISSING(DxgkCbAcquirePostDisplayOwnership, kApc);
  MISSING(DxgkCbPowerRuntimeControlRequest, kDispatch);
  MISSING(DxgkCbSetPowerComponentLatency, kDispatch);
  MISSING(DxgkCbSetPowerComponentResidency, kDispatch);
  MISSING(DxgkCbCompleteFStateTransition, kDispatch);
  MISSING(DxgkCbCompletePStateTransition, kHigh);
  MISSING(DxgkCbHardwareContentProtectionTeardown, kDispatch);
  MISSING(DxgkCbMultiPlaneOverlayDisabled, kPassive);
  MISSING(DxgkCbMitigatedRangeUpdate, kHigh);
  MISSING(DxgkCbInvalidateHwContext, kPassive);
  MISSING(DxgkCbIndicateConnectorChange, kDispatch);
  MISSING(DxgkCbUnblockUEFIFrameBufferRanges, kHigh);
  MISSING(DxgkCbAcquirePostDisplayOwnership2, kHigh);
  MISSING(DxgkCbSetProtectedSessionStatus, kPassive);
  MISSING(DxgkCbReportDiagnostic, kHigh);
  MISSING(DxgkCbSignalEvent, kDispatch);
  MISSING(DxgkCbIsFeatureEnabled, kPassive);
  MISSING(DxgkCbSaveMemoryForHotUpdate, kPassive);
  MISSING(DxgkCbNotifyCursorSupportChange, kPassive);
  MISSING(DxgkCbQueryFeatureSupport, kHigh);
  MISSING(DxgkCbDisconnectDoorbell, kPassive);
#undef MISSING
}

}  // namespace gmmu::os
