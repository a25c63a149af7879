// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/allocations.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/render_calls.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/sleeping_memory.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

Allocations::Allocations(VidMm& vidmm) : vidmm_(vidmm) {}

Allocations::~Allocations() = default;

Allocation* Allocations::Create(const std::string& name, uint64_t bytes) {
  AllocationRequest request{name, bytes};
  request.accessed_physically = false;
  return Create(request);
}

Allocation* Allocations::CreateContiguous(const std::string& name, uint64_t bytes, uint64_t alignment) {
  Allocation* allocation = Create(name, bytes);
  allocation->contiguous = alignment;
  return allocation;
}

Allocation* Allocations::CreateFragmented(const std::string& name, uint64_t bytes, unsigned percent) {
  Allocation* allocation = Create(name, bytes);
  allocation->broken_percent = percent;
  return allocation;
}

Allocation* Allocations::CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner) {
  AllocationRequest request{name, bytes};
  request.system_only = true;
  return Create(request, owner);
}

Allocation* Allocations::Create(const AllocationRequest& asked, const GpuProcess* owner) {
  AllocationRequest request = asked;
  request.physical_adapter = vidmm_.gpu().index();
  const DriverAllocation made = vidmm_.adapter().driver_objects().CreateAllocation(request);
  auto allocation = std::make_unique<Allocation>();
  allocation->vidmm = &vidmm_;
  allocation->name = request.name;
  allocation->bytes = RoundUp(made.bytes, made.homes.page_bytes);
  allocation->handle = made.handle;
  allocation->ticket = made.ticket;
  allocation->owner = owner == nullptr ? 0 : owner->First().serial;
  allocation->primary = request.primary;
  allocation->homes = made.homes;
  if (made.homes.contiguous) allocation->contiguous = std::max<uint64_t>(made.homes.alignment, kPage);
  allocation->map_cpu_visible = made.flags.MapApertureCpuVisible;
  allocation->large_pages = !made.flags.DisableLargePageMapping;
  allocation->explicit_residency = made.flags.ExplicitResidencyNotification;
  return Hold(std::move(allocation));
}

void Allocations::Destroy(Allocation* allocation) {
  allocation->RequireUnlocked();
  const auto tell = [&adapter = vidmm_.adapter(), handle = allocation->handle, ticket = allocation->ticket] {
    adapter.driver_objects().DestroyAllocation(handle, ticket);
  };
  Drop(allocation);
  if (vidmm_.gpu().kernel().parameters().deferred_destroy) vidmm_.work().Defer(tell);
  else tell();
}

Allocation* Allocations::Adopt(const std::string& name, uint64_t bytes, HANDLE driver_handle, UINT segment) {
  auto allocation = std::make_unique<Allocation>();
  allocation->vidmm = &vidmm_;
  allocation->name = name;
  if (segment != 0) allocation->homes.page_bytes = vidmm_.gpu().segment(segment).page_bytes();
  allocation->bytes =
      // The size is not rounded up to 64 KiB, even in a segment with 64 KiB pages, because the
      // driver initialises only these bytes.
      RoundUp(bytes, kPage);
  allocation->handle = driver_handle;
  allocation->homes.places.push_back({segment});
  allocation->homes.priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  return Hold(std::move(allocation));
}

Allocation* Allocations::Hold(std::unique_ptr<Allocation> allocation) {
  const uint64_t serial = allocation->serial;
  return (allocations_[serial] = std::move(allocation)).get();
}

void Allocations::Drop(Allocation* allocation) {
  vidmm_.residency().WaitUnused(*allocation);
  vidmm_.render_calls().Close(*allocation);
  vidmm_.mappings().Clear(*allocation);
  if (vidmm_.running()) vidmm_.placement().NotifyEvicted(*allocation);
  if (allocation->local) {
    vidmm_.transfers().Discard(*allocation);
    vidmm_.placement().Evict(*allocation);
  }
  if (const auto first = allocation->aperture_page; first && vidmm_.running()) {
    if (vidmm_.aperture().mapped(*first)) vidmm_.aperture().Unbind(*first, PagesOf(allocation->bytes), *allocation);
    vidmm_.aperture().Free(*first);
  }
  if (allocation->backing) allocation->backing->Release();
  vidmm_.sleeping().Drop(*allocation);
  for (auto it = opened_.begin(); it != opened_.end();) it = it->second == allocation ? opened_.erase(it) : ++it;
  allocations_.erase(allocation->serial);
}

std::vector<Allocation*> Allocations::all() const {
  std::vector<Allocation*> all;
  for (const auto& [serial, allocation] : allocations_) all.push_back(allocation.get());
  return all;
}

HANDLE Allocations::DeviceOf(HANDLE allocation) const {
  for (const auto& [serial, each] : allocations_)
    if (each->handle == allocation) return each->device();
  return nullptr;
}

D3DKMT_HANDLE Allocations::Open(Allocation& allocation) {
  D3DKMT_HANDLE& last = vidmm_.link().front()->allocations().last_handle_;
  opened_[last += 0x40] = &allocation;
  return last;
}

Allocation* Allocations::Opened(D3DKMT_HANDLE handle) const {
  const auto found = opened_.find(handle);
  return found == opened_.end() ? nullptr : found->second;
}

std::vector<DXGKARG_BUILDPAGINGBUFFER> Allocations::Lose() {
  std::vector<DXGKARG_BUILDPAGINGBUFFER> lost;
  for (const auto& [serial, allocation] : allocations_) {
    Mappings::ForgetAll(*allocation);  // the reset has also discarded the page tables
    if (!allocation->local) continue;
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    auto& args = operation.Transfer;
    args.hAllocation = allocation->handle;
    args.Source.SegmentId = args.Destination.SegmentId = allocation->segment();
    args.Source.SegmentAddress.QuadPart = args.Destination.SegmentAddress.QuadPart = SegmentAddress(*allocation, 0);
    args.Flags.TransferStart = 1;
    args.Flags.TransferEnd = 1;
    lost.push_back(operation);
    allocation->notified = false;
  }
  return lost;
}

}  // namespace gmmu::os
