// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/physical_calls.h"

#include <string>

#include "os/base/bug_check.h"
#include "os/base/text.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/driver_room.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPatchRefused = 0x3;  // parameter 1 of bug check 0x119
}

NTSTATUS PhysicalCalls::OpenAllocation(HANDLE device, DXGKARG_OPENALLOCATION& args) {
  DXGKARG_OPENALLOCATION given = args;
  GuardedArguments guarded(driver_.copies());
  guarded.Guard(given.pOpenAllocation, given.NumAllocations, "pOpenAllocation of DXGKARG_OPENALLOCATION");
  const DXGKARG_OPENALLOCATION* constant = &given;
  return driver_.Call(GMMU_DRIVER(driver_, OpenAllocation), kPassive, device, constant);
}

void PhysicalCalls::CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION& args) {
  DXGKARG_CLOSEALLOCATION given = args;
  GuardedArguments guarded(driver_.copies());
  guarded.Guard(given.pOpenHandleList, given.NumAllocations, "pOpenHandleList of DXGKARG_CLOSEALLOCATION");
  const DXGKARG_CLOSEALLOCATION* constant = &given;
  DriverCalls::Require(driver_.Call(GMMU_DRIVER(driver_, CloseAllocation), kPassive, device, constant),
                       "DxgkDdiCloseAllocation");
}

NTSTATUS PhysicalCalls::Render(HANDLE context, DXGKARG_RENDER& args) {
  GuardedArguments guarded(driver_.copies());
  PVOID patches = args.pPatchLocationListOut;
  DriverRoom list(guarded, patches, args.PatchLocationListOutSize * static_cast<UINT>(sizeof(D3DDDI_PATCHLOCATIONLIST)),
                  "pPatchLocationListOut of DXGKARG_RENDER");
  DXGKARG_RENDER given = {guarded.Array(
                              args.pCommand, args.CommandLength, [] { return "pCommand of DXGKARG_RENDER"; }, false),
                          args.CommandLength,
                          args.pDmaBuffer,
                          args.DmaSize,
                          args.pDmaBufferPrivateData,
                          args.DmaBufferPrivateDataSize,
                          args.pAllocationList,
                          args.AllocationListSize,
                          static_cast<D3DDDI_PATCHLOCATIONLIST*>(guarded.Array(
                              args.pPatchLocationListIn,
                              args.PatchLocationListInSize * sizeof(D3DDDI_PATCHLOCATIONLIST),
                              [] { return "pPatchLocationListIn of DXGKARG_RENDER"; }, false)),
                          args.PatchLocationListInSize,
                          static_cast<D3DDDI_PATCHLOCATIONLIST*>(patches),
                          args.PatchLocationListOutSize,
                          args.MultipassOffset,
                          args.DmaBufferSegmentId,
                          args.DmaBufferPhysicalAddress};
  guarded.Guard(given.pAllocationList, args.AllocationListSize, "pAllocationList of DXGKARG_RENDER");
  const NTSTATUS status = driver_.Call(GMMU_DRIVER(driver_, Render), kPassive, context, &given);
  patches = given.pPatchLocationListOut;
  list.Back();
  args.pDmaBuffer = given.pDmaBuffer;
  args.pDmaBufferPrivateData = given.pDmaBufferPrivateData;
  args.pPatchLocationListOut = static_cast<D3DDDI_PATCHLOCATIONLIST*>(patches);
  args.MultipassOffset = given.MultipassOffset;
  return status;
}

void PhysicalCalls::Patch(const DXGKARG_PATCH& args) {
  DXGKARG_PATCH given = args;
  GuardedArguments guarded(driver_.copies());
  guarded.Guard(given.pAllocationList, given.AllocationListSize, "pAllocationList of DXGKARG_PATCH");
  guarded.Guard(given.pPatchLocationList, given.PatchLocationListSize, "pPatchLocationList of DXGKARG_PATCH");
  const DXGKARG_PATCH* constant = &given;
  const NTSTATUS status = driver_.Call(GMMU_DRIVER(driver_, Patch), kPassive, driver_.lead(), constant);
  if (status == STATUS_SUCCESS) return;
  throw BugCheck(StopCode::kVideoSchedulerInternalError, {kPatchRefused, 0, 0, 0},
                 "DxgkDdiPatch of fence " + std::to_string(args.SubmissionFenceId) + " returned status " +
                     Hex(static_cast<uint32_t>(status)));
}

}  // namespace gmmu::os
