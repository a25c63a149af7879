// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/ring_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tb/bench/row.h"

namespace gmmu::bench {
namespace {

using regs::Target;

constexpr uint64_t kRing = 0x10000, kBuffer = 0x100000, kBufferEnd = 0x1000000;
constexpr uint64_t kSource = 0x1000000, kDestination = 0x2000000;  // offsets of the windows, in either memory
constexpr uint64_t kWindow = 8 << 20;
constexpr uint64_t kTables = 0x100000;  // in VRAM
constexpr uint64_t kSourceVa = 0x40000000, kDestinationVa = 0x41000000;
constexpr unsigned kSpace = 1;

void Put(sim::VramCore& memory, uint64_t address, uint64_t word) {
  if (!memory.Write(address, &word, sizeof word)) throw RowError("bench: no such memory");
}

uint64_t Entry(Target target, uint64_t address) {
  return regs::PteEntry().set_valid(1).set_target(target).set_page(address >> 12).raw;
}

/// Writes the root, one level-1 table, and leaf tables that map va + 4096 * i to page frames[i] above `base`.
void Map(sim::VramCore& vram, uint64_t va, const std::vector<uint32_t>& frames, Target target, uint64_t base) {
  Put(vram, kTables + 8 * (va >> 30 & 511), Entry(Target::kVram, kTables + 0x1000));
  for (size_t page = 0; page < frames.size(); ++page) {
    const uint64_t at = va + (page << 12);
    const uint64_t leaf = kTables + 0x2000 + ((at >> 21 & 511) << 12);
    Put(vram, kTables + 0x1000 + 8 * (at >> 21 & 511), Entry(Target::kVram, leaf));
    Put(vram, leaf + 8 * (at >> 12 & 511), Entry(target, base + (uint64_t{frames[page]} << 12)));
  }
}

}  // namespace

RingJob::RingJob(const RingWork& work) : work_(work) {
  std::mt19937_64 random(1);
  for (auto* frames : {&source_frames_, &destination_frames_}) {
    frames->resize(kWindow >> 12);
    std::iota(frames->begin(), frames->end(), 0u);
    if (!work.physical) std::shuffle(frames->begin(), frames->end(), random);
  }
  regs::CommandHeaderWord header;
  header.set_opcode(regs::Opcode::kCopy).set_words(4);
  if (work.physical) {
    header.set_src_physical(1).set_dst_physical(1);
    header.set_src_target(Target::kSystem).set_dst_target(work.destination);
  } else {
    header.set_src_space(kSpace).set_dst_space(kSpace);
  }
  const uint64_t source = (work.physical ? kSource : kSourceVa) + work.source_skew;
  const uint64_t destination = (work.physical ? kDestination : kDestinationVa) + work.destination_skew;
  for (uint64_t n = 0; n * work.size < work.total; ++n) {
    const uint64_t at = n * work.stride;
    words_.insert(words_.end(), {header.raw, source + at, destination + at, work.size});
    if (at + work.stride + 4096 > kWindow) throw RowError("bench: the window is too small");
  }
  if (kBuffer + words_.size() * 8 > kBufferEnd) throw RowError("bench: the buffer is too long");
}

uint64_t RingJob::Place(const std::vector<uint32_t>& frames, uint64_t base, uint64_t at) const {
  return base + (uint64_t{frames[at >> 12]} << 12 | (at & 0xfff));
}

std::vector<RegisterWrite> RingJob::Script() {
  const uint32_t ring = regs::kRingBase, space = regs::kSpaceBase + kSpace * regs::kSpaceStride;
  return {
      {100, space + regs::SpaceGeometry::kOffset,
       regs::SpaceGeometry().set_levels(3).set_bits0(9).set_bits1(9).set_bits2(9).set_root_entries(512).raw},
      {200, space + regs::SpaceRoot::kOffset,
       regs::SpaceRoot().set_address(kTables).set_target(Target::kVram).set_enable(1).raw},
      {2000, ring + regs::RingBase::kOffset, regs::RingBase().set_address(kRing).set_target(Target::kSystem).raw},
      {2100, ring + regs::RingFenceAddress::kOffset, kFence},
      {2200, ring + regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(4).set_enable(1).set_privileged(1).raw},
      {2300, regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw},
      {kDoorbellCycle, ring + regs::RingTail::kOffset, 1},
  };
}

void RingJob::Prepare(sim::VramCore& vram, sim::VramCore& host) const {
  std::mt19937_64 random(2);
  for (uint64_t at = 0; at < kWindow; at += 8) Put(host, kSource + at, random());
  if (!work_.physical) {
    Map(vram, kSourceVa, source_frames_, Target::kSystem, kSource);
    Map(vram, kDestinationVa, destination_frames_, work_.destination, kDestination);
  }
  if (!host.Write(kBuffer, words_.data(), words_.size() * 8)) throw RowError("bench: no memory");
  Put(host, kRing, kBuffer);
  Put(host, kRing + 8,
      regs::RingEntryShape().set_bytes(words_.size() * 8).set_physical(1).set_target(Target::kSystem).raw);
  Put(host, kRing + 16, kFenceId);
}

bool RingJob::Done(const sim::VramCore& host) {
  uint32_t fence = 0;
  std::memcpy(&fence, host.data() + kFence, sizeof fence);
  return fence == kFenceId;
}

std::string RingJob::Check(const sim::VramCore& vram, const sim::VramCore& host) const {
  const uint8_t* source = host.data();
  const uint8_t* destination = work_.destination == Target::kVram ? vram.data() : host.data();
  std::vector<uint8_t> expected(kWindow);  // expected contents of the destination window
  for (uint64_t n = 0; n * work_.size < work_.total; ++n) {
    for (uint64_t i = 0; i < work_.size; ++i) {
      const uint64_t at = n * work_.stride + i;
      expected[Place(destination_frames_, 0, at + work_.destination_skew)] =
          source[Place(source_frames_, kSource, at + work_.source_skew)];
    }
  }
  const auto wrong = std::mismatch(expected.begin(), expected.end(), destination + kDestination);
  if (wrong.first == expected.end()) return "";
  return fmt::format("byte {:#x} of the destination is {:#x}, expected {:#x}", wrong.first - expected.begin(),
                     *wrong.second, *wrong.first);
}

}  // namespace gmmu::bench
