// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "os/base/bug_check.h"

namespace gmmu::os {

/// Memory for a driver, surrounded by inaccessible guard pages. A fault in a guard page is reported with the memory
/// that was overrun. Objects of this class can be found by address.
class GuardedMemory {
 public:
  /// Describes an access to an inaccessible page.
  struct Trespass {
    StopCode code = StopCode::kUnknown;  ///< the Windows stop code; kUnknown: Windows has none for this access
    std::string text;                    ///< "byte 592 of the output of DXGKQAITYPE_DRIVERCAPS, which has 592 bytes"
  };

  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Finds the memory whose guard pages contain the address.
  static std::optional<Trespass> Find(const void* address);
  /// Translates an address as seen by a driver. If it lies in memory that stands in for other memory, returns the
  /// corresponding address in that other memory.
  static const void* RealOf(const void* address);

 protected:
  GuardedMemory();
  ~GuardedMemory();

  static constexpr size_t kPage = 4096;
  /// Reserves whole inaccessible pages, at the same addresses in every run if those are free. Throws std::bad_alloc.
  static char* Reserve(size_t bytes);
  static void Release(char* base, size_t bytes);
  /// Makes part of the reserved pages accessible and fills it with zeros.
  static bool Open(char* at, size_t bytes);
  /// Makes part of the reserved pages inaccessible again; the contents are lost.
  static void Close(char* at, size_t bytes);

 private:
  virtual std::optional<Trespass> At(const char* address) const = 0;
  /// Returns null if the address is not in memory that stands in for other memory.
  virtual const void* Real(const char*) const { return nullptr; }
};

}  // namespace gmmu::os
