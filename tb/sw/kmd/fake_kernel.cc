// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/kmd/fake_kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace gmmu::kmd::test {
namespace {
FakeKernel* current = nullptr;
HANDLE const kDeviceHandle = reinterpret_cast<HANDLE>(0xD0D0);
constexpr uint64_t kRegisterBytes = 64 * 1024;
constexpr SIZE_T kViewLead = 64;  // number of bytes that precede the data in a view
uint64_t next_page = 0x1000;
}  // namespace

bool FakeKernel::MemoryCallFails() { return memory_calls_++ == fail_at_memory_call; }

namespace {
NTSTATUS CreateObject(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT* args) {
  if (current->MemoryCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  if (args->hAdapter != kDeviceHandle) current->mistakes.push_back("memory object without adapter");
  auto object = std::make_unique<FakeKernel::Object>();
  object->memory.assign(args->Size / 8 + kViewLead / 8, 0xA5A5A5A5A5A5A5A5);  // dirty
  for (SIZE_T i = 0; i < args->Size / PAGE_SIZE; ++i) object->pages.push_back(next_page += 7);
  args->hPhysicalMemoryObject = object.get();
  args->hAdapterMemoryObject = reinterpret_cast<uint8_t*>(object.get()) + 1;
  current->memory[args->hPhysicalMemoryObject] = std::move(object);
  ++current->objects;
  return STATUS_SUCCESS;
}

void DestroyObject(CONST DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT* args) {
  const auto found = current->memory.find(args->hPhysicalMemoryObject);
  if (found == current->memory.end()) return current->mistakes.push_back("unknown object destroyed");
  if (found->second->has_adl) current->mistakes.push_back("object destroyed before its ADL");
  if (found->second->mapped) current->mistakes.push_back("object destroyed while mapped");
  current->memory.erase(found);
  --current->objects;
}

FakeKernel::Object* OfAdapterHandle(HANDLE handle) {
  const auto found = current->memory.find(reinterpret_cast<uint8_t*>(handle) - 1);
  return found == current->memory.end() ? nullptr : found->second.get();
}

NTSTATUS AllocateAdl(DXGKARGCB_ALLOCATE_ADL* args) {
  if (current->MemoryCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  auto* object = OfAdapterHandle(args->hAdapterMemoryObject);
  if (object == nullptr) return STATUS_INVALID_HANDLE;
  object->adl.PageCount = static_cast<UINT32>(args->Size / PAGE_SIZE);
  object->adl.Flags.Contiguous = current->contiguous_adls;
  if (current->contiguous_adls) object->adl.BasePageNumber = object->pages[0];
  else object->adl.Pages = object->pages.data();
  object->has_adl = true;
  args->pAdl = &object->adl;
  ++current->adls;
  return STATUS_SUCCESS;
}

void FreeAdl(CONST DXGKARGCB_FREE_ADL* args) {
  auto* object = OfAdapterHandle(args->hAdapterMemoryObject);
  if (object == nullptr || args->pAdl != &object->adl) return current->mistakes.push_back("wrong ADL freed");
  object->has_adl = false;
  --current->adls;
}

NTSTATUS MapObject(DXGKARGCB_MAP_PHYSICAL_MEMORY* args) {
  if (current->MemoryCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  auto& object = *current->memory.at(args->hPhysicalMemoryObject);
  args->pMappedAddress = object.memory.data();
  args->Offset = kViewLead;
  args->Size = args->Size + kViewLead;
  object.mapped = true;
  ++current->views;
  return STATUS_SUCCESS;
}

void UnmapObject(CONST DXGKARGCB_UNMAP_PHYSICAL_MEMORY* args) {
  auto& object = *current->memory.at(args->hPhysicalMemoryObject);
  if (args->pBaseAddress != object.memory.data() || args->Size != PAGE_SIZE + kViewLead) {
    current->mistakes.push_back("unmap of another view");
  }
  object.mapped = false;
  --current->views;
}

NTSTATUS GetDeviceInformation(HANDLE, PDXGK_DEVICE_INFO info) {
  static struct {
    CM_RESOURCE_LIST list;
    CM_PARTIAL_RESOURCE_DESCRIPTOR more[2];
  } resources;
  resources = {};
  resources.list.Count = 1;
  CM_PARTIAL_RESOURCE_LIST& partial = resources.list.List[0].PartialResourceList;
  partial.Count = 3;
  CM_PARTIAL_RESOURCE_DESCRIPTOR* at = partial.PartialDescriptors;
  at[0].Type = CmResourceTypeMemory;
  at[0].u.Memory.Start.QuadPart = 0xC0000000;
  at[0].u.Memory.Length = kRegisterBytes;
  at[1].Type = CmResourceTypeInterrupt;
  at[2].Type = CmResourceTypeMemory;
  at[2].u.Memory.Start.QuadPart = FakeKernel::kWindowAddress;
  at[2].u.Memory.Length = FakeKernel::kWindowBytes;
  *info = {};
  info->TranslatedResourceList = &resources.list;
  return STATUS_SUCCESS;
}

bool ContextCallFails() { return current->context_calls++ == current->fail_at_context_call; }

NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  if (ContextCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  if (args->hAdapter != kDeviceHandle) current->mistakes.push_back("context allocation without adapter");
  args->hAllocation = reinterpret_cast<HANDLE>(uint64_t{0xC000} + static_cast<uint64_t>(current->context_calls));
  current->context_allocations[args->hAllocation].args = *args;
  return STATUS_SUCCESS;
}
NTSTATUS DestroyContextAllocation(HANDLE, HANDLE allocation) {
  if (current->context_allocations.erase(allocation) == 0) current->mistakes.push_back("unknown context allocation");
  return STATUS_SUCCESS;
}
D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(HANDLE, CONST DXGKARGCB_MAPCONTEXTALLOCATION* args) {
  if (ContextCallFails()) return 0;
  return current->context_allocations.at(args->hAllocation).va = 0x700000 +
                                                                 reinterpret_cast<uint64_t>(args->hAllocation) * 16;
}
NTSTATUS UpdateContextAllocation(HANDLE, CONST DXGKARGCB_UPDATECONTEXTALLOCATION* args) {
  if (ContextCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  const auto* words = static_cast<const uint64_t*>(args->pPrivateDriverData);
  current->context_allocations.at(args->hAllocation).words.assign(words, words + args->PrivateDriverDataSize / 8);
  return STATUS_SUCCESS;
}
NTSTATUS ReserveRange(HANDLE, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE* args) {
  if (ContextCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  args->StartVirtualAddress = 0x40000000;
  current->reserved.push_back(*args);
  return STATUS_SUCCESS;
}

PVOID registers_pointer, window_pointer;

NTSTATUS MapMemory(HANDLE, PHYSICAL_ADDRESS address, ULONG, BOOLEAN, BOOLEAN, MEMORY_CACHING_TYPE, PVOID* pointer) {
  *pointer = address.QuadPart == FakeKernel::kWindowAddress ? window_pointer : registers_pointer;
  ++current->bars;
  return STATUS_SUCCESS;
}

NTSTATUS UnmapMemory(HANDLE, PVOID) {
  --current->bars;
  return STATUS_SUCCESS;
}

void NotifyInterrupt(HANDLE, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  current->notifications.push_back(*data);
  if (current->on_notify) current->on_notify(*data);
}
void NotifyDpc(HANDLE) { ++current->notified_dpcs; }
BOOLEAN QueueDpc(HANDLE) { return ++current->dpcs, TRUE; }
NTSTATUS Synchronize(HANDLE, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG, BOOLEAN* result) {
  if (std::exchange(current->at_device_level, true)) current->mistakes.push_back("the interrupt lock is held already");
  *result = routine(context);
  current->at_device_level = false;
  return STATUS_SUCCESS;
}

}  // namespace

FakeKernel::FakeKernel() : registers_view_(new uint8_t[kRegisterBytes]()), window_(new uint8_t[kWindowBytes]()) {
  current = this;
  registers_pointer = registers_view_.get();
  window_pointer = window_.get();
}

FakeKernel::~FakeKernel() {
  EXPECT_EQ(mistakes, std::vector<std::string>{});
  current = nullptr;
}

uint64_t FakeKernel::ReadWord(const volatile void* at) {
  const auto* byte = static_cast<const volatile uint8_t*>(at);
  if (byte >= registers_view_.get() && byte < registers_view_.get() + kRegisterBytes) {
    return registers_[static_cast<uint32_t>(byte - registers_view_.get())];
  }
  if (byte >= window_.get() && byte < window_.get() + kWindowBytes) {
    return vram[registers_[regs::WindowBase::kOffset] + static_cast<uint64_t>(byte - window_.get())];
  }
  return *static_cast<const volatile uint64_t*>(at);
}

void FakeKernel::WriteWord(volatile void* at, uint64_t value) {
  const auto* byte = static_cast<volatile uint8_t*>(at);
  if (byte >= registers_view_.get() && byte < registers_view_.get() + kRegisterBytes) {
    const auto offset = static_cast<uint32_t>(byte - registers_view_.get());
    writes.push_back({false, offset, value});
    if (on_write) on_write(writes.back());
    if (offset == regs::IntStatus::kOffset) registers_[offset] &= ~value;
    else registers_[offset] = offset == regs::SizesInUse::kOffset && sizes_held != 0 ? sizes_held : value;
    return;
  }
  if (byte >= window_.get() && byte < window_.get() + kWindowBytes) {
    const uint64_t offset = registers_[regs::WindowBase::kOffset] + static_cast<uint64_t>(byte - window_.get());
    writes.push_back({true, offset, value});
    vram[offset] = value;
    return;
  }
  *static_cast<volatile uint64_t*>(at) = value;
}

uint64_t* FakeKernel::SystemMemory(uint64_t logical) {
  for (auto& [handle, object] : memory) {
    for (size_t i = 0; i < object->pages.size(); ++i) {
      if (object->pages[i] == logical / PAGE_SIZE) {
        return object->memory.data() + (kViewLead + i * PAGE_SIZE + logical % PAGE_SIZE) / 8;
      }
    }
  }
  return nullptr;
}

namespace {
NTSTATUS AllocateContiguous(HANDLE, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY* args) {
  if (current->MemoryCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  ++current->contiguous;
  args->pMemory = args->hMemoryHandle = std::aligned_alloc(PAGE_SIZE, args->NumberOfBytes);
  return STATUS_SUCCESS;
}
NTSTATUS FreeContiguous(HANDLE, CONST DXGKARGCB_FREECONTIGUOUSMEMORY* args) {
  --current->contiguous;
  std::free(args->hMemoryHandle);
  return STATUS_SUCCESS;
}
/// Returns an MDL for the page at `memory`.
PMDL MakeList(void* memory) {
  PMDL const list = static_cast<PMDL>(std::calloc(1, sizeof(MDL) + sizeof(PFN_NUMBER)));
  list->ByteCount = PAGE_SIZE;
  list->StartVa = memory;
  MmGetMdlPfnArray(list)[0] = reinterpret_cast<uintptr_t>(memory) / PAGE_SIZE;
  return list;
}
NTSTATUS AllocatePages(HANDLE, DXGKARGCB_ALLOCATEPAGESFORMDL* args) {
  if (current->MemoryCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  ++current->pages;
  args->pMdl = MakeList(std::aligned_alloc(PAGE_SIZE, args->TotalBytes));
  args->hMemoryHandle = args->pMdl;
  return STATUS_SUCCESS;
}
NTSTATUS FreePages(HANDLE, CONST DXGKARGCB_FREEPAGESFROMMDL* args) {
  --current->pages;
  std::free(static_cast<PMDL>(args->hMemoryHandle)->StartVa);
  std::free(args->hMemoryHandle);
  return STATUS_SUCCESS;
}
NTSTATUS MapList(HANDLE, DXGKARGCB_MAPMDLTOIOMMU* args) {
  if (current->MemoryCallFails()) return STATUS_INSUFFICIENT_RESOURCES;
  ++current->lists;
  args->hMemoryHandle = args->pMdl;
  return STATUS_SUCCESS;
}
void UnmapList(HANDLE, CONST DXGKARGCB_UNMAPMDLFROMIOMMU*) { --current->lists; }
}  // namespace

NTSTATUS FakeKernel::Load() {
  reg(regs::Id::kOffset) = regs::Id{}.set_magic(0x554D4D47).set_major(1).raw;
  reg(regs::Cap0::kOffset) = regs::Cap0{}.set_clients(4).set_spaces(4).set_rings(1).raw;
  reg(regs::Cap2::kOffset) = regs::Cap2{}.set_patterns(0b011).set_verify(1).raw;
  reg(regs::VramSize::kOffset) = vram_bytes;
  reg(regs::Status::kOffset) = regs::Status{}.set_idle(1).raw;
  reg(regs::InvStatus::kOffset) = regs::InvStatus{}.set_busy(never_quiet).raw;
  const NTSTATUS status = DriverEntry(nullptr, nullptr);
  if (!NT_SUCCESS(status)) return status;
  return table.DxgkDdiAddDevice(nullptr, &adapter);
}

NTSTATUS FakeKernel::Start() {
  DXGKRNL_INTERFACE interface{};
  interface.Size = sizeof interface;
  interface.Version = DXGKDDI_INTERFACE_VERSION;
  interface.DeviceHandle = kDeviceHandle;
  interface.DxgkCbGetDeviceInformation = GetDeviceInformation;
  interface.DxgkCbMapMemory = MapMemory;
  interface.DxgkCbUnmapMemory = UnmapMemory;
  interface.DxgkCbQueueDpc = QueueDpc;
  interface.DxgkCbSynchronizeExecution = Synchronize;
  interface.DxgkCbNotifyInterrupt = NotifyInterrupt;
  interface.DxgkCbNotifyDpc = NotifyDpc;
  interface.DxgkCbCreatePhysicalMemoryObject = CreateObject;
  interface.DxgkCbDestroyPhysicalMemoryObject = DestroyObject;
  interface.DxgkCbMapPhysicalMemory = MapObject;
  interface.DxgkCbUnmapPhysicalMemory = UnmapObject;
  interface.DxgkCbAllocateAdl = AllocateAdl;
  interface.DxgkCbFreeAdl = FreeAdl;
  interface.DxgkCbCreateContextAllocation = CreateContextAllocation;
  interface.DxgkCbDestroyContextAllocation = DestroyContextAllocation;
  interface.DxgkCbMapContextAllocation = MapContextAllocation;
  interface.DxgkCbUpdateContextAllocation = UpdateContextAllocation;
  interface.DxgkCbReserveGpuVirtualAddressRange = ReserveRange;
  interface.DxgkCbAllocateContiguousMemory = AllocateContiguous;
  interface.DxgkCbFreeContiguousMemory = FreeContiguous;
  interface.DxgkCbAllocatePagesForMdl = AllocatePages;
  interface.DxgkCbFreePagesFromMdl = FreePages;
  interface.DxgkCbMapMdlToIoMmu = MapList;
  interface.DxgkCbUnmapMdlFromIoMmu = UnmapList;
  if (kernel_version < DXGKDDI_INTERFACE_VERSION_WDDM2_9) interface.DxgkCbCreatePhysicalMemoryObject = nullptr;
  if (kernel_version < DXGKDDI_INTERFACE_VERSION_WDDM2_4) interface.DxgkCbAllocateContiguousMemory = nullptr;
  DXGK_START_INFO start{};
  return table.DxgkDdiStartDevice(adapter, &start, &interface, &sources, &children);
}

void FakeKernel::Unload() {
  table.DxgkDdiStopDevice(adapter);
  table.DxgkDdiRemoveDevice(adapter);
  adapter = nullptr;
}

}  // namespace gmmu::kmd::test
// Kernel routines declared in wdm.h.
using gmmu::kmd::test::current;

extern "C" {
ULONG READ_REGISTER_ULONG(volatile ULONG* at) { return *at; }
void WRITE_REGISTER_ULONG(volatile ULONG* at, ULONG value) { *at = value; }
ULONG64 READ_REGISTER_ULONG64(volatile ULONG64* at) { return current->ReadWord(at); }
void WRITE_REGISTER_ULONG64(volatile ULONG64* at, ULONG64 value) { current->WriteWord(at, value); }
void WRITE_REGISTER_BUFFER_ULONG64(volatile ULONG64* at, ULONG64* buffer, ULONG count) {
  for (ULONG i = 0; i < count; ++i) current->WriteWord(at + i, buffer[i]);
}
void READ_REGISTER_BUFFER_ULONG64(volatile ULONG64* at, ULONG64* buffer, ULONG count) {
  for (ULONG i = 0; i < count; ++i) buffer[i] = current->ReadWord(at + i);
}
PVOID ExAllocatePool2(ULONG64, SIZE_T bytes, ULONG) {
  ++current->pool_blocks;
  return std::calloc(1, bytes);
}
void ExFreePoolWithTag(PVOID block, ULONG) {
  --current->pool_blocks;
  std::free(block);
}
// Tests have a single thread, so acquiring a lock that is held is an error.
void KeInitializeSpinLock(PKSPIN_LOCK lock) { *lock = 0; }
KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK lock) {
  if (std::exchange(*lock, 1) != 0) current->mistakes.push_back("a spin lock is acquired by its holder");
  return PASSIVE_LEVEL;
}
void KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL) {
  if (std::exchange(*lock, 0) == 0) current->mistakes.push_back("a spin lock is released by nobody");
}
void ExInitializeFastMutex(PFAST_MUTEX mutex) { mutex->Count = 1; }
void ExAcquireFastMutex(PFAST_MUTEX mutex) {
  if (--mutex->Count != 0) current->mistakes.push_back("a fast mutex is acquired by its holder");
}
void ExReleaseFastMutex(PFAST_MUTEX mutex) { ++mutex->Count; }
void KeInitializeMutex(PKMUTEX, ULONG) {}
NTSTATUS KeWaitForSingleObject(PVOID, KWAIT_REASON, KPROCESSOR_MODE, BOOLEAN, PLARGE_INTEGER) { return STATUS_SUCCESS; }
LONG KeReleaseMutex(PKMUTEX, BOOLEAN) { return 0; }
KIRQL KeGetCurrentIrql(void) { return PASSIVE_LEVEL; }
NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE, BOOLEAN, PLARGE_INTEGER) { return STATUS_SUCCESS; }
ULONGLONG KeQueryInterruptTime(void) { return 0; }
ULONGLONG KeQueryInterruptTimePrecise(PULONG64 stamp) { return *stamp += 10'000'000; }  // adds 1 s
PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID address) {
  PHYSICAL_ADDRESS physical{};
  physical.QuadPart = static_cast<LONGLONG>(reinterpret_cast<uintptr_t>(address));
  return physical;
}
PVOID MmAllocateContiguousMemorySpecifyCache(SIZE_T bytes, PHYSICAL_ADDRESS, PHYSICAL_ADDRESS, PHYSICAL_ADDRESS,
                                             MEMORY_CACHING_TYPE) {
  ++current->kernel_memory;
  return std::aligned_alloc(PAGE_SIZE, bytes);
}
void MmFreeContiguousMemorySpecifyCache(PVOID memory, SIZE_T, MEMORY_CACHING_TYPE) {
  --current->kernel_memory;
  std::free(memory);
}
PVOID MmGetSystemRoutineAddress(PUNICODE_STRING name) {
  const std::u16string text(reinterpret_cast<const char16_t*>(name->Buffer), name->Length / sizeof(WCHAR));
  if (text == u"MmAllocateContiguousMemorySpecifyCache")
    return reinterpret_cast<PVOID>(MmAllocateContiguousMemorySpecifyCache);
  if (text == u"MmFreeContiguousMemorySpecifyCache") return reinterpret_cast<PVOID>(MmFreeContiguousMemorySpecifyCache);
  return nullptr;
}
PMDL IoAllocateMdl(PVOID memory, ULONG, BOOLEAN, BOOLEAN, PIRP) { return gmmu::kmd::test::MakeList(memory); }
void IoFreeMdl(PMDL list) { std::free(list); }
void MmBuildMdlForNonPagedPool(PMDL) {}
PVOID MmMapLockedPagesSpecifyCache(PMDL list, KPROCESSOR_MODE, MEMORY_CACHING_TYPE, PVOID, ULONG, ULONG) {
  return list->StartVa;
}
void MmUnmapLockedPages(PVOID, PMDL) {}
ULONG DbgPrintEx(ULONG, ULONG, const char*, ...) { return STATUS_SUCCESS; }
NTSTATUS GmmuQueryParameter(const char* name, ULONG64* value) {
  const auto found = current->parameters.find(name);
  if (found == current->parameters.end()) return STATUS_OBJECT_NAME_NOT_FOUND;
  *value = found->second;
  return STATUS_SUCCESS;
}
NTSTATUS DxgkInitialize(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA data) {
  current->table = *data;
  return STATUS_SUCCESS;
}
}
