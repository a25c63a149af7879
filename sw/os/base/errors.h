// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace gmmu::os {

/// A fault as the OS model reports it: source, place and reason. Numeric fields that do not apply
/// to the source are -1.
struct Fault {
  std::string source;  ///< "gpu", "iommu", "timeout", "verify", ...
  std::string name;    ///< reason, for example "entry_invalid" or "no read permission"
  uint64_t address = 0;
  int64_t space = -1;
  int64_t client = -1;  ///< translation port, or PCI requester id for the IOMMU
  int64_t level = -1;
  std::string access;  ///< "read", "write", "execute" or ""
  int64_t fence = -1;
  std::string text;  ///< one-line message for the user
  /// Number and parameters of the bug check that Windows would raise. The number is 0 if Windows
  /// would raise none, or if the number is unknown.
  uint32_t stop_code = 0;
  std::array<uint64_t, 4> stop_parameters{};
};

/// Thrown when the run cannot continue. The program then prints this message and exits with status 1.
class OsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when a bounded wait times out; the message names the awaited event.
class OsTimeout : public OsError {
 public:
  OsTimeout(const std::string& what_for, uint64_t bound_ns)
      : OsError("waited " + std::to_string(bound_ns) + " ns for " + what_for) {}
};

/// Thrown when memory or addresses are exhausted.
class Exhausted : public OsError {
 public:
  using OsError::OsError;
};

/// Thrown when a memory segment is full.
class NoRoom : public Exhausted {
 public:
  NoRoom(unsigned in_gpu, unsigned in_segment, const std::string& text)
      : Exhausted(text), gpu(in_gpu), segment(in_segment) {}
  const unsigned gpu;      ///< the physical adapter that contains the segment
  const unsigned segment;  ///< the segment's id
};

/// Thrown when an adapter reset has discarded queued work and the contents of video memory.
class AdapterWasReset : public OsError {
 public:
  using OsError::OsError;
};

/// Thrown when the GPU or the IOMMU has reported faults; Dxgkrnl keeps the list of these faults.
class DeviceFault : public OsError {
 public:
  using OsError::OsError;
};

}  // namespace gmmu::os
