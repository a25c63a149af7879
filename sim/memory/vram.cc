// SPDX-License-Identifier: Apache-2.0
#include "memory/vram.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

namespace gmmu::sim {

VramCore::VramCore(uint64_t bytes) : size_(bytes), bytes_(nullptr, Unmap{bytes}), touched_(bytes / kPage + 1) {
  if (bytes == 0) return;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error("VRAM: the host has no " + std::to_string(bytes) + " bytes");
  bytes_.reset(static_cast<uint8_t*>(at));
}

bool VramCore::Read(uint64_t address, void* to, size_t size) const {
  if (!Inside(address, size)) return false;
  auto* out = static_cast<uint8_t*>(to);
  // Copy page by page and skip untouched pages: reading one would cause a page fault on the host.
  while (size > 0) {
    const size_t part = std::min<uint64_t>(size, kPage - address % kPage);
    if (touched_[address / kPage]) std::memcpy(out, bytes_.get() + address, part);
    else std::memset(out, untouched_, part);
    out += part;
    address += part;
    size -= part;
  }
  return true;
}

bool VramCore::Write(uint64_t address, const void* from, size_t size) {
  if (!Inside(address, size)) return false;
  if (size == 0) return true;
  const auto* const bytes = static_cast<const uint8_t*>(from);
  // Zeros written to untouched zero pages are not stored, so filling new memory allocates no host
  // memory.
  bool changes = untouched_ != 0;
  for (uint64_t page = address / kPage; !changes && page <= (address + size - 1) / kPage; ++page)
    changes = touched_[page];
  changes = changes || std::any_of(bytes, bytes + size, [](uint8_t byte) { return byte != 0; });
  if (changes) Touch(address, size);
  for (const WriteHook& hook : hooks_) hook(address, bytes, size);
  if (changes) std::memcpy(bytes_.get() + address, from, size);
  return true;
}

bool VramCore::WriteStrobed(uint64_t address, const void* from, size_t size, uint64_t strobe) {
  if (!Inside(address, size) || size > 64) return false;
  const uint64_t all = size == 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1;
  strobe &= all;
  if (strobe == all) return Write(address, from, size);
  const auto* bytes = static_cast<const uint8_t*>(from);
  const auto set = [strobe](size_t at) { return (strobe >> at & 1) != 0; };
  for (size_t at = 0; at < size;) {
    if (!set(at)) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < size && set(end)) ++end;
    if (!Write(address + at, bytes + at, end - at)) return false;
    at = end;
  }
  return true;
}

void VramCore::LosePower() {
  constexpr uint8_t kChange = 0xA5;
  std::array<uint8_t, kPage> lost;
  for (uint64_t at = 0; at < size_; at += kPage) {
    if (!touched_[at / kPage]) continue;
    const uint64_t size = std::min(kPage, size_ - at);
    std::memcpy(lost.data(), &bytes_[at], size);
    for (uint8_t& byte : lost) byte = static_cast<uint8_t>(byte + kChange);
    static_cast<void>(Write(at, lost.data(), size));
  }
  untouched_ = static_cast<uint8_t>(untouched_ + kChange);
}

bool VramCore::FlipBit(uint64_t address, unsigned bit) {
  if (!Inside(address, 1) || bit > 7) return false;
  Touch(address, 1);
  bytes_[address] = static_cast<uint8_t>(bytes_[address] ^ 1u << bit);
  return true;
}

VramTiming::VramTiming(const VramParameters& parameters) : parameters_(parameters) {
  if (parameters.beats_per_cycle_num < 1 || parameters.beats_per_cycle_num > parameters.beats_per_cycle_den)
    throw std::invalid_argument("vram: bandwidth must be above 0 and at most one beat a cycle");
  if (parameters.outstanding < 1) throw std::invalid_argument("vram: outstanding must be at least 1");
}

VramTiming::Beats VramTiming::Reserve(uint64_t& free, uint64_t earliest, unsigned beats) {
  const uint64_t num = parameters_.beats_per_cycle_num, den = parameters_.beats_per_cycle_den;
  const uint64_t start = std::max(free, earliest * num);
  free = start + beats * den;
  return {start / num, (start + (beats - 1) * den) / num};
}

}  // namespace gmmu::sim
