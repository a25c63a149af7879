// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::trace {

// The contents of a trace's zstd frames (docs/traces.md).

inline constexpr uint32_t kFrameRecords = 65536;  ///< maximum number of records in a frame
inline constexpr size_t kMaxFrame = 4 << 20;      ///< maximum size of an unpacked frame in bytes
inline constexpr char kHeaderFrame = 'H';         ///< repeats the header
inline constexpr char kRecordFrame = 'R';
inline constexpr char kEndFrame = 'E';

// The first byte of a record contains the kind, and a flag for each value that follows. If the
// stream or the size is omitted, it equals that of the previous record; omitted cycles are 0.
inline constexpr uint8_t kKindMask = 3;
inline constexpr uint8_t kNewStream = 4;
inline constexpr uint8_t kNewBytes = 8;
inline constexpr uint8_t kHasCycles = 16;
inline constexpr uint8_t kReserved = 0xe0;

/// Appends LEB128: seven bits per byte, least significant first; bit 7 is set in all bytes but the last.
inline void PutNumber(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// Encodes a signed difference as an unsigned number: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
inline uint64_t ZigZag(uint64_t difference) { return difference << 1 ^ (difference >> 63 ? ~uint64_t{0} : 0); }
inline uint64_t UnZigZag(uint64_t number) { return number >> 1 ^ (number & 1 ? ~uint64_t{0} : 0); }

}  // namespace gmmu::trace
