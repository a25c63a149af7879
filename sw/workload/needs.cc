// SPDX-License-Identifier: Apache-2.0
#include "workload/needs.h"

#include <string>

#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/text.h"
#include "workload/life.h"
#include "workload/lines.h"
#include "workload/plug_in.h"
#include "workload/scenario.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kBypassDriverCap = 8;  // bit 3 of [os] iommu_flags
constexpr uint64_t kIsolates = 7;         // bits of [os] iommu_flags that create, map and attach a domain
}  // namespace

void NeedCap(bool there, const std::string& cap) {
  if (!there) throw NotApplicable(cap);
}

void NeedOurEscapes(const char* escape) {
  NeedCap(PlugIn::Current() == nullptr, std::string("DxgkDdiEscape, code ") + escape + " of sw/kmd/escape.h");
}

void NeedListedCopy(const Life& life) {
  NeedCap(life.gpu().facts().local.size != 0, "a memory segment: DXGK_SEGMENTFLAGS.Aperture is 1 of every segment");
  const PlugIn* plug_in = PlugIn::Current();
  NeedCap(plug_in != nullptr && plug_in->has_listed_copy(), "GMMU_USER_MODE_DRIVER.list_copy");
}

void NeedListedCommands(const Life& life) {
  NeedListedCopy(life);
  NeedCap(PlugIn::Current()->has_listed_fill(), "GMMU_USER_MODE_DRIVER.list_fill");
}

void NeedRender(const Life& life) {
  const os::GpuFacts facts = life.gpu().facts();
  NeedCap(facts.render_node != facts.paging_node,
          "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes of 2: a node for processes");
  const PlugIn* plug_in = PlugIn::Current();
  NeedCap(plug_in == nullptr || plug_in->has_commands(), "GMMU_USER_MODE_DRIVER.copy and fill");
}

void NeedAperture(Life& life) {
  bool may = false;
  life.Work([&] {
    os::Allocation* probe = life.vidmm.allocations().CreateInAperture("probe", kPage, nullptr);
    may = os::MayLiveInAperture(*probe);
    life.vidmm.DestroyAllocation(probe);
  });
  NeedCap(may, "DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet of what is accessed physically names no aperture segment");
}

void NeedCaps(const os::Gpu& gpu, const std::vector<Need>& needs) {
  for (const Need& need : needs) {
    const bool of_tables = need.cap.rfind("DXGK_GPUMMUCAPS.", 0) == 0 ||
                           need.cap.rfind("DXGK_PAGE_TABLE_LEVEL_DESC.", 0) == 0;
    NeedCap(!of_tables || !gpu.facts().physical_model,
            need.cap + " is not asked: DXGK_VIDMMCAPS.GpuMmuSupported is 0x0");
    const uint64_t is = gpu.CapOf(need.cap);
    const bool good = !need.value ? is != 0 : need.at_most ? is <= *need.value : is == *need.value;
    const std::string wanted = !need.value    ? ""
                               : need.at_most ? ", must be at most " + os::Hex(*need.value)
                                              : ", must be " + os::Hex(*need.value);
    NeedCap(good, need.cap + " is " + os::Hex(is) + wanted);
  }
}

void NeedVersion(const Life& life, ULONG version, const char* name) {
  const os::GpuFacts facts = life.gpu().facts();
  if (facts.interface_version >= version) return;
  throw NotApplicable(std::string("what this asks of the system is of ") + name + ", and the driver registers with " +
                      facts.interface_name + " (DRIVER_INITIALIZATION_DATA.Version)");
}

void NeedIsolation(const Life& life) {
  const os::Parameters& p = life.options.os;
  if (!life.gpu().facts().isolation && (p.iommu_flags & kBypassDriverCap) == 0) {
    throw NotApplicable("DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 0, so that nothing activates GPU isolation");
  }
  if (!life.gpu().facts().isolation && p.secure_vm_key) {
    throw NotApplicable(
        "DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 0, so that no secure virtual machine can start ([machine.os] "
        "secure_vm_key)");
  }
  if (p.iommu_flags != 0 && !life.graphics.has_domain()) {
    throw WrongMachine(
        "[machine.os] iommu_flags = " + std::to_string(p.iommu_flags) +
        " isolates no GPU: the bits count when bit 0 is set, and the driver reports support for isolation "
        "(DXGK_VIDMMCAPS.IoMmuSecureModeSupported) or bit 3 is set (BypassDriverCap)");
  }
  const bool started_physical = life.graphics.mode() == os::DmaMode::kPhysical;
  if ((p.iommu_flags & 1) != 0 || (started_physical && p.secure_vm_key && life.host.platform().firmware().iommu_base))
    return;
  throw WrongMachine(
      "nothing activates GPU isolation: it needs [machine.os] iommu = \"physical\" with secure_vm_key = true or "
      "iommu_flags = 7, [machine.iommu] present = true, and memory that the GPU reaches untranslated "
      "([machine.host] memory_gib = 4)");
}

bool IsolatesAlways(const Life& life) {
  if (life.gpu().CapOf("DXGK_VIDMMCAPS.IoMmuSecureModeRequired") != 0) return true;
  const uint32_t flags = static_cast<uint32_t>(life.options.os.iommu_flags);
  const bool may = life.gpu().facts().isolation || (flags & kBypassDriverCap) != 0;
  return may && (flags & kIsolates) == kIsolates;
}

void NeedOneGpu(const Life& life, const std::string& what) {
  if (life.graphics.gpus() == 1) return;
  throw WrongMachine(what + " is for one GPU, not for " + std::to_string(life.graphics.gpus()) +
                     " that are linked: [machine.gpu] count must be 1");
}

void NeedEveryDmaMode(const Life& life) {
  for (const char* cap :
       {"DXGK_IOMMU_CAPS.DmaRemappingSupported", "INF.DmaRemappingCompatible", "DXGK_VIDMMCAPS.MapAperture2Supported"})
    NeedCap(life.gpu().CapOf(cap) != 0, std::string(cap) + ": the GPU is never remapped");
  const hw::FirmwareTables& firmware = life.host.platform().firmware();
  if (firmware.iommu_base && (firmware.ram.back().end - 1) >> life.options.os.limit_bits == 0) return;
  throw WrongMachine(
      "the adapter is started in every mode of DMA: it needs [machine.iommu] present = true, and a GPU that reaches "
      "all memory ([machine.gpu] limit_bits = 40 with [machine.host] memory_gib = 4)");
}

void Require(NTSTATUS status, const char* what) {
  if (NT_SUCCESS(status)) return;
  throw os::OsError(std::string("Dxgkrnl refused ") + what + " with status " + os::Hex(static_cast<uint32_t>(status)));
}

void NeedRecovery(const Life& life) {
  if (life.options.os.tdr_limit_count != 0) return;
  throw WrongMachine("[machine.os] tdr_limit_count = 0 makes the first timeout a bug check");
}

void NeedTimeoutWithin(const Life& life, uint64_t ns) {
  NeedRecovery(life);
  const uint64_t delay = life.options.os.tdr_delay_ns();
  if (delay < ns / 4) return;
  throw WrongMachine("memory that does not answer for " + std::to_string(ns / 1000) +
                     " us is not noticed: [machine.os] tdr_delay_us must be less than a quarter of that, it is " +
                     std::to_string(delay / 1000));
}

}  // namespace gmmu::workload
