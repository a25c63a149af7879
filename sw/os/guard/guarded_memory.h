// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "os/base/bug_check.h"

namespace gmmu::os {

/// Driver memory that is surrounded by inaccessible guard pages. The report of a fault in a guard
/// page names the memory that was overrun. All objects of this class can be found by address.
class GuardedMemory {
 public:
  /// Describes an access to an inaccessible page.
  struct Trespass {
    StopCode code = StopCode::kUnknown;  ///< the Windows stop code; kUnknown: Windows has none for this access
    std::string text;                    ///< "byte 592 of the output of DXGKQAITYPE_DRIVERCAPS, which has 592 bytes"
  };

  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Returns a description of the access if the address is in a guard page or in inaccessible
  /// memory of an object.
  static std::optional<Trespass> Find(const void* address);
  /// Translates an address that a driver uses. If it is in memory that replaces other memory
  /// (GuardedCopy::Room), returns the corresponding address in the original.
  static const void* RealOf(const void* address);

 protected:
  GuardedMemory();
  ~GuardedMemory();

  static constexpr size_t kPage = 4096;
  /// Reserves whole inaccessible pages, at the same address in every run if that address is free.
  /// Throws std::bad_alloc on failure.
  static char* Reserve(size_t bytes);
  static void Release(char* base, size_t bytes);
  /// Makes part of the reserved pages accessible and fills it with zeros.
  static bool Open(char* at, size_t bytes);
  /// Makes part of the reserved pages inaccessible again; the contents are lost.
  static void Close(char* at, size_t bytes);

 private:
  virtual std::optional<Trespass> At(const char* address) const = 0;
  /// Returns null if the address is not in memory that replaces other memory.
  virtual const void* Real(const char*) const { return nullptr; }
};

}  // namespace gmmu::os
