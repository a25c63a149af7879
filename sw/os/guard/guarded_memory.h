// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "os/base/bug_check.h"

namespace gmmu::os {

/// Memory given to a driver, with inaccessible guard pages around it. An access to a guard page is reported with the
/// memory that it overran. Every existing one can be found by an address.
class GuardedMemory {
 public:
  /// Describes an address within inaccessible pages.
  struct Trespass {
    StopCode code = StopCode::kUnknown;  ///< that Windows has for it; kUnknown: none of its own
    std::string text;                    ///< "byte 592 of the output of DXGKQAITYPE_DRIVERCAPS, which has 592 bytes"
  };

  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Of the memory in whose guard the address is.
  static std::optional<Trespass> Find(const void* address);
  /// Where what a driver sees at `address` is in truth: another place when it was given a room in place of the real one.
  static const void* RealOf(const void* address);

 protected:
  GuardedMemory();
  ~GuardedMemory();

  static constexpr size_t kPage = 4096;
  /// Addresses that cannot be touched, whole pages; the same ones in every run where they are free. Throws
  /// std::bad_alloc.
  static char* Reserve(size_t bytes);
  static void Release(char* base, size_t bytes);
  /// Makes a part of them accessible, filled with 0.
  static bool Open(char* at, size_t bytes);
  /// Makes a part inaccessible again; its contents are lost.
  static void Close(char* at, size_t bytes);

 private:
  virtual std::optional<Trespass> At(const char* address) const = 0;
  /// Null: the address is not in a room that stands for another.
  virtual const void* Real(const char*) const { return nullptr; }
};

}  // namespace gmmu::os
