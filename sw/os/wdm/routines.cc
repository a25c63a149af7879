// SPDX-License-Identifier: Apache-2.0
// Implements the kernel routines declared in wdm.h.
#include <string>

#include "ddi/wdm.h"
#include "os/base/bug_check.h"
#include "os/kernel/contiguous_memory.h"
#include "os/guard/driver_guard.h"
#include "os/wdm/driver_time.h"
#include "os/guard/guarded_memory.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/guard/stack_meter.h"

using gmmu::os::Kernel;

namespace {

constexpr uint32_t kMdlTag = 0x206C644D;  // "Mdl "

void CheckTime(const Kernel& kernel, uint64_t now_ns) {
  using gmmu::os::DriverGuard;
  DriverGuard::CheckTime(now_ns, DriverGuard::kBoundNs * kernel.parameters().wait_scale);
}

}  // namespace

extern "C" {

KIRQL KeGetCurrentIrql(void) { return static_cast<KIRQL>(Kernel::Current().scheduler().irql()); }

NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Interval) {
  UNREFERENCED_PARAMETER(WaitMode);
  UNREFERENCED_PARAMETER(Alertable);
  Kernel& kernel = Kernel::Called("KeDelayExecutionThread", gmmu::os::kApc);
  const uint64_t ns = gmmu::os::DriverTime::Until(kernel, *Interval);
  const uint64_t end = kernel.hal().NowNs() + ns;
  CheckTime(kernel, kernel.hal().NowNs());
  gmmu::os::StackMeter::Off([&] {
    kernel.scheduler().Wait([&] { return kernel.hal().NowNs() >= end; }, ns + 1'000'000, "a delay to end", ns);
  });
  return STATUS_SUCCESS;
}

ULONGLONG KeQueryInterruptTime(void) {
  const uint64_t now = Kernel::Current().hal().NowNs();
  CheckTime(Kernel::Current(), now);
  Kernel::Current().scheduler().Preempt();
  return now / 100;
}

PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID BaseAddress) {
  Kernel::Current().scheduler().Preempt();
  PHYSICAL_ADDRESS address{};
  address.QuadPart = static_cast<LONGLONG>(
      Kernel::Current().hal().ram().PhysicalOf(gmmu::os::GuardedMemory::RealOf(BaseAddress)).value_or(0));
  return address;
}

PVOID MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                             PHYSICAL_ADDRESS HighestAcceptableAddress,
                                             PHYSICAL_ADDRESS BoundaryAddressMultiple, MEMORY_CACHING_TYPE CacheType) {
  gmmu::os::ContiguousMemory::Bounds bounds;
  bounds.lowest = static_cast<uint64_t>(LowestAcceptableAddress.QuadPart);
  bounds.highest = static_cast<uint64_t>(HighestAcceptableAddress.QuadPart);
  bounds.boundary = static_cast<uint64_t>(BoundaryAddressMultiple.QuadPart);
  const auto name = [&] { return "contiguous memory of " + std::to_string(NumberOfBytes) + " bytes"; };
  if (Kernel::Current().refusals().Allocation(name)) return nullptr;
  return Kernel::Current().contiguous().Allocate(NumberOfBytes, bounds, CacheType);
}

void MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType) {
  UNREFERENCED_PARAMETER(CacheType);
  Kernel::Called("MmFreeContiguousMemorySpecifyCache", gmmu::os::kDispatch)
      .contiguous()
      .Free(BaseAddress, NumberOfBytes);
}

PVOID MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName) {
  Kernel::Called("MmGetSystemRoutineAddress", gmmu::os::kPassive);
  const std::u16string name(reinterpret_cast<const char16_t*>(SystemRoutineName->Buffer),
                            SystemRoutineName->Length / sizeof(WCHAR));
  if (name == u"MmAllocateContiguousMemorySpecifyCache")
    return reinterpret_cast<PVOID>(MmAllocateContiguousMemorySpecifyCache);
  if (name == u"MmFreeContiguousMemorySpecifyCache") return reinterpret_cast<PVOID>(MmFreeContiguousMemorySpecifyCache);
  return nullptr;
}

PMDL IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer, BOOLEAN ChargeQuota, PIRP Irp) {
  UNREFERENCED_PARAMETER(SecondaryBuffer);
  UNREFERENCED_PARAMETER(ChargeQuota);
  UNREFERENCED_PARAMETER(Irp);
  const auto address = reinterpret_cast<uint64_t>(VirtualAddress);
  const uint64_t offset = address % PAGE_SIZE;
  const uint64_t pages = gmmu::os::PagesOf(offset + Length);
  const uint64_t bytes = sizeof(MDL) + pages * sizeof(PFN_NUMBER);
  PMDL const list =
      static_cast<PMDL>(Kernel::Called("IoAllocateMdl", gmmu::os::kDispatch).AllocatePool(bytes, kMdlTag));
  if (list == nullptr) return nullptr;
  list->Size = static_cast<SHORT>(bytes < 0x7FFF ? bytes : 0x7FFF);
  list->StartVa = reinterpret_cast<PVOID>(address - offset);
  list->ByteOffset = static_cast<ULONG>(offset);
  list->ByteCount = Length;
  return list;
}

void IoFreeMdl(PMDL Mdl) {
  Kernel& kernel = Kernel::Called("IoFreeMdl", gmmu::os::kDispatch);
  kernel.mdl_views().RequireNone(*Mdl, "IoFreeMdl");
  kernel.FreePool(Mdl, kMdlTag);
}

void MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList) {
  Kernel& kernel = Kernel::Called("MmBuildMdlForNonPagedPool", gmmu::os::kDispatch);
  MDL& list = *MemoryDescriptorList;
  const auto* start = static_cast<const uint8_t*>(gmmu::os::GuardedMemory::RealOf(list.StartVa));
  const uint64_t pages = gmmu::os::PagesOf(uint64_t{list.ByteOffset} + list.ByteCount);
  for (uint64_t page = 0; page < pages; ++page) {
    const auto physical = kernel.hal().ram().PhysicalOf(start + page * PAGE_SIZE);
    if (!physical)
      throw gmmu::os::BugCheck("MmBuildMdlForNonPagedPool of memory that is no view of system memory, page " +
                               std::to_string(page) + " of " + std::to_string(pages));
    MmGetMdlPfnArray(&list)[page] = *physical / PAGE_SIZE;
  }
  list.MappedSystemVa = static_cast<uint8_t*>(list.StartVa) + list.ByteOffset;
  list.MdlFlags = static_cast<SHORT>(list.MdlFlags | MDL_SOURCE_IS_NONPAGED_POOL);
}

PVOID MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode, MEMORY_CACHING_TYPE CacheType,
                                   PVOID RequestedAddress, ULONG BugCheckOnFailure, ULONG Priority) {
  UNREFERENCED_PARAMETER(RequestedAddress);
  UNREFERENCED_PARAMETER(BugCheckOnFailure);
  UNREFERENCED_PARAMETER(Priority);
  Kernel& kernel = Kernel::Called("MmMapLockedPagesSpecifyCache",
                                  AccessMode == KernelMode ? gmmu::os::kDispatch : gmmu::os::kApc);
  // The model never maps a driver's pages for user mode.
  if (AccessMode != KernelMode) return nullptr;
  return kernel.mdl_views().Map(*MemoryDescriptorList, CacheType);
}

void MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList) {
  Kernel::Called("MmUnmapLockedPages", gmmu::os::kDispatch).mdl_views().Unmap(BaseAddress, *MemoryDescriptorList);
}

BOOLEAN KeInvalidateAllCaches(void) {
  Kernel::Called("KeInvalidateAllCaches", gmmu::os::kDispatch).hal().ram().cache().WriteBackAll();
  Kernel::Current().scheduler().Preempt();
  return TRUE;
}

NTSTATUS GmmuQueryParameter(const char* Name, ULONG64* Value) {
  const auto value = Kernel::Current().QueryParameter(Name);
  if (!value) return STATUS_OBJECT_NAME_NOT_FOUND;
  *Value = *value;
  return STATUS_SUCCESS;
}

}  // extern "C"
