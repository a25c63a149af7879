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

/// Runs `work` and converts os::NoRoom (a full memory segment) to a ReplayError whose message
/// contains the remedy. Call this inside Life::Work, because an exception that leaves Life::Work
/// ends the run.
void WithRoom(const Options& options, const std::function<void()>& work);

/// Memory for every piece that contains a touched page, mapped in a separate process.
///
/// VRAM is allocated in large pages, or in 64 KiB blocks; the stated percentage of these consists
/// of scattered 4 KiB pages instead. System memory is allocated in scattered pages, which have
/// consecutive logical addresses if DMA is remapped. With Options::demand, nothing is mapped here
/// (see demand_pages.h). Make all calls on the application's fibre. Call End before destruction:
/// the destructor frees nothing.
class MappedPages {
 public:
  /// `progress` counts pieces. Throws ReplayError if VRAM has no room for the pages or page tables,
  /// or if the machine does not support the page size.
  MappedPages(workload::Life& life, const Footprint& footprint, const Options& options,
              const std::function<void(uint64_t done, uint64_t total)>& progress);
  void End();

  const os::GpuProcess& process() const { return *process_; }
  const Rebase& moved() const { return *moved_; }
  const BackingFacts& facts() const { return facts_; }

 private:
  /// Pieces whose addresses are consecutive in the workload, and therefore also in GPU virtual
  /// addresses.
  struct Run {
    uint64_t va, first, count;  // `first` is the index of the run's first piece among all pieces
  };
  std::vector<Run> Runs(const std::vector<uint64_t>& pieces) const;
  /// Allocates VRAM for `count` pieces. Uses several allocations if no memory segment has room for
  /// all of them.
  void TakeVram(uint64_t first, uint64_t count);
  void MapVram(const std::vector<Run>& runs);
  /// Allocates VRAM for one large page if `whole` is true, otherwise for 4 KiB pages of the same
  /// total size. Returns `whole`.
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
  std::vector<os::SystemBuffer> host_;
};

}  // namespace gmmu::replay
