// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/host_ram.h"

namespace gmmu::workload {

inline constexpr uint64_t kLine = 64;
inline constexpr uint64_t kPage = hw::kPageSize;

/// The lines that a client reads, in terms of its registers: line first + stride * k, where k starts at 0 and becomes
/// (k + step) mod count.
struct LineOrder {
  uint64_t first = 0;
  uint64_t stride = 1;
  uint64_t count = 0;
  uint64_t step = 1;
};

/// Returns the share of client `client` of `clients` clients in `lines` lines: the lines whose index is congruent to
/// `client` modulo `clients`, in sequence.
LineOrder ShareOf(uint64_t lines, unsigned client, unsigned clients);

/// Returns a pseudo-random step below `count` with which k visits every value once: it is coprime to count, and not 1
/// if there is another.
uint64_t CoprimeStep(uint64_t count, uint64_t seed);

/// Returns the CRC-32C of the lines of `bytes` in the order `order`. `bytes` must contain all these lines.
uint32_t LineCrc(const uint8_t* bytes, const LineOrder& order);

/// Fills the buffer with 64-bit words that depend only on `seed` and their index.
void FillPattern(void* bytes, size_t size, uint64_t seed);

/// Returns the size of a piece: half of VRAM, and a multiple of 64 KiB if VRAM is large enough.
uint64_t PieceBytes(uint64_t vram_bytes);

}  // namespace gmmu::workload
