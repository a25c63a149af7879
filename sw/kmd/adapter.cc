// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"
#include "kmd/segments.h"

#include <algorithm>
#include <cstring>

namespace gmmu::kmd {
namespace {

constexpr uint64_t kMagic = 0x554D4D47;
constexpr uint64_t kMajorVersion = 1;
constexpr uint64_t kRegisterBytes = 64 * 1024;
constexpr uint64_t kAllCauses = 0x3f;
constexpr unsigned kPreemptionMinor = 3;      // version 1.3 and later can preempt rings
constexpr unsigned kLeaf64kAndLinkMinor = 4;  // version 1.4 and later have 64 KiB leaves and links

// Tags that identify the driver's memory objects in the system's debug output.
enum Cookie : ULONG_PTR {
  kRingCookie = 1,
  kFenceCookie,
  kFaultCookie,
  kDummyCookie,
  kSecondRingCookie,
  kSecondFenceCookie,
  kResidencyCookie,
  kSegmentCookie
};

}  // namespace

uint64_t Adapter::aperture_table() const { return vram_bytes - RoundUp(aperture_pages() * 8, kPage); }

uint64_t Adapter::vram_segment_bytes() const {
  if (integrated()) return parameters.system_segment_bytes;
  const uint64_t page = segment_page_bytes(), most = window_bytes - host_aperture.bytes();
  const uint64_t visible = parameters.visible_vram == 0 ? most : std::min(most, parameters.visible_vram);
  return std::min(save_area_offset(), visible) / page * page;
}

uint64_t Adapter::hidden_segment_bytes() const {
  if (integrated()) return 0;
  const uint64_t page = segment_page_bytes();
  return (save_area_offset() - vram_segment_bytes()) / page * page;
}

PHYSICAL_ADDRESS Adapter::segment_address() const {
  if (!integrated()) return window_address;
  PHYSICAL_ADDRESS at{};
  at.QuadPart = static_cast<LONGLONG>(segment_memory_.cpu_address() + (system_page_ - segment_memory_.page()) * kPage);
  return at;
}

bool Adapter::Locate(UINT segment, uint64_t offset, regs::Target* target, uint64_t* hardware) const {
  if (!TargetOf(segment, target)) return false;
  const bool in_system = segment == kVramSegment && integrated();
  if (in_system) *target = regs::Target::kSystem;
  *hardware = offset + (in_system ? system_page_ * kPage : 0);
  return true;
}

HiddenPages Adapter::hidden_pages() const {
  HiddenPages pages{};
  for (UINT i = 0; i < link.adapters(); ++i) {
    if (const Adapter* member = Member(i); member != nullptr && member->started) pages[i] = member->hidden_page();
  }
  return pages;
}

NTSTATUS Adapter::Start(const DXGKRNL_INTERFACE& interface) {
  if (started) return STATUS_INVALID_DEVICE_STATE;
  dxgkrnl = {};
  std::memcpy(&dxgkrnl, &interface, std::min<size_t>(interface.Size, sizeof dxgkrnl));
  memory_callbacks_ = MemoryCallbacks::Of(dxgkrnl, parameters.isolation_callbacks());
  const bool objects = parameters.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  if ((objects && memory_callbacks_.create == nullptr) ||
      (memory_callbacks_.isolation && memory_callbacks_.allocate_contiguous == nullptr)) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "gmmu: a kernel table of %u bytes has no %s\n", interface.Size,
               objects ? "physical memory objects (WDDM 2.9)" : "callbacks of GPU isolation (WDDM 2.4)");
    return STATUS_NOT_SUPPORTED;
  }

  NTSTATUS status = MapResources();
  if (NT_SUCCESS(status)) status = ReadIdentity();
  if (NT_SUCCESS(status)) status = CreateMemory();
  if (NT_SUCCESS(status)) {
    spaces.Initialize(registers, static_cast<uint32_t>(registers.Read<regs::Cap0>().spaces()), parameters);
    contiguous_blocks.ForgetAll();
    fences_signalled = FALSE;  // interrupts start only with Program, so no lock is needed
    silenced = false;
    for (Engine& engine : engines) {
      engine.reported_fence = 0;
      engine.preemption_pending = false;
      engine.progress = {};
    }
    status = Program(Vram::kLost);
  }
  if (!NT_SUCCESS(status)) {
    ReleaseAll();
    return status;
  }
  started = true;
  return STATUS_SUCCESS;
}

void Adapter::Stop() {
  if (!started) return;
  Quiesce();
  ReleaseAll();
  started = false;
}

// The memory resources are the BARs in order: the registers first, then the VRAM window.
NTSTATUS Adapter::MapResources() {
  DXGK_DEVICE_INFO info{};
  NTSTATUS status = dxgkrnl.DxgkCbGetDeviceInformation(dxgkrnl_handle(), &info);
  if (!NT_SUCCESS(status)) return status;
  const CM_RESOURCE_LIST* list = info.TranslatedResourceList;
  if (list == nullptr || list->Count == 0) return STATUS_NO_SUCH_DEVICE;

  const CM_PARTIAL_RESOURCE_LIST& resources = list->List[0].PartialResourceList;
  unsigned found = 0;
  for (ULONG i = 0; i < resources.Count && found < 2; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR& resource = resources.PartialDescriptors[i];
    if (resource.Type != CmResourceTypeMemory) continue;
    if (found++ == 0) {
      registers_address_.QuadPart = resource.u.Memory.Start.QuadPart;
      registers_bytes_ = resource.u.Memory.Length;
    } else {
      window_address.QuadPart = resource.u.Memory.Start.QuadPart;
      window_bytes = resource.u.Memory.Length;
    }
  }
  if (found < 2 || registers_bytes_ < kRegisterBytes) return STATUS_NO_SUCH_DEVICE;

  status = dxgkrnl.DxgkCbMapMemory(dxgkrnl_handle(), registers_address_, static_cast<ULONG>(registers_bytes_), FALSE,
                                   FALSE, MmNonCached, &registers_view_);
  if (!NT_SUCCESS(status)) return status;
  return dxgkrnl.DxgkCbMapMemory(dxgkrnl_handle(), window_address, static_cast<ULONG>(window_bytes), FALSE, FALSE,
                                 MmWriteCombined, &window_view_);
}

NTSTATUS Adapter::ReadIdentity() {
  registers = Registers(registers_view_);
  const auto id = registers.Read<regs::Id>();
  if (id.magic() != kMagic || id.major() != kMajorVersion) return STATUS_NO_SUCH_DEVICE;
  const auto built = registers.Read<regs::Cap0>();
  clients = static_cast<uint32_t>(built.clients());
  if (clients == 0 || clients > regs::kClientCount || built.spaces() == 0 || built.spaces() > regs::kSpaceCount ||
      built.rings() == 0 || built.rings() > regs::kRingCount) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: cap0 %#llx says what no gmmu has: clients, spaces or rings\n",
               static_cast<unsigned long long>(built.raw));
    return STATUS_NO_SUCH_DEVICE;
  }
  if (parameters.leaf_64k && id.minor() < kLeaf64kAndLinkMinor) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: Leaf64k is set, the hardware's interface 1.%u has no leaf tables of 64 KiB entries\n",
               static_cast<unsigned>(id.minor()));
    return STATUS_NOT_SUPPORTED;
  }
  if (link.adapters() > 1 && id.minor() < kLeaf64kAndLinkMinor) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: this hardware cannot be linked: interface version 1.%llu\n",
               static_cast<unsigned long long>(id.minor()));
    return STATUS_NOT_SUPPORTED;
  }
  const auto more = registers.Read<regs::Cap2>();  // reads 0 before interface version 1.1
  if (parameters.sizes_in_use != 0 && more.turn_down() == 0) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: SizesInUse is set, the hardware has no register for it\n");
    return STATUS_NOT_SUPPORTED;
  }
  if (parameters.host_aperture && !host_aperture.Initialize(more, window_bytes)) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: HostAperture is set, a BAR 2 of %llu bytes has none that the driver supports (cap2 %#llx)\n",
               static_cast<unsigned long long>(window_bytes), static_cast<unsigned long long>(more.raw));
    return STATUS_NOT_SUPPORTED;
  }
  nodes = built.rings() > kRenderNode ? kMostNodes : 1;
  can_preempt = id.minor() >= kPreemptionMinor;
  traffic_engines = id.minor() < 2 ? clients : static_cast<uint32_t>(more.traffic());
  client_patterns = static_cast<uint32_t>(more.patterns());
  client_verify = more.verify() != 0;
  vram_bytes = registers.Read<regs::VramSize>().bytes();

  const uint64_t table_bytes = RoundUp(aperture_pages() * 8, kPage);
  if (vram_bytes % kPage != 0 || vram_bytes <= table_bytes || table_bytes > window_bytes ||
      vram_bytes - table_bytes <= parameters.save_area_bytes) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: %llu bytes of VRAM cannot hold the table of an aperture of %llu bytes and %llu saved bytes",
               static_cast<unsigned long long>(vram_bytes), static_cast<unsigned long long>(parameters.aperture_bytes),
               static_cast<unsigned long long>(parameters.save_area_bytes));
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::CreateMemory() {
  const MemoryCallbacks& callbacks = memory_callbacks_;
  NTSTATUS status = engines[kPagingNode].ring_page.Create(callbacks, kRingCookie);
  if (NT_SUCCESS(status)) status = engines[kPagingNode].fence_page.Create(callbacks, kFenceCookie);
  if (nodes > kRenderNode) {
    if (NT_SUCCESS(status)) status = engines[kRenderNode].ring_page.Create(callbacks, kSecondRingCookie);
    if (NT_SUCCESS(status)) status = engines[kRenderNode].fence_page.Create(callbacks, kSecondFenceCookie);
  }
  if (NT_SUCCESS(status)) status = fault_page_.Create(callbacks, kFaultCookie);
  if (NT_SUCCESS(status)) status = dummy_page.Create(callbacks, kDummyCookie, OwnMemory::Origin::kPages);
  if (NT_SUCCESS(status)) status = residency.Create(callbacks, kResidencyCookie);
  if (NT_SUCCESS(status)) status = save_area.Create(callbacks, *this);
  if (NT_SUCCESS(status) && integrated()) {  // contiguous blocks of pages need 64 KiB alignment
    status = segment_memory_.Create(callbacks, kSegmentCookie, OwnMemory::Origin::kContiguous,
                                    parameters.system_segment_bytes + kPage64k);
    system_page_ = RoundUp(segment_memory_.address(), kPage64k) / kPage;
  }
  return status;
}

NTSTATUS Adapter::Program(Vram vram) {
  registers.Write(regs::Ctrl{});
  registers.Write(regs::IntEnable{});
  if (vram == Vram::kLost) {
    regs::IntStatus all_causes;
    all_causes.raw = kAllCauses;
    registers.Write(all_causes);  // write one to clear
  }
  // A reset restores the sizes that the hardware was built with, so write the driver's sizes after
  // each reset.
  if (parameters.sizes_in_use != 0) registers.Write(regs::SizesInUse{parameters.sizes_in_use});
  if (vram == Vram::kLost) {
    registers.Write(regs::HostAperture{});
    WriteApertureTable();
  }
  if (parameters.host_aperture) host_aperture.Restore(registers);
  if (!TurnedDown()) return STATUS_NOT_SUPPORTED;
  registers.Write(regs::ApertureBase{}.set_offset(aperture_table()));
  registers.Write(regs::AperturePages{}.set_pages(aperture_pages()));
  if (link.adapters() > 1) registers.Write(regs::Link{}.set_adapters(link.adapters()).set_own(link.index()));
  fault_log.Start(registers, fault_page_);
  for (UINT node = 0; node < nodes; ++node) RestartRing(node, engines[node].ring.submitted_fence());
  const NTSTATUS status = spaces.Restore();
  if (!NT_SUCCESS(status)) return status;

  const auto causes =
      regs::IntStatus{}.set_fence(1).set_ring_error(1).set_fault(1).set_client(1).set_preempted(can_preempt);
  const auto enable = [&] {  // the first interrupt may arrive before this returns
    powered = true;
    registers.Write(regs::IntEnable{}.set_enable(causes.raw));
    registers.Write(regs::Ctrl{}.set_enable(1));
  };
  return AtDeviceLevel(enable);
}

// A read of the register returns the effective sizes. They differ from the written ones if the
// hardware does not support the written sizes, or has not adopted them yet.
bool Adapter::TurnedDown() {
  const regs::SizesInUse wanted{parameters.sizes_in_use};
  const auto holds = [&] { return registers.Read<regs::SizesInUse>().raw == wanted.raw; };
  if (wanted.raw == 0 || holds()) return true;
  if (registers.Poll<regs::InvStatus>([](regs::InvStatus status) { return status.busy() == 0; }) && holds())
    return true;
  DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "gmmu: SizesInUse %#llx is more than the hardware has\n",
             static_cast<unsigned long long>(wanted.raw));
  return false;
}

NTSTATUS Adapter::Silence() {
  registers.Write(regs::Ctrl{}.set_enable(1).set_silence(1));
  if (registers.Poll<regs::Status>([](regs::Status s) { return s.silent() != 0; })) {
    silenced = true;
    return STATUS_SUCCESS;
  }
  registers.Write(regs::Ctrl{}.set_enable(1));
  return STATUS_IO_TIMEOUT;
}

void Adapter::EndSilence() {
  registers.Write(regs::Ctrl{}.set_enable(1));
  silenced = false;
}

// Points every aperture page to the dummy page, because the GPU may access unused aperture pages.
// The table may be anywhere in VRAM, so the driver moves the window to it, and then back to 0,
// where the system expects the memory segment.
void Adapter::WriteApertureTable() {
  constexpr uint64_t kChunk = 256;
  ULONG64 entries[kChunk];
  const auto dummy = regs::ApertureEntryEntry{}.set_valid(1).set_coherent(1).set_page(dummy_page.page());
  std::fill(entries, entries + kChunk, dummy.raw);

  registers.Write(regs::WindowBase{}.set_offset(aperture_table()));
  volatile ULONG64* table = static_cast<volatile ULONG64*>(window_view_);
  for (uint64_t done = 0; done < aperture_pages(); done += kChunk) {
    const uint64_t count = std::min(kChunk, aperture_pages() - done);
    WRITE_REGISTER_BUFFER_ULONG64(table + done, entries, static_cast<ULONG>(count));
  }
  registers.Write(regs::WindowBase{});
}

NTSTATUS Adapter::Quiesce() {
  if (!powered) return STATUS_SUCCESS;
  const auto disable = [this] {
    powered = false;
    registers.Write(regs::IntEnable{});
  };
  NTSTATUS stopped = AtDeviceLevel(disable);  // on return, the interrupt routine is not running
  for (UINT node = 0; node < nodes; ++node) {
    const NTSTATUS status = engines[node].ring.Stop();
    if (!NT_SUCCESS(status)) stopped = status;
  }
  registers.Write(regs::Ctrl{});
  // All fences have retired, so an engine that stays busy here is hung, and polling must be
  // bounded.
  constexpr uint32_t kIdlePolls = 1000;
  const bool idle = registers.Poll<regs::Status>([](regs::Status s) { return s.idle() != 0; }, 0, kIdlePolls);
  fault_log.Stop();
  registers.Write(regs::AperturePages{});
  return NT_SUCCESS(stopped) && idle ? STATUS_SUCCESS : STATUS_IO_TIMEOUT;
}

void Adapter::ReleaseAll() {
  segment_memory_.Destroy();
  save_area.Destroy();
  residency.Destroy();
  dummy_page.Destroy();
  fault_page_.Destroy();
  for (Engine& engine : engines) {
    engine.fence_page.Destroy();
    engine.ring_page.Destroy();
  }
  if (window_view_ != nullptr) dxgkrnl.DxgkCbUnmapMemory(dxgkrnl_handle(), window_view_);
  if (registers_view_ != nullptr) dxgkrnl.DxgkCbUnmapMemory(dxgkrnl_handle(), registers_view_);
  window_view_ = registers_view_ = nullptr;
}

}  // namespace gmmu::kmd
