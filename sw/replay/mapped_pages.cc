// SPDX-License-Identifier: Apache-2.0
#include "replay/mapped_pages.h"

#include <algorithm>
#include <string>
#include <utility>

#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/errors.h"
#include "os/base/random.h"
#include "replay/replay.h"
#include "workload/life.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kPage = 4096, kBlock = 65536;

[[noreturn]] void Refuse(const std::string& text) { throw ReplayError(text); }

}  // namespace

void WithRoom(const Options& options, const std::function<void()>& work) {
  try {
    work();
  } catch (const os::NoRoom& full) {
    Refuse(options.workload + ": " + full.what() + "\n" + kMoreRoom);
  }
}

MappedPages::MappedPages(workload::Life& life, const Footprint& footprint, const Options& options,
                         const std::function<void(uint64_t, uint64_t)>& progress)
    : life_(life), options_(options), progress_(progress) {
  const os::Geometry geometry = life.gpu().facts().geometry;
  facts_.region_bytes = geometry.Coverage(0);
  facts_.piece_bytes = options.page_size == PageSize::k2m ? kLargePage : kBlock;
  if (facts_.region_bytes < kBlock)
    Refuse("a leaf table covers less than 64 KiB: gpu.page_table_bits needs 4 and more");
  if (options.page_size == PageSize::k2m && uint64_t{1} << geometry.Shift(1) != kLargePage)
    Refuse("an entry of level 1 covers no 2 MiB: --page-size 2m needs 9 as the first of gpu.page_table_bits");
  if (options.page_size == PageSize::k2m && life.gpu().CapOf("DXGK_GPUMMUCAPS.LargePageSupported") == 0)
    Refuse(
        "the driver has no large pages (DXGK_GPUMMUCAPS.LargePageSupported is 0): --page-size 2m needs a "
        "driver.visible_vram_kib that is a multiple of 2048");
  if (options.page_size == PageSize::k64k && geometry.leaf_64k_bytes == 0)
    Refuse("the driver has no pages of 64 KiB: --page-size 64k needs driver.leaf_64k = true");
  const std::vector<uint64_t> pieces = footprint.Pieces(facts_.piece_bytes);
  facts_.touched_pages = footprint.pages();
  facts_.pieces = pieces.size();
  facts_.regions = footprint.Pieces(facts_.region_bytes).size();
  const auto map = [&] {
    process_ = life_.vidmm.CreateProcess("replay");
    reserved_ = life_.vidmm.ReserveVa(*process_, Rebase::Span(footprint, facts_.region_bytes, options.keep_gaps) +
                                                     facts_.region_bytes);
    facts_.va = (reserved_ + facts_.region_bytes - 1) / facts_.region_bytes * facts_.region_bytes;
    moved_ = std::make_unique<Rebase>(footprint, facts_.region_bytes, facts_.va, options.keep_gaps);
    const std::vector<Run> runs = Runs(pieces);
    if (options.demand) return;
    if (options.memory == Memory::kSystem) MapSystem(runs);
    else if (options.page_size == PageSize::k2m) MapLarge(runs);
    else MapVram(runs);
  };
  life.Work([&] { WithRoom(options, map); });
}

std::vector<MappedPages::Run> MappedPages::Runs(const std::vector<uint64_t>& pieces) const {
  std::vector<Run> runs;
  for (uint64_t i = 0; i < pieces.size(); ++i) {
    const uint64_t va = (*moved_)(pieces[i] * facts_.piece_bytes);
    if (!runs.empty() && runs.back().va + runs.back().count * facts_.piece_bytes == va) ++runs.back().count;
    else runs.push_back({va, i, 1});
  }
  return runs;
}

void MappedPages::Done(uint64_t pieces) { progress_(pieces, facts_.pieces); }

void MappedPages::TakeVram(uint64_t first, uint64_t count) {
  os::Allocation* memory = life_.vidmm.allocations().CreateFragmented("replay", count * kBlock, options_.fragmented);
  try {
    life_.vidmm.MakeResident(*memory);
  } catch (const os::NoRoom&) {
    life_.vidmm.DestroyAllocation(memory);
    if (count == 1 || life_.gpu().facts().memory.size() == 1) throw;
    TakeVram(first, count / 2);
    return TakeVram(first + count / 2, count - count / 2);
  }
  allocations_.push_back(memory);
  facts_.whole_pieces += os::WholeBlocks(*memory);
}

void MappedPages::MapVram(const std::vector<Run>& runs) {
  TakeVram(0, facts_.pieces);
  auto memory = allocations_.begin();
  uint64_t begin = 0;  // first piece of the allocation
  for (const Run& run : runs) {
    for (uint64_t done = 0; done < run.count;) {
      const uint64_t piece = run.first + done, pieces = os::BytesOf(**memory) / kBlock;
      if (piece == begin + pieces) {
        ++memory;
        begin += pieces;
        continue;
      }
      const uint64_t count = std::min(run.count - done, begin + pieces - piece);
      life_.vidmm.Map(*process_, run.va + done * kBlock, **memory, (piece - begin) * (kBlock / kPage),
                      count * (kBlock / kPage));
      done += count;
      Done(piece + count);
    }
  }
}

bool MappedPages::TakeLarge(uint64_t piece, bool whole) {
  const std::string name = "replay " + std::to_string(piece);
  os::Allocation* page = whole ? life_.vidmm.allocations().CreateContiguous(name, kLargePage, kLargePage)
                               : life_.vidmm.allocations().CreateFragmented(name, kLargePage, 100);
  allocations_.push_back(page);
  life_.vidmm.MakeResident(*page);
  facts_.whole_pieces += whole ? 1 : 0;
  return whole;
}

// A page table may be placed anywhere, and may split a free range that a large page needs. If the
// first attempt runs out of room, the second one allocates all large pages before it creates the
// first table.
void MappedPages::MapLarge(const std::vector<Run>& runs) {
  for (const bool all_first : {false, true}) {
    os::Random random(options_.seed, "replay placement");
    const auto take = [&](uint64_t piece) { return TakeLarge(piece, random.Below(100) >= options_.fragmented); };
    std::vector<bool> taken;
    try {
      while (all_first && taken.size() < facts_.pieces) taken.push_back(take(taken.size()));
      for (const Run& run : runs) {
        for (uint64_t i = 0; i < run.count; ++i) {
          const uint64_t va = run.va + i * kLargePage, piece = run.first + i;
          if (!all_first) taken.push_back(take(piece));
          if (taken[piece]) life_.vidmm.mappings().MapLarge(*process_, va, 1, *allocations_[piece]);
          else life_.vidmm.Map(*process_, va, *allocations_[piece], 0, kLargePage / kPage);
          Done(piece + 1);
        }
      }
      return;
    } catch (const os::NoRoom& full) {
      if (all_first) {
        throw os::NoRoom(full.gpu, full.segment,
                         full.what() + (", for " + std::to_string(taken.size())) + " of " +
                             std::to_string(facts_.pieces) + " pages of 2 MiB between what else lies there");
      }
      for (const Run& run : runs)
        life_.vidmm.mappings().UnmapAndFreeTables(*process_, run.va, run.count * (kLargePage / kPage));
      for (os::Allocation* page : allocations_) life_.vidmm.DestroyAllocation(page);
      allocations_.clear();
      facts_.whole_pieces = 0;
    }
  }
}

void MappedPages::MapSystem(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    host_.push_back(os::MakeHostMemory(life_.vidmm, run.count * kBlock));
    life_.vidmm.mappings().MapSystem(*process_, run.va, host_.back());
    Done(run.first + run.count);
  }
}

void MappedPages::End() {
  life_.Work([&] {
    life_.vidmm.FreeVa(*process_, reserved_);
    for (os::Allocation* allocation : allocations_) life_.vidmm.DestroyAllocation(allocation);
    life_.vidmm.DestroyProcess(process_);
    for (os::SystemBuffer& memory : host_) memory.Release();
  });
}

}  // namespace gmmu::replay
