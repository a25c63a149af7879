// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "kmd/escape.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/vidmm_link.h"
#include "workload/needs.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/plug_in.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {

/// Maximum VRAM, in bytes, that GiveWay fills to make the system evict page tables.
constexpr uint64_t kMostFilled = uint64_t{1} << 30;

/// An allocation in the memory of one GPU, mapped at the same address in the tables of all GPUs.
struct Piece {
  os::Allocation* allocation = nullptr;
  uint64_t va = 0;
  uint64_t seed = 0;  ///< seed of the pattern that the memory contains
};

class Linked {
 public:
  Linked(Life& life, const ParameterValues& values)
      : life_(life), gpus_(life.graphics.gpus()), bytes_(values.at("pages") * kPage) {
    NeedCap(gpus_ >= 2, "DxgkDdiLinkDevice of a chain: one GPU is not linked ([machine.gpu] count of 2 to 4)");
    NeedCap(PlugIn::Current() == nullptr, "GmmuUserModeDriver of linked GPUs");
    static_cast<void>(ClientsOf(life.gpu()));
    life.result.clients = 1;
  }

  void Run(uint64_t sleep, uint64_t tables) {
    CompareOrder("DxgkDdiStartDevice", PowerDeviceUnspecified, "started after the others", true);
    Make();
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu);
    Clients("its own memory written", 0, true);
    for (unsigned away = 1; away < gpus_; ++away) Clients("memory of a peer read", away, false);
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu + gpus_);
    Clients("memory of a peer written", 1, true);
    Clients("what a peer wrote", 0, false);
    PagingCopies();
    if (life_.gpu().facts().render_node != life_.gpu().facts().paging_node) RenderCopies();
    CompareFences();
    if (tables >= 1) Tables();
    if (tables >= 2) GiveWay();
    if (sleep == 2) SleepWithProcess();
    End();
    if (sleep == 1) Sleep();
  }

 private:
  uint64_t Seed(unsigned n) const { return life_.options.seed << 8 ^ (n + 1); }
  std::string Name(unsigned gpu) const { return "adapter " + std::to_string(gpu); }
  os::VidMm& Memory(unsigned gpu) const { return life_.link.on(gpu); }
  unsigned Peer(unsigned gpu, unsigned away) const { return (gpu + away) % gpus_; }

  void Make() {
    life_.Work([&] {
      process_ = life_.link.CreateProcess("process");
      for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
        data_.push_back(MakePiece(gpu, "data"));
        copies_.push_back(MakePiece(gpu, "copy"));
      }
    });
    for (const auto* pieces : {&data_, &copies_})
      for (const Piece& piece : *pieces)
        if (os::ResidenceOf(*piece.allocation) != os::Residence::kMemorySegment)
          throw WrongMachine("page tables displaced " + os::NameOf(*piece.allocation) +
                             " from VRAM; a scenario sets [machine.gpu] vram_mib");
    life_.Compare("roots at one physical address", SameRoots() ? "" : "no");
    if (life_.gpu().facts().geometry.leaf_64k_bytes == 0 || bytes_ % 0x10000 != 0) return;
    for (unsigned gpu = 0; gpu < gpus_; ++gpu)
      life_.Compare("pages of 64 KiB in the tables of " + Name(gpu),
                    os::Is64k(*process_->parts[gpu], data_[Peer(gpu, 1)].va) ? "" : "they are of 4 KiB");
  }

  Piece MakePiece(unsigned gpu, const std::string& name) {
    os::VidMm& vidmm = Memory(gpu);
    Piece piece;
    piece.allocation = vidmm.CreateAllocation(name + " of " + Name(gpu), bytes_);
    vidmm.residency().MakeResident({piece.allocation});
    piece.va = life_.link.ReserveVa(*process_, bytes_);
    life_.link.MapEverywhere(*process_, piece.va, *piece.allocation, 0, bytes_ / kPage);
    return piece;
  }

  /// On each GPU, a client accesses the data of a peer; all clients run at the same time. The
  /// peer's index is higher by `away` (modulo the number of GPUs).
  void Clients(const std::string& what, unsigned away, bool write) {
    std::vector<std::unique_ptr<ClientBatch>> batches;
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
      const Piece& piece = data_[Peer(gpu, away)];
      ClientRun run = AllLines(process_->parts[gpu], piece.va, bytes_);
      run.pattern = piece.seed;
      run.write = write;
      batches.push_back(
          std::make_unique<ClientBatch>(Memory(gpu), std::vector<ClientRun>{run}, what + " by " + Name(gpu)));
    }
    for (auto& batch : batches) batch->Finish(life_.result.checks);
    life_.result.bytes += gpus_ * bytes_;
    life_.result.bytes_verified += gpus_ * bytes_;
  }

  /// Compares a GPU's copy with the data of piece `of`, byte by byte.
  void CompareCopy(unsigned gpu, const Piece& of, const std::string& what) {
    std::vector<uint8_t> found;
    life_.Work([&] {
      os::VidMm& vidmm = Memory(gpu);
      os::SystemBuffer target = os::MakeHostMemory(vidmm, bytes_);
      vidmm.transfers().PageOut(*copies_[gpu].allocation, target, bytes_);
      const uint8_t* view = target.Map(0, bytes_);
      found.assign(view, view + bytes_);
      target.Unmap();
      target.Release();
    });
    life_.Compare(what + " " + Name(gpu), Difference(found, PatternAt(of.va, bytes_, of.seed)));
    life_.result.bytes_verified += bytes_;
  }

  /// Each GPU's paging engine copies data from its peer.
  void PagingCopies() {
    life_.Timed("copies over the link", gpus_ * bytes_, false, [&] {
      life_.Work([&] {
        for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
          os::VidMm& vidmm = Memory(gpu);
          vidmm.transfers().CopyLocal(*data_[Peer(gpu, 1)].allocation, *copies_[gpu].allocation, bytes_);
        }
      });
    });
    for (unsigned gpu = 0; gpu < gpus_; ++gpu)
      CompareCopy(gpu, data_[Peer(gpu, 1)], "fetched from its peer by the paging engine of");
  }

  /// Each GPU copies its data to its peer, with commands submitted by the process.
  void RenderCopies() {
    std::vector<std::unique_ptr<RenderBuffer>> buffers;
    std::vector<os::PacketId> packets;
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
      buffers.push_back(std::make_unique<RenderBuffer>(life_, process_->parts[gpu], kPage));
      buffers.back()->Copy(data_[gpu].va, copies_[Peer(gpu, 1)].va, bytes_);
    }
    for (auto& buffer : buffers) packets.push_back(buffer->Submit("a copy to a peer"));
    for (const os::PacketId packet : packets) life_.graphics.Wait(packet);
    for (unsigned gpu = 0; gpu < gpus_; ++gpu)
      CompareCopy(Peer(gpu, 1), data_[gpu], "brought by a command of a peer to");
    for (auto& buffer : buffers) buffer->Release();
  }

  bool SameRoots() const {
    for (unsigned gpu = 1; gpu < gpus_; ++gpu)
      if (os::RootOffset(*process_->parts[gpu]) != os::RootOffset(*process_->parts[0])) return false;
    return true;
  }

  /// Moves, evicts and restores page tables on every GPU, and copies mappings. All data must stay
  /// accessible.
  void Tables() {
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu + 2 * gpus_);
    Clients("before the tables move: its own memory written", 0, true);
    const uint64_t old = os::RootOffset(*process_->parts[0]);
    life_.Work([&] { Memory(0).tables().Move(*process_->parts[0]); });
    life_.Compare("moved roots lie elsewhere", os::RootOffset(*process_->parts[0]) != old ? "" : "at the same place");
    life_.Compare("moved roots at one physical address", SameRoots() ? "" : "no");
    Clients("tables moved: memory of a peer read", 1, false);
    life_.Work([&] {
      Memory(0).tables().Evict(*process_->parts[0]);
      Memory(0).tables().Restore(*process_->parts[0]);
    });
    life_.Compare("roots at one physical address after an eviction", SameRoots() ? "" : "no");
    Clients("tables evicted and back: memory of a peer read", 1, false);

    // The copied mappings must map the same memory as the originals.
    std::vector<uint64_t> originals;
    life_.Work([&] {
      for (Piece& piece : data_) {
        const uint64_t copy = life_.link.ReserveVa(*process_, bytes_);
        life_.link.CopyEverywhere(*process_, piece.va, copy, bytes_);
        originals.push_back(piece.va);
        piece.va = copy;
      }
    });
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu + 3 * gpus_);
    Clients("by copied mappings: memory of a peer written", 1, true);
    Clients("by copied mappings: what a peer wrote", 0, false);
    life_.Work([&] {
      for (unsigned gpu = 0; gpu < gpus_; ++gpu)
        Memory(gpu).transfers().CopyLocal(*data_[gpu].allocation, *copies_[gpu].allocation, bytes_);
    });
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) CompareCopy(gpu, data_[gpu], "written by copied mappings, memory of");
    life_.Work([&] {
      for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
        life_.link.UnmapEverywhere(*process_, data_[gpu].va, bytes_ / kPage);
        life_.link.FreeVa(*process_, data_[gpu].va);
        data_[gpu].va = originals[gpu];
      }
    });
  }

  /// Another process requests all memory of the last GPU. The page tables of `process_` are then
  /// evicted on every GPU, and restored when its memory is needed again.
  void GiveWay() {
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu + 4 * gpus_);
    Clients("before the tables give way: its own memory written", 0, true);
    const unsigned full = gpus_ - 1;
    os::VidMm& vidmm = Memory(full);
    os::Residency& residency = vidmm.residency();
    const os::Residency::Counts& counts = residency.counts();
    life_.Work([&] {
      os::VidMmLink::Process* greedy = life_.link.CreateProcess("greedy");
      std::vector<os::Allocation*> wanted;
      std::vector<uint64_t> addresses;
      uint64_t size = 0;
      for (const os::SegmentFacts& segment : life_.graphics.gpu(full).facts().memory) size += segment.size / 16;
      if (16 * size > kMostFilled) {
        throw WrongMachine("[machine.gpu] unit_vram_mib: all memory of " + Name(full) + ", " +
                           std::to_string(16 * size) + " bytes, is taken; at most " + std::to_string(kMostFilled) +
                           " make sense");
      }
      std::vector<os::Allocation*> too_large;
      while (counts.table_evictions == 0 && wanted.size() + too_large.size() < 64) {
        os::AllocationRequest request{"greedy " + std::to_string(wanted.size()), size};
        request.accessed_physically = false;
        request.local_only = true;
        wanted.push_back(vidmm.CreateAllocation(request, greedy->parts[full]));
        addresses.push_back(life_.link.ReserveVa(*greedy, size));
        vidmm.Map(*greedy->parts[full], addresses.back(), *wanted.back(), 0, size / kPage);
        try {
          residency.MakeResident(wanted);
        } catch (const os::OsError&) {  // no victim is left for an allocation of this size
          too_large.push_back(wanted.back());
          wanted.pop_back();
          if (size <= os::kBytesOf64k) break;
          size /= 2;
        }
      }
      wanted.insert(wanted.end(), too_large.begin(), too_large.end());
      for (os::Allocation* one : wanted) vidmm.DestroyAllocation(one);
      for (const uint64_t va : addresses) life_.link.FreeVa(*greedy, va);
      life_.link.DestroyProcess(greedy);
    });
    if (counts.table_evictions == 0) {
      throw WrongMachine("[machine.gpu] unit_vram_mib: all memory of " + Name(full) +
                         " is taken, and no page table had to leave it");
    }
    life_.Work([&] {
      for (auto* pieces : {&data_, &copies_})
        for (unsigned gpu = gpus_; gpu-- > 0;) Memory(gpu).residency().MakeResident({(*pieces)[gpu].allocation});
    });
    life_.Compare("page tables came back", counts.table_restores > 0 ? "" : "they did not");
    life_.Compare("roots at one physical address when they are back", SameRoots() ? "" : "no");
    Clients("tables gave way and are back: memory of a peer read", 1, false);
  }

  /// Checks that the process, its mappings and every byte survive a sleep of all GPUs.
  void SleepWithProcess() {
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu + 5 * gpus_);
    Clients("before the sleep: its own memory written", 0, true);
    life_.Work([&] {
      Memory(0).Sleep();
      life_.graphics.PowerDown(PowerActionSleep);
      life_.graphics.PowerUp();
      Memory(0).Wake();
    });
    life_.Compare("roots at one physical address, awake", SameRoots() ? "" : "no");
    Clients("awake, the same process: memory of a peer read", 1, false);
  }

  void CompareFences() {
    for (unsigned gpu = 0; gpu < gpus_; ++gpu)
      life_.Compare("fences of " + Name(gpu),
                    life_.graphics.gpu(gpu).PagingCompleted() ? "" : "not all of its packets completed");
  }

  /// Checks the order of the latest calls to `entry`: the lead adapter must come last if `last` is
  /// true, otherwise first.
  void CompareOrder(const std::string& entry, DEVICE_POWER_STATE state, const std::string& rule, bool last) {
    const std::vector<unsigned> order = life_.graphics.UnitsOf(entry, state);
    const os::GpuFacts lead = life_.gpu().facts();
    const bool complete = order.size() == gpus_;
    const bool right = complete && (last ? order.back() : order.front()) == lead.unit;
    std::string text;
    for (const unsigned unit : order) text += " " + std::to_string(unit);
    life_.Compare("the lead " + lead.name + " is " + rule, right ? "" : "the order was" + text);
  }

  /// Writes or reads, on each GPU, the VRAM bytes that the driver saves across a power-off, and
  /// returns them. A GPU without a save area contributes an empty vector.
  std::vector<std::vector<uint8_t>> Kept(bool write) {
    std::vector<std::vector<uint8_t>> kept;
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
      kmd::EscapeQuerySaveArea area;
      life_.graphics.gpu(gpu).Escape(area, "the query of the save area");
      std::vector<uint8_t> bytes = SeededInput(Seed(gpu) ^ 0x736176, area.bytes);
      if (write) WriteVram(life_, life_.graphics.gpu(gpu), area.offset, bytes);
      else ReadVram(life_, life_.graphics.gpu(gpu), area.offset, bytes);
      kept.push_back(bytes);
    }
    return kept;
  }

  void Sleep() {
    const std::vector<std::vector<uint8_t>> kept = Kept(true);
    life_.power_cycle([] {});  // procedure "power_cycle" covers the loss of VRAM contents
    const std::vector<std::vector<uint8_t>> back = Kept(false);
    for (unsigned gpu = 0; gpu < gpus_; ++gpu)
      life_.Compare("what the driver keeps of " + Name(gpu), Difference(back[gpu], kept[gpu]));
    CompareOrder("DxgkDdiSetPowerState", PowerDeviceD3, "powered down before the others", false);
    CompareOrder("DxgkDdiSetPowerState", PowerDeviceD0, "powered up after the others", true);
    data_.clear();
    copies_.clear();
    Make();
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) data_[gpu].seed = Seed(gpu);
    Clients("awake: memory of a peer written", 1, true);
    Clients("awake: what a peer wrote", 0, false);
    End();
  }

  void End() {
    life_.Work([&] {
      for (auto* pieces : {&data_, &copies_}) {
        for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
          Piece& piece = (*pieces)[gpu];
          life_.link.UnmapEverywhere(*process_, piece.va, bytes_ / kPage);
          life_.link.FreeVa(*process_, piece.va);
          Memory(gpu).DestroyAllocation(piece.allocation);
        }
      }
      life_.link.DestroyProcess(process_);
    });
  }

  Life& life_;
  const unsigned gpus_;
  const uint64_t bytes_;
  os::VidMmLink::Process* process_ = nullptr;
  std::vector<Piece> data_, copies_;
};

void RunLinked(Life& life, const ParameterValues& values) {
  Linked(life, values).Run(values.at("sleep"), values.at("tables"));
}

}  // namespace

Procedure LinkedProcedure() {
  return {"linked",
          "One process uses all linked GPUs. Each GPU writes its own VRAM, and reads and writes that of its peers by "
          "clients, paging engine and commands. Every byte is compared, and the order of the GPUs at start, sleep and "
          "wake is checked.",
          {{"pages", 2, 1, 4096, "Number of pages of each GPU that its peers read and write."},
           {"sleep", 0, 0, 2, "0: no sleep. 1: the GPUs sleep and wake without the process. 2: with the process."},
           {"tables", 0, 0, 2,
            "0: page tables stay. 1: they are moved, evicted and restored, and mappings are copied. 2: they are also "
            "evicted for memory of another process."}},
          RunLinked};
}

}  // namespace gmmu::workload
