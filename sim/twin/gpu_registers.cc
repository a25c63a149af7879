// SPDX-License-Identifier: Apache-2.0
// The register file. docs/registers.md lists the registers, and rtl/top/README.md describes the
// port.
#include <algorithm>
#include <cstring>

#include "probe/translation_checker.h"
#include "twin/gpu.h"
#include "twin/host_aperture.h"
#include "twin/paging_engine.h"
#include "twin/tlb_timing.h"

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kMagic = 0x554D4D47;
constexpr uint64_t kMajor = 1, kMinor = 5;
constexpr uint64_t kPageMask = ~(hw::kPageSize - 1);
constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
constexpr uint64_t kCauses = 0x3F;
constexpr unsigned kAddressBits = 48, kCounterBits = 64, kLevels = 6, kPatterns = 7;
constexpr uint32_t kWord = 8, kHalf = 4;

bool InBlock(uint32_t offset, uint32_t base, uint32_t stride, uint32_t count) {
  return offset >= base && offset < base + stride * count;
}

}  // namespace

// ---- the register port, which accepts a whole word, or its two halves with the low half first

/// Whether a write to a space's root or to sizes_in_use must wait for an operation in progress.
/// While ctrl.silence is set, that operation may never end, so such a write is ignored instead.
bool Gpu::BusyWrite(const Access& access) const {
  const auto word = static_cast<uint32_t>(access.offset) & ~(kWord - 1);
  return access.write && operations_.busy() &&
         (word == regs::SizesInUse::kOffset ||
          (InBlock(word, regs::kSpaceBase, regs::kSpaceStride, parameters_.built.spaces) &&
           word % regs::kSpaceStride == regs::SpaceRoot::kOffset));
}

bool Gpu::DoRegister(Access& access) {
  if (!held_ && BusyWrite(access)) return false;
  const size_t size = access.data.size();
  if (size > kWord) {  // a block access is performed word by word
    for (size_t at = 0; at < size; at += kWord) {
      Access beat;
      beat.write = access.write;
      beat.offset = access.offset + at;
      beat.data.assign(access.data.begin() + static_cast<ptrdiff_t>(at),
                       access.data.begin() + static_cast<ptrdiff_t>(at + kWord));
      if (access.write) {
        WriteBeat(beat);
      } else {
        const uint64_t value = ReadBeat(beat);
        std::memcpy(&access.data[at], &value, kWord);
      }
    }
    Answer(access, true);
    return true;
  }
  if (access.write) {
    const bool ok = WriteBeat(access);
    Answer(access, ok);
    return true;
  }
  const uint64_t value = ReadBeat(access) >> (8 * (access.offset % kWord));
  std::memcpy(access.data.data(), &value, size);
  Answer(access, true);
  return true;
}

bool Gpu::WriteBeat(Access& access) {
  const auto offset = static_cast<uint32_t>(access.offset);
  const uint32_t word = offset & ~(kWord - 1);
  const size_t size = access.data.size();
  uint64_t value = 0;
  std::memcpy(&value, access.data.data(), size);
  if (checker_ && !BusyWrite(access)) {
    const unsigned lane = offset % kWord;
    const unsigned strobe = ((size == kWord ? 0xFFu : (1u << size) - 1) << lane) & 0xFF;
    checker_->RegisterWritten(word, value << (8 * lane), strobe);
  }
  if (size == kHalf && offset % kWord == 0) {
    write_low_ = {true, word, static_cast<uint32_t>(value)};
    return true;
  }
  const bool high = size == kHalf && offset % kWord == kHalf && write_low_.there && write_low_.offset == word;
  const uint32_t low = write_low_.value;
  write_low_.there = false;
  if (!high && !(size == kWord && offset % kWord == 0)) return false;
  WriteRegister(word, high ? value << 32 | low : value);
  return true;
}

/// Returns the word that the access reads, or the latched high half if the previous access read the
/// word's low half.
uint64_t Gpu::ReadBeat(const Access& access) {
  const auto offset = static_cast<uint32_t>(access.offset);
  const uint32_t word = offset & ~(kWord - 1);
  if (offset % kWord >= kHalf && read_high_.there && read_high_.offset == word) return uint64_t{read_high_.value} << 32;
  const uint64_t value = ReadRegister(word);
  read_high_ = {offset % kWord < kHalf, word, static_cast<uint32_t>(value >> 32)};
  return value;
}

// ---- dispatching a register to its block

uint64_t Gpu::ReadRegister(uint32_t offset) const {
  const Built& built = parameters_.built;
  if (offset < regs::kRingBase) return ReadShared(offset);
  if (InBlock(offset, regs::kRingBase, regs::kRingStride, built.rings)) {
    return engine_->ring((offset - regs::kRingBase) / regs::kRingStride).Read(offset % regs::kRingStride);
  }
  if (InBlock(offset, regs::kSpaceBase, regs::kSpaceStride, built.spaces)) {
    const uint32_t space = (offset - regs::kSpaceBase) / regs::kSpaceStride;
    return offset % regs::kSpaceStride == regs::SpaceRoot::kOffset ? operations_.root[space].raw
                                                                   : operations_.geometry[space].raw;
  }
  if (InBlock(offset, regs::kClientBase, regs::kClientStride, built.clients)) {
    return clients_[(offset - regs::kClientBase) / regs::kClientStride].Read(offset % regs::kClientStride);
  }
  if (offset < regs::kPortCountersBase) return 0;
  mmu_.timing().Settle(agenda_.now());
  return counters_.Read(offset);
}

void Gpu::WriteRegister(uint32_t offset, uint64_t value) {
  const Built& built = parameters_.built;
  if (offset < regs::kRingBase) {
    WriteShared(offset, value);
  } else if (InBlock(offset, regs::kRingBase, regs::kRingStride, built.rings)) {
    engine_->ring((offset - regs::kRingBase) / regs::kRingStride).Write(offset % regs::kRingStride, value);
    engine_->Wake();
  } else if (InBlock(offset, regs::kSpaceBase, regs::kSpaceStride, built.spaces)) {
    WriteSpace((offset - regs::kSpaceBase) / regs::kSpaceStride, offset % regs::kSpaceStride, value);
  } else if (InBlock(offset, regs::kClientBase, regs::kClientStride, built.clients)) {
    Client& client = clients_[(offset - regs::kClientBase) / regs::kClientStride];
    const bool was = client.busy();
    // The injected fault has blocked client 0's traffic engine, so the write has no effect.
    if (lost_answer_ && &client == &clients_[0]) return;
    client.Write(offset % regs::kClientStride, value);
    if (!was && client.busy() && runs_++ == 0) runs_began_ps_ = agenda_.now();
  }
}

void Gpu::WriteSpace(uint32_t index, uint32_t offset, uint64_t value) {
  if (offset == regs::SpaceGeometry::kOffset) {
    operations_.geometry[index].raw = value & 0xFFFF'FFFF'FFFF'FF17;
    return;
  }
  if (held_ && operations_.busy()) return;  // see BusyWrite
  const regs::SpaceRoot wanted{value};
  operations_.Configure(
      index, regs::SpaceRoot().set_address(wanted.address()).set_target(wanted.target()).set_enable(wanted.enable()));
}

uint64_t Gpu::ReadShared(uint32_t offset) const {
  const Built& b = parameters_.built;
  const TimeParameters& timing = parameters_.timing;
  switch (offset) {
    case regs::Id::kOffset: return regs::Id().set_magic(kMagic).set_major(kMajor).set_minor(kMinor).raw;
    case regs::Cap0::kOffset:
      return regs::Cap0()
          .set_clients(b.clients)
          .set_spaces(b.spaces)
          .set_walks(b.walks)
          .set_rings(b.rings)
          .set_reads(b.reads_in_flight)
          .set_bus_bytes(b.data_bits / 8)
          .set_va_bits(b.va_bits)
          .set_pa_bits(kAddressBits)
          .raw;
    case regs::Cap1::kOffset:
      return regs::Cap1()
          .set_l1_entries(b.l1_entries)
          .set_l2_entries(b.l2_entries)
          .set_l2_ways(b.l2_ways)
          .set_walk_cache(b.walk_cache)
          .raw;
    case regs::Cap2::kOffset:
      return regs::Cap2()
          .set_client_slots(timing.client_slots)
          .set_large_entries(std::min(b.walk_cache * (kLevels - 1), 255u))
          .set_levels(kLevels)
          .set_counter_bits(kCounterBits)
          .set_events(1)
          .set_patterns(kPatterns)
          .set_verify(1)
          .set_traffic(b.clients)
          .set_turn_down(1)
          .set_host_aperture_lg2(HostAperture::kLg2)
          .raw;
    case regs::SizesInUse::kOffset: return mmu_.sizes().Register().raw;
    case regs::VramSize::kOffset: return parameters_.vram_bytes;
    case regs::Cycle::kOffset: return time_.CycleAt(agenda_.now() - reset_ps_);
    case regs::Ctrl::kOffset: return regs::Ctrl().set_enable(enabled_ ? 1 : 0).set_silence(held_ ? 1 : 0).raw;
    case regs::Status::kOffset: return regs::Status().set_idle(idle() ? 1 : 0).set_silent(Silent() ? 1 : 0).raw;
    case regs::WindowBase::kOffset: return window_base_;
    case regs::HostAperture::kOffset: return host_aperture_->range();
    case regs::IntStatus::kOffset: return interrupts_.status();
    case regs::IntEnable::kOffset: return interrupts_.enable();
    case regs::FaultQueueBase::kOffset: return faults_.base.raw;
    case regs::FaultQueueSize::kOffset: return faults_.size().raw;
    case regs::FaultQueueHead::kOffset: return faults_.head;
    case regs::FaultQueueTail::kOffset: return faults_.tail().raw;
    case regs::ApertureBase::kOffset: return aperture_.base();
    case regs::AperturePages::kOffset: return aperture_.pages();
    case regs::Link::kOffset: return memory_.link().raw;
    case regs::InvStart::kOffset: return operations_.start.raw;
    case regs::InvEnd::kOffset: return operations_.end.raw;
    case regs::InvCmd::kOffset: return operations_.command.raw;
    case regs::InvStatus::kOffset: return operations_.status().raw;
    default: return 0;
  }
}

void Gpu::WriteShared(uint32_t offset, uint64_t value) {
  switch (offset) {
    case regs::Ctrl::kOffset:
      enabled_ = regs::Ctrl{value}.enable() != 0;
      held_ = regs::Ctrl{value}.silence() != 0;
      Straps();
      return;
    case regs::WindowBase::kOffset: window_base_ = value & kAddressMask & kPageMask; return;
    case regs::HostAperture::kOffset: host_aperture_->set_range({value}); return;
    case regs::HostApertureEntry::kOffset: host_aperture_->Set({value}); return;
    case regs::IntStatus::kOffset: interrupts_.Clear(value & kCauses); return;
    case regs::IntEnable::kOffset: interrupts_.set_enable(value & kCauses); return;
    case regs::FaultQueueBase::kOffset: faults_.base.raw = value & kAddressMask & kPageMask; return;
    case regs::FaultQueueSize::kOffset: {
      const regs::FaultQueueSize wanted{value};
      faults_.Resize(regs::FaultQueueSize().set_size_lg2(wanted.size_lg2()).set_enable(wanted.enable()));
      return;
    }
    case regs::FaultQueueHead::kOffset: faults_.head = value & 0xFFFF; return;
    case regs::ApertureBase::kOffset: aperture_.set_base(value & kAddressMask & kPageMask); return;
    case regs::AperturePages::kOffset: aperture_.set_pages(value & 0xFFFFFFFF); return;
    case regs::Link::kOffset: {
      const regs::Link wanted{value};
      memory_.set_link(regs::Link().set_adapters(wanted.adapters()).set_own(wanted.own()));
      return;
    }
    case regs::InvStart::kOffset: operations_.start.raw = value; return;
    case regs::InvEnd::kOffset: operations_.end.raw = value; return;
    case regs::InvCmd::kOffset: operations_.Invalidate(value); return;
    case regs::SizesInUse::kOffset:
      if (!operations_.busy()) operations_.Resize(regs::SizesInUse{value});  // see BusyWrite
      return;
    default: return;
  }
}

}  // namespace gmmu::sim::twin
