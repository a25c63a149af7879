// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "os/application/host.h"
#include "replay/backing.h"
#include "replay/footprint.h"
#include "replay/options.h"

namespace gmmu::os {
struct Allocation;
struct GpuProcess;
}  // namespace gmmu::os

namespace gmmu::workload {
struct Life;
}

namespace gmmu::replay {

/// Does `work`, and throws ReplayError with the way out when it finds a memory segment full (os::NoRoom). Part of what
/// Life::Work gets: what that throws ends the run.
void WithRoom(const Options& options, const std::function<void()>& work);

/// Memory for every piece that holds a touched page, mapped in a process of its own.
///
/// VRAM comes in blocks of 64 KiB, of which the stated percentage is scattered pages of 4 KiB; or in large pages. System
/// memory comes in scattered pages, at consecutive logical addresses when the GPU is remapped. All calls are made on the
/// application's fibre. With Options::demand nothing is mapped here (demand_pages.h). End must be called; the destructor only forgets.
class MappedPages {
 public:
  /// `progress` gets pieces. Throws ReplayError when VRAM has no room for pages or page tables, and when the machine has
  /// no pages of the wanted size.
  MappedPages(workload::Life& life, const Footprint& footprint, const Options& options,
              const std::function<void(uint64_t done, uint64_t total)>& progress);
  void End();

  const os::GpuProcess& process() const { return *process_; }
  const Rebase& moved() const { return *moved_; }
  const BackingFacts& facts() const { return facts_; }

 private:
  /// Pieces that follow each other in the workload and so in GPU virtual addresses.
  struct Run {
    uint64_t va, first, count;  // first: its place among all pieces
  };
  std::vector<Run> Runs(const std::vector<uint64_t>& pieces) const;
  /// VRAM for the pieces from `first` on: one allocation, or several where no memory segment has room for all.
  void TakeVram(uint64_t first, uint64_t count);
  void MapVram(const std::vector<Run>& runs);
  /// VRAM for one large page, or for the pages of 4 KiB in its place. Returns `whole`.
  bool TakeLarge(uint64_t piece, bool whole);
  void MapLarge(const std::vector<Run>& runs);
  void MapSystem(const std::vector<Run>& runs);
  void Done(uint64_t pieces);

  workload::Life& life_;
  const Options& options_;
  const std::function<void(uint64_t, uint64_t)>& progress_;
  BackingFacts facts_;
  os::GpuProcess* process_ = nullptr;
  uint64_t reserved_ = 0;
  std::unique_ptr<Rebase> moved_;
  std::vector<os::Allocation*> allocations_;
  std::vector<os::HostMemory> host_;
};

}  // namespace gmmu::replay
