// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "os/base/text.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

void RunReservedRanges(Life& life, const ParameterValues& values) {
  const auto& reserved = life.graphics.reserved();
  const auto& firmware = life.host.platform().firmware().gpu_reserved;
  if (!firmware) throw WrongMachine("firmware keeps no memory for the GPU here ([machine.host] gpu_reserved_kib)");
  NeedCap(!reserved.empty(), "DXGKQAITYPE_HARDWARERESERVEDRANGES");
  const bool same = reserved.size() == 1 && reserved[0].BaseAddress == firmware->start &&
                    reserved[0].NumberOfBytes == firmware->end - firmware->start;
  life.Compare("the driver reports what firmware keeps", same ? "" : "it reports something else");
  NeedCap(!life.options.os.secure_vm_key || life.gpu().facts().isolation,
          "DXGK_VIDMMCAPS.IoMmuSecureModeSupported, without which no secure virtual machine can start");
  if (life.options.os.secure_vm_key && !life.host.platform().firmware().iommu_base)
    throw WrongMachine("a secure virtual machine needs an IOMMU ([machine.iommu] present = true)");
  if (life.options.os.secure_vm_key) life.Work([&] { life.graphics.StartSecureVm(); });
  if (!life.graphics.has_domain())
    throw WrongMachine(
        "the GPU is behind no domain: [machine.iommu] present = true and [machine.os] iommu or iommu_flags give it "
        "one");

  uint64_t wrong = 0;
  std::vector<uint64_t> pages;
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved)
    for (uint64_t at = 0; at < range.NumberOfBytes; at += kPage) pages.push_back((range.BaseAddress + at) / kPage);
  for (uint64_t pfn : pages) wrong += life.graphics.At(pfn) != pfn;
  life.Compare("reserved pages that the GPU reaches at their own addresses",
               wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(pages.size()) + " are not mapped so");

  // The device itself reads the page on the bus. If the page were unmapped, the IOMMU would record
  // a fault.
  if (hw::Instruments* instruments = life.host.platform().instruments()) {
    const uint64_t before = instruments->PageAccesses(pages.back());
    instruments->StrayAccess(life.gpu().facts().bdf, hw::Stray::kRead, pages.back() * kPage);
    RunSeededMainJob(life, values.at("bytes"));
    const uint64_t reads = instruments->PageAccesses(pages.back()) - before;
    life.Compare("a read of the device arrived", reads == 1 ? "" : std::to_string(reads) + " did");
    return;
  }
  RunSeededMainJob(life, values.at("bytes"));
}

}  // namespace

Procedure ReservedRangesProcedure() {
  return {"reserved_ranges",
          "Checks that the memory that firmware reserves for the GPU is mapped at its own addresses, then runs the "
          "main job.",
          {{"bytes", 65536, 1, kMaxInputBytes, "Size of the buffer in bytes."}},
          RunReservedRanges};
}

}  // namespace gmmu::workload
