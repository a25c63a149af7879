// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in wdm_memory.h and the pool routines of wdm.h. The register
// routines are in registers.cc.
#include "ddi/wdm_memory.h"

#include <algorithm>
#include <cstring>

#include "os/base/bug_check.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"

using gmmu::os::BugCheck;
using gmmu::os::Kernel;

namespace {

constexpr ULONG kNoTag = 0x656E6F4E;  // "None"
constexpr int kUninitialized = 0xCD;

PVOID Allocate(const std::string& routine, bool paged, SIZE_T bytes, ULONG tag, bool zero) {
  Kernel& kernel = paged ? Kernel::Called((routine + " of paged pool").c_str(), gmmu::os::kApc)
                         : Kernel::Called(routine.c_str(), gmmu::os::kDispatch);
  PVOID const block = kernel.AllocatePool(bytes, tag);
  if (block != nullptr && !zero) memset(block, kUninitialized, bytes);
  return block;
}

bool IsPaged(POOL_TYPE type) { return (type & 1) != 0; }

}  // namespace

extern "C" {

PVOID ExAllocatePool2(ULONG64 Flags, SIZE_T NumberOfBytes, ULONG Tag) {
  PVOID const block = Allocate("ExAllocatePool2", (Flags & POOL_FLAG_PAGED) != 0, NumberOfBytes, Tag,
                               (Flags & POOL_FLAG_UNINITIALIZED) == 0);
  if (block == nullptr && (Flags & POOL_FLAG_RAISE_ON_FAILURE) != 0) {
    throw BugCheck(gmmu::os::StopCode::kSystemThreadException,
                   {static_cast<ULONG>(STATUS_INSUFFICIENT_RESOURCES), 0, 0, 0},
                   "ExAllocatePool2 with POOL_FLAG_RAISE_ON_FAILURE found no memory");
  }
  return block;
}
PVOID ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  return Allocate("ExAllocatePoolWithTag", IsPaged(PoolType), NumberOfBytes, Tag, false);
}
PVOID ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  return Allocate("ExAllocatePoolUninitialized", IsPaged(PoolType), NumberOfBytes, Tag, false);
}
PVOID ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  return Allocate("ExAllocatePoolZero", IsPaged(PoolType), NumberOfBytes, Tag, true);
}
PVOID ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes) {
  return ExAllocatePoolWithTag(PoolType, NumberOfBytes, kNoTag);
}
void ExFreePoolWithTag(PVOID P, ULONG Tag) {
  Kernel::Called("ExFreePoolWithTag", gmmu::os::kDispatch).FreePool(P, Tag);
}
void ExFreePool(PVOID P) { Kernel::Called("ExFreePool", gmmu::os::kDispatch).FreePool(P, 0); }

PVOID MmAllocateContiguousMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS HighestAcceptableAddress) {
  return MmAllocateContiguousMemorySpecifyCache(NumberOfBytes, {}, HighestAcceptableAddress, {}, MmCached);
}
void MmFreeContiguousMemory(PVOID BaseAddress) {
  Kernel& kernel = Kernel::Called("MmFreeContiguousMemory", gmmu::os::kDispatch);
  kernel.contiguous().Free(BaseAddress, kernel.contiguous().BytesOf(BaseAddress));
}

PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG Protect) {
  UNREFERENCED_PARAMETER(Protect);
  Kernel& kernel = Kernel::Called("MmMapIoSpace", gmmu::os::kDispatch);
  const auto start = static_cast<uint64_t>(PhysicalAddress.QuadPart);
  if (!kernel.pci().Decodes(start, NumberOfBytes)) return nullptr;
  if (kernel.refusals().Allocation([] { return std::string("a view of device memory"); })) return nullptr;
  return kernel.mmio().Map(start, NumberOfBytes, "driver", "MmMapIoSpace");
}
PVOID MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType) {
  UNREFERENCED_PARAMETER(CacheType);
  return MmMapIoSpaceEx(PhysicalAddress, NumberOfBytes, PAGE_READWRITE);
}
void MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes) {
  Kernel& kernel = Kernel::Called("MmUnmapIoSpace", gmmu::os::kDispatch);
  kernel.mmio().Resolve(BaseAddress, NumberOfBytes);
  kernel.mmio().Unmap(BaseAddress);
}

PMDL MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS SkipBytes,
                             SIZE_T TotalBytes, MEMORY_CACHING_TYPE CacheType, ULONG Flags) {
  UNREFERENCED_PARAMETER(SkipBytes);
  UNREFERENCED_PARAMETER(CacheType);
  constexpr const char* kCall = "MmAllocatePagesForMdlEx";
  Kernel& kernel = Kernel::Called(kCall, gmmu::os::kDispatch);
  kernel.driver().NoteForbidden(kCall);
  const uint64_t count = gmmu::os::PagesOf(TotalBytes);
  if (count == 0 || kernel.refusals().Allocation([] { return std::string("pages for an MDL"); })) return nullptr;
  PMDL const list = IoAllocateMdl(nullptr, static_cast<ULONG>(count * PAGE_SIZE), FALSE, FALSE, nullptr);
  if (list == nullptr) return nullptr;
  const auto low = static_cast<uint64_t>(LowAddress.QuadPart), high = static_cast<uint64_t>(HighAddress.QuadPart);
  kernel.pages().set_zeroing((Flags & MM_DONT_ZERO_ALLOCATION) == 0);
  const auto pages = kernel.pages().AllocateScattered(count, low, high == ~uint64_t{0} ? high : high + 1, "driver",
                                                      kCall);
  kernel.pages().set_zeroing(true);
  if (!pages) {
    IoFreeMdl(list);
    return nullptr;
  }
  std::copy(pages->begin(), pages->end(), MmGetMdlPfnArray(list));
  list->MdlFlags = static_cast<SHORT>(list->MdlFlags | MDL_PAGES_LOCKED);
  return list;
}
void MmFreePagesFromMdl(PMDL MemoryDescriptorList) {
  Kernel& kernel = Kernel::Called("MmFreePagesFromMdl", gmmu::os::kDispatch);
  kernel.mdl_views().RequireNone(*MemoryDescriptorList, "MmFreePagesFromMdl");
  const PFN_NUMBER* const first = MmGetMdlPfnArray(MemoryDescriptorList);
  kernel.pages().Free({first, first + MemoryDescriptorList->ByteCount / PAGE_SIZE});
  MemoryDescriptorList->ByteCount = 0;
}

}  // extern "C"
