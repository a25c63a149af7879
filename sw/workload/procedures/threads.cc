// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "kmd/escape.h"
#include "os/application/own_objects.h"
#include "workload/copier.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/plug_in.h"
#include "workload/lines.h"
#include "workload/preempter.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

/// State shared by the threads.
struct Crowd {
  Life& life;
  const uint64_t allocations, questions, pages;
  const uint32_t rounds;
  std::set<uint32_t> spaces;  ///< address spaces that the threads' processes currently hold
  std::string clash;          ///< the first space held by two processes at the same time
  uint64_t ended = 0;
};

/// Creates and destroys objects that belong to this thread only, while other threads do the same.
void MakeObjects(Crowd& crowd, const std::string& name) {
  const os::Gpu gpu = crowd.life.gpu();
  os::OwnObjects own(crowd.life.vidmm, name);
  if (PlugIn::Current() != nullptr) {  // without the built-in driver, the escapes below do not exist
    for (uint64_t i = 0; i < crowd.allocations; ++i) own.CreateAllocation(name, (i + 1) * kPage);
    return own.Close();
  }
  kmd::EscapeQuerySpace space;
  space.process = reinterpret_cast<uint64_t>(own.process());
  gpu.Escape(space, "the query of a space");
  if (!crowd.spaces.insert(space.space).second && crowd.clash.empty())
    crowd.clash = "space " + std::to_string(space.space) + " is that of two processes, one of them of " + name;
  for (uint64_t i = 0; i < crowd.allocations; ++i) {
    kmd::EscapeQueryResidency residency;
    residency.allocation = reinterpret_cast<uint64_t>(own.CreateAllocation(name, (i + 1) * kPage));
    gpu.Escape(residency, "the query of a place");
    if (residency.resident != 0 && crowd.clash.empty())
      crowd.clash = "an allocation of " + name + " that never was resident has a place";
  }
  crowd.spaces.erase(space.space);
  own.Close();
}

/// Sends one escape of each query kind to the driver.
void Ask(Crowd& crowd, unsigned number) {
  const os::Gpu gpu = crowd.life.gpu();
  if (PlugIn::Current() != nullptr) return;
  kmd::EscapeQueryCaps caps;
  gpu.Escape(caps, "the query of the sizes");
  for (uint32_t node : {gpu.facts().paging_node, gpu.facts().render_node}) {
    kmd::EscapeQueryRing ring;
    ring.node = node;
    gpu.Escape(ring, "the query of a ring");
  }
  kmd::EscapeReadFaults faults;
  gpu.Escape(faults, "the fault records");
  if (faults.count != 0 && crowd.clash.empty()) crowd.clash = "there is a fault record";
  kmd::EscapeQueryClient client;
  client.client = number % caps.clients;
  gpu.Escape(client, "the query of a client");
}

/// Throws WrongMachine if the driver creates context allocations. Only the VidMm worker may do so,
/// but these threads create contexts themselves. Call this after the worker has created a context.
void NeedNoContextAllocations(const Life& life) {
  if (life.graphics.CallbacksOf("DxgkCbCreateContextAllocation") == 0) return;
  throw WrongMachine(
      "the driver calls DxgkCbCreateContextAllocation, which is for contexts made on the system's worker thread; "
      "these contexts are made on an application's own threads");
}

void Serve(Crowd& crowd, unsigned number) {
  const std::string name = "thread " + std::to_string(number + 1);
  Copier copier(crowd.life, name, crowd.pages, crowd.rounds);
  NeedNoContextAllocations(crowd.life);
  for (uint32_t round = 1; round <= crowd.rounds; ++round) {
    copier.SubmitRound(round);
    MakeObjects(crowd, name);
    for (uint64_t i = 0; i < crowd.questions; ++i) Ask(crowd, number);
  }
  const bool completed = copier.Finish() == os::PacketEnd::kCompleted;
  crowd.life.Compare("packets of " + name + " completed", completed ? "" : "the device was lost");
  if (completed && number < ClientsOf(crowd.life.gpu()))
    copier.Check(number);  // each thread uses its own client, so the checks run concurrently
  crowd.life.result.bytes += copier.bytes();
  copier.End();
  ++crowd.ended;
}

void RunThreads(Life& life, const ParameterValues& values) {
  NeedRender(life);
  const uint64_t threads = values.at("threads");
  Crowd crowd{life,
              values.at("allocations"),
              values.at("questions"),
              values.at("pages"),
              static_cast<uint32_t>(values.at("rounds")),
              {},
              "",
              0};
  Preempter paging(life, life.gpu().facts().paging_node), render(life, life.gpu().facts().render_node);
  for (unsigned i = 0; i < threads; ++i)
    life.host.Spawn("thread " + std::to_string(i + 1), [&crowd, i] { Serve(crowd, i); });
  os::Allocation* filled = nullptr;
  life.Work([&] {
    filled = life.vidmm.CreateAllocation("paging beside the threads", 16 * kPage);
    life.vidmm.MakeResident(*filled);
  });
  for (uint64_t turn = 0; turn < threads * values.at("rounds"); ++turn) {
    life.Work([&] { life.vidmm.transfers().Fill(*filled, 0, 16 * kPage, 0x60606060); });
    life.host.Wait([&] { return life.graphics.idle(life.gpu().facts().paging_node); }, "the paging node to be idle");
  }
  life.host.Wait([&] { return crowd.ended == threads; }, "the threads to end");
  paging.Stop();
  render.Stop();
  life.Work([&] { life.vidmm.DestroyAllocation(filled); });
  std::sort(life.result.checks.begin(), life.result.checks.end(),  // for a deterministic order
            [](const Check& a, const Check& b) { return a.name < b.name; });
  life.Compare("what the threads have is their own", crowd.clash);
  life.Compare("nothing had to be recovered", life.graphics.recoveries().empty() ? "" : "an engine was reset");
  life.result.bytes_verified = life.result.bytes;
}

}  // namespace

Procedure ThreadsProcedure() {
  return {"threads",
          "Several threads are in the driver at once. Each submits packets, creates and destroys a process, a context "
          "and allocations, and queries the driver, while memory is paged and both nodes are preempted. Set "
          "os.preemption: without it, threads switch only where they wait.",
          {{"threads", 4, 1, 6, "Number of threads; each one with its own client has its bytes read by it."},
           {"rounds", 4, 1, 100,
            "Number of rounds; each thread submits one packet and creates and destroys its objects once per round."},
           {"pages", 2, 1, 256, "Number of pages that each packet copies and overwrites."},
           {"allocations", 12, 0, 64, "Number of allocations that a thread creates per round."},
           {"questions", 6, 0, 64, "Number of times per round that a thread makes every query."}},
          RunThreads};
}

}  // namespace gmmu::workload
