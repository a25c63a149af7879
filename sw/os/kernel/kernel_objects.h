// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/ledger.h"

namespace gmmu::os {

/// The target of a driver's handles.
struct KernelObject {
  enum class Type : uint8_t { kThread, kKey };
  Type type;
  std::string name;  ///< "the system thread at driver.so+0x1234"
};

/// Handles and references of a driver. A handle value is never reused. Handles and references have tickets in the
/// ledger (handle, object_reference). Misuse triggers a bug check.
class KernelObjects {
 public:
  explicit KernelObjects(Ledger& ledger) : ledger_(ledger) {}

  HANDLE Open(KernelObject& object, const char* created_by);
  void Close(HANDLE handle);
  /// Returns null if the handle is not open.
  KernelObject* Find(HANDLE handle) const;
  /// Reference and Dereference return the new number of references.
  LONG_PTR Reference(KernelObject& object, const char* created_by);
  LONG_PTR Dereference(const void* object);

 private:
  struct Handle {
    KernelObject* object;
    Ledger::Ticket ticket;
  };

  Ledger& ledger_;
  uint64_t next_ = 1;
  std::map<HANDLE, Handle> handles_;
  std::map<const void*, std::vector<Ledger::Ticket>> references_;
};

}  // namespace gmmu::os
