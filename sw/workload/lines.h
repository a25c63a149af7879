// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/host_ram.h"

namespace gmmu::workload {

inline constexpr uint64_t kLine = 64;
inline constexpr uint64_t kPage = hw::kPageSize;

/// The order in which a client reads lines, in terms of its registers: it reads line first + stride
/// * k, where k starts at 0 and each next k is (k + step) mod count.
struct LineOrder {
  uint64_t first = 0;
  uint64_t stride = 1;
  uint64_t count = 0;
  uint64_t step = 1;
};

/// Divides `lines` among `clients` clients and returns the share of client `client`: the lines
/// whose index is congruent to `client` modulo `clients`, in sequence.
LineOrder ShareOf(uint64_t lines, unsigned client, unsigned clients);

/// Returns a pseudo-random step below `count` that is coprime to it, so that k visits every value
/// once. The step is 1 only if no other step is possible.
uint64_t CoprimeStep(uint64_t count, uint64_t seed);

/// Returns the CRC-32C of those lines of `bytes` that `order` selects, in that order. `bytes` must
/// contain all of them.
uint32_t LineCrc(const uint8_t* bytes, const LineOrder& order);

/// Fills the buffer with 64-bit words. Each word depends only on `seed` and on its index.
void FillPattern(void* bytes, size_t size, uint64_t seed);

/// Returns the size of a piece: half of VRAM, rounded to a multiple of 64 KiB if VRAM is large
/// enough.
uint64_t PieceBytes(uint64_t vram_bytes);

}  // namespace gmmu::workload
