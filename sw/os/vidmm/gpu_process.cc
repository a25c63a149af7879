// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/gpu_process.h"

#include <algorithm>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/tables/address_space.h"
#include "os/tables/page_size_checker.h"
#include "os/tables/table_shadow.h"
#include "os/vidmm/dma_buffers.h"
#include "os/vidmm/paging_companion.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

uint64_t NextSerial() {
  static uint64_t last = 0;
  return ++last;
}

}  // namespace

GpuProcess::GpuProcess(VidMm& of, std::string its_name)
    : vidmm(&of), serial(NextSerial()), name(std::move(its_name)), shadow(std::make_unique<TableShadow>()) {}

GpuProcess::~GpuProcess() = default;

std::vector<GpuProcess*> GpuProcess::Parts() { return parts == nullptr ? std::vector<GpuProcess*>{this} : *parts; }

AddressSpace& GpuProcess::Addresses() {
  if (!First().space) throw OsError("GPU virtual addresses of " + name + ", whose GPU has none");
  return *First().space;
}

bool GpuProcess::TablesEvicted() const {
  if (parts == nullptr) return space != nullptr && space->evicted();
  return std::any_of(parts->begin(), parts->end(), [](const GpuProcess* part) { return part->space->evicted(); });
}

uint64_t GpuProcess::ReserveVa(uint64_t bytes, std::optional<uint64_t> at) {
  AddressSpace& addresses = Addresses();
  const uint64_t size = std::max<uint64_t>((bytes + kBytesOf64k - 1) / kBytesOf64k * kBytesOf64k, kBytesOf64k);
  if (at) {
    if (!addresses.va().AllocateAt(*at, size, "ReserveVa"))
      throw OsError("virtual addresses at " + Hex(*at) + " of " + name + " are taken");
    return *at;
  }
  const uint64_t large = vidmm->gpu().LargePageBytes();
  const bool aligned = large != 0 && size >= large &&
                       vidmm->gpu().kernel().parameters().vram_placement == VramPlacement::kFirstFit;
  const auto va = addresses.va().Allocate(size, aligned ? large : kBytesOf64k, "ReserveVa");
  if (!va) throw Exhausted("no virtual addresses left in " + name);
  return *va;
}

std::optional<uint64_t> GpuProcess::ReserveVaWithin(uint64_t bytes, uint64_t base, uint64_t minimum, uint64_t maximum,
                                                    uint64_t alignment, uint64_t behind) {
  RangeAllocator& va = Addresses().va();
  if (maximum == 0) maximum = ~uint64_t{0};
  if (base == 0) {
    auto place = va.AllocateWithin(minimum, maximum, behind + bytes, alignment, "ReserveVaWithin");
    if (!place || behind == 0) return place;
    va.Free(*place);
    base = *place + behind;
  }
  return va.AllocateAt(base, bytes, "ReserveVaWithin") ? std::optional(base) : std::nullopt;
}

void GpuProcess::FreeVa(uint64_t va) {
  if (!vidmm->gpu().kernel().LeakNow("va_range")) Addresses().va().Free(va);
}

const std::pair<const uint64_t, GpuProcess::DriverRange>* GpuProcess::DriverRangeOf(uint64_t base,
                                                                                    uint64_t bytes) const {
  for (const auto& range : driver_ranges)
    if (base < range.first + range.second.bytes && range.first < base + bytes) return &range;
  return nullptr;
}

TableContents GpuProcess::Contents() {
  return [this](const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t first, uint64_t count) {
    return shadow->Entries(table, first, count);
  };
}

}  // namespace gmmu::os
