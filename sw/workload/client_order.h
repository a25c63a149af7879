// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::workload {

inline constexpr size_t kLineBytes = 64;

/// The lines that one client reads and their order, as the registers client.lines and client.order state them:
/// line first + stride * k, k = 0, then (k + step) mod count, count times.
struct ClientOrder {
  uint32_t first = 0;
  uint32_t stride = 1;
  uint32_t count = 0;
  uint32_t step = 1;

  /// Lines with index = client (mod clients) among `lines` lines, in sequence.
  static ClientOrder Sequential(uint32_t client, uint32_t clients, uint32_t lines);
  /// The same lines in an order chosen by `seed`: `step` is coprime to `count`, so every line comes once.
  static ClientOrder Permuted(uint32_t client, uint32_t clients, uint32_t lines, uint64_t seed);

  /// What the client's checksum must be over `data`, which holds every line of the order.
  uint32_t Crc(const uint8_t* data) const;
};

}  // namespace gmmu::workload
