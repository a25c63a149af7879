// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "ddi/d3dkmddi.h"
#include "os/memory/memory_backing.h"

namespace gmmu::os {

class Kernel;

/// CPU views of physical memory objects.
///
/// A view contains the requested range and lies within the object, but may begin earlier and end
/// later than the request. The seed determines whether a view is aligned to 4 KiB or to 64 KiB.
/// Kernel views are valid in every process. A user view belongs to the process that is current when
/// it is mapped; accesses from other processes fault.
class CpuViews {
 public:
  explicit CpuViews(Kernel& kernel);
  ~CpuViews();
  CpuViews(const CpuViews&) = delete;
  CpuViews& operator=(const CpuViews&) = delete;

  /// Maps a view of an object of `bytes` bytes. Returns STATUS_INVALID_PARAMETER for a range
  /// outside the object, for a user view of I/O space, and for a section that was created without
  /// the right to map it.
  NTSTATUS Map(HANDLE object, MemoryBacking& backing, uint64_t bytes, DXGKARGCB_MAP_PHYSICAL_MEMORY& args,
               const std::string& owner, const char* call);
  /// Triggers a bug check if the view does not exist, belongs to another object, is another
  /// process's user view, or does not have the size that Map returned.
  void Unmap(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY& args, MemoryBacking& backing, const char* call);

 private:
  struct View {
    HANDLE object;
    uint64_t first, pages;
    bool io;
    bool user;
    uint64_t process;  // owner of a user view
    hw::ViewAccess access;
    Ledger::Ticket ticket;
  };
  void End(void* base, const View& view);
  /// Makes the user views of `process` accessible and those of other processes inaccessible.
  void SwitchTo(uint64_t process);
  std::string Explain(const void* address) const;

  Kernel& kernel_;
  Random random_;
  std::map<void*, View> views_;
};

}  // namespace gmmu::os
