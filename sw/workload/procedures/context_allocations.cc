// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "kmd/escape.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/vidmm_link.h"
#include "workload/needs.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {

/// A process whose context writes to its own context allocation, after the data that the driver
/// wrote there.
struct Owner {
  os::GpuProcess* process = nullptr;
  kmd::EscapeQueryContext memory;
  std::unique_ptr<RenderBuffer> commands;
  uint32_t word = 0;
};

std::vector<uint64_t> Contents(Life& life, const Owner& owner) {
  std::vector<uint64_t> words;
  life.Work([&] {
    os::VidMm& vidmm = os::VidMmOf(*owner.process);
    os::Allocation* allocation = vidmm.context_allocations().Of(*owner.process);
    os::SystemBuffer target = os::MakeHostMemory(vidmm, os::BytesOf(*allocation));
    vidmm.transfers().PageOut(*allocation, target, os::BytesOf(*allocation));
    const auto* view = reinterpret_cast<const uint64_t*>(target.Map(0, os::BytesOf(*allocation)));
    words.assign(view, view + os::BytesOf(*allocation) / 8);
    target.Release();
  });
  return words;
}

void Compare(Life& life, const std::string& what, const Owner& owner, bool written) {
  const std::vector<uint64_t> words = Contents(life, owner);
  const uint64_t half = words.size() / 2, pair = uint64_t{owner.word} << 32 | owner.word;
  const bool head = words[0] == kmd::ContextRecord::kMagic && words[1] == owner.memory.sequence &&
                    words[2] == owner.memory.va;
  const auto all = [&](uint64_t from, uint64_t to, uint64_t value) {
    return std::all_of(words.begin() + static_cast<ptrdiff_t>(from), words.begin() + static_cast<ptrdiff_t>(to),
                       [&](uint64_t word) { return word == value; });
  };
  life.Compare(what + " of " + os::NameOf(*owner.process), !head ? "the driver's record is not at its start"
                                                           : !all(3, half, 0) ? "what nobody wrote is not zero"
                                                           : !all(half, words.size(), written ? pair : 0)
                                                               ? "its second half is not what its context wrote"
                                                               : "");
}

void RunContextAllocations(Life& life, const ParameterValues& values) {
  NeedOurEscapes("kQueryContext");
  if (life.link.gpus() < values.at("gpus")) {
    throw WrongMachine("the adapter has " + std::to_string(life.link.gpus()) + " GPUs and must have " +
                       std::to_string(values.at("gpus")) + "; a scenario sets [machine.gpu] count");
  }
  // On linked GPUs, a process has a part on each GPU, and each part has a context.
  std::vector<os::VidMmLink::Process*> processes;
  std::vector<Owner> owners;
  const auto add = [&](os::GpuProcess* process) {
    owners.emplace_back();
    owners.back().process = process;
  };
  for (size_t i = 0; i < values.at("processes"); ++i) {
    const std::string name = "process " + std::to_string(i + 1);
    life.Work([&] {
      if (life.link.gpus() == 1) return add(life.vidmm.CreateProcess(name));
      processes.push_back(life.link.CreateProcess(name));
      for (os::GpuProcess* part : processes.back()->parts) add(part);
    });
  }
  for (size_t i = 0; i < owners.size(); ++i) {
    Owner& owner = owners[i];
    owner.memory.context = reinterpret_cast<uint64_t>(os::ContextOf(*owner.process));
    if (!NT_SUCCESS(life.gpu().Ask(owner.memory)))
      throw WrongMachine("the driver does not call DxgkCbCreateContextAllocation for its contexts");
    owner.commands = std::make_unique<RenderBuffer>(life, owner.process, kPage);
    owner.word = 0xC0DE0000 + static_cast<uint32_t>(i);
    owner.commands->Fill(owner.memory.va + owner.memory.bytes / 2, owner.memory.bytes / 2, owner.word);
    Compare(life, "a new context allocation", owner, false);
  }
  for (uint64_t round = 0; round < values.at("rounds"); ++round) {
    for (Owner& owner : owners) {
      life.Work([&] { os::VidMmOf(*owner.process).context_allocations().Evict(*owner.process); });
      os::PacketId packet = 0;
      life.Work([&] { packet = owner.commands->Submit("writes of its own context"); });
      life.graphics.Wait(packet);
      Compare(life, "after its context has run, round " + std::to_string(round + 1) + ",", owner, true);
    }
  }
  for (Owner& owner : owners) owner.commands->Release();
  life.Work([&] {
    for (os::VidMmLink::Process* process : processes) life.link.DestroyProcess(process);
    if (processes.empty())
      for (const Owner& owner : owners) life.vidmm.DestroyProcess(owner.process);
  });
}

}  // namespace

Procedure ContextAllocationsProcedure() {
  return {"context_allocations",
          "The driver creates a context allocation for every context. The GPU fills and writes it; it is evicted while "
          "the context is idle and restored with its contents before the context runs.",
          {{"processes", 2, 1, 8, "Number of processes, each with one context."},
           {"rounds", 2, 1, 100, "Number of evictions of each context allocation."},
           {"gpus", 1, 1, 4, "Minimum number of GPUs of the adapter."}},
          RunContextAllocations};
}

}  // namespace gmmu::workload
