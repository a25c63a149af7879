// SPDX-License-Identifier: Apache-2.0
#include "os/memory/section.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/base/text.h"

namespace gmmu::os {

Section::Section(PageAllocator& pages, hw::HostRam& ram, uint64_t count, std::string owner, std::string created_by)
    : pages_(pages),
      ram_(ram),
      owner_(std::move(owner)),
      created_by_(std::move(created_by)),
      committed_(pages.Charge(count)),
      slots_(committed_ ? count : 0),
      pfns_(slots_.size(), kAway) {}

Section::~Section() {
  if (!committed_) return;
  pages_.Discharge(static_cast<uint64_t>(std::count(pfns_.begin(), pfns_.end(), kAway)));
}

bool Section::Hold(uint64_t first, uint64_t count) {
  for (uint64_t index = first; index < first + count; ++index) {
    if (slots_[index].holds == 0 && !BringIn(index)) {
      Release(first, index - first);
      return false;
    }
    ++slots_[index].holds;
  }
  return true;
}

void Section::Release(uint64_t first, uint64_t count) {
  for (uint64_t index = first; index < first + count; ++index) {
    if (--slots_[index].holds == 0) TakeOut(index);
  }
}

bool Section::BringIn(uint64_t index) {
  pages_.Discharge(1);  // the page that is allocated next is charged instead
  const auto page = pages_.AllocateScattered(1, 0, ~uint64_t{0}, owner_, created_by_);
  if (!page) {
    Recharge();
    return false;
  }
  pfns_[index] = page->front();
  std::vector<uint8_t>& file = slots_[index].file;
  if (file.empty()) return true;
  if (!ram_.Write(pfns_[index] * hw::kPageSize, file.data(), file.size()))
    throw BugCheck("page " + Hex(pfns_[index]) + " of a section is not installed memory");
  file.clear();
  return true;
}

void Section::TakeOut(uint64_t index) {
  std::vector<uint8_t>& file = slots_[index].file;
  file.resize(hw::kPageSize);
  if (!ram_.Read(pfns_[index] * hw::kPageSize, file.data(), file.size()))
    throw BugCheck("page " + Hex(pfns_[index]) + " of a section is not installed memory");
  pages_.Free(std::exchange(pfns_[index], kAway));
  Recharge();
}

void Section::Recharge() {
  if (!pages_.Charge(1)) throw BugCheck("a page of a section of " + owner_ + " went, and its commit charge with it");
}

}  // namespace gmmu::os
