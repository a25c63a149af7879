// SPDX-License-Identifier: Apache-2.0
#include "os/memory/cpu_views.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kCuts[] = {1, 16};  // alignments in pages: 4 KiB, 64 KiB
}

CpuViews::CpuViews(Kernel& kernel) : kernel_(kernel), random_(kernel.parameters().seed, "views") {
  kernel_.scheduler().set_on_process([this](uint64_t process) { SwitchTo(process); });
  DriverGuard::Explain([this](const void* address) { return Explain(address); });
}

CpuViews::~CpuViews() {
  DriverGuard::Explain(nullptr);
  kernel_.scheduler().set_on_process(nullptr);
  // After a failed run, free the address space of the remaining views.
  for (const auto& [base, view] : views_) {
    if (!view.io) End(base, view);
  }
}

void CpuViews::End(void* base, const View& view) {
  if (view.io) kernel_.mmio().Unmap(base);
  else kernel_.hal().ram().UnmapPages(base, view.pages);
}

void CpuViews::SwitchTo(uint64_t process) {
  for (const auto& [base, view] : views_) {
    if (view.user) kernel_.hal().ram().SetReachable(base, view.pages, view.access, view.process == process);
  }
}

std::string CpuViews::Explain(const void* address) const {
  const uint64_t process = kernel_.scheduler().process();
  for (const auto& [base, view] : views_) {
    const auto* const start = static_cast<const uint8_t*>(base);
    if (!view.user || address < start || address >= start + view.pages * hw::kPageSize) continue;
    if (view.process == process) return "in its own user view, which is read-only";
    return "in a user view of process " + std::to_string(view.process) + ", from process " + std::to_string(process) +
           (process == 0 ? " (the system's)" : "") +
           ": attach to the process, or map with DXGK_ACCESS_MODE_KERNEL_MODE";
  }
  return "";
}

NTSTATUS CpuViews::Map(HANDLE object, MemoryBacking& backing, uint64_t bytes, DXGKARGCB_MAP_PHYSICAL_MEMORY& args,
                       const std::string& owner, const char* call) {
  args.pMappedAddress = nullptr;
  if (args.Size == 0 || args.Offset >= bytes || args.Size > bytes - args.Offset) return STATUS_INVALID_PARAMETER;
  const bool user = args.AccessMode == DXGK_ACCESS_MODE_USER_MODE;
  if (!user && args.AccessMode != DXGK_ACCESS_MODE_KERNEL_MODE) return STATUS_INVALID_PARAMETER;
  if (user && backing.io_space()) return STATUS_INVALID_PARAMETER;
  if (!backing.access()) return STATUS_INVALID_PARAMETER;

  const uint64_t cut = kCuts[random_.Below(2)];
  const uint64_t last = (args.Offset + args.Size - 1) / hw::kPageSize;
  View view;
  view.object = object;
  view.first = args.Offset / hw::kPageSize / cut * cut;
  view.pages = std::min(backing.pages(), (last / cut + 1) * cut) - view.first;
  view.io = backing.io_space();
  view.user = user;
  view.process = kernel_.scheduler().process();
  view.access = *backing.access();
  if (!backing.Hold(view.first, view.pages)) return STATUS_NO_MEMORY;
  const uint64_t* pfns = backing.pfns().data() + view.first;
  void* base = view.io ? kernel_.mmio().Map(*pfns * hw::kPageSize, view.pages * hw::kPageSize, owner, call)
                       : kernel_.hal().ram().MapPages(pfns, view.pages, backing.caching(), *backing.access());
  if (base == nullptr) {
    backing.Release(view.first, view.pages);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  view.ticket = kernel_.ledger().Open(
      "cpu_view", std::to_string(view.pages * hw::kPageSize) + " bytes of " + Hex(reinterpret_cast<uintptr_t>(object)),
      owner, call);
  views_.emplace(base, view);
  args.pMappedAddress = base;
  args.Offset -= view.first * hw::kPageSize;
  args.Size = view.pages * hw::kPageSize;
  return STATUS_SUCCESS;
}

void CpuViews::Unmap(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY& args, MemoryBacking& backing, const char* call) {
  const auto found = FindOrStop(views_, args.pBaseAddress, call, " of an unknown view");
  const View view = found->second;
  if (view.object != args.hPhysicalMemoryObject) throw BugCheck(std::string(call) + " with another object's handle");
  if (view.pages * hw::kPageSize != args.Size)
    throw BugCheck(std::string(call) + " with a size other than the view's: " + std::to_string(args.Size) +
                   ", the map gave back " + std::to_string(view.pages * hw::kPageSize));
  if (view.user && view.process != kernel_.scheduler().process()) {
    throw BugCheck(std::string(call) + " of a user view of process " + std::to_string(view.process) + " in process " +
                   std::to_string(kernel_.scheduler().process()));
  }
  End(args.pBaseAddress, view);
  backing.Release(view.first, view.pages);
  kernel_.ledger().Close(view.ticket);
  views_.erase(found);
}

}  // namespace gmmu::os
