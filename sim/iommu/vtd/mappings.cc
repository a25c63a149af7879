// SPDX-License-Identifier: Apache-2.0
// Lists the mappings of all domains by reading the tables in memory.
#include <algorithm>
#include <array>

#include "iommu/vtd/core.h"
#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

using vtd::Bits;

void Append(std::vector<RemapMapping>& list, const RemapMapping& piece) {
  if (!list.empty()) {
    RemapMapping& last = list.back();
    if (last.logical + last.bytes == piece.logical && last.hpa + last.bytes == piece.hpa && last.read == piece.read &&
        last.write == piece.write) {
      last.bytes += piece.bytes;
      return;
    }
  }
  list.push_back(piece);
}

bool InWindow(uint64_t address) { return address >= vtd::kInterruptStart && address < vtd::kInterruptEnd; }

/// Adds a mapping, excluding the parts whose IOVA or host address lies in the interrupt window,
/// where no memory exists.
void AppendOutsideWindow(std::vector<RemapMapping>& list, const RemapMapping& whole) {
  std::array<uint64_t, 6> cuts{0, whole.bytes};
  size_t count = 2;
  for (const uint64_t base : {whole.logical, whole.hpa}) {
    for (const uint64_t edge : {vtd::kInterruptStart, vtd::kInterruptEnd})
      cuts[count++] = edge > base && edge - base < whole.bytes ? edge - base : 0;
  }
  std::sort(cuts.begin(), cuts.end());
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    RemapMapping piece = whole;
    piece.logical += cuts[i];
    piece.hpa += cuts[i];
    piece.bytes = cuts[i + 1] - cuts[i];
    if (piece.bytes != 0 && !InWindow(piece.logical) && !InWindow(piece.hpa)) Append(list, piece);
  }
}

}  // namespace

void VtdCore::MapTable(RemapMemory& memory, unsigned level, uint64_t table, uint64_t iova, bool read, bool write,
                       RemapDevice& to) const {
  const unsigned shift = vtd::LevelShift(level);
  const unsigned width = std::min(parameters_.mgaw, to.address_bits);
  for (uint64_t index = 0; index < 512; ++index) {
    const uint64_t start = iova + (index << shift);
    if ((start & vtd::Above(width)) != 0) return;
    uint64_t entry = 0;
    if (!memory.Read64(table + index * 8, &entry)) continue;
    const bool readable = read && (entry & vtd::kEntryRead) != 0;
    const bool writable = write && (entry & vtd::kEntryWrite) != 0;
    if (!readable && !writable) continue;
    const bool leaf = level == 1 || (level <= 3 && (entry & vtd::kEntryPageSize) != 0);
    if ((entry & ReservedBits(level, leaf)) != 0) continue;
    const uint64_t address = entry & vtd::kEntryAddress;
    if (leaf) {
      AppendOutsideWindow(to.mappings, {start, address, uint64_t{1} << shift, readable, writable});
    } else {
      MapTable(memory, level - 1, address, start, readable, writable, to);
    }
  }
}

std::vector<RemapDevice> VtdCore::MappingsOf(RemapMemory& memory, uint64_t root) const {
  std::vector<RemapDevice> devices;
  for (unsigned sid = 0; sid < 0x10000; ++sid) {
    // Decode the tables with the functions that translate a request from this device. The request's
    // IOVA is 0, which is legal.
    VtdWalk walk;
    walk.request_.sid = static_cast<uint16_t>(sid);
    walk.stage_ = VtdWalk::Stage::kRoot;
    walk.read_ = {root + (sid >> 8) * 16u, 16};
    while (walk.stage_ == VtdWalk::Stage::kRoot || walk.stage_ == VtdWalk::Stage::kContext) {
      uint64_t low = 0, high = 0;
      const bool ok = memory.Read64(walk.read_.address, &low) && memory.Read64(walk.read_.address + 8, &high);
      Step(walk, ok, low, high);
    }
    if (!walk.has_context_) {
      if (sid % 256 == 0 && walk.result_.reason != VtdReason::kContextUnreadable) sid |= 0xFF;  // skip empty bus
      continue;
    }
    if (walk.context_.reason != VtdReason::kNone) continue;
    RemapDevice device;
    device.requester = walk.context_.sid;
    device.domain = walk.context_.did;
    device.address_bits = 12 + 9 * walk.context_.levels;
    device.pass_through = walk.context_.pass_through;
    if (!device.pass_through) MapTable(memory, walk.context_.levels, walk.context_.table, 0, true, true, device);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace gmmu::sim
