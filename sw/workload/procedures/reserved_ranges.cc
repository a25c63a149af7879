// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/kernel/text.h"
#include "os/miniport/reserved_ranges.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/procedures/procedures.h"
#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/kernel/iommu_domain.h"

namespace gmmu::workload {
namespace {

void Run(Life& life, const ParameterValues& values) {
  const auto& reserved = life.adapter.dma().reserved_ranges();
  const auto& firmware = life.kernel.hal().platform().firmware().gpu_reserved;
  if (!firmware) throw os::OsError("firmware keeps no memory for the GPU here ([machine.host] gpu_reserved_kib)");
  const bool same = reserved.size() == 1 && reserved[0].BaseAddress == firmware->start &&
                    reserved[0].NumberOfBytes == firmware->end - firmware->start;
  life.Compare("the driver reports what firmware keeps", same ? "" : "it reports something else");
  if (life.options.os.secure_vm_key) life.Work([&] { life.adapter.isolation().OnSecureVm(); });
  if (life.adapter.domain() == nullptr) throw os::OsError("no domain: the scenario needs one");

  uint64_t wrong = 0;
  const std::vector<uint64_t> pages = os::PagesOf(reserved);
  for (uint64_t pfn : pages) wrong += life.adapter.domain()->tables().Lookup(pfn) != pfn;
  life.Compare("reserved pages that the GPU reaches at their own addresses",
               wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(pages.size()) + " are not mapped so");

  // The device itself, on the bus: were the page not mapped, the IOMMU would record a fault.
  if (hw::Instruments* instruments = life.kernel.instruments()) {
    const uint64_t before = instruments->PageAccesses(pages.back());
    instruments->StrayAccess(life.adapter.function().bdf, hw::Stray::kRead, pages.back() * hw::kPageSize);
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
          "Looks whether the GPU reaches the memory that firmware keeps for it, at its own addresses, and runs "
          "the main job.",
          {{"bytes", 65536, 1, kMaxInputBytes, "Bytes of the buffer."}},
          Run};
}

}  // namespace gmmu::workload
