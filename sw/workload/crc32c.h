// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::workload {

/// CRC-32C (Castagnoli, reflected, initial and final inversion), as the clients' traffic engines compute it.
/// Chains: Crc32c(b, n, Crc32c(a, m)) is the checksum of a followed by b.
uint32_t Crc32c(const void* data, size_t size, uint32_t before = 0);

}  // namespace gmmu::workload
