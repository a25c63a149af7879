// SPDX-License-Identifier: Apache-2.0
#include "os/application/own_objects.h"

#include <vector>

#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

struct OwnObjects::Parts {
  Parts(VidMm& vidmm, const std::string& name)
      : gpu(vidmm.gpu()), objects(gpu.logical().driver_objects()), process(vidmm, name) {}

  PhysicalAdapter& gpu;
  AdapterObjects& objects;
  GpuProcess process;
  std::vector<DriverAllocation> allocations;
};

OwnObjects::OwnObjects(VidMm& vidmm, const std::string& name) {
  parts_ = std::make_unique<Parts>(vidmm, name);
  ProcessHandles& handles = parts_->process.handles;
  vidmm.processes().OpenInDriver(parts_->process);
  parts_->objects.OpenDevice(handles, name, false);
  parts_->objects.OpenContext(handles, name, false, parts_->gpu);
}

OwnObjects::~OwnObjects() = default;

void OwnObjects::Close() {
  for (const DriverAllocation& allocation : parts_->allocations)
    parts_->objects.DestroyAllocation(allocation.handle, allocation.ticket);
  parts_->objects.DestroyProcess(parts_->process.handles);
  for (const auto& [va, range] : parts_->process.driver_ranges) parts_->process.FreeVa(va);
}

HANDLE OwnObjects::process() const { return parts_->process.handles.process; }

HANDLE OwnObjects::CreateAllocation(const std::string& name, uint64_t bytes) {
  AllocationRequest request{name, bytes};
  request.explicit_residency = true;
  request.physical_adapter = parts_->gpu.index();
  parts_->allocations.push_back(parts_->objects.CreateAllocation(request));
  return parts_->allocations.back().handle;
}

}  // namespace gmmu::os
