// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/ledger.h"

namespace gmmu::os {

/// A kernel object to which a driver can have handles.
struct KernelObject {
  enum class Type : uint8_t { kThread, kKey };
  Type type;
  std::string name;  ///< "the system thread at driver.so+0x1234"
};

/// A driver's handles and object references. A handle value is never reused. Each handle and each
/// reference has a ticket in the ledger (handle, object_reference). Misuse triggers a bug check.
class KernelObjects {
 public:
  explicit KernelObjects(Ledger& ledger) : ledger_(ledger) {}

  HANDLE Open(KernelObject& object, const char* created_by);
  void Close(HANDLE handle);
  /// Returns null if the handle is not open.
  KernelObject* Find(HANDLE handle) const;
  /// Both return the object's new number of references.
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
