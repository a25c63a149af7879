// SPDX-License-Identifier: Apache-2.0
#include "workload/clients.h"

#include <algorithm>
#include <utility>

#include "hw/gmmu_regs.h"
#include "kmd/escape.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/application/host.h"
#include "os/base/text.h"
#include "workload/plug_in.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kPollNs = 20'000;  // maximum poll interval; a run's end raises an interrupt
regs::Access AccessOf(const ClientRun& run) {
  if (run.execute) return regs::Access::kExecute;
  return run.write ? regs::Access::kWrite : regs::Access::kRead;
}
/// Number of accesses in a run. A run that writes the pattern also reads it back.
uint64_t AccessesOf(const ClientRun& run) { return run.order.count * (run.pattern && run.write ? 2 : 1); }
/// Time limit of a run in nanoseconds, far above any configurable access time.
uint64_t BoundNs(uint64_t lines) { return 20'000'000 + lines * 20'000; }
}  // namespace

ClientRun AllLines(os::GpuProcess* process, uint64_t base, uint64_t bytes) {
  ClientRun run;
  run.process = process;
  run.base = base;
  run.order = ShareOf(bytes / kLine, 0, 1);
  return run;
}

ClientRun ReadOf(os::GpuProcess* process, uint64_t va, const std::vector<uint8_t>& expected) {
  ClientRun run = AllLines(process, va, expected.size());
  run.crc = LineCrc(expected.data(), run.order);
  return run;
}

ClientBatch::ClientBatch(os::VidMm& vidmm, std::vector<ClientRun> runs, std::string what)
    : vidmm_(vidmm), what_(std::move(what)) {
  const os::Gpu gpu(vidmm.gpu());
  uint64_t most = 0;
  for (const ClientRun& run : runs) {
    if (run.order.count == 0) continue;
    kmd::EscapeRunClient start;
    start.process = reinterpret_cast<uint64_t>(os::HandleOf(*run.process));
    start.client = run.client;
    start.access = static_cast<uint32_t>(AccessOf(run));
    start.verify = run.pattern.has_value();
    start.seed = run.pattern.value_or(0);
    start.depth = run.depth;
    start.base = run.base;
    start.first = static_cast<uint32_t>(run.order.first);
    start.stride = static_cast<uint32_t>(run.order.stride);
    start.count = static_cast<uint32_t>(run.order.count);
    start.step = run.order.count == 1 ? 1 : static_cast<uint32_t>(run.order.step);
    if (const PlugIn* plug_in = PlugIn::Current()) {
      ends_.emplace_back();
      plug_in->Run(vidmm, run, AccessesOf(run) / 2, ends_.back());
    } else {
      gpu.Escape(start, "the start of a client");
    }
    runs_.push_back(run);
    most = std::max(most, run.order.count);
  }
  const os::Host host(vidmm);
  bound_ns_ = host.Bound(BoundNs(most));
  deadline_ = host.platform().NowNs() + bound_ns_;
}

bool ClientBatch::busy() const {
  for (size_t i = 0; i < ends_.size(); ++i)
    PlugIn::Current()->Run(vidmm_, runs_[i], std::min(ends_[i].count + 1, AccessesOf(runs_[i]) - 1), ends_[i]);
  if (!ends_.empty()) return true;
  for (const ClientRun& run : runs_) {
    kmd::EscapeQueryClient state;
    state.client = run.client;
    os::Gpu(vidmm_.gpu()).Escape(state, "the query of a client");
    if (state.busy != 0) return true;
  }
  return false;
}

void ClientBatch::Finish(std::vector<Check>& checks) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    PlugIn::Current()->Run(vidmm_, runs_[i], AccessesOf(runs_[i]), ends_[i]);
    Judge(runs_[i], ends_[i], checks);
  }
  if (!ends_.empty()) return;
  for (const ClientRun& run : runs_) FinishOne(run, checks);
}

void ClientBatch::FinishOne(const ClientRun& run, std::vector<Check>& checks) {
  const os::Host host(vidmm_);
  kmd::EscapeQueryClient state;
  while (true) {
    const uint64_t delivered = host.interrupts();
    state = {};
    state.client = run.client;
    os::Gpu(vidmm_.gpu()).Escape(state, "the query of a client");
    if (state.busy == 0) break;
    const uint64_t now = host.platform().NowNs();
    if (now >= deadline_) {
      throw os::OsTimeout("client " + std::to_string(run.client) + " to end (" + what_ + ", " +
                              std::to_string(state.count) + " of " + std::to_string(run.order.count) + " lines)",
                          bound_ns_);
    }
    const uint64_t next = now + kPollNs;
    host.WaitOrFault([&] { return host.interrupts() != delivered || host.platform().NowNs() >= next; },
                     "a client's interrupt", kPollNs);
  }
  ClientEnd end{state.count, state.crc, state.mismatches, std::nullopt, state.level, state.fault_address};
  if (state.fault != 0) end.fault = static_cast<regs::Fault>(state.reason);
  Judge(run, end, checks);
}

void ClientBatch::Judge(const ClientRun& run, const ClientEnd& state, std::vector<Check>& checks) {
  os::Fault fault;
  if (state.fault) {
    fault.source = "gpu";
    fault.name = regs::NameOf(*state.fault);
    fault.address = state.fault_address;
    fault.client = run.client;
    fault.level = state.level;
    fault.access = regs::NameOf(AccessOf(run));
  }
  if (run.fault) {
    const bool right = state.fault == run.fault;
    checks.push_back({what_, right, right ? "" : !state.fault ? "no fault" : fault.name});
    if (right) checks.back().fault = fault;
    return;
  }
  if (state.fault) {
    fault.text = "client " + std::to_string(run.client) + " stopped at " + os::Hex(state.fault_address) + ": " +
                 fault.name + ", level " + std::to_string(state.level) + " (" + what_ + ")";
    os::Host(vidmm_).Fail(fault);
  }
  std::string text;
  const uint64_t accesses = AccessesOf(run);
  if (state.count != accesses) {
    text = "made " + std::to_string(state.count) + " accesses of " + std::to_string(accesses);
  } else if (run.pattern && state.mismatches != 0) {
    text = std::to_string(state.mismatches) + " words of 8 bytes are not what was written";
  } else if (!run.pattern && !run.write && state.crc != run.crc) {
    text = "checksum " + os::Hex(state.crc) + ", expected " + os::Hex(run.crc);
  }
  checks.push_back({what_ + ", client " + std::to_string(run.client), text.empty(), text});
}

void RunClients(os::VidMm& vidmm, const std::vector<ClientRun>& runs, const std::string& what,
                std::vector<Check>& checks) {
  ClientBatch(vidmm, runs, what).Finish(checks);
}

}  // namespace gmmu::workload
