// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <vector>

#include "workload/clients.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

/// A process with one allocation. Both survive the sleep.
struct Sleeper {
  os::GpuProcess* process = nullptr;
  os::Allocation* allocation = nullptr;
  uint64_t va = 0;
  HANDLE context = nullptr;
  std::vector<uint8_t> data;
};

Sleeper Make(Life& life, uint64_t number, uint64_t pages) {
  Sleeper made;
  made.data = SeededInput(life.options.seed ^ number << 32, pages * kPage);
  life.Work([&] {
    os::VidMm& vidmm = life.vidmm;
    made.process = vidmm.CreateProcess("process " + std::to_string(number));
    made.context = os::ContextOf(*made.process);
    made.allocation = vidmm.CreateAllocation("data of process " + std::to_string(number), pages * kPage);
    vidmm.MakeResident(*made.allocation);
    os::SystemBuffer source = os::MakeHostMemory(vidmm, pages * kPage);
    std::memcpy(source.Map(0, pages * kPage), made.data.data(), pages * kPage);
    source.Unmap();
    vidmm.transfers().PageIn(*made.allocation, source, pages * kPage);
    source.Release();
    made.va = vidmm.ReserveVa(*made.process, pages * kPage);
    vidmm.Map(*made.process, made.va, *made.allocation, 0, pages);
  });
  return made;
}

/// A client reads every byte at the same virtual address as before the sleep.
void Read(Life& life, const Sleeper& sleeper, const std::string& when) {
  RunClients(life.vidmm, {ReadOf(sleeper.process, sleeper.va, sleeper.data)},
             os::NameOf(*sleeper.process) + ", " + when, life.result.checks);
}

void RunSleep(Life& life, const ParameterValues& values) {
  std::vector<Sleeper> sleepers;
  for (uint64_t i = 0; i < values.at("processes"); ++i) sleepers.push_back(Make(life, i + 1, values.at("pages")));
  for (const Sleeper& sleeper : sleepers) Read(life, sleeper, "before");
  const auto action = values.at("hibernate") != 0 ? PowerActionHibernate : PowerActionSleep;
  for (uint64_t i = 0; i < values.at("times"); ++i) {
    const std::string when = "after sleep " + std::to_string(i + 1);
    life.Work([&] {
      life.vidmm.Sleep();
      life.graphics.PowerDown(action);
      std::vector<uint8_t> vram(64 << 10);
      life.gpu().ReadVram(0, vram.data(), vram.size());
      life.Compare("nothing of it was in VRAM, " + when,
                   life.gpu().facts().local.ranges == 0 ? "" : "ranges are in use");
      life.graphics.PowerUp();
      life.vidmm.Wake();
    });
    for (const Sleeper& sleeper : sleepers) {
      life.Compare("the context of " + os::NameOf(*sleeper.process) + " lives, " + when,
                   os::ContextOf(*sleeper.process) == sleeper.context && !os::DeviceLost(*sleeper.process)
                       ? ""
                       : "it is another one, or lost");
      Read(life, sleeper, when);
    }
  }
  life.result.bytes += values.at("processes") * values.at("pages") * kPage;
  life.result.bytes_verified = life.result.bytes;
  life.Work([&] {
    for (const Sleeper& sleeper : sleepers) {
      life.vidmm.FreeVa(*sleeper.process, sleeper.va);
      life.vidmm.DestroyAllocation(sleeper.allocation);
      life.vidmm.DestroyProcess(sleeper.process);
    }
  });
  RunSeededMainJob(life, values.at("pages") * kPage, "awake: ");
}

}  // namespace

Procedure SleepProcedure() {
  return {"sleep",
          "Processes keep their contexts, allocations and virtual addresses over D3. Afterwards every byte is read at "
          "its old address.",
          {{"processes", 2, 1, 12, "Number of processes."},
           {"pages", 8, 1, 4096, "Number of pages in each process's allocation."},
           {"times", 2, 1, 100, "Number of D3 cycles."},
           {"hibernate", 0, 0, 1, "1: the system hibernates (S4). 0: it sleeps."}},
          RunSleep};
}

}  // namespace gmmu::workload
