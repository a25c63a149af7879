// SPDX-License-Identifier: Apache-2.0
#include "replay/mapped_pages.h"

#include <string>
#include <utility>

#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/random.h"
#include "workload/life.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kPage = 4096, kBlock = 65536;

[[noreturn]] void Refuse(const std::string& text) { throw os::OsError(text); }

}  // namespace

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
  if (options.page_size == PageSize::k64k && geometry.leaf_64k_bytes == 0)
    Refuse("the driver has no pages of 64 KiB: --page-size 64k needs driver.leaf_64k = true");
  const std::vector<uint64_t> pieces = footprint.Pieces(facts_.piece_bytes);
  facts_.touched_pages = footprint.pages();
  facts_.pieces = pieces.size();
  facts_.regions = footprint.Pieces(facts_.region_bytes).size();
  life.Work([&] {
    process_ = life_.memory.CreateProcess("replay");
    reserved_ = life_.memory.ReserveVa(*process_, Rebase::Span(footprint, facts_.region_bytes, options.keep_gaps) +
                                                      facts_.region_bytes);
    facts_.va = (reserved_ + facts_.region_bytes - 1) / facts_.region_bytes * facts_.region_bytes;
    moved_ = std::make_unique<Rebase>(footprint, facts_.region_bytes, facts_.va, options.keep_gaps);
    const std::vector<Run> runs = Runs(pieces);
    if (options.demand) return;
    if (options.memory == Memory::kSystem) MapSystem(runs);
    else if (options.page_size == PageSize::k2m) MapLarge(runs);
    else MapVram(runs);
  });
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

void MappedPages::MapVram(const std::vector<Run>& runs) {
  os::Allocation* all = life_.memory.CreateFragmented("replay", facts_.pieces * kBlock, options_.fragmented);
  allocations_.push_back(all);
  life_.memory.MakeResident(*all);
  for (const Run& run : runs) {
    life_.memory.Map(*process_, run.va, *all, run.first * (kBlock / kPage), run.count * (kBlock / kPage));
    Done(run.first + run.count);
  }
  facts_.whole_pieces = os::WholeBlocks(*all);
}

void MappedPages::MapLarge(const std::vector<Run>& runs) {
  os::Random random(options_.seed, "replay placement");
  for (const Run& run : runs) {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint64_t va = run.va + i * kLargePage;
      const std::string name = "replay " + std::to_string(run.first + i);
      const bool whole = random.Below(100) >= options_.fragmented;
      os::Allocation* page = whole ? life_.memory.CreateContiguous(name, kLargePage, kLargePage)
                                   : life_.memory.CreateFragmented(name, kLargePage, 100);
      allocations_.push_back(page);
      life_.memory.MakeResident(*page);
      if (whole) life_.memory.MapLarge(*process_, va, 1, *page);
      else life_.memory.Map(*process_, va, *page, 0, kLargePage / kPage);
      facts_.whole_pieces += whole ? 1 : 0;
      Done(run.first + i + 1);
    }
  }
}

void MappedPages::MapSystem(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    host_.emplace_back(life_.memory, run.count * kBlock);
    life_.memory.MapHost(*process_, run.va, host_.back());
    Done(run.first + run.count);
  }
}

void MappedPages::End() {
  life_.Work([&] {
    life_.memory.FreeVa(*process_, reserved_);
    for (os::Allocation* allocation : allocations_) life_.memory.DestroyAllocation(allocation);
    life_.memory.DestroyProcess(process_);
    for (os::HostMemory& memory : host_) memory.Release();
  });
}

}  // namespace gmmu::replay
