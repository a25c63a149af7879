// SPDX-License-Identifier: Apache-2.0
#include "workload/plug_in.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hw/crc32c.h"
#include "hw/device_access.h"
#include "hw/traffic.h"
#include "kmd/escape.h"
#include "os/application/facts.h"
#include "os/application/host.h"
#include "workload/clients.h"

namespace gmmu::workload {
namespace {

constexpr uint32_t kMostData = 4096;  // maximum size of an allocation's private data

/// Returns the built-in hardware's fault code for the result of a walk through the plug-in's
/// tables.
regs::Fault FaultOf(GMMU_FOUND found) {
  switch (found) {
    case GMMU_FOUND_READ_ONLY: return regs::Fault::kWriteProtect;
    case GMMU_FOUND_NOT_EXECUTABLE: return regs::Fault::kExecuteProtect;
    default: return regs::Fault::kEntryInvalid;
  }
}

constexpr uint64_t kSystemOnly = 16 << 20;  // assumed VRAM size if all memory is system memory

const PlugIn* current = nullptr;

hw::DeviceAccess& AccessOf(os::VidMm& vidmm) {
  hw::Instruments* const instruments = os::Host(vidmm).platform().instruments();
  hw::DeviceAccess* const access = instruments == nullptr ? nullptr : instruments->device_access();
  if (access == nullptr)
    throw os::OsError("GmmuUserModeDriver needs a machine that shows memory as its device sees it: --device");
  return *access;
}

bool Reach(hw::DeviceAccess& access, uint32_t target, uint64_t address, void* bytes, size_t size, bool write) {
  switch (target) {
    case GMMU_TARGET_LOCAL: return access.Access(0, hw::DeviceAccess::Memory::kLocal, address, bytes, size, write);
    case GMMU_TARGET_HOST: return access.Access(0, hw::DeviceAccess::Memory::kHost, address, bytes, size, write);
    case GMMU_TARGET_ZERO:
      if (!write) std::memset(bytes, 0, size);
      return true;
    default: return false;
  }
}

int ReadTable(void* machine, uint32_t target, uint64_t address, void* to, uint32_t bytes) {
  return static_cast<int>(Reach(*static_cast<hw::DeviceAccess*>(machine), target, address, to, bytes, false));
}

}  // namespace

PlugIn::PlugIn(const GMMU_USER_MODE_DRIVER* driver) : driver_(driver) { current = this; }
PlugIn::~PlugIn() { current = nullptr; }
const PlugIn* PlugIn::Current() { return current; }

os::UserModeDriver PlugIn::ForSystem() const {
  os::UserModeDriver half;
  half.allocation_data = [this](const os::AllocationRequest& request) {
    std::vector<uint8_t> bytes(kMostData);
    if (driver_->allocation_data == nullptr) return std::vector<uint8_t>();
    GMMU_ALLOCATION allocation{};
    allocation.bytes = request.bytes;
    allocation.priority = request.priority;
    allocation.accessed_physically = request.accessed_physically;
    allocation.cpu_visible = request.cpu_visible;
    allocation.map_cpu_visible = request.map_cpu_visible;
    allocation.system_only = request.system_only;
    allocation.local_only = request.local_only;
    allocation.no_large_pages = request.no_large_pages;
    allocation.explicit_residency = request.explicit_residency;
    const uint32_t used = driver_->allocation_data(&allocation, bytes.data(), kMostData);
    if (used > kMostData)
      throw os::OsError("GmmuUserModeDriver.allocation_data returns more bytes than it had room for");
    bytes.resize(used);
    return bytes;
  };
  return half;
}

void PlugIn::Run(os::VidMm& vidmm, const ClientRun& run, uint64_t until, ClientEnd& end) const {
  hw::DeviceAccess& access = AccessOf(vidmm);
  if (driver_->translate == nullptr)
    throw os::OsError("GMMU_USER_MODE_DRIVER.translate is NULL: nobody looks at memory");
  GMMU_SPACE space{};
  space.process = reinterpret_cast<uint64_t>(os::HandleOf(*run.process));
  space.root_segment = os::RootSegment(*run.process);
  space.root_entries = static_cast<uint32_t>(os::RootEntries(*run.process));
  space.root_offset = os::RootOffset(*run.process);
  space.machine = &access;
  space.read = ReadTable;
  const uint64_t step = run.order.count == 1 ? 1 : run.order.step;
  for (; end.count < until && !end.fault; ++end.count) {
    // A run that writes the pattern first writes all lines, then reads them back.
    const bool write = run.write && end.count < run.order.count;
    const GMMU_ACCESS how = run.execute ? GMMU_ACCESS_EXECUTE : write ? GMMU_ACCESS_WRITE : GMMU_ACCESS_READ;
    const uint64_t k = end.count % run.order.count * step % run.order.count;
    const uint64_t va = run.base + kLine * (run.order.first + run.order.stride * k);
    std::array<uint8_t, kLine> line{}, pattern{};
    for (unsigned at = 0; at < kLine; at += 8) {
      const uint64_t word = hw::AddressPattern(run.pattern.value_or(0), va + at);
      std::memcpy(&pattern[at], &word, sizeof word);
    }
    if (write) line = pattern;

    GMMU_PLACE place{};
    const GMMU_FOUND found = driver_->translate(&space, va, how, &place);
    if (found != GMMU_FOUND_MEMORY) {
      end.fault = FaultOf(found);
    } else if (!Reach(access, place.target, place.address, line.data(), kLine, write)) {
      end.fault = place.target == GMMU_TARGET_LOCAL ? regs::Fault::kVramRange
                  : write                           ? regs::Fault::kBusWrite
                                                    : regs::Fault::kBusRead;
    }
    if (end.fault) {
      end.level = place.level;
      end.fault_address = va;
      return;
    }
    if (write) continue;
    end.crc = hw::Crc32c(end.crc, line.data(), kLine);
    for (unsigned at = 0; run.pattern && at < kLine; at += 8)
      end.mismatches += std::memcmp(&line[at], &pattern[at], 8) != 0;
  }
}

unsigned ClientsOf(const os::Gpu& gpu) {
  if (PlugIn::Current() != nullptr) return PlugIn::kClients;
  kmd::EscapeQueryCaps caps;
  gpu.Escape(caps, "the query for what was built");
  if (caps.clients == 0) throw os::OsError("the GPU has no client");
  return caps.clients;
}

uint64_t MemoryOf(const os::Gpu& gpu) {
  const os::GpuFacts facts = gpu.facts();
  if (facts.memory.empty()) return facts.aperture.size != 0 ? facts.aperture.size : kSystemOnly;
  if (PlugIn::Current() != nullptr) return facts.local.size;
  if (facts.memory.size() > 1) {  // an allocation must fit in a single segment, so only the largest segment counts
    const auto smaller = [](const os::SegmentFacts& a, const os::SegmentFacts& b) { return a.size < b.size; };
    return std::max_element(facts.memory.begin(), facts.memory.end(), smaller)->size;
  }
  kmd::EscapeQueryCaps caps;
  gpu.Escape(caps, "the query for what was built");
  return caps.vram_bytes;
}

}  // namespace gmmu::workload
