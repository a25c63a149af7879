// SPDX-License-Identifier: Apache-2.0
#include "os/application/host_memory.h"

#include "os/application/video_memory.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

HostMemory::HostMemory() = default;
HostMemory::HostMemory(const VideoMemory& of, uint64_t bytes, uint64_t lowest) {
  PhysicalAdapter& gpu = of.vidmm().gpu();
  buffer_ = std::make_unique<SystemBuffer>(gpu.kernel(), gpu.objects(), gpu.handle(), bytes,
                                           SystemBuffer::Shape::kScattered, "application", lowest);
}
HostMemory::HostMemory(HostMemory&& other) noexcept = default;
HostMemory& HostMemory::operator=(HostMemory&& other) noexcept = default;
HostMemory::~HostMemory() = default;

void HostMemory::Release() {
  if (buffer_ != nullptr) buffer_->Release();
}

uint64_t HostMemory::bytes() const { return buffer_->bytes(); }
uint64_t HostMemory::page(uint64_t index) const { return buffer_->page(index); }
uint64_t HostMemory::logical() const { return buffer_->logical(); }
const std::vector<uint64_t>& HostMemory::host_pages() const { return buffer_->host_pages(); }
void HostMemory::Falsify(uint64_t index, uint64_t page) { buffer_->Falsify(index, page); }
uint8_t* HostMemory::Map(uint64_t offset, uint64_t size) { return buffer_->Map(offset, size); }
void HostMemory::Unmap() { buffer_->Unmap(); }

}  // namespace gmmu::os
