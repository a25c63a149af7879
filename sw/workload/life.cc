// SPDX-License-Identifier: Apache-2.0
#include "workload/life.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "hw/gmmu_regs.h"
#include "hw/unit_names.h"
#include "kmd/escape.h"
#include "os/application/gpu.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/miniport/allocation.h"
#include "os/base/text.h"
#include "os/threads/worker.h"
#include "os/vidmm/vidmm_link.h"
#include "workload/counter_sums.h"
#include "workload/needs.h"
#include "workload/plug_in.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::workload {
namespace {

/// Error text that names the settings to change if a memory segment is too small.
constexpr char kRoomKeys[] = " (its size is made of gpu.vram_mib or gpu.unit_vram_mib and of what the driver declares)";
constexpr uint64_t kGraceNs = 100'000;    // maximum wait for fault reports that are still in flight
constexpr unsigned kMostMessages = 4096;  // maximum number of messages that arrive meanwhile

/// The user-mode half of the built-in driver, which uses kmd/escape.h.
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

os::Fault Trouble(const std::string& source, const std::string& name, const std::string& text) {
  os::Fault fault;
  fault.source = source;
  fault.name = name;
  fault.text = text;
  return fault;
}

/// Returns the hardware's fault records, which are more detailed than the information from the interrupt.
std::vector<os::Fault> ReadFaultRecords(os::PhysicalAdapter& adapter) {
  std::vector<os::Fault> faults;
  kmd::EscapeQueryRing ring;
  const bool stopped = NT_SUCCESS(adapter.Ask(ring)) && ring.error != 0;
  for (int rounds = 0; rounds < 64; ++rounds) {
    kmd::EscapeReadFaults records;
    if (!NT_SUCCESS(adapter.Ask(records)) || records.count == 0) break;
    for (uint32_t i = 0; i < records.count; ++i) {
      const kmd::EscapeFault& record = records.faults[i];
      os::Fault fault;
      fault.source = "gpu";
      fault.name = regs::NameOf(static_cast<regs::Fault>(record.reason));
      fault.address = record.address;
      fault.space = record.space;
      fault.client = record.port;
      fault.level = record.level;
      fault.access = regs::NameOf(static_cast<regs::Access>(record.access));
      fault.fence = record.fence;
      fault.text = fault.name + " at " + (record.physical != 0 ? "physical " : "GPU VA ") + os::Hex(record.address) +
                   ", " + fault.access + ", space " + std::to_string(record.space) + ", port " +
                   std::to_string(record.port) + ", level " + std::to_string(record.level) + ", fence " +
                   std::to_string(record.fence) + ", cycle " + std::to_string(record.cycle);
      faults.push_back(fault);
    }
  }
  if (stopped) {
    const std::string where = "; the ring stopped at fence " + std::to_string(ring.fence) + " at byte " +
                              std::to_string(ring.command_offset) + " of the paging buffer, command " +
                              regs::NameOf(static_cast<regs::Opcode>(ring.command_header & 0xFF));
    const std::string name = regs::NameOf(static_cast<regs::Fault>(ring.reason));
    auto own = std::find_if(faults.begin(), faults.end(), [&](const os::Fault& fault) {
      return fault.name == name && (fault.address == ring.address || fault.fence == ring.fence);
    });
    if (own == faults.end()) {
      os::Fault fault = Trouble("gpu", name, "");
      fault.address = ring.address;
      fault.level = ring.level;
      fault.access = regs::NameOf(static_cast<regs::Access>(ring.access));
      fault.fence = ring.fence;
      fault.text = fault.name + " at " + os::Hex(ring.address);
      own = faults.insert(faults.begin(), fault);
    }
    own->text += where;
  }
  return faults;
}

/// Waits up to kGraceNs for the hardware to become idle, and returns the resources that are still
/// in use.
std::vector<hw::InUse> InUseAtPowerOff(os::Kernel& kernel) {
  hw::Instruments* instruments = kernel.instruments();
  if (instruments == nullptr) return {};
  const uint64_t end = kernel.hal().NowNs() + kGraceNs;
  hw::Platform& platform = kernel.hal().platform();
  while (!instruments->ResourcesInUse().empty() && kernel.hal().NowNs() < end) {
    if (!platform.WaitForMessage(kGraceNs / 100)) continue;
    while (platform.TakeMessage()) {}  // a pending message would end every wait immediately
  }
  return instruments->ResourcesInUse();
}

/// Fault records that the run provoked on purpose. The hardware logs them like any other fault, but
/// they did not end the run.
class ExpectedRecords {
 public:
  ExpectedRecords(const JobResult& result, os::LogicalAdapter& adapter) : recoveries_(adapter.vidsch().recoveries()) {
    for (const Check& check : result.checks)
      if (check.fault) clients_.push_back(*check.fault);
  }
  /// Returns true if the run provoked `record`. Each provoked client fault accounts for one record.
  bool Take(const os::Fault& record) {
    const auto client = std::find_if(clients_.begin(), clients_.end(), [&](const os::Fault& fault) {
      return fault.name == record.name && fault.access == record.access &&
             fault.address / hw::kPageSize == record.address / hw::kPageSize;
    });
    if (client != clients_.end()) {
      clients_.erase(client);
      return true;
    }
    // If the system recovered from a page fault, and only the faulting process lost its device, the
    // fault also counts as provoked.
    return std::any_of(recoveries_.begin(), recoveries_.end(), [&](const os::RecoveryRecord& recovery) {
      return recovery.why.rfind("page fault at " + os::Hex(record.address) + ",", 0) == 0;
    });
  }

 private:
  std::vector<os::Fault> clients_;
  const std::vector<os::RecoveryRecord>& recoveries_;
};

void ReadLastRecords(os::Kernel& kernel, os::LogicalAdapter& adapter, const JobResult& result) {
  kernel.locks().Abandon();
  const uint64_t end = kernel.hal().NowNs() + kGraceNs;
  for (unsigned i = 0; i < kMostMessages && kernel.hal().NowNs() < end; ++i) {
    if (!kernel.hal().platform().WaitForMessage(kGraceNs)) break;
    kernel.scheduler().Seam();
  }
  std::vector<os::Fault> records;
  ExpectedRecords expected(result, adapter);
  for (unsigned i = 0; i < adapter.adapters(); ++i) {
    for (os::Fault& fault : ReadFaultRecords(adapter.physical(i))) {
      if (expected.Take(fault)) continue;
      fault.text = adapter.physical(i).Named(fault.text);
      records.push_back(std::move(fault));
    }
  }
  auto& faults = kernel.faults();
  if (!records.empty()) {
    faults.erase(std::remove_if(faults.begin(), faults.end(), [](const os::Fault& f) { return f.source == "gpu"; }),
                 faults.end());
    faults.insert(faults.end(), records.begin(), records.end());
  }
}

void CollectFaults(os::Kernel& kernel, os::LogicalAdapter& adapter, bool failed, JobResult& result) {
  if (failed && adapter.running()) {
    try {
      ReadLastRecords(kernel, adapter, result);
    } catch (const os::OsError&) {
      // The driver failed again during this query. The error that ended the run has already been
      // recorded.
    }
  }
  result.faults.insert(result.faults.begin(), kernel.faults().begin(), kernel.faults().end());
}

}  // namespace

os::Gpu Life::gpu() const { return graphics.lead(); }

void Life::Work(const std::function<void()>& work) { worker.Call(work); }

void Life::Timed(const std::string& phase, uint64_t bytes, bool link, const std::function<void()>& work) {
  hw::Instruments* instruments = kernel.instruments();
  const uint64_t ns = kernel.hal().NowNs();
  const uint64_t cycles = instruments == nullptr ? 0 : instruments->Cycles();
  work();
  auto found = std::find_if(result.phases.begin(), result.phases.end(),
                            [&](const Phase& held) { return held.name == phase; });
  if (found == result.phases.end()) found = result.phases.insert(found, Phase{phase, 0, 0, 0, link});
  found->bytes += bytes;
  found->ns += kernel.hal().NowNs() - ns;
  if (instruments != nullptr) found->cycles += instruments->Cycles() - cycles;
}

void Life::Compare(const std::string& name, const std::string& difference) {
  result.checks.push_back({name, difference.empty(), difference});
}

void RunLife(hw::Platform& platform, const JobOptions& options, JobResult& result,
             const std::function<void(Life&)>& application, const std::function<void(const os::Gpu& gpu)>& admitted) {
  os::Kernel kernel(platform, options.os, options.remapping);
  os::Dxgkrnl dxgkrnl(kernel);
  const PlugIn* const plug_in = PlugIn::Current();
  dxgkrnl.set_user_mode_driver(plug_in != nullptr ? plug_in->ForSystem() : OurUserModeDriver());
  os::LogicalAdapter adapter(dxgkrnl, options.driver);
  std::vector<std::shared_ptr<void>> kept;
  std::optional<os::VidMmLink> link;
  os::Worker worker(kernel.scheduler(), "vidmm worker");
  bool stopping = false, gave_up = false, begun = false;
  const auto note_mode = [&] {
    if (result.modes.empty() || result.modes.back() != adapter.mode()) result.modes.push_back(adapter.mode());
  };
  kernel.scheduler().Spawn(
      "application",
      [&] {
        const auto admit = [&] {
          try {
            admitted(os::Adapter(adapter).lead());
          } catch (const NotApplicable& missing) {
            result.not_applicable = missing.what();
          }
        };
        const auto power_on = [&] {
          if (const auto refusal = os::RefusalOf([&] { adapter.Start(); })) {
            adapter.GiveUp();
            gave_up = true;
            std::rethrow_exception(refusal);
          }
          note_mode();
          if (admitted) admit();
          if (!result.not_applicable.empty()) return;
          link.emplace(adapter);
          link->Start();
        };
        adapter.vidsch().set_adapter_reset([&] { worker.Call([&] { link->Rebuild(); }); });
        if (options.progress) options.progress("power on", 0, 0);
        worker.Call(power_on);
        if (!result.not_applicable.empty()) {
          worker.Call([&] { adapter.Stop(); });
          return worker.Stop();
        }
        const auto restart = [&](os::RemapPolicy policy) {
          worker.Call([&] {
            link->Stop();
            note_mode();
            adapter.Stop();
            dxgkrnl.set_remap_policy(policy);
            begun = false;
            power_on();
            begun = true;
          });
        };
        const auto power_cycle = [&](const std::function<void()>& while_off) {
          worker.Call([&] {
            link->Stop();
            adapter.PowerDown();
            while_off();
            adapter.PowerUp();
            link.emplace(adapter);
            link->Start();
          });
        };
        Life life{kernel, dxgkrnl, adapter, worker, *link, link->on(0), options, result, restart, power_cycle, kept};
        begun = true;
        try {
          application(life);
        } catch (const NotApplicable& missing) {
          result.not_applicable = missing.what();
        }
        kernel.CheckFaults();
        worker.Call([&] {
          link->Stop();
          note_mode();
          stopping = true;
          adapter.Stop();
        });
        worker.Stop();
      },
      1 << 20);

  // The catch blocks only record the error, because they must not use the machine.
  std::optional<os::Fault> trouble;
  bool failed = false;
  try {
    kernel.scheduler().Run();
  } catch (const os::DeviceFault&) {
    failed = true;  // the kernel has already recorded this fault
  } catch (const os::OsTimeout& timeout) {
    failed = true;
    trouble = Trouble("timeout", "timeout", timeout.what());
  } catch (const os::BugCheck& stop) {
    failed = true;
    trouble = Trouble("os", "bug_check", stop.what());
    trouble->stop_code = static_cast<uint32_t>(stop.code());
    trouble->stop_parameters = stop.parameters();
  } catch (const os::OsError& error) {
    failed = true;
    trouble = Trouble("os", "stopped", error.what());
    if (dynamic_cast<const os::NoRoom*>(&error) != nullptr) trouble->text += kRoomKeys;
    if (begun && dynamic_cast<const os::Exhausted*>(&error) != nullptr) result.too_small = trouble->text;
    if (!begun || dynamic_cast<const WrongMachine*>(&error) != nullptr) result.not_begun = trouble->text;
  }
  if (failed && adapter.running()) note_mode();
  result.unmodelled = dxgkrnl.unmodelled();
  result.happened = kernel.happened();
  if (trouble) result.faults.push_back(*trouble);
  CollectFaults(kernel, adapter, failed, result);
  if (!failed) result.leaks = kernel.ledger().Leaks();
  for (const os::Leak& leak : kernel.ledger().Leaks()) {
    if (gave_up && leak.owner == "driver") result.leaks.push_back(leak);
  }
  if (const os::Refusals& refusals = kernel.refusals(); refusals.asked()) {
    result.refusal = Refusal{refusals.seen(), "", ""};
    if (refusals.refused()) {
      result.refusal->what = refusals.refused()->what;
      result.refusal->inside = refusals.refused()->inside;
    }
  }
  if (!failed || stopping) {
    for (const hw::InUse& held : InUseAtPowerOff(kernel))
      result.leaks.push_back({held.kind, held.name, "hardware", "power off"});
  }

  if (hw::Instruments* instruments = kernel.instruments()) {
    result.cycles = instruments->Cycles();
    result.cycles_evaluated = instruments->CyclesEvaluated();
    result.counters = instruments->Counters();
    result.findings = instruments->Findings();
    if (!failed) {
      // Skip GPUs that were unplugged: work in flight at that moment was counted only partly, so
      // their sums may not hold.
      std::vector<hw::Counter> whole = result.counters;
      const unsigned units = platform.firmware().gpus;
      for (unsigned unit = 0; unit < units; ++unit) {
        const std::string prefix = hw::UnitPrefix(unit, units);
        const auto its = [&](const hw::Counter& counter) {
          return counter.block.compare(0, prefix.size(), prefix) == 0;
        };
        if (!instruments->InSlot(unit)) whole.erase(std::remove_if(whole.begin(), whole.end(), its), whole.end());
      }
      for (const hw::Finding& finding : CounterSums(whole)) result.findings.push_back(finding);
    }
  }
  for (const std::string& mistake : kernel.mistakes()) result.findings.push_back({"driver", mistake});
  if (kernel.scheduler().spurious() != 0) {
    result.findings.push_back(
        {"interrupts", std::to_string(kernel.scheduler().spurious()) + " interrupt messages had no routine"});
  }
  if (!failed && result.not_applicable.empty()) {
    for (const std::string& key : kernel.NeverInjected())
      result.findings.push_back({"inject", key + ": nothing in this run met with that fault"});
  }
  using Fate = os::Reports::Fate;
  for (const auto& [fate, why] :
       {std::pair{Fate::kNotReported, " no interrupt had reported"},
        {Fate::kNoDpc,
         " DxgkCbNotifyInterrupt had reported, but no DxgkDdiDpcRoutine followed: DxgkCbQueueDpc was not "
         "called"},
        {Fate::kNoNotifyDpc,
         " DxgkCbNotifyInterrupt had reported, but DxgkDdiDpcRoutine returned without "
         "DxgkCbNotifyDpc"}}) {
    const uint64_t missed = adapter.vidsch().missed_completions(fate);
    // A failed run may end with packets in flight, so their completions are not reported as missed.
    if (missed == 0 || failed || (fate == Fate::kNotReported && options.os.inject.lost_interrupts != 0)) continue;
    result.findings.push_back({"interrupts", "DxgkDdiQueryCurrentFence told " + std::to_string(missed) +
                                                 " times of packets whose completion" + why});
  }
  result.simulated_ns = kernel.hal().NowNs();
  result.verified = !failed && std::all_of(result.checks.begin(), result.checks.end(),
                                           [](const Check& check) { return check.passed; });
}

}  // namespace gmmu::workload
