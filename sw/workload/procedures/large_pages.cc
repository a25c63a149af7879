// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/base/random.h"
#include "os/miniport/allocation.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

constexpr uint64_t kMostVram = 16 << 20;

/// An allocation and the address at which all of its pages are mapped.
struct Mapped {
  os::Allocation* allocation;
  uint64_t va;
  uint32_t word;  // word number of the first page (PageWords)
};

/// Fills VRAM with small allocations, destroys every second one, and then maps an allocation in the
/// freed half with large pages.
class LargePages {
 public:
  LargePages(Life& life, const ParameterValues& values)
      : life_(life),
        vidmm_(life.vidmm),
        words_(life),
        random_(life.options.seed, "large pages"),
        percent_(values.at("percent")),
        most_pages_(values.at("most_pages")),
        collapse_(values.at("collapse") != 0) {}

  void Run() {
    life_.Work([&] { process_ = vidmm_.CreateProcess("process"); });
    large_ = os::LargePageBytes(*process_);
    if (life_.options.os.vram_placement != os::VramPlacement::kFirstFit)
      throw WrongMachine("[machine.os] vram_placement must be \"first_fit\"");
    if (life_.options.os.physical_paging)
      throw WrongMachine("VidMm does not move memory within a segment with [machine.os] physical_paging");
    if (large_ == 0) throw WrongMachine("VidMm maps no large pages of a linked GPU");
    if (large_ <= os::kBytesOf64k)
      throw WrongMachine("large pages of 64 KiB need no moves; a scenario sets [machine.gpu] page_table_bits");
    if (Local().size < 8 * large_) {
      throw WrongMachine("the local segment must hold eight large pages, " + std::to_string(8 * large_) +
                         " bytes; a scenario sets [machine.gpu] vram_mib and page_table_bits");
    }
    const os::LevelDescriptor leaf = life_.gpu().facts().geometry.levels.front();
    if (leaf.alignment > leaf.bytes)
      throw WrongMachine("page tables whose alignment exceeds their size leave pages that no large page can use");
    life_.result.clients = 1;
    if (Local().size > kMostVram) {
      throw WrongMachine("the local segment, which is filled page by page, may have " + std::to_string(kMostVram) +
                         " bytes at most; a scenario sets [machine.gpu] vram_mib");
    }
    Fill();
    // Destroy every second allocation, so that no large block is free unless memory is moved.
    const std::set<os::Allocation*> stay = collapse_ ? OneOfEachBlock() : std::set<os::Allocation*>();
    for (size_t i = random_.Below(2); i < pieces_.size() && Local().free < Local().size / 2; ++i)
      if (stay.count(pieces_[i].allocation) == 0) Destroy(i);
    for (size_t i = 0; i < pieces_.size() && Local().free < Local().size / 2;) {
      const size_t at = collapse_ ? i : random_.Below(pieces_.size());
      if (stay.count(pieces_[at].allocation) == 0) Destroy(at);
      else ++i;
    }
    if (pieces_.size() < 2)
      throw WrongMachine(
          "page tables fill half of the local segment, so nothing is left to move; a scenario sets "
          "[machine.gpu] vram_mib and [machine.os] window_pages");
    others_ = os::LargePagesOf(*process_);
    const uint64_t pages = Local().free * percent_ / 100 / large_;
    if (pages < 2)
      throw WrongMachine("too little memory is free for two large pages; a scenario sets [machine.gpu] vram_mib");
    const Mapped big = Make("big", pages * large_, true);
    if (collapse_) Collapse(big, pages);
    Say("the free half is mapped by large pages", LargePagesOfBig(), pages);
    for (const Mapped& piece : pieces_) Read(piece);
    Split(big, pages);
    End(big);
    while (!pieces_.empty()) Destroy(pieces_.size() - 1);
    life_.Work([&] { vidmm_.DestroyProcess(process_); });
  }

 private:
  os::SegmentFacts Local() const { return life_.gpu().facts().local; }

  /// Returns the number of large pages that map the big allocation. Small allocations may also have
  /// large pages (`others_`); moves preserve those.
  uint64_t LargePagesOfBig() const { return os::LargePagesOf(*process_) - others_; }

  void Say(const std::string& what, uint64_t found, uint64_t expected) {
    life_.Compare(what, found == expected ? "" : std::to_string(found) + " of " + std::to_string(expected));
  }

  /// Creates an allocation and maps it. If `same` is false, each page is filled with its own word;
  /// otherwise all pages are filled with one word.
  Mapped Make(const std::string& name, uint64_t bytes, bool same) {
    os::AllocationRequest request;
    request.name = name;
    request.bytes = bytes;
    request.accessed_physically = false;
    Mapped piece{nullptr, 0, made_};
    const auto bring = [&] { life_.Work([&] { vidmm_.residency().MakeResident({piece.allocation}); }); };
    life_.Work([&] {
      piece.allocation = vidmm_.CreateAllocation(request, process_);
      bytes = os::BytesOf(*piece.allocation);  // the driver may round the size up
      piece.va = vidmm_.ReserveVa(*process_, bytes);
      vidmm_.Map(*process_, piece.va, *piece.allocation, 0, bytes / kPage);
    });
    if (same && collapse_) BringAmongAll(piece.allocation);
    else if (same) life_.Timed("large pages", bytes, false, bring);
    else bring();
    life_.Work([&] {
      for (uint64_t page = 0; page < bytes / kPage; page += same ? bytes / kPage : 1)
        vidmm_.transfers().Fill(*piece.allocation, page * kPage, same ? bytes : kPage, PageWords::Word(made_++));
    });
    return piece;
  }

  /// Makes the allocation resident in a call that wants all others too, so that none of them may be
  /// moved.
  void BringAmongAll(os::Allocation* allocation) {
    std::vector<os::Allocation*> wanted{allocation};
    for (const Mapped& piece : pieces_) wanted.push_back(piece.allocation);
    life_.Work([&] { vidmm_.residency().MakeResident(wanted); });
  }

  /// The allocation is resident in small pages. When it is wanted alone, VidMm moves the others to
  /// make large blocks, and then moves the allocation into them.
  void Collapse(const Mapped& big, uint64_t pages) {
    life_.Compare("few large pages while nothing may be moved", LargePagesOfBig() < pages ? "" : "all are large");
    const uint64_t before = vidmm_.residency().counts().bytes_moved;
    life_.Timed("collapse", pages * large_, false,
                [&] { life_.Work([&] { vidmm_.residency().MakeResident({big.allocation}); }); });
    const uint64_t moved = vidmm_.residency().counts().bytes_moved - before;
    life_.Compare("the cost of the collapse is counted",
                  moved >= os::BytesOf(*big.allocation) ? "" : std::to_string(moved) + " bytes");
    const std::vector<uint32_t> words(8, PageWords::Word(big.word));
    words_.Read(process_, "after the collapse", big.va + pages * large_ - words.size() * kPage, words);
  }

  void Fill() {
    while (Local().free > Local().size / 8) {
      const std::string name = "allocation " + std::to_string(pieces_.size());
      pieces_.push_back(Make(name, (1 + random_.Below(most_pages_)) * kPage, false));
    }
  }

  /// Returns allocations that together have a page in each large block of the segment that any
  /// allocation occupies. While they stay, no large block becomes free without moves.
  std::set<os::Allocation*> OneOfEachBlock() const {
    std::set<os::Allocation*> found;
    std::set<uint64_t> blocks;
    for (const Mapped& piece : pieces_) {
      for (uint64_t page = 0; page < os::BytesOf(*piece.allocation) / kPage; ++page) {
        const auto offset = os::VramOffset(*piece.allocation, page);
        if (offset && blocks.insert(*offset / large_).second) found.insert(piece.allocation);
      }
    }
    return found;
  }

  void Read(const Mapped& piece) {
    const uint64_t bytes = os::BytesOf(*piece.allocation);
    words_.Read(process_, os::NameOf(*piece.allocation), piece.va, PageWords::Words(piece.word, bytes / kPage));
    life_.result.bytes += bytes;
    life_.result.bytes_verified += bytes;
  }

  /// Unmaps some 4 KiB pages of a large page and checks that the other pages stay mapped. Then
  /// evicts the allocation and makes it resident again.
  void Split(const Mapped& big, uint64_t pages) {
    const uint64_t hole = big.va + large_ / 2, hole_pages = std::min(os::kPagesOf64k, large_ / kPage / 4);
    life_.Work([&] { vidmm_.Unmap(*process_, hole, hole_pages); });
    Say("large pages beside a split one", LargePagesOfBig(), pages - 1);
    const auto read = [&](const std::string& when) {
      const std::vector<uint32_t> words(std::min(uint64_t{8}, hole_pages), PageWords::Word(big.word));
      words_.Read(process_, "before the hole" + when, hole - words.size() * kPage, words);
      words_.Read(process_, "behind the hole" + when, hole + hole_pages * kPage, words);
      words_.Read(process_, "in another large page" + when, big.va + 2 * large_ - words.size() * kPage, words);
      words_.Fault(process_, "in the hole" + when, hole, regs::Fault::kEntryInvalid);
    };
    read("");
    life_.Work([&] { vidmm_.residency().Evict(*big.allocation); });
    Say("large pages of an evicted allocation", LargePagesOfBig(), 0);
    life_.Work([&] { vidmm_.residency().MakeResident({big.allocation}); });
    Say("large pages that come back", LargePagesOfBig(), pages - 1);
    read(", after an eviction");
  }

  void End(const Mapped& piece) {
    life_.Work([&] {
      vidmm_.Unmap(*process_, piece.va, os::BytesOf(*piece.allocation) / kPage);
      vidmm_.DestroyAllocation(piece.allocation);
      vidmm_.FreeVa(*process_, piece.va);
    });
  }

  void Destroy(size_t index) {
    End(pieces_[index]);
    pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(index));
  }

  Life& life_;
  os::VidMm& vidmm_;
  PageWords words_;
  os::Random random_;
  const uint64_t percent_, most_pages_;
  const bool collapse_;  // the large allocation first gets small pages
  os::GpuProcess* process_ = nullptr;
  uint64_t large_ = 0, others_ = 0;
  std::vector<Mapped> pieces_;
  uint32_t made_ = 0;
};

void RunLargePages(Life& life, const ParameterValues& values) { LargePages(life, values).Run(); }

}  // namespace

Procedure LargePagesProcedure() {
  return {"large_pages",
          "Small allocations fill VRAM, and every second one is destroyed. An allocation that takes most of the "
          "free memory must then be mapped by large pages, at once or, with collapse, after it has had small pages. "
          "One of the large pages is split, and all are evicted and restored.",
          {{"percent", 90, 1, 100, "Percentage of the free memory that must be mapped by large pages."},
           {"most_pages", 24, 1, 4096, "Size of the largest small allocation in pages."},
           {"collapse", 0, 0, 1, "1: the allocation first gets small pages, which VidMm then collapses."}},
          RunLargePages};
}

}  // namespace gmmu::workload
