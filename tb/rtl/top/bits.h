// SPDX-License-Identifier: Apache-2.0
// Reads and writes fields of flat ports: `width` (at most 64) bits from bit `low` on. Accepts every
// C++ type that Verilator uses for a port.
#pragma once

#include <cstdint>
#include <type_traits>

namespace gmmu::top {

inline uint64_t Ones(unsigned width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

template <typename Port>
uint64_t Bits(const Port& port, unsigned low, unsigned width) {
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<uint64_t>(port) >> low & Ones(width);
  } else {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= uint64_t{port[(low + i) / 32] >> ((low + i) % 32) & 1u} << i;
    return value;
  }
}

template <typename Port>
void SetBits(Port& port, unsigned low, unsigned width, uint64_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const uint64_t mask = Ones(width) << low;
    port = static_cast<Port>((port & ~mask) | (value << low & mask));
  } else {
    for (unsigned i = 0; i < width; ++i) {
      auto& word = port[(low + i) / 32];
      const unsigned at = (low + i) % 32;
      word = (word & ~(1u << at)) | static_cast<unsigned>(value >> i & 1) << at;
    }
  }
}

}  // namespace gmmu::top
