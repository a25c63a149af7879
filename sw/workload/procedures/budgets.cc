// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

/// A process and its allocations. Every page of an allocation is filled with the allocation's word.
class Application {
 public:
  Application(Life& life, const std::string& name, uint64_t bytes) : life_(life), words_(life), bytes_(bytes) {
    life.Work([&] { process_ = life.vidmm.CreateProcess(name); });
  }

  os::GpuProcess& process() { return *process_; }
  size_t count() const { return held_.size(); }
  os::Allocation& allocation(size_t at) { return *held_[at].allocation; }
  uint64_t local() const { return os::LocalBytesOf(*process_); }

  /// Creates an allocation, brings it into memory and fills it. Call on the VidMm worker thread only.
  void Add(uint32_t word) {
    os::AllocationRequest request;
    request.name = os::NameOf(*process_) + ", allocation " + std::to_string(held_.size());
    request.bytes = bytes_;
    request.accessed_physically = false;
    os::Allocation* const allocation = life_.vidmm.CreateAllocation(request, process_);
    const uint64_t va = life_.vidmm.ReserveVa(*process_, bytes_);
    life_.vidmm.Map(*process_, va, *allocation, 0, bytes_ / kPage);
    held_.push_back({allocation, va, PageWords::Word(word)});
    life_.vidmm.residency().MakeResident({allocation});
    life_.vidmm.transfers().Fill(*allocation, 0, bytes_, held_.back().word);
  }
  void Want(size_t at) {
    life_.Work([&] { life_.vidmm.residency().MakeResident({held_[at].allocation}); });
  }
  void Read(size_t at, const std::string& when) {
    // Page tables may have been evicted to make room for those of the other application.
    life_.Work([&] { life_.vidmm.residency().RestoreTables(*process_); });
    words_.Read(process_, os::NameOf(allocation(at)) + when, held_[at].va,
                std::vector<uint32_t>(bytes_ / kPage, held_[at].word));
    life_.result.bytes += bytes_;
    life_.result.bytes_verified += bytes_;
  }
  void Faults(size_t at, const std::string& when) {
    words_.Fault(process_, os::NameOf(allocation(at)) + when, held_[at].va, regs::Fault::kEntryInvalid);
  }
  void BecameZeros(size_t at) { held_[at].word = 0; }
  void End() {
    life_.Work([&] {
      for (const Held& one : held_) {
        life_.vidmm.DestroyAllocation(one.allocation);
        life_.vidmm.FreeVa(*process_, one.va);
      }
      life_.vidmm.DestroyProcess(process_);
    });
  }

 private:
  struct Held {
    os::Allocation* allocation;
    uint64_t va;
    uint32_t word;
  };
  Life& life_;
  PageWords words_;
  const uint64_t bytes_;
  os::GpuProcess* process_ = nullptr;
  std::vector<Held> held_;
};

/// The first application fills up to a quarter of the free VRAM. Then its budget is halved to make
/// room for a second application.
class Budgets {
 public:
  Budgets(Life& life, const ParameterValues& values)
      : life_(life),
        residency_(life.vidmm.residency()),
        bytes_(values.at("allocation_bytes") / kPage * kPage),
        first_(life, "first", bytes_) {}

  void Run() {
    life_.result.clients = 1;
    const uint64_t free = life_.gpu().facts().local.free;  // the remainder is for page tables
    const uint64_t fit = std::min(free / 4 / bytes_, kMost);
    if (fit < 4)
      throw WrongMachine("a quarter of the free VRAM, " + std::to_string(free) + " bytes, must hold 4 allocations of " +
                         std::to_string(bytes_) + " bytes; a scenario sets [machine.gpu] vram_mib");
    life_.Work([&] {
      while (first_.count() < fit) first_.Add(static_cast<uint32_t>(first_.count()));
    });
    if (first_.local() != fit * bytes_)
      throw WrongMachine("page tables leave too little of VRAM; a scenario sets [machine.gpu] vram_mib");
    IsOfferedAndReclaimed();
    const uint64_t half = fit / 2 * bytes_;
    IsTrimmed(half);
    Application second(life_, "second", bytes_);
    life_.Work([&] {
      for (uint64_t i = 0; i < fit / 2; ++i) second.Add(static_cast<uint32_t>(100 + i));
    });
    Say("the second application is in VRAM", second.local() == fit / 2 * bytes_);
    Say("the first one keeps its budget", first_.local() <= half);
    for (size_t at = 0; at < first_.count(); ++at)
      if (at != kOffered) first_.Read(at, ", from where it is");
    for (size_t at = 0; at < second.count(); ++at) second.Read(at, "");
    Dropped();
    second.End();
    life_.Work([&] { residency_.SetBudget(first_.process(), fit * bytes_); });
    for (size_t at = 0; at < first_.count(); ++at) first_.Want(at);
    Say("the first one comes back", first_.local() == fit * bytes_);
    for (size_t at = 0; at < first_.count(); ++at) first_.Read(at, ", back in VRAM");
    first_.End();
  }

 private:
  static constexpr size_t kOffered = 2;
  static constexpr uint64_t kMost = 32;

  void Say(const std::string& what, bool right) { life_.Compare(what, right ? "" : "no"); }
  bool Reclaim(size_t at) {
    bool kept = false;
    life_.Work([&] { kept = residency_.Reclaim(first_.allocation(at)); });
    return kept;
  }

  /// Without pressure, an offered allocation keeps its contents but cannot be accessed.
  void IsOfferedAndReclaimed() {
    life_.Work([&] { residency_.Offer(first_.allocation(1)); });
    first_.Faults(1, ", offered");
    first_.Read(0, ", beside an offered one");
    Say("an offer without pressure keeps the contents", Reclaim(1));
    first_.Read(1, ", reclaimed");
  }

  /// Halves the budget. The trim handler offers one allocation, and the system evicts others, least
  /// recently used first, until the process is within its budget.
  void IsTrimmed(uint64_t budget) {
    uint64_t asked = 0;
    os::Residency::OnTrim(first_.process(), [&](uint64_t bytes) {
      asked = bytes;
      residency_.Offer(first_.allocation(kOffered));
    });
    const uint64_t before = first_.local();
    life_.Work([&] { residency_.SetBudget(first_.process(), budget); });
    os::Residency::OnTrim(first_.process(), nullptr);
    life_.Compare("the application was told how much to give back",
                  asked == before - budget ? "" : std::to_string(asked) + ", not " + std::to_string(before - budget));
    Say("it has no more than its budget", first_.local() <= budget);
    Say("it has its budget", first_.local() + bytes_ > budget);
    first_.Faults(kOffered, ", dropped");
  }

  /// The offered allocation was the first to be discarded, so it contains zeros when it becomes
  /// resident again.
  void Dropped() {
    Say("an offer under pressure drops the contents", !Reclaim(kOffered));
    first_.BecameZeros(kOffered);
    first_.Want(kOffered);
    first_.Read(kOffered, ", after it was dropped");
  }

  Life& life_;
  os::Residency& residency_;
  const uint64_t bytes_;
  Application first_;
};

void RunBudgets(Life& life, const ParameterValues& values) { Budgets(life, values).Run(); }

}  // namespace

Procedure BudgetsProcedure() {
  return {"budgets",
          "An application fills a quarter of VRAM. A second one halves its budget. The first is notified and offers "
          "one allocation, which is discarded; others move to system memory. When the second one ends, all of them "
          "return to VRAM.",
          {{"allocation_bytes", 65536, 65536, 1 << 24, "Size of each allocation in bytes."}},
          RunBudgets};
}

}  // namespace gmmu::workload
