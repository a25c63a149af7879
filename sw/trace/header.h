// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "trace/access.h"

namespace gmmu::trace {

enum class Addresses : uint8_t { kVirtual, kPhysical };
enum class Loop : uint8_t { kClosed, kOpen };  ///< meaning of Access::cycles

/// The properties of a workload that are known before its first access. They come from the text
/// header of a trace (docs/traces.md) or from a generator.
struct Header {
  std::string name;        ///< one word, for tables
  std::string provenance;  ///< one line: program and tool, or generator with all parameters and seed
  Addresses addresses = Addresses::kVirtual;
  /// Granularity of the recorded addresses and sizes: 1, or the bytes of a line (a power of two).
  /// An Access is always in bytes; its address and size are multiples of `unit`.
  uint32_t unit = 1;
  uint64_t page_bytes = 0;     ///< page size of the recorded system; 0: not known, or not recorded
  unsigned address_bits = 48;  ///< every access ends below 2^address_bits; 12 to 64
  Loop loop = Loop::kClosed;
  uint32_t window = 0;            ///< most in flight per stream; 1: each depends on the previous; 0: unknown
  std::optional<uint64_t> count;  ///< number of accesses, if known in advance
};

inline constexpr uint32_t kMaxBytes = 65536;      ///< maximum bytes of one access
inline constexpr uint32_t kMaxUnit = 4096;        ///< maximum bytes of a unit
inline constexpr uint32_t kMaxStreams = 1 << 20;  ///< maximum number of streams
inline constexpr size_t kMaxHeader = 16384;       ///< maximum bytes of the header's text

/// Returns the header as text, including the empty line at its end.
std::string ToText(const Header& header);
/// Parses the text of a header. Errors refer to the file as `path`. Throws TraceError with the line
/// number.
Header ParseHeader(const std::string& text, const std::string& path);

/// Returns why an access does not fit a trace with this header, as the end of a sentence, or an
/// empty string if it fits.
std::string Wrong(const Access& access, const Header& header);

/// Returns "bytes" or "lines of 64".
std::string UnitText(uint32_t unit);

}  // namespace gmmu::trace
