// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

using os::Residence;

/// An allocation that is fully mapped into a process; `seed` is the seed of its pattern.
struct Piece {
  os::GpuProcess* process;
  os::Allocation* allocation;
  uint64_t va;
  uint64_t seed;
};

/// Allocations that together exceed VRAM. Those that do not fit are placed in system memory, and
/// the GPU accesses them there.
class SystemMemory {
 public:
  SystemMemory(Life& life, uint64_t bytes, uint64_t size)
      : life_(life), vidmm_(life.vidmm), residency_(life.vidmm.residency()), bytes_(bytes), size_(size) {}

  void Run() {
    for (const os::SegmentFacts& segment : life_.gpu().facts().memory) vram_ += segment.size;
    if (bytes_ <= vram_ || size_ > vram_ / 4)
      throw WrongMachine("bytes must be more than VRAM holds, " + std::to_string(vram_) +
                         ", and allocation_bytes at most a quarter of it; a scenario sets [machine.gpu] vram_mib");
    life_.Work([&] {
      for (const char* name : {"first", "second"}) processes_.push_back(vidmm_.CreateProcess(name));
    });
    LivesWhereThereIsRoom();
    ReadsSystemMemoryItself();
    GivesWayToAHigherPriority();
    ComesBackWhenThereIsRoom();
    GoesNowhere();
    PageTablesGiveWay();
    life_.Work([&] { End(); });
    life_.result.bytes += bytes_;
    life_.result.bytes_verified += bytes_;
  }

 private:
  os::AllocationRequest Request(const std::string& name, uint64_t bytes) const {
    os::AllocationRequest request{name, bytes};
    request.accessed_physically = false;
    return request;
  }

  Piece& Add(const os::AllocationRequest& request) {
    os::GpuProcess* process = processes_[pieces_.size() % processes_.size()];
    Piece piece{process, vidmm_.CreateAllocation(request, process), 0, 0};
    const uint64_t bytes = os::BytesOf(*piece.allocation);  // the driver may round the size up
    piece.va = vidmm_.ReserveVa(*process, bytes);
    piece.seed = life_.options.seed ^ piece.va << 8 ^ pieces_.size();
    vidmm_.Map(*process, piece.va, *piece.allocation, 0, bytes / kPage);
    pieces_.push_back(piece);
    return pieces_.back();
  }

  void Want(const std::vector<Piece>& wanted) {
    std::vector<os::Allocation*> all;
    for (const Piece& piece : wanted) all.push_back(piece.allocation);
    residency_.MakeResident(all);
  }

  void Traffic(const Piece& piece, bool write) {
    // If memory is tight, this piece or its process's page tables may have been evicted. Making the
    // piece resident restores both.
    if (residency_.counts().table_evictions != residency_.counts().table_restores ||
        os::ResidenceOf(*piece.allocation) == Residence::kNowhere)
      life_.Work([&] { Want({piece}); });
    ClientRun run = AllLines(piece.process, piece.va, os::BytesOf(*piece.allocation));
    run.pattern = piece.seed;
    run.write = write;
    RunClients(vidmm_, {run}, os::NameOf(*piece.allocation) + (write ? " written" : " read"), life_.result.checks);
  }

  void Say(const std::string& what, bool right, const std::string& else_) { life_.Compare(what, right ? "" : else_); }

  size_t Count(Residence residence) const {
    return static_cast<size_t>(std::count_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
      return os::ResidenceOf(*piece.allocation) == residence;
    }));
  }

  /// Allocations that do not fit in VRAM must be in system memory, and the GPU must be able to access all of them.
  void LivesWhereThereIsRoom() {
    const uint64_t maps = vidmm_.aperture().map_operations();
    life_.Work([&] {
      for (uint64_t done = 0; done < bytes_; done += size_)
        Add(Request("allocation " + std::to_string(pieces_.size()), size_));
      os::AllocationRequest request = Request("for the implicit system segment", size_);
      request.system_only = true;
      Add(request);
      Want(pieces_);
    });
    NeedRoomForTables();
    if (Count(Residence::kMemorySegment) < 2) {
      throw WrongMachine("page tables leave too little of VRAM, " + std::to_string(vram_) +
                         " bytes, for two allocations of " + std::to_string(size_) +
                         "; a scenario sets [machine.gpu] vram_mib");
    }
    Say("no aperture map for the implicit system segment", vidmm_.aperture().map_operations() == maps, "one was sent");
    const os::Allocation& implicit = *pieces_.back().allocation;
    LivesInTheAperture(maps);
    NeedRoomForTables();
    Say("what may not live in VRAM is in system memory", os::ResidenceOf(implicit) == Residence::kSystem,
        "it lives elsewhere");
    Say("not all of it fits into VRAM", Count(Residence::kSystem) > 1, "it does");
    for (const os::SegmentFacts& segment : life_.gpu().facts().memory) {
      const auto there = [&](const Piece& piece) { return os::SegmentOf(*piece.allocation) == segment.id; };
      Say("memory segment " + std::to_string(segment.id) + " is used",
          !Room() || segment.free < 4 * size_ || std::count_if(pieces_.begin(), pieces_.end(), there) > 1, "it is not");
    }
    CompareBudget();
    for (const Piece& piece : pieces_) Traffic(piece, true);
    for (const Piece& piece : pieces_) Traffic(piece, false);
  }

  /// Throws WrongMachine if page tables displaced anything from VRAM, because placement can then
  /// not be predicted.
  void NeedRoomForTables() {
    if (residency_.counts().table_evictions == 0 && Count(Residence::kNowhere) == 0) return;
    throw WrongMachine("VRAM of " + std::to_string(vram_) +
                       " bytes has no room for page tables beside allocations; a scenario sets [machine.gpu] vram_mib");
  }

  void LivesInTheAperture(uint64_t maps) {
    life_.Work([&] {
      os::AllocationRequest request{"for the aperture segment", size_};
      request.system_only = true;
      Want({Add(request)});
    });
    if (!os::MayLiveInAperture(*pieces_.back().allocation)) return;
    Say("one allocation is mapped into the aperture", vidmm_.aperture().map_operations() > maps, "no map was sent");
    Say("what is accessed physically lives in the aperture",
        os::ResidenceOf(*pieces_.back().allocation) == Residence::kAperture, "it lives elsewhere");
  }

  /// Each process must stay within its VRAM budget, because its allocations may also be in system memory. It must use
  /// the whole budget unless there is no room for another allocation and its page tables.
  void CompareBudget() {
    const uint64_t budget = life_.options.os.local_budget_kib << 10;
    if (budget == 0) return;
    const bool room = Room().value_or(false);
    for (const os::GpuProcess* process : processes_) {
      uint64_t bytes = 0;
      for (const Piece& piece : pieces_)
        if (piece.process == process && os::ResidenceOf(*piece.allocation) == Residence::kMemorySegment)
          bytes += os::BytesOf(*piece.allocation);
      Say("budget of process " + os::NameOf(*process), bytes <= budget && (bytes + 2 * size_ > budget || !room),
          std::to_string(bytes) + " bytes in VRAM, the budget is " + std::to_string(budget));
    }
  }

  /// Returns whether a memory segment has room for one more allocation and its page tables. Returns
  /// nullopt if the size or the alignment of a page table exceeds a page, because the free pages
  /// may then not be contiguous.
  std::optional<bool> Room() {
    for (const os::LevelDescriptor& level : life_.gpu().facts().geometry.levels)
      if (level.alignment > kPage || level.bytes > kPage) return std::nullopt;
    const std::vector<os::SegmentFacts> segments = life_.gpu().facts().memory;
    return std::any_of(segments.begin(), segments.end(),
                       [&](const auto& segment) { return segment.free >= 2 * size_; });
  }

  uint64_t HostAccesses(const Piece& piece) {
    uint64_t sum = 0;
    if (hw::Instruments* instruments = life_.host.platform().instruments())
      for (uint64_t page : os::HostPages(*piece.allocation)) sum += instruments->PageAccesses(page);
    return sum;
  }

  /// Checks that, in every DMA mode, the GPU accesses host memory directly, through page table
  /// entries with target system.
  void ReadsSystemMemoryItself() {
    const auto found = std::find_if(pieces_.begin(), pieces_.end(), [](const Piece& piece) {
      return os::ResidenceOf(*piece.allocation) == Residence::kSystem;
    });
    const uint64_t before = HostAccesses(*found);
    Traffic(*found, false);
    const uint64_t lines = os::BytesOf(*found->allocation) / kLine;
    if (life_.host.platform().instruments() != nullptr)
      Say("every line was read in host memory", HostAccesses(*found) >= before + lines,
          std::to_string(HostAccesses(*found) - before) + " accesses for " + std::to_string(lines) + " lines");
    life_.Compare("bytes in host memory",
                  Difference(os::InSystemMemory(*found->allocation), PatternAt(found->va, size_, found->seed)));
  }

  void GivesWayToAHigherPriority() {
    const uint64_t before = residency_.counts().demotions;
    const size_t local = Count(Residence::kMemorySegment);
    const bool room = Room().value_or(true), known = Room().has_value();
    life_.Work([&] {
      os::AllocationRequest request = Request("of low priority", size_);
      request.priority = D3DDDI_ALLOCATIONPRIORITY_LOW;
      Want({Add(request)});
    });
    Say("what has a low priority lives in system memory",
        room || residency_.counts().demotions == before ||
            os::ResidenceOf(*pieces_.back().allocation) == Residence::kSystem,
        "others left VRAM for it");
    Traffic(pieces_.back(), true);
    life_.Work([&] {
      os::AllocationRequest request = Request("of high priority", size_);
      request.priority = D3DDDI_ALLOCATIONPRIORITY_HIGH;
      Want({Add(request)});
    });
    Say("what has a high priority lives in VRAM",
        os::ResidenceOf(*pieces_.back().allocation) == Residence::kMemorySegment, "it does not");
    Traffic(pieces_.back(), true);
    Say("something moved to system memory for it", !known || residency_.counts().demotions > before, "nothing did");
    // If tables need more than one page, allocations may also be moved to make room for the tables.
    Say("no more than that",
        !Room() || (Count(Residence::kMemorySegment) + 1 >= local && Count(Residence::kNowhere) == 0),
        "more left VRAM");
    for (const Piece& piece : pieces_) Traffic(piece, false);
  }

  void ComesBackWhenThereIsRoom() {
    const uint64_t before = residency_.counts().promotions;
    std::vector<Piece> gone;
    life_.Work([&] {
      for (size_t i = 0; i < pieces_.size() && gone.size() < 2;) {
        if (os::ResidenceOf(*pieces_[i].allocation) == Residence::kMemorySegment) {
          gone.push_back(pieces_[i]);
          pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
      for (const Piece& piece : gone) Destroy(piece);
      Want(pieces_);
    });
    Say("two came back to VRAM", residency_.counts().promotions >= before + 2 || !Room().value_or(false),
        std::to_string(residency_.counts().promotions - before) + " did");
    for (const Piece& piece : pieces_) Traffic(piece, false);
  }

  void GoesNowhere() {
    life_.Work([&] {
      for (const Piece& piece : pieces_) residency_.Evict(*piece.allocation);
    });
    Say("everything left", Count(Residence::kNowhere) == pieces_.size(), "something did not");
    for (const Piece& piece : pieces_) {
      life_.Compare("bytes of " + os::NameOf(*piece.allocation),
                    Difference(os::InSystemMemory(*piece.allocation),
                               PatternAt(piece.va, os::BytesOf(*piece.allocation), piece.seed)));
    }
  }

  /// One process requests all of VRAM. Another process's page tables are evicted, and restored when
  /// its memory is needed.
  void PageTablesGiveWay() {
    os::GpuProcess* greedy = nullptr;
    std::vector<Piece> kept;  // one piece of each process except the greedy one
    for (const os::GpuProcess* process : processes_)
      kept.push_back(
          *std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.process == process; }));
    std::vector<Piece> greed;
    const auto& counts = residency_.counts();
    life_.Work([&] {
      greedy = vidmm_.CreateProcess("greedy");
      Want(kept);
      std::vector<os::Allocation*> wanted;
      const uint64_t most = vram_ / size_;
      while (counts.table_evictions == 0 && wanted.size() <= most) {
        os::AllocationRequest request = Request("greedy " + std::to_string(wanted.size()), size_);
        request.local_only = true;
        Piece piece{greedy, vidmm_.CreateAllocation(request, greedy), vidmm_.ReserveVa(*greedy, size_), 0};
        vidmm_.Map(*greedy, piece.va, *piece.allocation, 0, size_ / kPage);
        greed.push_back(piece);
        wanted.push_back(piece.allocation);
        try {
          residency_.MakeResident(wanted);
        } catch (const os::OsError&) {
          break;  // no victim is left
        }
      }
    });
    Say("page tables left VRAM for allocations", counts.table_evictions > 0, "none did");
    life_.Work([&] {
      for (const Piece& piece : greed) Destroy(piece);
      Want(kept);
    });
    Say("page tables came back", counts.table_restores > 0, "they did not");
    for (const Piece& piece : kept) Traffic(piece, false);
    life_.Work([&] { vidmm_.DestroyProcess(greedy); });
  }

  void Destroy(const Piece& piece) {
    vidmm_.Unmap(*piece.process, piece.va, os::BytesOf(*piece.allocation) / kPage);
    vidmm_.FreeVa(*piece.process, piece.va);
    vidmm_.DestroyAllocation(piece.allocation);
  }

  void End() {
    for (const Piece& piece : pieces_) Destroy(piece);
    for (os::GpuProcess* process : processes_) vidmm_.DestroyProcess(process);
  }

  Life& life_;
  os::VidMm& vidmm_;
  os::Residency& residency_;
  const uint64_t bytes_, size_;
  uint64_t vram_ = 0;  // size of all memory segments
  std::vector<os::GpuProcess*> processes_;
  std::vector<Piece> pieces_;
};

void RunSystemMemory(Life& life, const ParameterValues& values) {
  SystemMemory(life, values.at("bytes"), values.at("allocation_bytes")).Run();
}

}  // namespace

Procedure SystemMemoryProcedure() {
  return {"system_memory",
          "Resident allocations exceed VRAM. Those without room, with low priority or beyond the budget are placed in "
          "system memory, and move there and back. The GPU reads and writes them in both places.",
          {{"bytes", 3 << 19, kPage, uint64_t{1} << 34, "Total size of the allocations in bytes."},
           {"allocation_bytes", 1 << 16, kPage, 1 << 26, "Size of each allocation in bytes, a multiple of 4096."}},
          RunSystemMemory};
}

}  // namespace gmmu::workload
