// SPDX-License-Identifier: Apache-2.0
#include "os/tables/small_pages.h"

#include "hw/host_ram.h"

namespace gmmu::os {

void SmallPages::Note(const TableUpdate& update) {
  for (uint64_t i = 0; geometry_.dual && i < update.count; ++i) {
    const uint64_t page = update.first_va / hw::kPageSize + i;
    const auto bit = static_cast<uint16_t>(1u << page % kPagesOf64k);
    uint16_t& pages = blocks_[page / kPagesOf64k];
    const bool used = InUse(update.entries[update.repeat ? 0 : i]);
    pages = static_cast<uint16_t>(used ? pages | bit : pages & ~bit);
    if (pages == 0) blocks_.erase(page / kPagesOf64k);
  }
}

}  // namespace gmmu::os
