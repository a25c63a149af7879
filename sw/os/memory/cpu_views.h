// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "ddi/d3dkmddi.h"
#include "os/memory/memory_backing.h"

namespace gmmu::os {

class Kernel;

/// Views that the CPU has of physical memory objects.
///
/// A view begins at or before what is asked for and ends at or behind it: the seed draws whether it is cut at 4 KiB
/// or at 64 KiB, as far as the object reaches. Kernel views serve every process; a user view belongs to the process
/// that is current at the call, and an access from another one is a fault.
class CpuViews {
 public:
  explicit CpuViews(Kernel& kernel);
  ~CpuViews();
  CpuViews(const CpuViews&) = delete;
  CpuViews& operator=(const CpuViews&) = delete;

  /// `bytes` of the object. STATUS_INVALID_PARAMETER for what does not lie inside it, a user view of IO space and a
  /// section that may not be mapped.
  NTSTATUS Map(HANDLE object, MemoryBacking& backing, uint64_t bytes, DXGKARGCB_MAP_PHYSICAL_MEMORY& args,
               const std::string& owner, const char* call);
  /// Bug checks: no such view, another object's, another size than Map gave back, another process' user view.
  void Unmap(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY& args, MemoryBacking& backing, const char* call);

 private:
  struct View {
    HANDLE object;
    uint64_t first, pages;
    bool io;
    bool user;
    uint64_t process;  // of a user view
    hw::ViewAccess access;
    Ledger::Ticket ticket;
  };
  void End(void* base, const View& view);
  /// Shows the user views of this process and hides those of others.
  void SwitchTo(uint64_t process);
  std::string Explain(const void* address) const;

  Kernel& kernel_;
  Random random_;
  std::map<void*, View> views_;
};

}  // namespace gmmu::os
