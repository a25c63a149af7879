// SPDX-License-Identifier: Apache-2.0
#include "os/application/own_objects.h"

#include <vector>

#include "os/application/video_memory.h"
#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

struct OwnObjects::Parts {
  PhysicalAdapter& gpu;
  AdapterObjects& objects;
  ProcessHandles handles;
  std::vector<DriverAllocation> allocations;
};

OwnObjects::OwnObjects(const VideoMemory& memory, const std::string& name) {
  PhysicalAdapter& gpu = memory.vidmm().gpu();
  parts_ = std::make_unique<Parts>(Parts{gpu, gpu.logical().driver_objects(), {}, {}});
  parts_->objects.OpenProcess(parts_->handles, name, false);
  parts_->objects.OpenDevice(parts_->handles, name, false);
  parts_->objects.OpenContext(parts_->handles, name, false, gpu);
}

OwnObjects::~OwnObjects() = default;

void OwnObjects::Close() {
  for (const DriverAllocation& allocation : parts_->allocations)
    parts_->objects.DestroyAllocation(allocation.handle, allocation.ticket);
  parts_->objects.DestroyProcess(parts_->handles);
}

HANDLE OwnObjects::process() const { return parts_->handles.process; }

HANDLE OwnObjects::CreateAllocation(const std::string& name, uint64_t bytes) {
  AllocationRequest request{name, bytes};
  request.explicit_residency = true;
  request.physical_adapter = parts_->gpu.index();
  parts_->allocations.push_back(parts_->objects.CreateAllocation(request));
  return parts_->allocations.back().handle;
}

}  // namespace gmmu::os
