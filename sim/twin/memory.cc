// SPDX-License-Identifier: Apache-2.0
#include "twin/memory.h"

#include <algorithm>

#include "twin/peers.h"

namespace gmmu::sim::twin {
namespace {

constexpr size_t kFenceRecord = 16;

}  // namespace

/// Reads count whole beats, as the bus moves them.
uint64_t Memory::WholeBeats(uint64_t address, uint64_t size) const {
  const uint64_t beat = time_.parameters().bus_bytes;
  return size == 0 ? 0 : ((address + size + beat - 1) / beat - address / beat) * beat;
}

bool Memory::ReadVram(uint64_t offset, void* to, size_t size, Cost& cost) {
  cost.Add(time_.Vram(agenda_.now(), size, false));
  if (!vram_.Read(offset, to, size)) return false;
  counters_.Of<regs::CountersVramReadBytes>() += WholeBeats(offset, size);
  return true;
}

bool Memory::WriteVram(uint64_t offset, const void* from, size_t size, Cost& cost) {
  cost.Add(time_.Vram(agenda_.now(), size, true));
  if (!vram_.Write(offset, from, size)) return false;
  counters_.Of<regs::CountersVramWriteBytes>() += size;
  const uint64_t before = vram_written_;
  vram_written_ += size;
  if (before < faults_.flip_after && vram_written_ >= faults_.flip_after) {
    const uint64_t beat = time_.parameters().bus_bytes;
    const uint64_t at = (offset + faults_.flip_after - before - 1) / beat * beat;
    if (vram_.FlipBit(std::max(at, offset), 0)) ++bits_flipped_;
  }
  return true;
}

bool Memory::ReadHost(uint64_t logical, void* to, size_t size, uint64_t window, Cost& cost, bool snoop) {
  unsigned walk_reads = 0;
  const bool ok = host_.Read(requester_, logical, to, size, snoop, walk_reads);
  Cost mine = time_.HostRead(agenda_.now(), size, window, walk_reads);
  if (logical / hw::kPageSize == hold_.page && hold_.until_ps > agenda_.now())
    mine.next = mine.done = std::max(mine.done, hold_.until_ps);
  cost.Add(mine);
  host_reads_until_ = std::max(host_reads_until_, mine.done);
  host_busy_until_ = std::max(host_busy_until_, mine.done);
  counters_.Of<regs::CountersHostReadBytes>() += WholeBeats(logical, size);
  return ok;
}

void Memory::WriteHost(uint64_t logical, const void* from, size_t size, Cost& cost, bool snoop) {
  counters_.Of<regs::CountersHostWriteBytes>() += size;
  if (faults_.drop_fence && size == kFenceRecord && logical % kFenceRecord == 0) {
    ++writes_lost_;
    return;
  }
  unsigned walk_reads = 0;
  host_.Write(requester_, logical, from, size, snoop, walk_reads);
  const Cost mine = time_.HostWrite(agenda_.now(), size, walk_reads);
  cost.Add(mine);
  host_busy_until_ = std::max(host_busy_until_, mine.done);
}

bool Memory::ReadPeer(unsigned adapter, uint64_t offset, void* to, size_t size, uint64_t window, Cost& cost) {
  Cost mine;
  const bool ok = peers_.Read(unit_, adapter, offset, to, size, window, mine);
  cost.Add(mine);
  host_busy_until_ = std::max(host_busy_until_, mine.done);
  counters_.Of<regs::CountersHostReadBytes>() += WholeBeats(offset, size);
  return ok;
}

bool Memory::WritePeer(unsigned adapter, uint64_t offset, const void* from, size_t size, Cost& cost) {
  Cost mine;
  const bool ok = peers_.Write(unit_, adapter, offset, from, size, mine);
  cost.Add(mine);
  host_busy_until_ = std::max(host_busy_until_, mine.done);
  counters_.Of<regs::CountersHostWriteBytes>() += size;
  return ok;
}

bool Memory::ReadEntry(bool vram, uint64_t address, uint64_t* entry) {
  if (vram) {
    counters_.Of<regs::CountersVramReadBytes>() += WholeBeats(address, sizeof *entry);
    return vram_.Read(address, entry, sizeof *entry);
  }
  unsigned walk_reads = 0;
  counters_.Of<regs::CountersHostReadBytes>() += WholeBeats(address, sizeof *entry);
  return host_.Read(requester_, address, entry, sizeof *entry, true, walk_reads);
}

}  // namespace gmmu::sim::twin
