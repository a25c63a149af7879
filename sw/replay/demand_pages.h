// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "os/application/host.h"
#include "os/base/random.h"
#include "replay/footprint.h"
#include "events/histogram.h"
#include "replay/options.h"

namespace gmmu::os {
struct Allocation;
struct GpuProcess;
}  // namespace gmmu::os

namespace gmmu::workload {
struct Life;
}

namespace gmmu::replay {

/// Results of demand paging. Times are in cycles of the GPU.
struct DemandTally {
  uint64_t far_faults = 0;     ///< accesses that got a fault response or stalled at a port
  uint64_t batches = 0;        ///< number of times that the system served the waiting accesses
  uint64_t faulted = 0;        ///< pieces copied in because an access waited for them
  uint64_t prefetched = 0;     ///< pieces prefetched along with the faulted ones
  uint64_t prefetch_used = 0;  ///< prefetched pieces that were accessed before their eviction
  uint64_t evicted = 0, written_back = 0;
  uint64_t bytes_in = 0, bytes_out = 0;
  events::Histogram batch_pieces;  ///< pieces requested by a batch
  events::Histogram batch_cycles;  ///< cycles from the start of a batch to its last mapping
  events::Histogram wait_cycles;   ///< cycles from the fault of an access to its retry
};

/// A workload's memory in pieces of 64 KiB, some of which are resident in VRAM.
///
/// On request, the system copies a piece from host memory with the paging engine and maps it. If no
/// frame is free, the system first evicts another piece: it unmaps the piece, flushes its TLB
/// entries, and writes it back if it is dirty. Call all functions except Note on the application's
/// fibre.
class DemandPages {
 public:
  /// `moved` translates addresses of the workload to addresses in the process. Throws OsError if
  /// VRAM has no room for `frames` pieces.
  DemandPages(workload::Life& life, const os::GpuProcess& process, const Footprint& footprint, const Rebase& moved,
              const Options& options, uint64_t frames);
  void End();

  static uint64_t PieceOf(uint64_t va) { return va >> 16; }
  bool resident(uint64_t piece) const { return places_.count(piece) != 0; }
  /// Call this when an access to the piece has completed.
  void Note(uint64_t piece, bool write);
  /// Returns the number of prefetched pieces that have been accessed for the first time since the
  /// previous call.
  uint64_t TakeUsed() { return std::exchange(used_, 0); }
  /// Makes these pieces resident, together with the pieces that the options prefetch.
  void Bring(const std::vector<uint64_t>& pieces, DemandTally& tally);

 private:
  struct Frame {
    os::Allocation* memory = nullptr;
    uint64_t piece = 0;
    bool dirty = false, unused = false;  // unused: prefetched but not yet accessed
    bool kept = false;                   // belongs to the current batch, which must not evict it
  };
  void Prefetches(const std::vector<uint64_t>& pieces, std::vector<uint64_t>& more) const;
  void Tree(uint64_t piece, std::vector<uint64_t>& more) const;
  bool Wanted(uint64_t piece, const std::vector<uint64_t>& more) const;
  std::list<Frame>::iterator Victim();
  void BringOne(uint64_t piece, bool prefetch, DemandTally& tally);

  workload::Life& life_;
  os::GpuProcess& process_;
  const Options& options_;
  os::Random random_;
  std::unordered_map<uint64_t, bool> touched_;  // pieces that the workload accesses
  std::list<Frame> frames_;                     // free frames first, then by arrival or last use
  std::unordered_map<uint64_t, std::list<Frame>::iterator> places_;
  uint64_t used_ = 0;
  os::SystemBuffer host_;  // source and target of all copies; the contents are irrelevant
};

}  // namespace gmmu::replay
