// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::hw {

/// CRC-32C (Castagnoli, reflected, initial and final inversion), the checksum that the clients'
/// traffic engines compute. `before` is the checksum of the preceding bytes, or 0 if there are
/// none: Crc32c(Crc32c(0, a, m), b, n) is the checksum of a followed by b.
uint32_t Crc32c(uint32_t before, const void* data, size_t size);

/// Like Crc32c, but never uses the processor's CRC instruction (SSE 4.2).
uint32_t Crc32cByTables(uint32_t before, const void* data, size_t size);

}  // namespace gmmu::hw
