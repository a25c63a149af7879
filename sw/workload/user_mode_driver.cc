// SPDX-License-Identifier: Apache-2.0
#include "workload/user_mode_driver.h"

#include <cstring>

#include "kmd/escape.h"
#include "os/application/gpu.h"
#include "os/miniport/allocation.h"

namespace gmmu::workload {

os::UserModeDriver OurUserModeDriver() {
  os::UserModeDriver driver;
  driver.allocation_data = [](const os::AllocationRequest& request) {
    kmd::AllocationData data;
    data.bytes = request.bytes;
    data.accessed_physically = request.accessed_physically;
    data.system_only = request.system_only;
    data.local_only = request.local_only;
    data.priority = request.priority;
    data.cpu_visible = request.cpu_visible;
    data.map_cpu_visible = request.map_cpu_visible;
    data.physical_adapter = request.physical_adapter;
    data.no_large_pages = request.no_large_pages;
    data.explicit_residency = request.explicit_residency;
    std::vector<uint8_t> bytes(sizeof data);
    std::memcpy(bytes.data(), &data, sizeof data);
    return bytes;
  };
  driver.space_of = [](os::PhysicalAdapter& adapter, HANDLE process) -> std::optional<unsigned> {
    kmd::EscapeQuerySpace query;
    query.process = reinterpret_cast<uint64_t>(process);
    if (!NT_SUCCESS(os::Gpu(adapter).Ask(query))) return std::nullopt;
    return query.space;
  };
  return driver;
}

}  // namespace gmmu::workload
