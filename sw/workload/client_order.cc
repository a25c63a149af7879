// SPDX-License-Identifier: Apache-2.0
#include "workload/client_order.h"

#include <numeric>

#include "workload/crc32c.h"

namespace gmmu::workload {

ClientOrder ClientOrder::Sequential(uint32_t client, uint32_t clients, uint32_t lines) {
  ClientOrder order;
  order.first = client;
  order.stride = clients;
  order.count = client < lines ? (lines - client + clients - 1) / clients : 0;
  order.step = order.count > 1 ? 1 : 0;
  return order;
}

ClientOrder ClientOrder::Permuted(uint32_t client, uint32_t clients, uint32_t lines, uint64_t seed) {
  ClientOrder order = Sequential(client, clients, lines);
  if (order.count < 3) return order;
  const uint64_t mixed = (seed + client + 1) * 0x9E3779B97F4A7C15ull;
  order.step = 1 + static_cast<uint32_t>((mixed >> 32) % (order.count - 1));
  while (std::gcd(order.step, order.count) != 1) order.step = order.step % (order.count - 1) + 1;
  return order;
}

uint32_t ClientOrder::Crc(const uint8_t* data) const {
  uint32_t crc = 0;
  uint32_t k = 0;
  for (uint32_t done = 0; done < count; ++done) {
    crc = Crc32c(data + kLineBytes * (first + uint64_t{stride} * k), kLineBytes, crc);
    k = static_cast<uint32_t>((uint64_t{k} + step) % count);
  }
  return crc;
}

}  // namespace gmmu::workload
