// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/allocation.h"

#include <algorithm>

#include "os/base/errors.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/segments.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

std::vector<Mapping> Without(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                             uint64_t pages) {
  const uint64_t end = va + pages * kPage;
  std::vector<Mapping> kept;
  for (const Mapping& mapping : mappings) {
    const uint64_t last = mapping.end();
    if (mapping.process != &process || last <= va || mapping.va >= end) {
      kept.push_back(mapping);
      continue;
    }
    if (mapping.va < va) kept.push_back(mapping.Part(0, (va - mapping.va) / kPage));
    if (last > end) kept.push_back(mapping.Part((end - mapping.va) / kPage, (last - end) / kPage));
  }
  return kept;
}

std::vector<Mapping> Within(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                            uint64_t bytes) {
  std::vector<Mapping> found;
  for (const Mapping& mapping : mappings) {
    const uint64_t start = std::max(mapping.va, va), end = std::min(mapping.end(), va + bytes);
    if (mapping.process != &process || start >= end) continue;
    found.push_back(mapping.Part((start - mapping.va) / kPage, (end - start) / kPage));
  }
  return found;
}

Allocation::Allocation() = default;

Allocation::~Allocation() = default;

uint64_t Allocation::NextSerial() {
  static uint64_t last = 0;
  return ++last;
}

unsigned Allocation::segment() const {
  if (local) return local->segment().id;
  return aperture_page ? vidmm->gpu().aperture_segment().id : 0;
}

HANDLE Allocation::device() const {
  if (primary) return nullptr;
  // On linked GPUs, the process's first part holds the device handle.
  Processes& processes = vidmm->link().front()->processes();
  const GpuProcess* process = processes.Find([this](const GpuProcess& each) { return each.serial == owner; });
  return process == nullptr ? vidmm->paging().process().handles.device : process->handles.device;
}

uint64_t Allocation::UniqueProtection(uint64_t page) const {
  for (const Mapping& mapping : mappings) {
    if (page < mapping.first_page || page >= mapping.first_page + mapping.shown()) continue;
    if ((mapping.protection.driver & D3DGPU_UNIQUE_DRIVER_PROTECTION) != 0) return mapping.protection.driver;
  }
  return 0;
}

void Allocation::RequireUnlocked() const {
  if (locked) throw OsError(name + " is locked for the CPU: it stays where it is until it is unlocked");
}

bool Allocation::Unused() {
  const auto ended = [this](PacketId packet) { return vidmm->gpu().vidsch().Ended(packet); };
  users.erase(std::remove_if(users.begin(), users.end(), ended), users.end());
  return users.empty();
}

}  // namespace gmmu::os
