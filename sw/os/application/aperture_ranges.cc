// SPDX-License-Identifier: Apache-2.0
#include "os/application/aperture_ranges.h"

#include "os/application/host.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

uint64_t ApertureRanges::Reserve(uint64_t pages) const { return vidmm_->aperture().Reserve(pages); }
void ApertureRanges::Free(uint64_t first) const { vidmm_->aperture().Free(first); }
void ApertureRanges::Bind(uint64_t first, uint64_t pages, const Allocation& allocation, const HostMemory& memory,
                          uint64_t memory_page) const {
  vidmm_->aperture().Bind(first, pages, allocation, memory.buffer(), memory_page);
}
void ApertureRanges::Unbind(uint64_t first, uint64_t pages, const Allocation& allocation) const {
  vidmm_->aperture().Unbind(first, pages, allocation);
}
void ApertureRanges::BindList(uint64_t first, uint64_t pages, const Allocation& allocation, const DXGK_ADL& list,
                              uint64_t list_page) const {
  vidmm_->aperture().Map({allocation.device(), allocation.handle, false}, first, pages, list, list_page);
}
void ApertureRanges::UnbindList(uint64_t first, uint64_t pages, const Allocation& allocation) const {
  vidmm_->aperture().Unmap({allocation.device(), allocation.handle, false}, first, pages);
}
void ApertureRanges::CopyOut(uint64_t offset, Allocation& allocation, uint64_t target, uint64_t bytes) const {
  vidmm_->transfers().CopyFromAperture(offset, allocation, target, bytes);
}
uint64_t ApertureRanges::map_operations() const { return vidmm_->aperture().map_operations(); }

uint8_t* ApertureRanges::MapDummy() const { return vidmm_->dummy().Map(0, hw::kPageSize); }
void ApertureRanges::UnmapDummy() const { vidmm_->dummy().Unmap(); }
uint64_t ApertureRanges::dummy_page() const { return vidmm_->dummy().page(0); }

}  // namespace gmmu::os
