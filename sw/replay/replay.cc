// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <algorithm>
#include <optional>

#include "kmd/escape.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/application/host.h"
#include "replay/mapped_pages.h"
#include "workload/life.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kPollNs = 2'000;
constexpr uint64_t kStallNs = 100'000'000;       // timeout, far longer than any access can take
constexpr uint64_t kMostPs = uint64_t{1} << 63;  // machine time limit: 64-bit picoseconds

/// Returns the increase of each counter between two lists from the same machine.
std::vector<hw::Counter> Grown(const std::vector<hw::Counter>& before, std::vector<hw::Counter> after) {
  for (size_t i = 0; i < after.size() && i < before.size(); ++i)
    after[i].value -= std::min(after[i].value, before[i].value);
  return after;
}

/// Detaches the traffic from the client ports on destruction.
class Ports {
 public:
  explicit Ports(hw::Instruments& instruments) : instruments_(instruments) {}
  ~Ports() { instruments_.DriveClients(0, nullptr); }
  void Drive(Traffic& traffic) { instruments_.DriveClients(0, &traffic); }

 private:
  hw::Instruments& instruments_;
};

class Replay {
 public:
  Replay(workload::Life& life, const Plan& plan, const Opener& open, Result& result)
      : life_(life), plan_(plan), result_(result), instruments_(*life.host.platform().instruments()), source_(open()) {}

  void Run() {
    kmd::EscapeQueryCaps caps;
    life_.gpu().Escape(caps, "the sizes of the GPU");
    life_.result.clients = caps.clients;
    const std::function<void(uint64_t, uint64_t)> mapping = [&](uint64_t done, uint64_t total) {
      Progress("mapping", done, total);
    };
    MappedPages pages(life_, plan_.footprint, plan_.options, mapping);
    result_.backing = pages.facts();
    for (uint64_t i = 0; i < plan_.options.skip; ++i) static_cast<void>(source_->Next());
    if (plan_.options.demand) {
      demand_.emplace(life_, pages.process(), plan_.footprint, pages.moved(), plan_.options, Frames());
    }
    Traffic traffic(*source_, [&](uint64_t address) { return pages.moved()(address); }, ShapeFor(pages.process()));
    {
      Ports ports(instruments_);
      if (plan_.warmup != 0) RunPhase("warm-up", plan_.warmup, traffic, ports);
      RunPhase("region", plan_.region, traffic, ports);
    }
    if (demand_) demand_->End();
    pages.End();
  }

 private:
  uint64_t Frames() const {
    const uint64_t mib = plan_.options.resident_mib;
    return mib == 0 ? ~uint64_t{0} : (mib << 20) / result_.backing.piece_bytes;
  }

  Traffic::Shape ShapeFor(const os::GpuProcess& process) {
    kmd::EscapeQuerySpace space;
    space.process = reinterpret_cast<uint64_t>(os::HandleOf(process));
    life_.gpu().Escape(space, "the address space of the process");
    const Options& options = plan_.options;
    Traffic::Shape shape;
    shape.compute_units = options.compute_units;
    shape.warps = options.warps;
    shape.window = options.window;
    shape.gap = options.gap;
    shape.open = plan_.header.loop == trace::Loop::kOpen;
    shape.deal = options.assign == Assign::kDeal;
    shape.coalesce = options.coalesce;
    shape.last_cycle = kMostPs / plan_.period_ps;
    shape.workload = options.workload;
    shape.space = static_cast<uint8_t>(space.space);
    shape.demand = options.demand;
    if (options.demand) {
      shape.touched = [this](uint64_t va, bool write) { demand_->Note(DemandPages::PieceOf(va), write); };
    }
    return shape;
  }

  void Progress(const std::string& phase, uint64_t done, uint64_t total) const {
    if (life_.options.progress) life_.options.progress(phase, done, total);
  }

  void RunPhase(const std::string& name, uint64_t accesses, Traffic& traffic, Ports& ports) {
    PhaseResult phase;
    phase.name = name;
    rows_ = name == "region" && (plan_.options.epoch != 0 || plan_.options.epoch_cycles != 0);
    Progress(name, 0, accesses);
    const std::vector<hw::Counter> before = instruments_.Counters();
    row_counters_ = before;
    row_cycle_ = instruments_.Cycles();
    row_accesses_ = 0;
    const uint64_t begin_ns = life_.host.platform().NowNs();
    traffic.Begin(accesses, instruments_.Cycles());
    ports.Drive(traffic);
    Await(name, accesses, traffic, ports, phase);
    const uint64_t ns = life_.host.platform().NowNs() - begin_ns;
    if (rows_ && traffic.tally().accesses != row_accesses_) EndRow(traffic, phase);
    phase.counters = Grown(before, instruments_.Counters());
    if (demand_) phase.demand.prefetch_used = demand_->TakeUsed();
    phase.tally = traffic.tally();
    life_.result.phases.push_back({name, phase.tally.bytes, ns, phase.tally.cycles(), false});
    const uint64_t answered = phase.tally.accesses;
    life_.Compare(name + ": every access was answered",
                  answered == accesses ? "" : std::to_string(answered) + " of " + std::to_string(accesses));
    life_.Compare(name + ": no access faulted",
                  phase.tally.faults == 0 ? "" : std::to_string(phase.tally.faults) + " did");
    result_.phases.push_back(std::move(phase));
  }

  /// Returns how long the machine will stay idle, with nothing in flight and no access due, rounded
  /// down to a multiple of the poll interval, so that skipping the time does not shift later polls.
  uint64_t IdleNs(const Traffic& traffic) const {
    const uint64_t due = traffic.next_due(), now = instruments_.Cycles();
    if (traffic.in_flight() != 0 || due == Traffic::kNever || due <= now) return 0;
    return (due - now) * plan_.period_ps / 1000 / kPollNs * kPollNs;
  }

  /// Waits until all accesses have completed.
  void Await(const std::string& name, uint64_t accesses, Traffic& traffic, Ports& ports, PhaseResult& phase) {
    hw::Platform& platform = life_.host.platform();
    uint64_t answered = 0, answered_ns = platform.NowNs();
    while (!traffic.done()) {
      if (!traffic.far_faults().empty()) Serve(traffic, ports, phase.demand);
      const uint64_t wait_ns = std::max(kPollNs, IdleNs(traffic)), next = platform.NowNs() + wait_ns;
      life_.host.WaitOrFault(
          [&] { return traffic.done() || !traffic.far_faults().empty() || platform.NowNs() >= next; },
          "answers to the clients", wait_ns, wait_ns + os::Host::kBoundNs);
      const uint64_t now = platform.NowNs();
      Progress(name, traffic.tally().accesses, accesses);
      if (rows_ && EndsRow(traffic)) EndRow(traffic, phase);
      if (wait_ns > kPollNs || traffic.tally().requests != answered || traffic.next_due() > instruments_.Cycles()) {
        answered = traffic.tally().requests;
        answered_ns = now;
      } else if (now - answered_ns >= kStallNs) {
        throw os::OsTimeout("an answer to a client (" + name + ", " + std::to_string(traffic.in_flight()) +
                                " accesses in flight, " + std::to_string(traffic.tally().accesses) + " of " +
                                std::to_string(accesses) + " answered)",
                            kStallNs);
      }
    }
  }

  /// The system's far-fault handler. After its start-up time, it makes a batch of the pieces that
  /// have faulted, oldest fault first, brings them in, and replays the accesses that waited for
  /// them.
  void Serve(Traffic& traffic, Ports& ports, DemandTally& tally) {
    hw::Platform& platform = life_.host.platform();
    const uint64_t far_ns = life_.options.os.far_fault_ns, wait_ns = (far_ns / kPollNs + 1) * kPollNs;
    const uint64_t begin_cycle = instruments_.Cycles(), begin_ns = platform.NowNs() + far_ns;
    life_.host.WaitOrFault([&] { return platform.NowNs() >= begin_ns; }, "the handler of far faults", wait_ns,
                           wait_ns + os::Host::kBoundNs);
    std::vector<uint64_t> pieces;
    for (const Traffic::FarFault& fault : traffic.far_faults()) {
      const uint64_t piece = DemandPages::PieceOf(fault.va);
      if (pieces.size() == plan_.options.batch) break;
      if (!demand_->resident(piece) && std::find(pieces.begin(), pieces.end(), piece) == pieces.end())
        pieces.push_back(piece);
    }
    demand_->Bring(pieces, tally);
    ++tally.batches;
    tally.batch_pieces.Add(pieces.size());
    tally.batch_cycles.Add(instruments_.Cycles() - begin_cycle);
    const uint64_t before = tally.wait_cycles.count();
    traffic.Retry([&](uint64_t va) { return demand_->resident(DemandPages::PieceOf(va)); }, instruments_.Cycles(),
                  tally.wait_cycles);
    tally.far_faults += tally.wait_cycles.count() - before;
    ports.Drive(traffic);
  }

  bool EndsRow(const Traffic& traffic) const {
    const Options& options = plan_.options;
    if (options.epoch != 0 && traffic.tally().accesses - row_accesses_ >= options.epoch) return true;
    return options.epoch_cycles != 0 && instruments_.Cycles() - row_cycle_ >= options.epoch_cycles;
  }

  void EndRow(Traffic& traffic, PhaseResult& phase) {
    Row row;
    row.first_cycle = row_cycle_;
    row.last_cycle = instruments_.Cycles();
    row.tally = traffic.TakeEpoch();
    row_accesses_ = traffic.tally().accesses;
    std::vector<hw::Counter> now = instruments_.Counters();
    row.counters = Grown(row_counters_, now);
    row_counters_ = std::move(now);
    row_cycle_ = row.last_cycle;
    phase.rows.push_back(std::move(row));
  }

  workload::Life& life_;
  const Plan& plan_;
  Result& result_;
  hw::Instruments& instruments_;
  const std::unique_ptr<trace::Source> source_;
  std::optional<DemandPages> demand_;
  bool rows_ = false;
  std::vector<hw::Counter> row_counters_;
  uint64_t row_cycle_ = 0, row_accesses_ = 0;
};

}  // namespace

void RunReplay(hw::Platform& platform, const Plan& plan, const Opener& open, const workload::JobOptions& job,
               workload::JobResult& job_result, Result& result) {
  workload::RunLife(platform, job, job_result, [&](workload::Life& life) { Replay(life, plan, open, result).Run(); });
}

}  // namespace gmmu::replay
