// SPDX-License-Identifier: Apache-2.0
#include "hw/cpu_cache.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace gmmu::hw {

template <typename Part>
void CpuCache::ForParts(uint64_t hpa, uint64_t size, const Part& part) const {
  for (uint64_t done = 0; done < size;) {
    const uint64_t offset = (hpa + done) % kPageSize;
    const uint64_t bytes = std::min(size - done, kPageSize - offset);
    const auto page = pages_.find((hpa + done) / kPageSize);
    if (page != pages_.end()) part(page->first, *page->second, offset, done, bytes);
    done += bytes;
  }
}

CpuCache::Bytes CpuCache::Seen(uint64_t pfn) const {
  Bytes bytes;
  file_.read(pfn, bytes.data());
  return bytes;
}

void CpuCache::Forget(uint64_t pfn) {
  combined_pages_ -= pages_.at(pfn)->lines ? 0 : 1;
  pages_.erase(pfn);
}

void CpuCache::Enter(uint64_t pfn, Caching caching) {
  std::unique_ptr<Page>& page = pages_[pfn];
  if (!page) {
    page = std::make_unique<Page>();
    page->dram = Seen(pfn);
    page->lines = caching == Caching::kCached;
    combined_pages_ += page->lines ? 0 : 1;
  }
  ++(caching == Caching::kCached ? page->cached : page->combined);
}

void CpuCache::Leave(uint64_t pfn, Caching caching) {
  Page& page = *pages_.at(pfn);
  --(caching == Caching::kCached ? page.cached : page.combined);
  if (page.viewed()) return;
  if (!page.lines || Seen(pfn) == page.dram) {
    Forget(pfn);
    return;
  }
  left_.push_back(pfn);
  while (left_.size() > kPages) {
    const auto oldest = pages_.find(left_.front());
    if (oldest != pages_.end() && !oldest->second->viewed()) Forget(oldest->first);
    left_.pop_front();
  }
}

void CpuCache::DeviceRead(uint64_t hpa, uint8_t* to, size_t size, bool snoop) const {
  if (snoop && combined_pages_ == 0) return;
  ForParts(hpa, size, [&](uint64_t, const Page& page, uint64_t offset, uint64_t done, uint64_t bytes) {
    if (!snoop || !page.lines) std::memcpy(to + done, page.dram.data() + offset, bytes);
  });
}

void CpuCache::DeviceWrite(uint64_t hpa, const uint8_t* from, size_t size, bool snoop) {
  if (pages_.empty()) return file_.write(hpa, from, size);
  // The CPU sees all of the write but for bytes behind dirty lines that are not snooped, and bytes that wait in a
  // write-combining buffer.
  std::vector<uint8_t> seen(from, from + size);
  ForParts(hpa, size, [&](uint64_t pfn, Page& page, uint64_t offset, uint64_t done, uint64_t bytes) {
    const Bytes before = Seen(pfn);
    Bytes after = before;
    for (uint64_t at = offset; at < offset + bytes;) {
      const uint64_t unit = page.lines ? kLine : 1;
      const uint64_t line = at / unit * unit;
      const uint64_t end = std::min(line + unit, offset + bytes);
      const bool dirty = std::memcmp(before.data() + line, page.dram.data() + line, unit) != 0;
      const bool snooped = snoop && page.lines;
      if (dirty && snooped) std::memcpy(page.dram.data() + line, before.data() + line, unit);
      if (!dirty || snooped) std::memcpy(after.data() + at, from + done + (at - offset), end - at);
      std::memcpy(page.dram.data() + at, from + done + (at - offset), end - at);
      at = end;
    }
    std::memcpy(seen.data() + done, after.data() + offset, bytes);
  });
  file_.write(hpa, seen.data(), size);
}

void CpuCache::Stored(uint64_t hpa, const uint8_t* from, size_t size) {
  ForParts(hpa, size, [&](uint64_t, Page& page, uint64_t offset, uint64_t done, uint64_t bytes) {
    std::memcpy(page.dram.data() + offset, from + done, bytes);
  });
}

void CpuCache::WriteBack(uint64_t hpa, uint64_t size) {
  const uint64_t start = hpa / kLine * kLine;
  const uint64_t end = (hpa + size + kLine - 1) / kLine * kLine;
  std::vector<uint64_t> clean;
  ForParts(start, end - start, [&](uint64_t pfn, Page& page, uint64_t offset, uint64_t, uint64_t bytes) {
    const Bytes seen = Seen(pfn);
    std::memcpy(page.dram.data() + offset, seen.data() + offset, bytes);
    if (!page.viewed() && page.dram == seen) clean.push_back(pfn);
  });
  for (uint64_t pfn : clean) Forget(pfn);
}

void CpuCache::WriteBackAll() {
  std::vector<uint64_t> all;
  for (const auto& [pfn, page] : pages_) all.push_back(pfn);
  for (uint64_t pfn : all) WriteBack(pfn * kPageSize, kPageSize);
  left_.clear();
}

void CpuCache::DrainWriteCombining() {
  if (combined_pages_ == 0) return;
  for (const auto& [pfn, page] : pages_) {
    if (!page->lines) page->dram = Seen(pfn);
  }
}

uint64_t CpuCache::dirty_bytes() const {
  uint64_t dirty = 0;
  for (const auto& [pfn, page] : pages_) {
    const Bytes seen = Seen(pfn);
    for (size_t i = 0; i < seen.size(); ++i) dirty += seen[i] != page->dram[i];
  }
  return dirty;
}

}  // namespace gmmu::hw
