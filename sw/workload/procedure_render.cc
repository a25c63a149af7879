// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>

#include "kmd/escape.h"
#include "workload/clients.h"
#include "workload/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kPage = hw::kPageSize;
constexpr uint64_t kBoundNs = 1'000'000'000;
constexpr uint64_t kCommandBytes = 64;  // a copy and a fill, with room

enum Trouble : uint64_t { kNone, kHang, kPageFault };

/// A process that copies A to B and overwrites A, page by page, in every packet. Whoever does a command
/// twice, or leaves one out, or takes them out of order, spoils B.
class Copier {
 public:
  Copier(Life& life, const std::string& name, uint64_t pages) : life_(life), pages_(pages) {
    life.worker.Call([&] {
      process_ = life.vidmm.CreateProcess(name);
      for (Side& side : sides_) {
        side.allocation = life.vidmm.CreateAllocation(name, pages * kPage);
        life.vidmm.MakeResident(*side.allocation);
        life.vidmm.Fill(*side.allocation, 0, pages * kPage, 0);
        side.va = life.vidmm.ReserveVa(*process_, pages * kPage);
        life.vidmm.MapLocal(*process_, side.va, *side.allocation, 0, pages);
      }
    });
  }

  void SubmitRound(uint32_t round) {
    buffers_.push_back(std::make_unique<RenderBuffer>(life_, process_, pages_ * kCommandBytes + kPage));
    for (uint64_t page = 0; page < pages_; ++page) {
      buffers_.back()->Copy(sides_[0].va + page * kPage, sides_[1].va + page * kPage, kPage);
      buffers_.back()->Fill(sides_[0].va + page * kPage, kPage, Pattern(round, page));
    }
    packets_.push_back(buffers_.back()->Submit("round " + std::to_string(round)));
    rounds_ = round;
  }

  /// A fill of many pages that are one: longer than any delay.
  void SubmitHang(uint64_t pages) {
    life_.worker.Call([&] {
      hang_va_ = life_.vidmm.ReserveVa(*process_, pages * kPage);
      life_.vidmm.MapOnePage(*process_, hang_va_, *sides_[0].allocation, 0, pages);
    });
    buffers_.push_back(std::make_unique<RenderBuffer>(life_, process_, kPage));
    buffers_.back()->Fill(hang_va_, pages * kPage, 0xBAD);
    packets_.push_back(buffers_.back()->Submit("an endless fill"));
  }
  void SubmitPageFault() {
    buffers_.push_back(std::make_unique<RenderBuffer>(life_, process_, kPage));
    buffers_.back()->Fill(sides_[1].va + (uint64_t{1} << 32), kPage, 0xBAD);  // nothing is mapped there
    packets_.push_back(buffers_.back()->Submit("a fill of unmapped addresses"));
  }

  /// Waits for all packets; how the last one ended.
  os::PacketEnd Finish() {
    os::PacketEnd end = os::PacketEnd::kCompleted;
    for (const os::PacketId packet : packets_) end = life_.adapter.vidsch().Wait(packet, kBoundNs);
    return end;
  }

  /// Both sides, read by clients.
  void Check() {
    for (size_t side = 0; side < 2; ++side) {
      std::vector<uint8_t> expected(pages_ * kPage);
      const uint32_t round = rounds_ - static_cast<uint32_t>(side);
      for (uint64_t page = 0; page < pages_ && round > 0; ++page) {
        const uint32_t pattern = Pattern(round, page);
        for (uint64_t at = 0; at < kPage; at += 4) std::memcpy(&expected[page * kPage + at], &pattern, 4);
      }
      ClientRun run;
      run.process = process_;
      run.base = sides_[side].va;
      run.order = ShareOf(pages_ * kPage / kLine, 0, 1);
      run.crc = LineCrc(expected.data(), run.order);
      RunClients(life_.vidmm, {run}, process_->name + (side == 0 ? ", source" : ", target"), life_.result.checks);
    }
  }

  void End() {
    for (auto& buffer : buffers_) buffer->Release();
    life_.worker.Call([&] {
      if (hang_va_ != 0) life_.vidmm.FreeVa(*process_, hang_va_);
      for (Side& side : sides_) {
        life_.vidmm.FreeVa(*process_, side.va);
        life_.vidmm.DestroyAllocation(side.allocation);
      }
      life_.vidmm.DestroyProcess(process_);
    });
  }
  bool lost() const { return process_->handles.state->lost; }
  const std::string& name() const { return process_->name; }

 private:
  struct Side {
    os::VidMm::Allocation* allocation = nullptr;
    uint64_t va = 0;
  };
  static uint32_t Pattern(uint32_t round, uint64_t page) { return round << 24 | static_cast<uint32_t>(page + 1); }

  Life& life_;
  uint64_t pages_;
  os::VidMm::Process* process_ = nullptr;
  Side sides_[2];
  uint64_t hang_va_ = 0;
  uint32_t rounds_ = 0;
  std::vector<std::unique_ptr<RenderBuffer>> buffers_;
  std::vector<os::PacketId> packets_;
};

std::string Unless(bool held, const std::string& otherwise) { return held ? "" : otherwise; }

void Run(Life& life, const ParameterValues& values) {
  os::VidSch& vidsch = life.adapter.vidsch();
  const uint64_t rounds = values.at("rounds"), trouble = values.at("trouble");
  std::vector<std::unique_ptr<Copier>> copiers;
  for (uint64_t i = 0; i < values.at("processes"); ++i)
    copiers.push_back(std::make_unique<Copier>(life, "process " + std::to_string(i + 1), values.at("pages")));
  std::unique_ptr<Copier> guilty;
  if (trouble != kNone) guilty = std::make_unique<Copier>(life, "guilty process", 1);

  const uint64_t preempted = vidsch.preemptions();
  for (uint32_t round = 1; round <= rounds; ++round) {
    for (auto& copier : copiers) copier->SubmitRound(round);
    if (round == 1 && trouble == kHang) guilty->SubmitHang(values.at("hang_pages"));
    if (round == 1 && trouble == kPageFault) guilty->SubmitPageFault();
  }
  for (uint64_t i = 0; i < values.at("paging_preemptions"); ++i) {
    vidsch.Preempt(life.adapter.caps().paging_node);
    vidsch.Preempt(life.adapter.caps().render_node);
    Copier paging(life, "paged process", 2);  // fills, maps, flushes: paging work under preemption
    paging.End();
  }
  for (auto& copier : copiers) {
    const os::PacketEnd end = copier->Finish();
    life.Compare("packets of " + copier->name() + " completed", Unless(end == os::PacketEnd::kCompleted && !copier->lost(), "the device was lost"));
    if (end == os::PacketEnd::kCompleted) copier->Check();
  }
  if (guilty) {
    life.Compare("the packet of the guilty process is lost", Unless(guilty->Finish() == os::PacketEnd::kLost && guilty->lost(), "it completed"));
    const auto& recoveries = vidsch.recoveries();
    life.Compare("the engine was reset once, for the guilty process",
                 Unless(recoveries.size() == 1 && recoveries[0].kind == os::VidSch::Recovery::Kind::kEngine &&
                            recoveries[0].device == guilty->name(),
                        std::to_string(recoveries.size()) + " recoveries" +
                            (recoveries.empty() ? "" : ", the first for \"" + recoveries[0].device + "\": " + recoveries[0].why)));
  } else {
    life.Compare("nothing had to be recovered", Unless(vidsch.recoveries().empty(), "an engine was reset"));
  }
  const uint64_t count = vidsch.preemptions() - preempted;
  life.Compare("preemptions", Unless(count >= values.at("preemptions_at_least"), std::to_string(count) + " of at least " + std::to_string(values.at("preemptions_at_least"))));
  life.result.bytes += 2 * values.at("processes") * values.at("pages") * kPage;
  life.result.bytes_verified = life.result.bytes;
  for (auto& copier : copiers) copier->End();
  if (guilty) guilty->End();
}

}  // namespace

Procedure RenderProcedure() {
  return {"render",
          "Processes that submit commands of their own to one node; packets are preempted in front of any command and "
          "submitted again, and each command must be done once. One more process may hang or fault: it alone is lost.",
          {{"processes", 3, 1, 12, "Processes that must not be harmed."},
           {"pages", 16, 1, 4096, "Pages that each packet copies and overwrites, one by one."},
           {"rounds", 4, 1, 100, "Packets of each process."},
           {"paging_preemptions", 0, 0, 1000, "Times that both nodes are preempted while paging work runs."},
           {"preemptions_at_least", 0, 0, 1'000'000, "So many preemptions must have happened."},
           {"trouble", kNone, kNone, kPageFault, "1: another process hangs; 2: it touches unmapped addresses."},
           {"hang_pages", 16384, 1, 1 << 20, "Pages of the endless fill."}},
          Run};
}

}  // namespace gmmu::workload
