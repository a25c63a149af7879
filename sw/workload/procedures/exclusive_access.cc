// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "os/base/text.h"
#include "workload/clients.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

constexpr uint64_t kPollNs = 1'000;
constexpr uint64_t kPagedBytes = 32768;

/// An application's buffer in the aperture, which client 0 reads repeatedly.
struct Load {
  os::GpuProcess* process = nullptr;
  os::Allocation* allocation = nullptr;
  os::SystemBuffer buffer;
  std::vector<uint8_t> data;
  uint64_t va = 0, aperture = 0;
};

/// What the threads have observed about exclusive access.
struct Seen {
  bool held = false;     ///< a client's run was held before its end
  bool drained = false;  ///< exclusive access waited for packets
  bool noted = false;    ///< the bus monitor counted reads before and after exclusive access
  bool done = false;
};

void Make(Life& life, uint64_t bytes, Load& load) {
  load.data = SeededInput(life.options.seed, bytes);
  load.process = life.vidmm.CreateProcess("load");
  load.va = life.vidmm.ReserveVa(*load.process, bytes);
  load.allocation = life.vidmm.allocations().CreateInAperture("load", bytes, load.process);
  load.buffer = os::MakeHostMemory(life.vidmm, bytes);
  std::memcpy(load.buffer.Map(0, bytes), load.data.data(), bytes);
  load.buffer.Unmap();
  const uint64_t pages = bytes / kPage;
  load.aperture = life.vidmm.aperture().Reserve(pages);
  life.vidmm.aperture().Bind(load.aperture, pages, *load.allocation, load.buffer, 0);
  life.vidmm.mappings().MapToAperture(*load.process, load.va, *load.allocation, load.aperture, pages);
}

void Destroy(Life& life, Load& load) {
  const uint64_t pages = load.data.size() / kPage;
  life.vidmm.Unmap(*load.process, load.va, pages);
  life.vidmm.aperture().Unbind(load.aperture, pages, *load.allocation);
  life.vidmm.aperture().Free(load.aperture);
  life.vidmm.FreeVa(*load.process, load.va);
  life.vidmm.DestroyProcess(load.process);
  life.vidmm.DestroyAllocation(load.allocation);
  load.buffer.Release();
}

/// Checks that the bus monitor counts the client's reads. Otherwise a count of zero during
/// exclusive access would prove nothing.
bool Noted(Life& life, const ClientBatch& batch) {
  hw::Instruments* const instruments = life.host.platform().instruments();
  const auto reads = [&] {
    return instruments == nullptr ? 0 : instruments->BusAccesses(life.gpu().facts().bdf).reads;
  };
  const auto grew = [&, before = reads()] { return reads() > before; };
  life.host.Wait([&] { return grew() || !batch.busy(); }, "reads of the client", kPollNs);
  return grew();
}

/// Returns the number of submitted paging buffers. It adds both DDI calls, because [os]
/// physical_submission selects which of them is used.
uint64_t Submitted(const Life& life) {
  return life.graphics.CallsOf("DxgkDdiSubmitCommandVirtual") + life.graphics.CallsOf("DxgkDdiSubmitCommand");
}

/// Starts a thread that waits for more than `submitted` paging buffers and then requests exclusive
/// access.
void SpawnExclusive(Life& life, const ClientBatch& batch, bool first, uint64_t submitted, Seen& seen) {
  life.host.Spawn("exclusive access", [&life, &batch, &seen, first, submitted] {
    const auto begun = [&] { return Submitted(life) > submitted; };
    life.host.Wait(begun, "paging work", kPollNs);
    const bool before = batch.busy();
    const bool noted = before && Noted(life, batch);
    if (first) {
      life.graphics.StartSecureVm();  // this call attaches the domain
    } else {
      life.graphics.TakeDevice();
    }
    const bool held = before && batch.busy();
    seen.noted = seen.noted || (noted && held && Noted(life, batch));
    seen.held = seen.held || held;
    seen.drained = seen.drained || life.graphics.exclusive().drained_ns != 0;
    seen.done = true;
  });
}

void RunExclusiveAccess(Life& life, const ParameterValues& values) {
  NeedIsolation(life);
  if (life.gpu().CapOf("DXGK_VIDMMCAPS.IoMmuSecureModeRequired") != 0)
    throw NotApplicable("DXGK_VIDMMCAPS.IoMmuSecureModeRequired is 1: the GPU is isolated before any exclusive access");
  NeedAperture(life);
  const uint64_t bytes = (values.at("bytes") + kPage - 1) / kPage * kPage;
  const bool isolated = IsolatesAlways(life);  // true: a secure VM starts without exclusive access
  Load load;
  life.Work([&] { Make(life, bytes, load); });
  const ClientRun run = ReadOf(load.process, load.va, load.data);

  // Limit the paging work to a few pages, so that the client's run is still active when exclusive
  // access begins.
  const uint64_t paged_bytes = std::min(bytes, kPagedBytes);
  const uint64_t times = values.at("times");
  const uint64_t at_start = life.graphics.exclusive().runs;  // [os] iommu_flags can attach the domain at the start
  Seen seen;
  for (uint64_t i = 0; i < times; ++i) {
    seen.done = false;
    ClientBatch batch(life.vidmm, {run}, "client over exclusive access " + std::to_string(i + 1));
    SpawnExclusive(life, batch, i == 0 && !isolated, Submitted(life), seen);
    life.Work([&] {
      os::Allocation* paged = life.vidmm.CreateAllocation("paged", paged_bytes);
      life.vidmm.MakeResident(*paged);
      life.vidmm.transfers().PageIn(*paged, load.buffer, paged_bytes);
      life.vidmm.DestroyAllocation(paged);
    });
    life.host.WaitOrFault([&] { return seen.done; }, "the thread with exclusive access", kPollNs);
    batch.Finish(life.result.checks);
  }
  const os::ExclusiveFacts exclusive = life.graphics.exclusive();
  const uint64_t runs = exclusive.runs - at_start;
  life.Compare("exclusive accesses", runs == times ? "" : std::to_string(runs) + " of " + std::to_string(times));
  life.Compare("a run was held in the middle", seen.held ? "" : "it had ended, or not begun");
  if (life.host.platform().instruments() != nullptr)
    life.Compare("the bus monitor counted the load", seen.noted ? "" : "not before and after an exclusive access");
  life.Compare("fences were pending", seen.drained ? "" : "there was nothing to wait for");
  life.Compare("the device was watched", exclusive.quiet_ns != 0 ? "" : "for no time");
  life.Work([&] { Destroy(life, load); });
}

}  // namespace

Procedure ExclusiveAccessProcedure() {
  return {"exclusive_access",
          "Begins exclusive access while a client reads host memory and paging work is pending. The first exclusive "
          "access attaches the IOMMU domain.",
          {{"bytes", 1 << 20, 4096, kMaxInputBytes,
            "Number of bytes that the client reads around each exclusive access."},
           {"times", 4, 1, 1000, "Number of exclusive accesses."}},
          RunExclusiveAccess};
}

}  // namespace gmmu::workload
