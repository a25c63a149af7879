// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/exclusive_access.h"

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/miniport.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {

/// How long the device is watched before and after the work. This is far longer than any single
/// access takes.
constexpr uint64_t kWatchNs = 50'000;

}  // namespace

void ExclusiveAccess::BeNoisy(hw::Stray kind) {
  const PhysicalAdapter& gpu = adapter_.lead();
  const hw::Message& message = gpu.message();
  const bool interrupts = kind == hw::Stray::kMessage;
  Kernel& kernel = adapter_.kernel();
  kernel.Injected("noisy_device");
  const uint64_t page = kernel.pages().AllocatePage("noisy device", "a page that nothing else uses");
  kernel.instruments()->StrayAccess(gpu.function().bdf, kind, interrupts ? message.address : page * hw::kPageSize,
                                    interrupts ? message.data : 0);
  LetTimePass();
  kernel.pages().Free(page);
}

void ExclusiveAccess::LetTimePass() {
  Kernel& kernel = adapter_.kernel();
  const uint64_t end = kernel.hal().NowNs() + kWatchNs;
  for (uint64_t now = kernel.hal().NowNs(); now < end; now = kernel.hal().NowNs()) {
    if (kernel.hal().platform().WaitForMessage(end - now)) kernel.scheduler().Seam();
  }
}

std::vector<hw::BusCounts> ExclusiveAccess::BusAccesses() {
  std::vector<hw::BusCounts> counts;
  for (unsigned i = 0; i < adapter_.adapters(); ++i) counts.push_back(adapter_.physical(i).BusAccesses());
  return counts;
}

void ExclusiveAccess::RequireSilence(const std::vector<hw::BusCounts>& before, const std::string& what) {
  for (unsigned i = 0; i < adapter_.adapters(); ++i) RequireSilence(adapter_.physical(i), before[i], what);
}

void ExclusiveAccess::RequireSilence(PhysicalAdapter& gpu, const hw::BusCounts& before, const std::string& what) {
  const hw::BusCounts now = gpu.BusAccesses();
  if (now.total() == before.total()) return;
  Kernel& kernel = adapter_.kernel();
  Fault fault;
  fault.source = "bus";
  fault.name = "not_silent";
  fault.client = gpu.function().bdf.requester_id();
  fault.text = "device " + gpu.name() +
               " was not silent between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess (" + what +
               "): " + std::to_string(now.reads - before.reads) + " reads, " +
               std::to_string(now.writes - before.writes) + " writes, " +
               std::to_string(now.messages - before.messages) + " interrupt messages";
  kernel.Report(fault);
  kernel.CheckFaults();
}

void ExclusiveAccess::Run(const std::string& what, const std::function<void()>& work) {
  VidSch& scheduler = adapter_.vidsch();
  scheduler.Suspend();
  try {
    RunSuspended(what, work);
  } catch (const std::exception&) {
    scheduler.Resume();
    throw;
  }
  scheduler.Resume();
  ++runs_;
}

void ExclusiveAccess::RunSuspended(const std::string& what, const std::function<void()>& work) {
  Kernel& kernel = adapter_.kernel();
  Miniport& miniport = adapter_.miniport();
  const uint64_t asked = kernel.hal().NowNs();
  miniport.driver().BeginExclusiveAccess([&] { adapter_.vidsch().WaitQuiet(VidSch::kBoundNs); });
  drained_ns_ = kernel.hal().NowNs() - asked;
  try {
    DoInSilence(what, work);
  } catch (const std::exception&) {
    try {
      miniport.driver().EndExclusiveAccess();  // the adapter is still used: it needs its device
    } catch (const OsError&) {                 // keep the original error: it is more specific
    }
    throw;
  }
  miniport.driver().EndExclusiveAccess();
}

void ExclusiveAccess::DoInSilence(const std::string& what, const std::function<void()>& work) {
  Kernel& kernel = adapter_.kernel();
  const std::vector<hw::BusCounts> quiet = BusAccesses();
  const uint64_t start = kernel.hal().NowNs();
  const std::optional<hw::Stray> noise = kernel.parameters().inject.stray();
  if (noise && kernel.instruments() != nullptr) BeNoisy(*noise);
  else LetTimePass();
  RequireSilence(quiet, what);
  work();
  LetTimePass();
  RequireSilence(quiet, what);
  quiet_ns_ = kernel.hal().NowNs() - start;
}

}  // namespace gmmu::os
