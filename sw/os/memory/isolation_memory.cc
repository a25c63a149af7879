// SPDX-License-Identifier: Apache-2.0
#include "os/memory/isolation_memory.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

constexpr char kDriver[] = "driver";
constexpr uint64_t kMostMdlBytes = (uint64_t{4} << 30) - hw::kPageSize;

}  // namespace

IsolationMemory::~IsolationMemory() {
  // After a failed run, free the address space of the remaining views.
  for (const auto& [handle, block] : blocks_) {
    if (block.view != nullptr) kernel_.hal().ram().UnmapPages(block.view, block.pfns.size());
  }
}

IsolationMemory::Adapter& IsolationMemory::Of(HANDLE adapter, const char* call) {
  kernel_.scheduler().RequireApc(call);
  return FindOrStop(adapters_, adapter, call, " for an adapter that is not started")->second;
}

void IsolationMemory::SetDomain(HANDLE adapter, RemappingDomain& domain) {
  adapters_.at(adapter).view.domain = &domain;
  for (const auto& [handle, block] : blocks_) {
    if (block.adapter == adapter) kernel_.iommu()->MapIdentity(domain, block.pfns);
  }
}

size_t IsolationMemory::Live(HANDLE adapter) const {
  return static_cast<size_t>(std::count_if(blocks_.begin(), blocks_.end(),
                                           [adapter](const auto& block) { return block.second.adapter == adapter; }));
}

void IsolationMemory::RemoveAdapter(HANDLE adapter) { adapters_.erase(adapter); }

HANDLE IsolationMemory::Keep(Block block, const char* kind, const char* call) {
  const HANDLE handle = reinterpret_cast<HANDLE>(uint64_t{0xFFFF8100} << 32 | next_handle_++ << 4);
  RemappingDomain* domain = DomainOf(block.adapter);
  if (domain != nullptr) kernel_.iommu()->MapIdentity(*domain, block.pfns);
  for (uint64_t pfn : block.pfns) kernel_.pages().Pin(pfn, kDriver, call);
  block.ticket = kernel_.ledger().Open(
      kind, Hex(reinterpret_cast<uintptr_t>(handle)) + ", " + std::to_string(block.pfns.size()) + " pages", kDriver,
      call);
  blocks_.emplace(handle, std::move(block));
  return handle;
}

std::map<HANDLE, IsolationMemory::Block>::iterator IsolationMemory::Find(HANDLE adapter, HANDLE handle, Kind kind,
                                                                         const char* call) {
  Of(adapter, call);
  const auto found = blocks_.find(handle);
  if (found == blocks_.end() || found->second.kind != kind || found->second.adapter != adapter)
    throw BugCheck(std::string(call) + " of an unknown handle " + Hex(reinterpret_cast<uintptr_t>(handle)));
  return found;
}

void IsolationMemory::Drop(std::map<HANDLE, Block>::iterator at) {
  Block& block = at->second;
  if (RemappingDomain* domain = DomainOf(block.adapter)) kernel_.iommu()->UnmapIdentity(*domain, block.pfns);
  for (uint64_t pfn : block.pfns) kernel_.pages().Unpin(pfn);
  if (block.view != nullptr) kernel_.hal().ram().UnmapPages(block.view, block.pfns.size());
  block.backing.Free(kernel_);  // no effect on pages that the driver owns
  kernel_.ledger().Close(block.ticket);
  blocks_.erase(at);
}

NTSTATUS IsolationMemory::AllocateContiguous(HANDLE adapter, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY& args) {
  static constexpr char kCall[] = "DxgkCbAllocateContiguousMemory";
  const bool refused = Of(adapter, kCall).refused();
  args.hMemoryHandle = nullptr;
  args.pMemory = nullptr;
  if (refused) return STATUS_NOT_SUPPORTED;
  MemoryBacking::Arguments create{};
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
  create.Size = args.NumberOfBytes;
  create.CacheType = args.CacheType;
  create.ContiguousMemory = {args.LowestAcceptableAddress, args.HighestAcceptableAddress, args.BoundaryAddressMultiple};
  Block block{Kind::kContiguous, adapter, {}, {}, {}, nullptr, nullptr, 0};
  const NTSTATUS status = MemoryBacking::Make(kernel_, nullptr, create, kDriver, kCall, block.backing);
  if (status == STATUS_INSUFFICIENT_RESOURCES)
    return STATUS_NO_MEMORY;  // this callback reports lack of memory by this status
  if (!NT_SUCCESS(status)) return status;
  block.pfns = block.backing.pfns();
  block.view = args.pMemory = kernel_.hal().ram().MapPages(block.pfns.data(), block.pfns.size(),
                                                           block.backing.caching());
  args.hMemoryHandle = Keep(std::move(block), "isolation_memory", kCall);
  return STATUS_SUCCESS;
}

NTSTATUS IsolationMemory::FreeContiguous(HANDLE adapter, const DXGKARGCB_FREECONTIGUOUSMEMORY& args) {
  Drop(Find(adapter, args.hMemoryHandle, Kind::kContiguous, "DxgkCbFreeContiguousMemory"));
  return STATUS_SUCCESS;
}

NTSTATUS IsolationMemory::AllocatePagesForMdl(HANDLE adapter, DXGKARGCB_ALLOCATEPAGESFORMDL& args) {
  static constexpr char kCall[] = "DxgkCbAllocatePagesForMdl";
  const bool refused = Of(adapter, kCall).refused();
  args.hMemoryHandle = nullptr;
  args.pMdl = nullptr;
  if (refused) return STATUS_NOT_SUPPORTED;
  if (args.TotalBytes > kMostMdlBytes) return STATUS_INVALID_PARAMETER;
  MemoryBacking::Arguments create{};
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
  create.Size = args.TotalBytes;
  create.CacheType = args.CacheType;
  create.Mdl = {args.LowAddress, args.HighAddress, args.SkipBytes, args.Flags};
  Block block{Kind::kMdl, adapter, {}, {}, {}, nullptr, nullptr, 0};
  const NTSTATUS status = MemoryBacking::Make(kernel_, nullptr, create, kDriver, kCall, block.backing);
  if (!NT_SUCCESS(status)) return status;
  block.pfns = block.backing.pfns();
  block.mdl = Mdl(block.pfns);
  const HANDLE handle = Keep(std::move(block), "isolation_mdl", kCall);
  args.hMemoryHandle = handle;
  args.pMdl = blocks_.at(handle).mdl.get();
  return STATUS_SUCCESS;
}

NTSTATUS IsolationMemory::FreePagesFromMdl(HANDLE adapter, const DXGKARGCB_FREEPAGESFROMMDL& args) {
  static constexpr char kCall[] = "DxgkCbFreePagesFromMdl";
  const auto found = Find(adapter, args.hMemoryHandle, Kind::kMdl, kCall);
  kernel_.mdl_views().RequireNone(*found->second.mdl.get(), kCall);
  Drop(found);
  return STATUS_SUCCESS;
}

NTSTATUS IsolationMemory::MapMdl(HANDLE adapter, DXGKARGCB_MAPMDLTOIOMMU& args) {
  static constexpr char kCall[] = "DxgkCbMapMdlToIoMmu";
  const bool refused = Of(adapter, kCall).refused();
  args.hMemoryHandle = nullptr;
  if (refused) return STATUS_NOT_SUPPORTED;
  if (args.pMdl == nullptr || args.pMdl->ByteCount == 0) return STATUS_INVALID_PARAMETER;
  Block block{Kind::kDriversMdl, adapter, Mdl::PagesOf(args.pMdl), {}, {}, args.pMdl, nullptr, 0};
  const auto free = [this](uint64_t pfn) { return !kernel_.pages().Allocated(pfn); };
  if (std::any_of(block.pfns.begin(), block.pfns.end(), free)) return STATUS_INVALID_PARAMETER;
  args.hMemoryHandle = Keep(std::move(block), "iommu_mdl", kCall);
  return STATUS_SUCCESS;
}

void IsolationMemory::UnmapMdl(HANDLE adapter, const DXGKARGCB_UNMAPMDLFROMIOMMU& args) {
  static constexpr char kCall[] = "DxgkCbUnmapMdlFromIoMmu";
  const auto found = Find(adapter, args.hMemoryHandle, Kind::kDriversMdl, kCall);
  if (Mdl::PagesOf(found->second.drivers) != found->second.pfns)
    throw BugCheck(std::string(kCall) + ": the MDL was changed while it was mapped");
  Drop(found);
}

}  // namespace gmmu::os
