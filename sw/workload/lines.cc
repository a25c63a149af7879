// SPDX-License-Identifier: Apache-2.0
#include "workload/lines.h"

#include <cstring>
#include <numeric>

#include "hw/crc32c.h"
#include "os/base/random.h"

namespace gmmu::workload {

LineOrder ShareOf(uint64_t lines, unsigned client, unsigned clients) {
  LineOrder order;
  order.first = client;
  order.stride = clients;
  order.count = lines > client ? (lines - client + clients - 1) / clients : 0;
  return order;
}

uint64_t CoprimeStep(uint64_t count, uint64_t seed) {
  if (count < 3) return count == 2 ? 1 : 0;
  os::Random random(seed, "step");
  for (uint64_t step = 2 + random.Below(count - 2);; step = step + 1 < count ? step + 1 : 1) {
    if (std::gcd(step, count) == 1) return step;
  }
}

uint32_t LineCrc(const uint8_t* bytes, const LineOrder& order) {
  uint32_t crc = 0;
  uint64_t k = 0;
  for (uint64_t n = 0; n < order.count; ++n) {
    crc = hw::Crc32c(crc, bytes + kLine * (order.first + order.stride * k), kLine);
    k = (k + order.step) % order.count;
  }
  return crc;
}

void FillPattern(void* bytes, size_t size, uint64_t seed) {
  os::Random random(seed, "pattern");
  auto* at = static_cast<uint8_t*>(bytes);
  for (size_t done = 0; done < size; done += 8) {
    const uint64_t word = random.Next();
    std::memcpy(at + done, &word, size - done < 8 ? size - done : 8);
  }
}

uint64_t PieceBytes(uint64_t vram_bytes) {
  const uint64_t half = vram_bytes / 2;
  return half >= 0x20000 ? half & ~uint64_t{0xFFFF} : half & ~uint64_t{0xFFF};
}

}  // namespace gmmu::workload
