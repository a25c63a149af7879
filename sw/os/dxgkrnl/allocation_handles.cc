// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/allocation_handles.h"

#include "os/base/bug_check.h"
#include "os/base/text.h"

namespace gmmu::os {

D3DKMT_HANDLE AllocationHandles::Open(HANDLE allocation) {
  opened_[next_ += 0x40].allocation = allocation;
  return next_;
}

void AllocationHandles::SetDeviceSpecific(D3DKMT_HANDLE handle, HANDLE opened) {
  opened_.at(handle).device_specific = opened;
}

void AllocationHandles::Close(D3DKMT_HANDLE handle) {
  const auto found = opened_.find(handle);
  if (found->second.held != 0)
    throw BugCheck("the driver holds the data of handle " + Hex(handle) +
                   " (DxgkCbAcquireHandleData without DxgkCbReleaseHandleData), whose allocation is closed");
  opened_.erase(found);
}

HANDLE AllocationHandles::Data(const DXGKARGCB_GETHANDLEDATA& args) const {
  const auto found = opened_.find(args.hObject);
  if (args.Type != DXGK_HANDLE_ALLOCATION || found == opened_.end()) return nullptr;
  return args.Flags.DeviceSpecific ? found->second.device_specific : found->second.allocation;
}

HANDLE AllocationHandles::Acquire(const DXGKARGCB_GETHANDLEDATA& args, DXGKARG_RELEASE_HANDLE& release) {
  HANDLE const data = Data(args);
  release = nullptr;
  if (data == nullptr) return nullptr;
  ++opened_[args.hObject].held;
  release = reinterpret_cast<PVOID>(uint64_t{args.hObject});
  return data;
}

void AllocationHandles::Release(DXGKARG_RELEASE_HANDLE release) {
  const auto handle = static_cast<D3DKMT_HANDLE>(reinterpret_cast<uint64_t>(release));
  const auto found = FindOrStop(opened_, handle, "DxgkCbReleaseHandleData of what was never acquired");
  if (found->second.held == 0) throw BugCheck("DxgkCbReleaseHandleData of what is not held");
  --found->second.held;
}

}  // namespace gmmu::os
