// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::sim::twin {

/// CRC-32C (reflected 0x1EDC6F41) of bytes that follow others: begin with ~0, invert at the end.
/// `size` is a multiple of 8.
uint32_t Crc32cStep(uint32_t state, const void* bytes, size_t size);

}  // namespace gmmu::sim::twin
