// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>

#include "ddi/ntdef.h"
#include "hw/host_ram.h"
#include "os/base/ledger.h"

namespace gmmu::os {

/// CPU views of the pages of MDLs that drivers create (MmMapLockedPagesSpecifyCache). Each MDL has
/// at most one view. The ledger lists the views as cpu_view. Misuse triggers a bug check.
class MdlViews {
 public:
  MdlViews(hw::HostRam& ram, Ledger& ledger) : ram_(ram), ledger_(ledger) {}
  ~MdlViews();
  MdlViews(const MdlViews&) = delete;
  MdlViews& operator=(const MdlViews&) = delete;

  void* Map(MDL& list, MEMORY_CACHING_TYPE caching);
  void Unmap(const void* view, MDL& list);
  /// Call before the pages of a list are freed. Triggers a bug check if the list still has a view.
  void RequireNone(const MDL& list, const char* call) const;
  /// Call when the pages of a list are unlocked. Removes the list's view.
  void Drop(MDL& list);

 private:
  struct View {
    void* base;
    size_t pages;
    Ledger::Ticket ticket;
  };
  void End(std::map<const MDL*, View>::iterator at, MDL& list);

  hw::HostRam& ram_;
  Ledger& ledger_;
  std::map<const MDL*, View> views_;
};

}  // namespace gmmu::os
