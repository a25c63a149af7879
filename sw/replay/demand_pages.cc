// SPDX-License-Identifier: Apache-2.0
#include "replay/demand_pages.h"

#include <algorithm>
#include <string>

#include "os/application/gpu.h"
#include "replay/mapped_pages.h"
#include "workload/life.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kPage = 4096, kPiece = 65536, kTreePieces = 32;  // a prefetch tree covers 2 MiB

}  // namespace

DemandPages::DemandPages(workload::Life& life, const os::GpuProcess& process, const Footprint& footprint,
                         const Rebase& moved, const Options& options, uint64_t frames)
    : life_(life),
      process_(const_cast<os::GpuProcess&>(process)),
      options_(options),
      random_(options.seed, "replay eviction") {
  for (const uint64_t piece : footprint.Pieces(kPiece)) touched_[PieceOf(moved(piece * kPiece))] = true;
  const auto take = [&] {
    for (uint64_t i = 0; i < std::min<uint64_t>(frames, touched_.size()); ++i) {
      Frame frame;
      frame.memory = life_.vidmm.allocations().CreateFragmented("replay frame " + std::to_string(i), kPiece,
                                                                options.fragmented);
      frames_.push_back(frame);
      life_.vidmm.MakeResident(*frame.memory);
    }
    host_ = os::MakeHostMemory(life_.vidmm, kPiece);
  };
  life.Work([&] { WithRoom(options, take); });
}

void DemandPages::End() {
  life_.Work([&] {
    for (const auto& [piece, frame] : places_) life_.vidmm.Unmap(process_, piece * kPiece, kPiece / kPage);
    for (Frame& frame : frames_) life_.vidmm.DestroyAllocation(frame.memory);
    host_.Release();
  });
  places_.clear();
  frames_.clear();
}

void DemandPages::Note(uint64_t piece, bool write) {
  const auto found = places_.find(piece);
  if (found == places_.end()) return;  // the piece has been evicted since the access
  found->second->dirty |= write;
  used_ += std::exchange(found->second->unused, false) ? 1 : 0;
  if (options_.evict == Evict::kLru) frames_.splice(frames_.end(), frames_, found->second);
}

bool DemandPages::Wanted(uint64_t piece, const std::vector<uint64_t>& more) const {
  return touched_.count(piece) != 0 && !resident(piece) && std::find(more.begin(), more.end(), piece) == more.end();
}

/// Considers ever larger subtrees that contain the piece. Completes a subtree if more than half of
/// its pieces are resident or will be, because they are in `more`.
void DemandPages::Tree(uint64_t piece, std::vector<uint64_t>& more) const {
  for (uint64_t size = 2; size <= kTreePieces; size *= 2) {
    const uint64_t first = piece / size * size;
    uint64_t there = 0;
    for (uint64_t p = first; p < first + size; ++p)
      there += resident(p) || std::find(more.begin(), more.end(), p) != more.end() ? 1 : 0;
    if (2 * there <= size) continue;
    for (uint64_t p = first; p < first + size; ++p)
      if (Wanted(p, more)) more.push_back(p);
  }
}

/// Appends to `more` the pieces to prefetch together with `pieces`. On entry, `more` contains
/// `pieces`.
void DemandPages::Prefetches(const std::vector<uint64_t>& pieces, std::vector<uint64_t>& more) const {
  for (const uint64_t piece : pieces) {
    if (options_.prefetch_tree) Tree(piece, more);
    for (uint64_t p = piece + 1; p <= piece + options_.prefetch; ++p)
      if (Wanted(p, more)) more.push_back(p);
  }
  if (more.size() > frames_.size()) more.resize(std::max<size_t>(pieces.size(), frames_.size()));
}

std::list<DemandPages::Frame>::iterator DemandPages::Victim() {
  const auto free = [](const Frame& frame) { return !frame.kept; };
  if (frames_.front().piece == 0) return frames_.begin();  // free frames are at the front
  auto victim = std::find_if(frames_.begin(), frames_.end(), free);
  if (options_.evict == Evict::kRandom) {
    const auto left = static_cast<uint64_t>(std::count_if(frames_.begin(), frames_.end(), free));
    for (uint64_t skip = random_.Below(left); skip != 0; --skip)
      victim = std::find_if(std::next(victim), frames_.end(), free);
  }
  return victim;
}

void DemandPages::BringOne(uint64_t piece, bool prefetch, DemandTally& tally) {
  const auto frame = Victim();
  if (frame->piece != 0) {
    life_.vidmm.Unmap(process_, frame->piece * kPiece, kPiece / kPage);
    places_.erase(frame->piece);
    ++tally.evicted;
    if (frame->dirty) {
      life_.vidmm.transfers().PageOut(*frame->memory, host_, kPiece);
      ++tally.written_back;
      tally.bytes_out += kPiece;
    }
  }
  life_.vidmm.transfers().PageIn(*frame->memory, host_, kPiece);
  life_.vidmm.Map(process_, piece * kPiece, *frame->memory, 0, kPiece / kPage);
  tally.bytes_in += kPiece;
  ++(prefetch ? tally.prefetched : tally.faulted);
  *frame = {frame->memory, piece, false, prefetch, true};
  places_[piece] = frame;
  frames_.splice(frames_.end(), frames_, frame);
}

void DemandPages::Bring(const std::vector<uint64_t>& pieces, DemandTally& tally) {
  std::vector<uint64_t> all = pieces;
  Prefetches(pieces, all);
  life_.Work([&] {
    for (size_t i = 0; i < all.size(); ++i) BringOne(all[i], i >= pieces.size(), tally);
  });
  for (Frame& frame : frames_) frame.kept = false;
}

}  // namespace gmmu::replay
