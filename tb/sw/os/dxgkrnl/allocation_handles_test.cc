// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/allocation_handles.h"

#include <gtest/gtest.h>

#include "os/base/bug_check.h"

namespace gmmu::os {
namespace {

DXGKARGCB_GETHANDLEDATA Asked(D3DKMT_HANDLE handle, bool device_specific = false) {
  DXGKARGCB_GETHANDLEDATA args{};
  args.hObject = handle;
  args.Type = DXGK_HANDLE_ALLOCATION;
  args.Flags.DeviceSpecific = device_specific;
  return args;
}

struct HandlesOfAllocations : ::testing::Test {
  AllocationHandles handles;
  int allocation = 0, opened = 0;
};

TEST_F(HandlesOfAllocations, AnswerWithTheDriversAllocationAndWhatADeviceHasOfIt) {
  const D3DKMT_HANDLE handle = handles.Open(&allocation), other = handles.Open(nullptr);
  EXPECT_NE(handle, other);
  EXPECT_EQ(handles.Data(Asked(handle)), &allocation);
  EXPECT_EQ(handles.Data(Asked(handle, true)), nullptr) << "not before the driver has answered";
  handles.SetDeviceSpecific(handle, &opened);
  EXPECT_EQ(handles.Data(Asked(handle, true)), &opened);
  handles.Close(handle);
  EXPECT_EQ(handles.Data(Asked(handle)), nullptr);
}

TEST_F(HandlesOfAllocations, OfResourcesAndUnknownOnesAreNull) {
  DXGKARGCB_GETHANDLEDATA resource = Asked(handles.Open(&allocation));
  resource.Type = DXGK_HANDLE_RESOURCE;
  EXPECT_EQ(handles.Data(resource), nullptr);
  DXGKARG_RELEASE_HANDLE release = &opened;
  EXPECT_EQ(handles.Acquire(Asked(7), release), nullptr);
  EXPECT_EQ(release, nullptr);
}

TEST_F(HandlesOfAllocations, ThatAreHeldMustBeReleasedBeforeTheyAreClosed) {
  const D3DKMT_HANDLE handle = handles.Open(&allocation);
  DXGKARG_RELEASE_HANDLE first = nullptr, second = nullptr;
  EXPECT_EQ(handles.Acquire(Asked(handle), first), &allocation);
  EXPECT_EQ(handles.Acquire(Asked(handle), second), &allocation);
  handles.Release(first);
  EXPECT_THROW(handles.Close(handle), BugCheck);
  handles.Release(second);
  EXPECT_THROW(handles.Release(second), BugCheck) << "nothing is held any more";
  handles.Close(handle);
  EXPECT_THROW(handles.Release(second), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
