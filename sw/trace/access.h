// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

namespace gmmu::trace {

enum class Kind : uint8_t { kRead, kWrite, kExecute };

/// One access of a workload or trace. It carries no data, because addresses are enough to study translation.
struct Access {
  uint64_t address = 0;  ///< address of the first byte; the trace's header states whether it is virtual or physical
  uint32_t bytes = 0;    ///< at least 1; may cross lines and pages
  Kind kind = Kind::kRead;
  uint32_t stream = 0;  ///< the requester: a thread, a warp or a core, numbered from 0
  /// Open loop: the arrival cycle. Closed loop: the cycles of computation between the stream's
  /// previous response and this access.
  uint64_t cycles = 0;
};

/// A sequence of accesses, generated or read from a file in pieces. Sources with equal arguments
/// return equal sequences.
class Source {
 public:
  virtual ~Source() = default;
  /// Returns the next access, or nullopt at the end. Throws TraceError with the file and the line
  /// or record.
  virtual std::optional<Access> Next() = 0;
};

}  // namespace gmmu::trace
