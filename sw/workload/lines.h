// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/host_ram.h"

namespace gmmu::workload {

inline constexpr uint64_t kLine = 64;
inline constexpr uint64_t kPage = hw::kPageSize;

/// The lines that a client reads, as its registers define them: first + stride * k, k from 0, then (k + step) mod
/// count.
struct LineOrder {
  uint64_t first = 0;
  uint64_t stride = 1;
  uint64_t count = 0;
  uint64_t step = 1;
};

/// The lines of client `client` of `clients` in `lines` lines: those with index = client (mod clients), in sequence.
LineOrder ShareOf(uint64_t lines, unsigned client, unsigned clients);

/// A step below `count` that visits every k once: coprime to count, drawn by seed, not 1 when
/// another exists.
uint64_t CoprimeStep(uint64_t count, uint64_t seed);

/// CRC-32C of the lines of `bytes` in that order. `bytes` holds all of them.
uint32_t LineCrc(const uint8_t* bytes, const LineOrder& order);

/// Fills with 64-bit words that depend on `seed` and their index only.
void FillPattern(void* bytes, size_t size, uint64_t seed);

/// Bytes of a piece: half of VRAM, a multiple of 64 KiB where VRAM allows.
uint64_t PieceBytes(uint64_t vram_bytes);

}  // namespace gmmu::workload
