// SPDX-License-Identifier: Apache-2.0
#include "twin/memory.h"

#include <algorithm>

#include "host/host_access.h"
#include "twin/peers.h"

namespace gmmu::sim::twin {
namespace {

constexpr size_t kFenceRecord = 16;
// The size in bytes of the largest access at a port. No access crosses a multiple of this size.
constexpr uint64_t kBurst = 256;

}  // namespace

/// Returns the size in bytes of the bus beats that contain the range. Counters of reads count whole
/// beats.
uint64_t Memory::WholeBeats(uint64_t address, uint64_t size) const {
  return size == 0 ? 0 : time_.BeatsOf(address, size) * time_.parameters().bus_bytes;
}

bool Memory::ReadVram(uint64_t offset, void* to, size_t size, Cost& cost) {
  for (uint64_t done = 0; done < size || done == 0; done += kBurst)
    cost.Ends(time_.VramRead(Begin(cost), std::min(size - done, kBurst)));
  return ReadWindow(offset, to, size);
}

bool Memory::ReadWindow(uint64_t offset, void* to, size_t size) {
  if (!vram_.Read(offset, to, size)) return false;
  counters_.Of<regs::CountersVramReadBytes>() += WholeBeats(offset, size);
  return true;
}

bool Memory::WriteVram(uint64_t offset, const void* from, size_t size, Cost& cost) {
  for (uint64_t done = 0; done < size || done == 0; done += kBurst)
    cost.Ends(time_.VramWrite(Begin(cost), std::min(size - done, kBurst)));
  return WriteWindow(offset, from, size);
}

bool Memory::WriteWindow(uint64_t offset, const void* from, size_t size) {
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

/// Returns the time at which all data of a host memory read has arrived. The read starts at `at`.
uint64_t Memory::HostReadTime(uint64_t logical, uint64_t size, uint64_t at, bool alone) {
  uint64_t end = at;
  const uint64_t most = time_.parameters().max_read_request;
  const uint64_t requests = (size + most - 1) / most;
  const uint64_t begin = time_.Tags(at, requests);
  for (uint64_t done = 0; done < size; done += most) {
    const uint64_t piece = std::min(size - done, most);
    // A read that needs more requests than tags exist uses all tags. Its later requests wait until
    // the tags of its first requests are free.
    const uint64_t there = time_.Request(done / most < time_.parameters().tags ? begin : end);
    const uint64_t served = host_.Serve(requester_, logical + done, piece, false, there);
    end = std::max(end, time_.Completion(served, piece, alone));
  }
  time_.TagsEnd(requests);
  if (logical / hw::kPageSize == hold_.page) end = std::max(end, hold_.until_ps);
  host_reads_until_ = std::max(host_reads_until_, end);
  host_busy_until_ = std::max(host_busy_until_, end);
  return end;
}

// A function that is unplugged or whose bus mastering is off sends no requests, not even for
// accesses that began before.
bool Memory::ReadHost(uint64_t logical, void* to, size_t size, Cost& cost, bool snoop) {
  if (!bus_master_) return false;
  const bool ok = host_.Read(requester_, logical, to, size, snoop);
  cost.Ends(HostReadTime(logical, size, Begin(cost)));
  counters_.Of<regs::CountersHostReadBytes>() += WholeBeats(logical, size);
  return ok;
}

void Memory::WriteHost(uint64_t logical, const void* from, size_t size, Cost& cost, bool snoop) {
  if (!bus_master_) return;
  counters_.Of<regs::CountersHostWriteBytes>() += size;
  if (faults_.drop_fence && size == kFenceRecord && logical % kFenceRecord == 0) {
    ++writes_lost_;
    return;
  }
  host_.Write(requester_, logical, from, size, snoop);
  const uint64_t most = std::min<uint64_t>(time_.parameters().max_payload, kBurst);
  for (uint64_t done = 0; done < size; done += most) {
    const uint64_t piece = std::min(size - done, most);
    const uint64_t sent = time_.Posted(Begin(cost), piece);
    const uint64_t there = sent + time_.parameters().pcie_latency_ps;
    time_.Written(host_.Serve(requester_, logical + done, piece, true, there));
    cost.Ends(sent);
  }
  host_busy_until_ = std::max(host_busy_until_, cost.done);
}

bool Memory::ReadPeer(unsigned adapter, uint64_t offset, void* to, size_t size, Cost& cost) {
  const bool ok = peers_.Read(unit_, adapter, offset, to, size, cost);
  host_busy_until_ = std::max(host_busy_until_, cost.done);
  counters_.Of<regs::CountersHostReadBytes>() += WholeBeats(offset, size);
  return ok;
}

bool Memory::WritePeer(unsigned adapter, uint64_t offset, const void* from, size_t size, Cost& cost) {
  const bool ok = peers_.Write(unit_, adapter, offset, from, size, cost);
  host_busy_until_ = std::max(host_busy_until_, cost.done);
  counters_.Of<regs::CountersHostWriteBytes>() += size;
  return ok;
}

bool Memory::ReadEntry(bool vram, uint64_t address, uint64_t* entry) {
  if (vram) return vram_.Read(address, entry, sizeof *entry);
  if (!bus_master_) return false;
  return host_.Read(requester_, address, entry, sizeof *entry, true);
}

void Memory::PeekTable(bool vram, uint64_t address, uint64_t* words, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    words[i] = 0;
    const uint64_t at = address + i * sizeof *words;
    const bool ok = vram ? vram_.Read(at, words + i, sizeof *words) : host_.Peek(requester_, at, words + i);
    if (!ok) words[i] = 0;
  }
}

uint64_t Memory::TableTime(bool vram, uint64_t address, uint64_t bytes, uint64_t at) {
  if (vram) {
    counters_.Of<regs::CountersVramReadBytes>() += WholeBeats(address, bytes);
    return time_.VramRead(at, bytes, true);
  }
  counters_.Of<regs::CountersHostReadBytes>() += WholeBeats(address, bytes);
  return HostReadTime(address, bytes, at, true);
}

}  // namespace gmmu::sim::twin
