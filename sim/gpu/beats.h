// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>

#ifndef GMMU_DATA_BITS
#define GMMU_DATA_BITS 64
#endif

namespace gmmu::sim {

inline constexpr unsigned kBeatBytes = GMMU_DATA_BITS / 8;

/// Accesses the bytes of a Verilated data port (a 64-bit integer or an array of 32-bit words),
/// starting with lane 0.
template <typename Port>
inline const uint8_t* LanesOf(const Port& port) {
  static_assert(sizeof(Port) == kBeatBytes, "GMMU_DATA_BITS is not what the model was built with");
  return reinterpret_cast<const uint8_t*>(&port);
}
template <typename Port>
inline uint8_t* LanesOf(Port& port) {
  static_assert(sizeof(Port) == kBeatBytes, "GMMU_DATA_BITS is not what the model was built with");
  return reinterpret_cast<uint8_t*>(&port);
}

}  // namespace gmmu::sim
