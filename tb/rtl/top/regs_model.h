// SPDX-License-Identifier: Apache-2.0
// The stored and the readable values of the registers, as defined in the register description.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "hw/gmmu_regs.h"

namespace gmmu::top {

/// The built sizes.
struct RegsSize {
  unsigned clients, spaces, rings;
};

class RegsModel {
 public:
  explicit RegsModel(RegsSize size) : size_(size) {
    const uint64_t page = 0xffff'ffff'f000;
    masks_ = {{regs::Ctrl::kOffset, 3},
              {regs::WindowBase::kOffset, page},
              {regs::HostAperture::kOffset, 0xffff'f001},
              {regs::IntEnable::kOffset, 0x3f},
              {regs::FaultQueueBase::kOffset, page},
              {regs::FaultQueueSize::kOffset, 0x10f},
              {regs::FaultQueueHead::kOffset, 0xffff},
              {regs::ApertureBase::kOffset, page},
              {regs::AperturePages::kOffset, 0xffff'ffff},
              {regs::Link::kOffset, 0x707},
              {regs::InvStart::kOffset, ~0ull},
              {regs::InvEnd::kOffset, ~0ull},
              {regs::InvCmd::kOffset, 0x3f03}};
    for (unsigned i = 0; i < size.rings; ++i) {
      const uint32_t ring = regs::kRingBase + i * regs::kRingStride;
      masks_[ring + regs::RingBase::kOffset] = page | 3ull << 48;
      masks_[ring + regs::RingCtrl::kOffset] = 0x70f;
      masks_[ring + regs::RingTail::kOffset] = 0xffff;
      masks_[ring + regs::RingFenceAddress::kOffset] = 0xffff'ffff'fff0;
    }
    for (unsigned i = 0; i < size.spaces; ++i) {
      masks_[SpaceAt(i) + regs::SpaceGeometry::kOffset] = 0xffff'ffff'ffff'ff17;
      masks_[SpaceAt(i) + regs::SpaceRoot::kOffset] = 0x8003'ffff'ffff'ffff;
    }
  }
  static uint32_t SpaceAt(unsigned i) { return regs::kSpaceBase + i * regs::kSpaceStride; }

  /// Performs a write that takes effect. `busy`: an invalidation or an update of a space is in
  /// progress, so another one is ignored. (Without silence, a root write waits for the operation's
  /// end instead.)
  void Write(uint32_t at, uint64_t data, bool busy) {
    const auto mask = masks_.find(at);
    if (mask == masks_.end() || ((at == regs::InvCmd::kOffset || Root(at)) && busy)) return;
    kept_[at] = data & mask->second;
  }
  uint64_t Kept(uint32_t at) const {
    const auto found = kept_.find(at);
    return found == kept_.end() ? 0 : found->second;
  }
  template <typename R>
  R Kept(uint32_t base = 0) const {
    R value;
    value.raw = Kept(base + R::kOffset);
    return value;
  }
  bool Keeps(uint32_t at) const { return masks_.count(at) != 0; }

  std::optional<unsigned> Client(uint32_t at) const {
    return Element(at, regs::kClientBase, regs::kClientStride, size_.clients);
  }
  std::optional<unsigned> Ring(uint32_t at) const {
    return Element(at, regs::kRingBase, regs::kRingStride, size_.rings);
  }
  /// Returns the space whose root register is at this offset, if any.
  std::optional<unsigned> Root(uint32_t at) const {
    const auto space = Element(at, regs::kSpaceBase, regs::kSpaceStride, size_.spaces);
    return space && at % regs::kSpaceStride == regs::SpaceRoot::kOffset ? space : std::nullopt;
  }

 private:
  static std::optional<unsigned> Element(uint32_t at, uint32_t base, uint32_t stride, unsigned count) {
    if (at < base || at >= base + stride * count) return std::nullopt;
    return (at - base) / stride;
  }
  RegsSize size_;
  std::map<uint32_t, uint64_t> masks_, kept_;
};

}  // namespace gmmu::top
