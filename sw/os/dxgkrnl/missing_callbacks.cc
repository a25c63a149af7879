// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/missing_callbacks.h"

#include <string>
#include <type_traits>

#include "os/dxgkrnl/dxgkrnl.h"

namespace gmmu::os {
namespace {

template <auto kMember>
struct Missing;
template <typename Result, typename... Args, Result (*DXGKRNL_INTERFACE::*kMember)(Args...)>
struct Missing<kMember> {
  static void Put(DXGKRNL_INTERFACE& table, const char* callback) {
    name = callback;
    if (table.*kMember == nullptr) table.*kMember = Call;
  }

 private:
  static Result Call(Args...) {
    Dxgkrnl::Current().NoteUnmodelled({std::string("a call of ") + name});
    if constexpr (std::is_same_v<Result, NTSTATUS>) return STATUS_NOT_SUPPORTED;
    if constexpr (!std::is_void_v<Result>) return Result{};
  }
  static inline const char* name = nullptr;
};

}  // namespace

void PutMissingCallbacks(DXGKRNL_INTERFACE& table) {
#define MISSING(name) Missing<&DXGKRNL_INTERFACE::name>::Put(table, #name)
  MISSING(DxgkCbEvalAcpiMethod);
  MISSING(DxgkCbIndicateChildStatus);
  MISSING(DxgkCbQueryServices);
  MISSING(DxgkCbIsDevicePresent);
  MISSING(DxgkCbGetHandleParent);
  MISSING(DxgkCbEnumHandleChildren);
  MISSING(DxgkCbQueryVidPnInterface);
  MISSING(DxgkCbQueryMonitorInterface);
  MISSING(DxgkCbGetCaptureAddress);
  MISSING(DxgkCbLogEtwEvent);
  MISSING(DxgkCbExcludeAdapterAccess);
  MISSING(DxgkCbSetPowerComponentActive);
  MISSING(DxgkCbSetPowerComponentIdle);
  MISSING(DxgkCbAcquirePostDisplayOwnership);
  MISSING(DxgkCbPowerRuntimeControlRequest);
  MISSING(DxgkCbSetPowerComponentLatency);
  MISSING(DxgkCbSetPowerComponentResidency);
  MISSING(DxgkCbCompleteFStateTransition);
  MISSING(DxgkCbCompletePStateTransition);
  MISSING(DxgkCbHardwareContentProtectionTeardown);
  MISSING(DxgkCbMultiPlaneOverlayDisabled);
  MISSING(DxgkCbMitigatedRangeUpdate);
  MISSING(DxgkCbInvalidateHwContext);
  MISSING(DxgkCbIndicateConnectorChange);
  MISSING(DxgkCbUnblockUEFIFrameBufferRanges);
  MISSING(DxgkCbAcquirePostDisplayOwnership2);
  MISSING(DxgkCbSetProtectedSessionStatus);
  MISSING(DxgkCbReportDiagnostic);
  MISSING(DxgkCbSignalEvent);
  MISSING(DxgkCbIsFeatureEnabled);
  MISSING(DxgkCbSaveMemoryForHotUpdate);
  MISSING(DxgkCbNotifyCursorSupportChange);
  MISSING(DxgkCbQueryFeatureSupport);
  MISSING(DxgkCbDisconnectDoorbell);
#undef MISSING
}

}  // namespace gmmu::os
