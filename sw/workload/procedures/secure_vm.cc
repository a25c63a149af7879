// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "os/base/text.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

std::string Mode(const Life& life, os::DmaMode wanted) {
  const os::DmaMode mode = life.graphics.mode();
  return mode == wanted ? "" : std::string(os::NameOf(mode)) + ", must be " + os::NameOf(wanted);
}

/// Returns "" if the domain maps all of `pages` 1:1, otherwise the number of pages that it does not
/// map 1:1, as text.
std::string Unmapped(Life& life, const std::vector<uint64_t>& pages) {
  uint64_t missing = 0;
  for (uint64_t pfn : pages) missing += life.graphics.At(pfn) != pfn;
  return missing == 0 ? "" : std::to_string(missing) + " of " + std::to_string(pages.size());
}

// Creates the buffer before isolation is activated, because the activation must map all memory that
// the GPU may already access.
void RunSecureVm(Life& life, const ParameterValues& values) {
  const uint64_t bytes = values.at("bytes");
  const auto set = [&life](uint32_t bits) { return (life.options.os.iommu_flags & bits) == bits; };
  const bool forced = set(7), mapped = set(3);  // mapped: a domain maps the memory; forced: it is also attached
  NeedIsolation(life);
  if (life.gpu().CapOf("DXGK_VIDMMCAPS.IoMmuSecureModeRequired") != 0) {
    throw NotApplicable(
        "DXGK_VIDMMCAPS.IoMmuSecureModeRequired is 1: the GPU is isolated before a virtual machine starts");
  }
  if (life.options.os.iommu == os::RemapPolicy::kIdentity) {
    throw WrongMachine("[machine.os] iommu = \"identity\": the GPU is in a 1:1 domain before a virtual machine starts");
  }
  life.Compare("mode at the start", Mode(life, forced ? os::DmaMode::kIdentity : os::DmaMode::kPhysical));
  if (!forced) RunSeededMainJob(life, bytes, "before: ");

  os::SystemBuffer buffer;
  uint64_t exclusive = 0;
  life.Work([&] {
    buffer = os::MakeHostMemory(life.vidmm, bytes);
    life.graphics.StartSecureVm();
    exclusive = life.graphics.exclusive().runs;
    life.graphics.StartSecureVm();  // starts a second virtual machine
  });
  life.Compare("mode with the secure machine", Mode(life, os::DmaMode::kIdentity));
  life.Compare("exclusive accesses", exclusive == 1 && life.graphics.exclusive().runs == 1
                                         ? ""
                                         : std::to_string(life.graphics.exclusive().runs) + ", must be 1");
  life.Compare("pages given before the activation are mapped", Unmapped(life, buffer.host_pages()));
  const bool tracked = !mapped || life.options.os.isolation_maps == os::IsolationScope::kTracked;
  const uint64_t other = life.host.TakePages(1, "application", "a page that the GPU was not given")[0];
  const uint64_t found = life.graphics.At(other);
  life.Compare(tracked ? "another page is out of the GPU's reach" : "all other pages are mapped too",
               found == (tracked ? ~uint64_t{0} : other) ? "" : os::Hex(other) + (tracked ? " is mapped" : " is not"));
  life.host.FreePages({other});
  RunSeededMainJob(life, bytes, "isolated: ");
  life.Work([&] { buffer.Release(); });
}

}  // namespace

Procedure SecureVmProcedure() {
  return {"secure_vm",
          "Starts a secure virtual machine while the adapter runs. GPU isolation is turned on in exclusive access. The "
          "main job runs before and after.",
          {{"bytes", 65536, 1, kMaxInputBytes, "Size in bytes of the buffer of each main job."}},
          RunSecureVm};
}

}  // namespace gmmu::workload
