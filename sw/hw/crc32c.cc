// SPDX-License-Identifier: Apache-2.0
#include "hw/crc32c.h"

#include <array>
#include <cstring>

namespace gmmu::hw {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, bits reversed
using Tables = std::array<std::array<uint32_t, 256>, 8>;

/// Entry [n][b] is the contribution to the CRC state of byte b when n further bytes follow it.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ ((state & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = state;
  }
  for (size_t n = 1; n < 8; ++n) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[n - 1][byte];
      tables[n][byte] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

#ifdef __x86_64__
__attribute__((target("sse4.2"))) uint32_t Crc32cByProcessor(uint32_t before, const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  uint64_t state = static_cast<uint32_t>(~before);
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    state = __builtin_ia32_crc32di(state, word);
  }
  for (; size != 0; --size) state = __builtin_ia32_crc32qi(static_cast<uint32_t>(state), *bytes++);
  return ~static_cast<uint32_t>(state);
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
#endif

}  // namespace

uint32_t Crc32c(uint32_t before, const void* data, size_t size) {
#ifdef __x86_64__
  if (kHasInstruction) return Crc32cByProcessor(before, data, size);
#endif
  return Crc32cByTables(before, data, size);
}

uint32_t Crc32cByTables(uint32_t before, const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  uint32_t state = ~before;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    word ^= state;
    state = 0;
    for (size_t i = 0; i < 8; ++i) state ^= kTables[7 - i][word >> (8 * i) & 0xFF];
  }
  for (; size != 0; --size) state = state >> 8 ^ kTables[0][(state ^ *bytes++) & 0xFF];
  return ~state;
}

}  // namespace gmmu::hw
