// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_fence.h"

#include <cstring>
#include <string>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/memory/system_buffer.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

PagingFence::PagingFence(PhysicalAdapter& gpu) : gpu_(gpu), page_(std::make_unique<SystemBuffer>()) {}

PagingFence::~PagingFence() = default;

void PagingFence::Make() {
  *page_ = SystemBuffer(gpu_.kernel(), gpu_.objects(), gpu_.handle(), hw::kPageSize, SystemBuffer::Shape::kReadOnlyView,
                        "vidmm");
  cpu_ = page_->Map(0, hw::kPageSize);
}

void PagingFence::Release() { page_->Release(); }

uint64_t PagingFence::page() const { return page_->page(0); }

void PagingFence::Wait() {
  if (gpu_.vidsch().removed()) return;  // on a removed adapter, nothing signals the fence
  gpu_.kernel().WaitOrFault(
      [this] {
        uint64_t value = 0;
        std::memcpy(&value, cpu_, sizeof value);
        seen_ = ExtendFence(seen_, value, gpu_.caps().narrow_fences);
        return seen_ >= value_;
      },
      VidSch::kBoundNs,
      "monitored fence value " + std::to_string(value_) + ", which SIGNAL_MONITORED_FENCE writes ([os] gpu_signals)",
      1000);
}

}  // namespace gmmu::os
