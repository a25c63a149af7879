// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/physical_adapter.h"

#include <algorithm>

#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/system_segment.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/kernel/registry.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/device_life.h"
#include "os/miniport/driver_calls.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

Kernel& PhysicalAdapter::kernel() { return logical_.kernel(); }
MemoryObjects& PhysicalAdapter::objects() { return logical_.objects(); }
Miniport& PhysicalAdapter::miniport() { return logical_.miniport(); }
VidSch& PhysicalAdapter::vidsch() { return logical_.vidsch(); }
bool PhysicalAdapter::remapped() const { return logical_.remapped(); }
bool PhysicalAdapter::physical_paging() {
  return caps_.physical_model || logical_.kernel().parameters().physical_paging;
}

std::string PhysicalAdapter::Named(const std::string& text) const {
  return logical_.adapters() > 1 ? text + " of adapter " + std::to_string(index_) : text;
}

hw::BusCounts PhysicalAdapter::BusAccesses() const {
  hw::Instruments* instruments = logical_.kernel().instruments();
  return instruments == nullptr ? hw::BusCounts() : instruments->BusAccesses(function_.bdf);
}

void PhysicalAdapter::RequireUntouchedBus() const {
  if (BusAccesses().total() != bus_accesses_when_off_) throw OsError("the device used the bus before it was started");
}

void PhysicalAdapter::Connect() {
  kernel().pci().SetBusMaster(function_, true);
  message_ = kernel().hal().ConnectInterrupt("gpu " + name(), [this] {
    if (!logical_.LoseInterrupt()) miniport().driver().InterruptRoutine(0, unit_);
  });
  sent_ = message_;
  if (kernel().parameters().interrupt_remapping && kernel().iommu() != nullptr && function_.has_messages()) {
    sent_ = kernel().iommu()->RouteInterrupt(function_.bdf, message_, AdapterDomain::FaultReporter(kernel()));
    routed_ = true;
  }
  kernel().pci().EnableInterrupt(function_, sent_);
}

void PhysicalAdapter::Disconnect() {
  kernel().pci().DisableInterrupt(function_);
  kernel().pci().SetBusMaster(function_, false);
  if (std::exchange(routed_, false)) kernel().iommu()->UnrouteInterrupt(sent_);
  kernel().hal().DisconnectInterrupt(message_);
}

void PhysicalAdapter::PowerFunction(bool on) {
  Pci& pci = kernel().pci();
  if (on) {
    pci.SetPower(function_, true);
    pci.SetBusMaster(function_, true);
    pci.EnableInterrupt(function_, sent_);
  } else {
    pci.DisableInterrupt(function_);
    pci.SetBusMaster(function_, false);
    pci.SetPower(function_, false);
  }
}

void PhysicalAdapter::StartDevice() {
  size_t memory = 0;
  for (const Bar& bar : function_.bars) memory += bar.size != 0;
  const size_t count = memory + 1;
  resources_.assign(sizeof(CM_RESOURCE_LIST) + count * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 0);
  auto* list = reinterpret_cast<CM_RESOURCE_LIST*>(resources_.data());
  list->Count = 1;
  list->List[0].InterfaceType = PCIBus;
  list->List[0].BusNumber = function_.bdf.bus;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  partial.Version = 1;
  partial.Revision = 1;
  partial.Count = static_cast<ULONG>(count);
  auto* next = partial.PartialDescriptors;
  for (const Bar& bar : function_.bars) {
    if (bar.size == 0) continue;
    next->Type = CmResourceTypeMemory;
    next->u.Memory.Start.QuadPart = static_cast<LONGLONG>(bar.address);
    next->u.Memory.Length = static_cast<ULONG>(bar.size);
    ++next;
  }
  next->Type = CmResourceTypeInterrupt;
  // Flags of 0 mean a level-sensitive line interrupt.
  next->Flags = function_.has_messages() ? CM_RESOURCE_INTERRUPT_MESSAGE : 0;
  next->u.Interrupt.Level = kDevice;
  next->u.Interrupt.Vector = message_.data;
  next->u.Interrupt.Affinity = 1;

  DXGK_START_INFO start{};
  start.RequiredDmaQueueEntry = 8;
  start.AdapterLuid.LowPart = 1;  // LUID of the logical adapter
  DXGKRNL_INTERFACE interface = MakeInterface(*this);
  miniport().devices().StartDevice(start, interface, unit_);
}

NTSTATUS PhysicalAdapter::FillDeviceInformation(DXGK_DEVICE_INFO& info) {
  info = {};
  info.MiniportDeviceContext = miniport().driver().context(unit_);
  info.PhysicalDeviceObject = reinterpret_cast<PDEVICE_OBJECT>(this);
  info.DeviceRegistryPath = Registry::Counted(Registry::kDevice);
  info.TranslatedResourceList = reinterpret_cast<PCM_RESOURCE_LIST>(resources_.data());
  info.SystemMemorySize.QuadPart = static_cast<LONGLONG>(kernel().pages().installed_pages() * hw::kPageSize);
  info.HighestPhysicalAddress.QuadPart = static_cast<LONGLONG>(kernel().pages().end() - 1);
  return STATUS_SUCCESS;
}

void PhysicalAdapter::UseAnswers() {
  caps_.highest_visible = answers_.highest_visible();
  caps_.coherent = answers_.mmu.CacheCoherentMemorySupported;
  caps_.invalid_not_cached = answers_.mmu.InvalidTlbEntriesNotCached;
  caps_.explicit_invalidation = answers_.mmu.ExplicitPageTableInvalidation;
  caps_.idle_for_updates = answers_.mmu.PageTableUpdateRequireAddressSpaceIdle;
  caps_.narrow_fences = answers_.driver.SchedulingCaps.No64BitAtomics;
  caps_.system_64k = answers_.mmu.SysMem64KBPageSupported;
  caps_.geometry.dual = answers_.mmu.DualPteSupported;
  for (const DXGK_SEGMENTDESCRIPTOR4& segment : answers_.segments) {
    if (segment.Flags.Use64KBPages) caps_.geometry.leaf_64k_bytes = answers_.mmu.LeafPageTableSizeFor64KPagesInBytes;
  }
  caps_.update_mode = answers_.mmu.PageTableUpdateMode;
  caps_.geometry.va_bits = answers_.mmu.VirtualAddressBitCount;
  unsigned bits = 12;
  const auto segment = [this](UINT id) { return id == answers_.system_segment() ? 0 : id; };
  for (const DXGK_PAGE_TABLE_LEVEL_DESC& level : answers_.levels) {
    bits += level.PageTableIndexBitCount;
    caps_.geometry.levels.push_back({level.PageTableIndexBitCount, segment(level.PageTableSegmentId),
                                     segment(level.PagingProcessPageTableSegmentId), level.PageTableSizeInBytes,
                                     level.PageTableAlignmentInBytes});
  }
  caps_.physical_model = answers_.physical_model();
  // The address bits above those of the lower levels index the root. With two levels, the root's
  // descriptor specifies only the initial size. If the link has fewer virtual address bits than
  // this GPU, only part of the root is used.
  if (!caps_.physical_model) {
    LevelDescriptor& root = caps_.geometry.levels.back();
    const unsigned left = caps_.geometry.va_bits - (bits - root.index_bits);
    if (caps_.geometry.count() == 2 && root.index_bits < left)
      caps_.geometry.first_root_entries = uint64_t{1} << root.index_bits;
    root.index_bits = left;
  }
  caps_.nodes = answers_.nodes();
  caps_.paging_node = answers_.paging_node();
  caps_.render_node = caps_.nodes > 1 ? (caps_.paging_node == 0 ? 1 : 0) : caps_.paging_node;
  caps_.paging_buffer_bytes = answers_.paging_buffer_bytes;
  caps_.paging_buffer_segment = answers_.paging_buffer_segment;
  caps_.paging_private_bytes = answers_.paging_private_bytes;
}

void PhysicalAdapter::MakeSegments() {
  for (const DXGK_SEGMENTDESCRIPTOR4& descriptor : answers_.segments) {
    Segment segment;
    segment.id = static_cast<unsigned>(segments_.size()) + 1;
    segment.aperture = descriptor.Flags.Aperture;
    segment.cpu_visible = descriptor.Flags.CpuVisible;
    segment.cache_coherent = descriptor.Flags.CacheCoherent;
    segment.pages_64k = descriptor.Flags.Use64KBPages;
    segment.base = static_cast<uint64_t>(descriptor.BaseAddress.QuadPart);
    const bool tables = std::any_of(answers_.levels.begin(), answers_.levels.end(), [&](const auto& level) {
      return level.PageTableSegmentId == segment.id || level.PagingProcessPageTableSegmentId == segment.id;
    });
    if (tables && descriptor.Flags.SupportsCpuHostAperture) {
      throw OsError(
          "page tables are in segment " + Named(std::to_string(segment.id)) + ", which the CPU reaches " +
          "through a host aperture only (SupportsCpuHostAperture); VidMm accesses page tables through a view of "
          "their whole segment");
    }
    segment.size = descriptor.Size;
    if (segment.cpu_visible && !segment.aperture) {
      segment.cpu_view = ViewOf(descriptor, segment.id);
      segment.cpu_view_is_memory = IsSystemMemory(descriptor);
    }
    segment.space = std::make_unique<RangeAllocator>(0, segment.size, kernel().parameters().seed,
                                                     segment.aperture ? "aperture_range" : "vram_range",
                                                     Named("segment" + std::to_string(segment.id)), kernel().ledger(),
                                                     hw::kPageSize);
    if (const auto bad = answers_.bad_ranges.find(segment.id); bad != answers_.bad_ranges.end()) {
      for (const DXGK_MEMORYRANGE& range : bad->second)
        segment.space->Exclude(range.SegmentOffset, range.SegmentOffset + range.SizeInBytes);
    }
    if (descriptor.Flags.SupportsCpuHostAperture) {
      host_apertures_[segment.id] = std::make_unique<CpuHostAperture>(kernel(), miniport(), descriptor, segment.id,
                                                                      index_);
    }
    segments_.push_back(std::move(segment));
  }
  no_aperture_.aperture = true;
  no_aperture_.space = std::make_unique<RangeAllocator>(0, 0, 0, "aperture_range", "no segment", kernel().ledger());
}

/// Returns the CPU mapping of a memory segment, which is in a BAR or in system memory.
uint8_t* PhysicalAdapter::ViewOf(const DXGK_SEGMENTDESCRIPTOR4& descriptor, unsigned id) {
  if (!IsSystemMemory(descriptor)) {
    return static_cast<uint8_t*>(kernel().mmio().Map(static_cast<uint64_t>(descriptor.CpuTranslatedAddress.QuadPart),
                                                     descriptor.Size, "vidmm", "segment view"));
  }
  const std::vector<uint64_t> pages = PagesOfSystemSegment(kernel(), descriptor, id);
  return static_cast<uint8_t*>(kernel().hal().ram().MapPages(pages.data(), pages.size(), hw::Caching::kWriteCombined));
}

void PhysicalAdapter::DropViews() {
  for (Segment& segment : segments_) {
    if (segment.cpu_view != nullptr && segment.cpu_view_is_memory)
      kernel().hal().ram().UnmapPages(segment.cpu_view, segment.size / hw::kPageSize);
    else if (segment.cpu_view != nullptr) kernel().mmio().Unmap(segment.cpu_view);
    segment.cpu_view = nullptr;
  }
  host_apertures_.clear();
}

CpuHostAperture* PhysicalAdapter::host_aperture(unsigned segment) {
  const auto found = host_apertures_.find(segment);
  return found == host_apertures_.end() ? nullptr : found->second.get();
}

Segment& PhysicalAdapter::segment(unsigned id) {
  if (id == 0 || id > segments_.size()) throw BugCheck("there is no segment " + std::to_string(id));
  return segments_[id - 1];
}

uint64_t PhysicalAdapter::LargePageBytes() const {
  if (caps_.physical_model || !answers_.mmu.LargePageSupported || logical_.adapters() > 1) return 0;
  return uint64_t{1} << caps_.geometry.Shift(1);
}

bool PhysicalAdapter::has_local_segment() const {
  return std::any_of(segments_.begin(), segments_.end(), [](const Segment& segment) { return !segment.aperture; });
}

Segment& PhysicalAdapter::local_segment() {
  for (Segment& segment : segments_) {
    if (!segment.aperture) return segment;
  }
  throw OsError("the driver reports no memory segment");
}

Segment& PhysicalAdapter::aperture_segment() {
  for (Segment& segment : segments_) {
    if (segment.aperture) return segment;
  }
  return no_aperture_;
}

bool PhysicalAdapter::Has64kPages(unsigned id) {
  if (id != 0) return segment(id).pages_64k;
  return caps_.system_64k && kernel().parameters().system_64k_mapped;
}

uint64_t PhysicalAdapter::SegmentsOf64kPages() const {
  uint64_t set = 0;
  for (const Segment& segment : segments_)
    if (segment.pages_64k && !segment.aperture) set |= uint64_t{1} << segment.id;
  return set;
}

SystemBuffer PhysicalAdapter::MakeBuffer(uint64_t bytes, bool contiguous) {
  const auto shape = contiguous ? SystemBuffer::Shape::kContiguous : SystemBuffer::Shape::kScattered;
  return SystemBuffer(kernel(), objects(), handle_, bytes, shape, "vidmm");
}

std::pair<uint64_t, uint64_t> PhysicalAdapter::RootPageTableSize(uint64_t entries) {
  DXGKARG_GETROOTPAGETABLESIZE args{static_cast<UINT>(entries), index_};
  const uint64_t bytes = miniport().GetRootPageTableSize(args);
  return {args.NumberOfPte, bytes};
}

std::optional<unsigned> PhysicalAdapter::SpaceOf(HANDLE process) {
  const auto& space_of = logical_.dxgkrnl().user_mode_driver().space_of;
  return space_of ? space_of(*this, process) : std::nullopt;
}

void PhysicalAdapter::SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t entries) {
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = context;
  args.Address = root;
  args.NumEntries = static_cast<UINT>(entries);
  miniport().SetRootPageTable(args);
}

void PhysicalAdapter::QueueDpc() {
  if (dpc_queued_) return;
  dpc_queued_ = true;
  kernel().scheduler().QueueDpc([this] {
    dpc_queued_ = false;
    miniport().driver().DpcRoutine(unit_);
    vidsch().OnDpcReturned();
  });
}

}  // namespace gmmu::os
