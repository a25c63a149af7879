// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace gmmu::trace {

enum class Addresses : uint8_t { kVirtual, kPhysical };
enum class Loop : uint8_t { kClosed, kOpen };  ///< what Access::cycles means

/// What is known of a workload before its first access: the text header of a trace (docs/traces.md), or what a
/// generator says of itself.
struct Header {
  std::string name;        ///< one word, for tables
  std::string provenance;  ///< one line: program and tool, or generator with all parameters and seed
  Addresses addresses = Addresses::kVirtual;
  /// Granularity in which addresses and sizes were recorded: 1, or the bytes of a line (a power of two). Access itself
  /// is always in bytes; both are multiples of this.
  uint32_t unit = 1;
  uint64_t page_bytes = 4096;  ///< of the system that was recorded; 0: not known, or there was none
  unsigned address_bits = 48;  ///< the last byte of every access lies below 2^this; 1 to 64
  Loop loop = Loop::kClosed;
  uint32_t window = 0;            ///< most accesses of a stream in flight; 1: each depends on the last; 0: not stated
  std::optional<uint64_t> count;  ///< accesses, if it is known before the end
};

}  // namespace gmmu::trace
