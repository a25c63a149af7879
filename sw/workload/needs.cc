// SPDX-License-Identifier: Apache-2.0
#include "workload/needs.h"

#include <string>

#include "os/application/gpu.h"
#include "os/kernel/text.h"
#include "workload/life.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kBypassDriverCap = 8;  // of [os] iommu_flags
}

void NeedVersion(const Life& life, ULONG version, const char* name) {
  const os::GpuFacts facts = life.gpu().facts();
  if (facts.interface_version >= version) return;
  throw NotApplicable(std::string("what this asks of the system is of ") + name + ", and the driver registers with " +
                      facts.interface_name + " ([machine.driver] interface_version)");
}

void NeedIsolation(const Life& life) {
  const os::Parameters& p = life.options.os;
  if (!life.gpu().facts().isolation && (p.iommu_flags & kBypassDriverCap) == 0) {
    throw NotApplicable(
        "nothing activates GPU isolation: the driver does not support it (DXGK_VIDMMCAPS.IoMmuSecureModeSupported; "
        "[machine.driver] isolation, and interface_version 2.4 or later)");
  }
  if (p.iommu_flags != 0 && !life.graphics.has_domain()) {
    throw os::OsError(
        "[machine.os] iommu_flags = " + std::to_string(p.iommu_flags) +
        " isolates no GPU: the bits count when bit 0 is set, and the driver reports support for isolation "
        "(DXGK_VIDMMCAPS.IoMmuSecureModeSupported, [machine.driver] isolation) or bit 3 is set (BypassDriverCap)");
  }
  const bool started_physical = life.graphics.mode() == os::DmaMode::kPhysical;
  if (p.iommu_flags != 0 || (started_physical && p.secure_vm_key && life.host.platform().firmware().iommu_base)) return;
  throw os::OsError(
      "nothing activates GPU isolation: it needs [machine.os] iommu = \"physical\" with secure_vm_key = true or "
      "iommu_flags = 7, [machine.iommu] present = true, and memory that the GPU reaches untranslated "
      "([machine.host] memory_gib = 4)");
}

void NeedEveryDmaMode(const Life& life) {
  const hw::FirmwareTables& firmware = life.host.platform().firmware();
  if (firmware.iommu_base && (firmware.ram.back().end - 1) >> life.options.os.limit_bits == 0) return;
  throw os::OsError(
      "the adapter is started in every mode of DMA: it needs [machine.iommu] present = true, and a GPU that reaches "
      "all memory ([machine.gpu] limit_bits = 40 with [machine.host] memory_gib = 4)");
}

void Require(NTSTATUS status, const char* what) {
  if (NT_SUCCESS(status)) return;
  throw os::OsError(std::string("Dxgkrnl refused ") + what + " with status " + os::Hex(static_cast<uint32_t>(status)));
}

void NeedTimeoutWithin(const Life& life, uint64_t ns) {
  const uint64_t delay = life.options.os.tdr_delay_ns();
  if (delay < ns / 4) return;
  throw os::OsError("memory that does not answer for " + std::to_string(ns / 1000) +
                    " us is not noticed: [machine.os] tdr_delay_us must be less than a quarter of that, it is " +
                    std::to_string(delay / 1000));
}

}  // namespace gmmu::workload
