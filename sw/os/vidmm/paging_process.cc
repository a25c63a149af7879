// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_process.h"

#include <algorithm>

#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPagingVa = uint64_t{1} << 30;
}  // namespace

PagingProcess::PagingProcess(PhysicalAdapter& gpu, PagingWork& work) : gpu_(gpu), work_(work) {}

PagingProcess::~PagingProcess() = default;

void PagingProcess::Open(VidMm& owner) {
  process_ = std::make_unique<GpuProcess>(owner, gpu_.Named("paging process"));
  process_->by_cpu = true;
  if (!gpu_.caps().physical_model)
    process_->space = std::make_unique<AddressSpace>(gpu_, process_->name, true, va_end());
  gpu_.logical().driver_objects().OpenProcess(process_->handles, process_->name, true);
  gpu_.logical().driver_objects().OpenDevice(process_->handles, process_->name, true);
  RestartChecker();
  gpu_.logical().driver_objects().OpenContext(process_->handles, process_->name, true, gpu_);
}

void PagingProcess::Close() {
  gpu_.logical().driver_objects().DestroyProcess(process_->handles);
  if (process_->space) space().FreeTables();
}

AddressSpace& PagingProcess::space() { return *process_->space; }

uint64_t PagingProcess::va_end() const { return std::min(kPagingVa, uint64_t{1} << gpu_.caps().geometry.va_bits); }

void PagingProcess::set_up(bool up) {
  if (!up) process_->root_is_set = false;
  process_->by_cpu = !up || gpu_.kernel().parameters().window_updates == WindowUpdates::kCpuVirtual;
}

std::function<void(const TableUpdate&)> PagingProcess::sink() { return work_.SinkFor(*process_); }

bool PagingProcess::Set(uint64_t va, const std::vector<DXGK_PTE>& entries, HANDLE allocation, uint64_t offset,
                        uint64_t driver_protection) {
  space().entries().Set(va, entries.size(), entries, allocation, offset, sink(), driver_protection);
  return space().Is64k(va);
}

void PagingProcess::Clear(uint64_t va, uint64_t bytes) { space().entries().Invalidate(va, PagesOf(bytes), sink()); }

void PagingProcess::Flush(uint64_t va, uint64_t bytes) { work_.Flush(*process_, va, bytes); }

void PagingProcess::TellRoot() {
  gpu_.SetRootPageTable(process_->handles.context, space().root(), space().root_entries());
  process_->root_is_set = true;
}

void PagingProcess::InvalidateTables() {
  if (!gpu_.caps().explicit_invalidation) return;
  set_up(false);
  space().InvalidateAll(sink());
}

void PagingProcess::RestartChecker() { work_.CheckPageSizes(*process_, true); }

uint64_t PagingProcess::MapTable(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes) {
  const uint64_t va = process_->ReserveVa(bytes);
  try {
    ShowTable(va, table, bytes);
  } catch (const NoRoom&) {
    process_->FreeVa(va);
    throw;
  }
  Flush(va, bytes);
  return va;
}

void PagingProcess::ShowTable(uint64_t va, const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes) {
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < PagesOf(bytes); ++page) {
    DXGK_PTE entry = SystemEntry(gpu_, table.SegmentOffset / kPage + page);
    if (table.SegmentId != 0) {
      entry.CacheCoherent = 0;
      entry.Segment = table.SegmentId;
      entry.PhysicalAdapterIndex = gpu_.index();
    }
    entries.push_back(entry);
  }
  Set(va, entries);
}

void PagingProcess::UnmapTable(uint64_t va, uint64_t bytes) {
  Clear(va, bytes);
  Flush(va, bytes);
  work_.Drain();
  process_->FreeVa(va);
}

uint64_t PagingProcess::Map(const SystemBuffer& buffer) {
  const uint64_t pages = buffer.bytes() / kPage, va = process_->ReserveVa(buffer.bytes());
  Set(va, SystemEntries(gpu_, buffer, 0, pages));
  Flush(va, pages * kPage);
  return va;
}

uint64_t PagingProcess::BytesOf(const PagingQueue& queue) const {
  return queue.buffers() * PagesOf(gpu_.caps().paging_buffer_bytes) * kPage;
}

void PagingProcess::MapBuffers(PagingQueue& queue, uint64_t va) {
  const uint64_t pages = PagesOf(gpu_.caps().paging_buffer_bytes);
  for (size_t i = 0; i < queue.buffers(); ++i, va += pages * kPage) {
    std::vector<DXGK_PTE> entries = SystemEntries(gpu_, queue.memory(i), 0, pages);
    for (DXGK_PTE& entry : entries) entry.ReadOnly = 1;
    Set(va, entries);
    queue.SetAddress(i, va);
  }
}

void PagingProcess::Unmap(uint64_t va, uint64_t pages) {
  Clear(va, pages * kPage);
  Flush(va, pages * kPage);
  work_.Finish();
  process_->FreeVa(va);
}

}  // namespace gmmu::os
