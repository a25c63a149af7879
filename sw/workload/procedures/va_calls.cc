// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/base/text.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/va_calls.h"
#include "os/vidmm/vidmm_link.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {
using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

Operation MapOf(uint64_t base, uint64_t bytes, D3DKMT_HANDLE handle, uint64_t offset, uint64_t size) {
  Operation operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
  operation.Map = {base, bytes, handle, offset, size};
  return operation;
}
Operation Copy(uint64_t source, uint64_t target, uint64_t bytes) {
  Operation operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY;
  operation.Copy = {source, bytes, target};
  return operation;
}
Operation Unmap(uint64_t base, uint64_t bytes, bool zero) {
  Operation operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP;
  operation.Unmap = {base, bytes, {}};
  operation.Unmap.Protection.Zero = zero;
  operation.Unmap.Protection.NoAccess = !zero;
  return operation;
}

std::vector<uint32_t> Joined(std::vector<uint32_t> first, const std::vector<uint32_t>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Moves tiles of one allocation within a reservation, like an application with tiled resources.
/// Uses the page tables of one GPU. If that GPU is linked, the allocation is in the memory of its
/// peer.
class Tiles {
 public:
  Tiles(Life& life, os::VaCalls& calls, const ParameterValues& values, unsigned gpu)
      : life_(life),
        calls_(calls),
        words_(life),
        gpu_(gpu),
        unit_(life.gpu().facts().geometry.leaf_64k_bytes != 0 ? 16 : 1),
        tiles_(values.at("pages")),
        first_word_(0x7100 + 0x40 * gpu) {}

  /// `process` is called on the VidMm worker thread.
  void Run(const std::function<os::GpuProcess*()>& process) {
    life_.Work([&] {
      process_ = process();
      Map();
    });
    words_.Read(process_, On("a reservation reads zero"), va_, {0, 0});
    words_.Read(process_, On("mapped"), fixed_, PageWords::Words(first_word_, tiles_ * unit_));
    if (life_.gpu().CapOf("DXGK_GPUMMUCAPS.ReadOnlyMemorySupported") != 0)
      words_.Fault(process_, On("read-only, written"), fixed_, regs::Fault::kWriteProtect, regs::Access::kWrite);
    Move();
    One();
    const uint64_t value = fence_->Value();
    life_.Compare(On("each batch signalled its fence"), value == batches_ ? "" : std::to_string(value));
  }

  /// Checks that the page tables of `process`, on the linked adapter named `other`, do not contain
  /// this GPU's mappings.
  void CompareUnseen(os::GpuProcess* process, const std::string& other) {
    words_.Read(process, "adapter " + other + " reads zero where " + On("tiles are mapped"), edge_ - Half(),
                std::vector<uint32_t>(unit_, 0));
    words_.Fault(process, "adapter " + other + " reads where " + On("an allocation is mapped"), fixed_,
                 regs::Fault::kEntryInvalid);
  }

  /// Call on the VidMm worker thread when the ranges of the process have been freed.
  void Release() {
    fence_->Release();
    life_.link.on(Peer()).DestroyAllocation(data_);
  }
  void CompareFreed() { words_.Fault(process_, On("after all is freed"), fixed_, regs::Fault::kEntryInvalid); }
  os::GpuProcess* process() const { return process_; }

 private:
  uint64_t Tile() const { return unit_ * kPage; }
  unsigned Peer() const { return (gpu_ + 1) % life_.graphics.gpus(); }
  uint64_t Half() const { return tiles_ / 2 * Tile(); }
  std::string On(const std::string& what) const {
    return life_.graphics.gpus() == 1 ? what : what + " by adapter " + std::to_string(gpu_);
  }
  void Expect(const std::string& what, NTSTATUS status) {
    life_.Compare(On(what), NT_SUCCESS(status) ? "" : "status " + os::Hex(static_cast<uint32_t>(status)));
  }

  void Map() {
    data_ = words_.Make("tiles", tiles_ * unit_, first_word_, Peer());
    fence_.emplace(os::VidMmOf(*process_), 0);
    handle_ = calls_.Open(*data_);
    const uint64_t leaf = life_.gpu().facts().geometry.Coverage(0);
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve{};
    const uint64_t reach = unit_ == 1 ? 0 : Half();  // room below `edge_`; 4 KiB tiles need none
    reserve.Size = (3 * leaf + 3 * reach + 0xFFFF) / 0x10000 * 0x10000;
    reserve.ReservationType = D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
    Expect("addresses are reserved", calls_.Reserve(*process_, reserve));
    va_ = reserve.VirtualAddress;
    edge_ = ((va_ + reach) / leaf + 2) * leaf;
    D3DDDI_MAPGPUVIRTUALADDRESS map{};
    map.hAllocation = handle_;
    map.SizeInPages = tiles_ * unit_;
    map.Protection.Execute = 1;
    Expect("an allocation is mapped read-only", calls_.Map(*process_, map));
    fixed_ = map.VirtualAddress;
  }

  void Update(const std::string& what, const std::vector<Operation>& operations) {
    life_.Work([&] { Expect(what, calls_.Update(*process_, operations, *fence_, batches_++)); });
  }

  void Move() {
    const uint64_t tile = Tile(), start = edge_ - Half();
    Update("tiles are mapped across leaf tables", {MapOf(start, tiles_ * tile, handle_, 0, tiles_ * tile)});
    words_.Read(process_, On("tiles"), start, PageWords::Words(first_word_, tiles_ * unit_));
    Update("a copy upward over itself, and one downward",
           {Copy(start, start + tile, tiles_ * tile), Copy(start + 2 * tile, start, (tiles_ - 1) * tile)});
    words_.Read(process_, On("copied tiles"), start, Second((tiles_ - 1) * unit_));
  }

  void One() {
    const uint64_t tile = Tile();
    const std::vector<uint32_t> one = Second(unit_), zeros(unit_, 0);
    Update("one tile everywhere, then holes", {MapOf(va_, 8 * tile, handle_, tile, tile), Unmap(va_ + tile, tile, true),
                                               Unmap(va_ + 2 * tile, tile, false)});
    words_.Read(process_, On("a tile and a zero page"), va_, Joined(one, zeros));
    words_.Fault(process_, On("a hole"), va_ + 2 * tile, regs::Fault::kEntryInvalid);
    words_.Read(process_, On("the same tile again"), va_ + 3 * tile, Joined(one, one));
  }
  /// Returns the words of `pages` pages, beginning with the second tile.
  std::vector<uint32_t> Second(uint64_t pages) const {
    return PageWords::Words(first_word_ + static_cast<uint32_t>(unit_), pages);
  }

  Life& life_;
  os::VaCalls& calls_;
  PageWords words_;
  const unsigned gpu_;
  const uint64_t unit_;  // 4 KiB pages in a tile; a tile is one page of the segment, 4 or 64 KiB
  const uint64_t tiles_;
  const uint32_t first_word_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* data_ = nullptr;
  std::optional<os::MonitoredFence> fence_;
  D3DKMT_HANDLE handle_ = 0;
  uint64_t va_ = 0, fixed_ = 0;  // the reservation and the read-only mapping
  uint64_t edge_ = 0;            // the boundary between two leaf tables in the reservation
  uint64_t batches_ = 0;
};

void RunVaCalls(Life& life, const ParameterValues& values) {
  const unsigned gpus = life.graphics.gpus();
  NeedCap(gpus >= values.at("gpus"), "DxgkDdiLinkDevice of a chain: the adapter has " + std::to_string(gpus) +
                                         " GPUs and must have " + std::to_string(values.at("gpus")) +
                                         " ([machine.gpu] count)");
  os::VaCalls calls(life.vidmm);
  os::VidMmLink::Process* linked = nullptr;
  std::vector<std::unique_ptr<Tiles>> all;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    all.push_back(std::make_unique<Tiles>(life, calls, values, gpu));
    all.back()->Run([&] {
      if (gpus == 1) return life.vidmm.CreateProcess("process");
      if (linked == nullptr) linked = life.link.CreateProcess("process");
      return linked->parts[gpu];
    });
  }
  for (unsigned gpu = 0; gpus > 1 && gpu < gpus; ++gpu)
    all[gpu]->CompareUnseen(linked->parts[(gpu + 1) % gpus], std::to_string((gpu + 1) % gpus));
  life.Work([&] {
    calls.Forget(*all.front()->process());
    for (auto& tiles : all) tiles->Release();
  });
  for (auto& tiles : all) tiles->CompareFreed();
  life.Work([&] {
    if (linked != nullptr) life.link.DestroyProcess(linked);
    else life.vidmm.DestroyProcess(all.front()->process());
  });
}

}  // namespace

Procedure VaCallsProcedure() {
  return {"va_calls",
          "An application reserves and maps addresses, then updates them in batches on its paging companion context: "
          "tiles across leaf tables, overlapping copies, zero pages and holes. A client reads each result. On linked "
          "adapters, each GPU does so for memory of its peer, and no GPU sees what was mapped for another.",
          {{"pages", 16, 8, 256, "Number of tiles mapped; each tile is one page of the segment."},
           {"gpus", 1, 1, 4, "Minimum number of GPUs of the adapter."}},
          RunVaCalls};
}

}  // namespace gmmu::workload
