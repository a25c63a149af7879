// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "workload/clients.h"
#include "workload/copier.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/plug_in.h"
#include "workload/preempter.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {

enum Trouble : uint64_t { kNone, kHang, kPageFault };

std::string Unless(bool held, const std::string& otherwise) { return held ? "" : otherwise; }

std::string AtLeast(uint64_t count, uint64_t wanted) {
  return Unless(count >= wanted, std::to_string(count) + ", of at least " + std::to_string(wanted));
}

std::string Described(const std::vector<os::RecoveryFacts>& recoveries) {
  const std::string count = std::to_string(recoveries.size()) + " recoveries";
  if (recoveries.empty()) return count;
  return count + ", the first for \"" + recoveries[0].device + "\": " + recoveries[0].why;
}

/// A process that hangs its node, or accesses unmapped addresses.
class Guilty {
 public:
  Guilty(Life& life, Trouble trouble, uint64_t pages) : life_(life) {
    life.Work([&] {
      process_ = life.vidmm.CreateProcess("guilty process");
      page_ = life.vidmm.CreateAllocation("page", kPage);
      life.vidmm.MakeResident(*page_);
      va_ = life.vidmm.ReserveVa(*process_, pages * kPage);
      // A 64 KiB page cannot be mapped at every address (Allocation::MayShow), but zero pages can be mapped at any
      // address.
      if (life.gpu().facts().geometry.leaf_64k_bytes != 0) life.vidmm.mappings().MapZero(*process_, va_, pages);
      else life.vidmm.mappings().MapOnePage(*process_, va_, *page_, 0, pages);
    });
    commands_ = std::make_unique<RenderBuffer>(life, process_, kPage);
    // All of these virtual pages map one page, so the fill can be made longer than any timeout
    // delay.
    if (trouble == kHang) commands_->Fill(va_, pages * kPage, 0xBAD);
    else commands_->Fill(va_ + (uint64_t{1} << 32), kPage, 0xBAD);
    packet_ = commands_->Submit(trouble == kHang ? "an endless fill" : "a fill of unmapped addresses");
  }
  bool lost() { return life_.graphics.Wait(packet_) == os::PacketEnd::kLost && os::DeviceLost(*process_); }
  const std::string& name() const { return os::NameOf(*process_); }
  void End() {
    commands_->Release();
    life_.Work([&] {
      life_.vidmm.FreeVa(*process_, va_);
      life_.vidmm.DestroyAllocation(page_);
      life_.vidmm.DestroyProcess(process_);
    });
  }

 private:
  Life& life_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* page_ = nullptr;
  uint64_t va_ = 0;
  std::unique_ptr<RenderBuffer> commands_;
  os::PacketId packet_ = 0;
};

/// Several rounds of paging work. Each round fills the same host pages with different bytes and
/// pages them into a separate allocation, through the same few windows. A transfer that is skipped,
/// or repeated after the host pages have been refilled, leaves wrong bytes in an allocation.
class Paged {
 public:
  Paged(Life& life, uint64_t turns, uint64_t pages) : life_(life), turns_(turns), bytes_(pages * kPage) {
    life.Work([&] {
      source_ = os::MakeHostMemory(life.vidmm, bytes_);
      process_ = life.vidmm.CreateProcess("paged process");
      va_ = life.vidmm.ReserveVa(*process_, turns * bytes_);
    });
    cpu_ = source_.Map(0, bytes_);
  }
  /// Returns when the bytes of all rounds have been paged in.
  void Work() {
    for (uint64_t turn = 0; turn < turns_; ++turn) {
      Fill(cpu_, turn);
      life_.Work([&] {
        allocations_.push_back(life_.vidmm.CreateAllocation("turn " + std::to_string(turn), bytes_));
        os::Allocation& allocation = *allocations_.back();
        life_.vidmm.MakeResident(allocation);
        life_.vidmm.transfers().PageIn(allocation, source_, bytes_);
        life_.vidmm.Map(*process_, va_ + turn * bytes_, allocation, 0, bytes_ / kPage);
      });
    }
    Fill(cpu_, turns_);
  }
  void Check() {
    std::vector<uint8_t> expected(turns_ * bytes_);
    for (uint64_t turn = 0; turn < turns_; ++turn) Fill(&expected[turn * bytes_], turn);
    RunClients(life_.vidmm, {ReadOf(process_, va_, expected)}, os::NameOf(*process_) + ", every turn",
               life_.result.checks);
  }
  uint64_t bytes() const { return turns_ * bytes_; }
  void End() {
    source_.Unmap();
    life_.Work([&] {
      life_.vidmm.FreeVa(*process_, va_);
      for (os::Allocation* allocation : allocations_) life_.vidmm.DestroyAllocation(allocation);
      life_.vidmm.DestroyProcess(process_);
      source_.Release();
    });
  }

 private:
  void Fill(uint8_t* to, uint64_t turn) const { FillPattern(to, bytes_, life_.options.seed + turn + 1); }

  Life& life_;
  const uint64_t turns_, bytes_;
  os::SystemBuffer source_;
  uint8_t* cpu_ = nullptr;
  os::GpuProcess* process_ = nullptr;
  uint64_t va_ = 0;
  std::vector<os::Allocation*> allocations_;
};

/// Preempts the paging node and the render node while their packets run, from construction until
/// Check.
class BothPreempted {
 public:
  BothPreempted(Life& life, const ParameterValues& values)
      : life_(life),
        wanted_(values.at("resubmissions_at_least")),
        paged_(life, values.at("paging_turns"), values.at("paging_pages")),
        paging_(life, life.gpu().facts().paging_node),
        render_(life, life.gpu().facts().render_node) {}

  /// Performs paging work concurrently with the submitted packets.
  void Work() { paged_.Work(); }
  /// Call when all packets have completed. Requires resubmitted packets, which prove that nodes
  /// were preempted while busy, not only while idle.
  void Check() {
    paging_.Stop();
    render_.Stop();
    paged_.Check();
    const os::Adapter& graphics = life_.graphics;
    const os::GpuFacts facts = life_.gpu().facts();
    life_.Compare("paging packets that came back", AtLeast(graphics.resubmissions(facts.paging_node), wanted_));
    life_.Compare("render packets that came back", AtLeast(graphics.resubmissions(facts.render_node), wanted_));
    const uint64_t in_reports = graphics.submitted_in_reports();
    const bool told = life_.options.os.submit_during_preemption;
    const std::string none = Unless(in_reports == 0, std::to_string(in_reports) + ", of none");
    life_.Compare("packets submitted while a preemption was being told", told ? AtLeast(in_reports, wanted_) : none);
    life_.result.bytes += paged_.bytes();
  }
  void End() { paged_.End(); }

 private:
  Life& life_;
  const uint64_t wanted_;
  Paged paged_;
  Preempter paging_, render_;
};

void RunRender(Life& life, const ParameterValues& values) {
  NeedRender(life);
  const PlugIn* plug_in = PlugIn::Current();
  NeedCap(values.at("paging_turns") == 0 || plug_in == nullptr || plug_in->driver().preempts_commands != 0,
          "GMMU_USER_MODE_DRIVER.preempts_commands");
  const uint64_t trouble = values.at("trouble");
  if (trouble == kHang) NeedRecovery(life);
  const auto rounds = static_cast<uint32_t>(values.at("rounds"));
  std::vector<std::unique_ptr<Copier>> copiers;
  for (uint64_t i = 0; i < values.at("processes"); ++i)
    copiers.push_back(std::make_unique<Copier>(life, "process " + std::to_string(i + 1), values.at("pages"), rounds));
  std::unique_ptr<BothPreempted> preempted;
  if (values.at("paging_turns") != 0) {
    // If the CPU builds a buffer more slowly than the GPU executes a packet, the node is rarely busy.
    for (uint32_t round = 1; round <= rounds; ++round)
      for (auto& copier : copiers) copier->BuildRound(round);
    preempted = std::make_unique<BothPreempted>(life, values);
  }
  std::unique_ptr<Guilty> guilty;
  for (uint32_t round = 1; round <= rounds; ++round) {
    for (auto& copier : copiers) copier->SubmitRound(round);
    if (round == 1 && trouble != kNone)
      guilty = std::make_unique<Guilty>(life, static_cast<Trouble>(trouble), values.at("hang_pages"));
  }
  if (preempted) preempted->Work();
  for (auto& copier : copiers) copier->Finish();
  if (preempted) preempted->Check();
  for (auto& copier : copiers) {
    const bool completed = copier->Finish() == os::PacketEnd::kCompleted && !copier->lost();
    life.Compare("packets of " + copier->name() + " completed", Unless(completed, "the device was lost"));
    if (completed) copier->Check();
    life.result.bytes += copier->bytes();
  }
  if (guilty && static_cast<Trouble>(trouble) == kHang && !guilty->lost() && life.graphics.recoveries().empty()) {
    throw WrongMachine("hang_pages: a fill of " + std::to_string(values.at("hang_pages")) +
                       " pages ended before [machine.os] tdr_delay_us = " +
                       std::to_string(life.options.os.tdr_delay_us) + " had passed twice: it hangs nothing");
  }
  if (guilty) life.Compare("the packet of the guilty process is lost", Unless(guilty->lost(), "it completed"));
  const auto recoveries = life.graphics.recoveries();
  if (guilty) {
    life.Compare("the engine was reset once, for the guilty process",
                 Unless(recoveries.size() == 1 && !recoveries[0].adapter && recoveries[0].device == guilty->name(),
                        Described(recoveries)));
  } else {
    life.Compare("nothing had to be recovered", Unless(recoveries.empty(), "an engine was reset"));
  }
  life.result.bytes_verified = life.result.bytes;
  if (preempted) preempted->End();
  for (auto& copier : copiers) copier->End();
  if (guilty) guilty->End();
}

}  // namespace

Procedure RenderProcedure() {
  return {
      "render",
      "Several processes submit command buffers to one node. Packets are preempted before any command and resubmitted, "
      "and each command must execute exactly once. One more process may hang or fault; only that process may be lost.",
      {{"processes", 3, 1, 12, "Number of processes that must not be affected."},
       {"pages", 16, 1, 4096, "Number of pages that each packet copies and overwrites, one at a time."},
       {"rounds", 4, 1, 100, "Number of packets of each process; each packet copies to a separate destination."},
       {"paging_turns", 0, 0, 100,
        "Number of page-ins while both nodes are preempted; 0: no paging and no preemption."},
       {"paging_pages", 64, 1, 4096, "Number of pages in each page-in."},
       {"resubmissions_at_least", 1, 0, 1'000'000,
        "Minimum number of resubmitted packets per node, and of packets submitted during a preemption report if "
        "os.submit_during_preemption is on."},
       {"trouble", kNone, kNone, kPageFault,
        "0: no other process. 1: another process hangs. 2: another process accesses unmapped addresses."},
       {"hang_pages", 16384, 1, 1 << 20, "Number of pages that the hanging process fills."}},
      RunRender};
}

}  // namespace gmmu::workload
