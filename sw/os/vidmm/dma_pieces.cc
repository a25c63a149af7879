// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/dma_pieces.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/render_calls.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

DmaPieces::DmaPieces(VidMm& vidmm, GpuProcess& process, const ListedCommands& commands, const DmaSubmission& whole,
                     std::string what)
    : vidmm_(vidmm), process_(process), commands_(commands), whole_(whole), what_(std::move(what)) {}

DmaPieces::~DmaPieces() {
  for (const auto& listed : commands_.allocations)
    if (listed.allocation != nullptr) listed.allocation->bound = false;
}

std::vector<Allocation*> DmaPieces::Needed(size_t count) const {
  const Patches& patches = whole_.patches;
  std::map<UINT, UINT> held = slots_;
  for (size_t i = first_; i < first_ + count && patches[i].SplitOffset == start_; ++i) held.erase(patches[i].SlotId);
  std::vector<UINT> indexes;
  for (const auto& [slot, index] : held) indexes.push_back(index);
  for (size_t i = first_; i < first_ + count; ++i) indexes.push_back(patches[i].AllocationIndex);
  std::vector<Allocation*> needed;
  for (const UINT index : indexes) {
    Allocation* const allocation = commands_.allocations[index].allocation;
    if (allocation != nullptr && std::find(needed.begin(), needed.end(), allocation) == needed.end())
      needed.push_back(allocation);
  }
  return needed;
}

size_t DmaPieces::SplitAt(size_t most) const {
  const Patches& patches = whole_.patches;
  for (size_t count = most; count > 0; --count) {
    const UINT split = patches[first_ + count].SplitOffset;
    if (split > start_ && split > patches[first_ + count - 1].SplitOffset) return count;
  }
  return 0;
}

size_t DmaPieces::MakeResident() {
  for (size_t count = whole_.patches.size() - first_;;) {
    const std::exception_ptr refusal = RefusalOf([&] { vidmm_.residency().MakeResident(Needed(count)); });
    if (!refusal) return count;
    size_t smaller = SplitAt(count / 2);
    if (smaller == 0 && count > 1) smaller = SplitAt(count - 1);
    if (smaller == 0) std::rethrow_exception(refusal);
    count = smaller;
  }
}

PacketId DmaPieces::SubmitNext() {
  for (const auto& [slot, index] : slots_)
    if (Allocation* const held = commands_.allocations[index].allocation) held->bound = true;
  const size_t count = MakeResident(), next = first_ + count;
  const std::vector<Allocation*> needed = Needed(count);
  auto dma = std::make_shared<DmaSubmission>(whole_);
  dma->start = start_;
  dma->end = next == whole_.patches.size() ? whole_.end : whole_.patches[next].SplitOffset;
  dma->first_patch = static_cast<UINT>(first_);
  dma->patch_count = static_cast<UINT>(count);
  // The allocation list, with null for each allocation that the piece does not need.
  std::vector<const Allocation*> listed;
  for (const auto& each : commands_.allocations) {
    const bool here = std::find(needed.begin(), needed.end(), each.allocation) != needed.end();
    listed.push_back(here ? each.allocation : nullptr);
    if (here && each.write) each.allocation->clean = false;
  }
  dma->place = [listed](std::vector<DXGK_ALLOCATIONLIST>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      list[i].SegmentId = listed[i] == nullptr ? 0 : listed[i]->segment();
      list[i].PhysicalAddress.QuadPart = listed[i] == nullptr ? 0 : AddressInSegment(*listed[i]);
    }
  };
  for (size_t i = first_; i < next; ++i) slots_[whole_.patches[i].SlotId] = whole_.patches[i].AllocationIndex;
  first_ = next;
  start_ = dma->end;

  GpuPacket packet;
  packet.node = process_.handles.node;
  packet.engine = vidmm_.gpu().index();
  packet.context = process_.handles.context;
  packet.dma = std::move(dma);
  packet.device = process_.handles.state;
  packet.what = what_ + " of " + process_.name;
  const PacketId id = vidmm_.gpu().vidsch().Submit(std::move(packet));
  for (Allocation* allocation : needed) allocation->users.push_back(id);
  return id;
}

}  // namespace gmmu::os
