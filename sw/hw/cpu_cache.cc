// SPDX-License-Identifier: Apache-2.0
#include "hw/cpu_cache.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace gmmu::hw {
namespace {

constexpr std::array<uint8_t, kPageSize> kZeros = {};

}  // namespace

/// Returns the page's bytes as the CPU sees them, that is, the bytes in the file.
const uint8_t* CpuCache::Seen(uint64_t pfn) const {
  const uint8_t* const page = file_.page(pfn);
  return page != nullptr ? page : kZeros.data();
}

/// Returns the page's bytes in DRAM.
const uint8_t* CpuCache::Kept(const Page& page) { return page.dram ? page.dram->data() : kZeros.data(); }

/// Returns the page's bytes in DRAM, for writing.
uint8_t* CpuCache::Change(Page& page) {
  if (!page.dram) page.dram = std::make_unique<Bytes>();
  return page.dram->data();
}

template <typename Pages, typename Part>
void CpuCache::ForParts(Pages& pages, uint64_t hpa, uint64_t size, const Part& part) {
  for (uint64_t done = 0; done < size;) {
    const uint64_t offset = (hpa + done) % kPageSize;
    const uint64_t bytes = std::min(size - done, kPageSize - offset);
    const auto page = pages.find((hpa + done) / kPageSize);
    if (page != pages.end()) part(page->first, page->second, offset, done, bytes);
    done += bytes;
  }
}

bool CpuCache::Clean(uint64_t pfn, const Page& page) const {
  return std::memcmp(Seen(pfn), Kept(page), kPageSize) == 0;
}

void CpuCache::Forget(uint64_t pfn) {
  combined_pages_ -= pages_.at(pfn).lines ? 0 : 1;
  pages_.erase(pfn);
}

void CpuCache::Enter(uint64_t pfn, Caching caching) {
  const auto [entry, first] = pages_.try_emplace(pfn);
  Page& page = entry->second;
  if (first) {
    if (const uint8_t* const seen = file_.page(pfn)) {
      page.dram.reset(new Bytes);  // avoids make_unique's zeroing of the bytes
      std::memcpy(page.dram->data(), seen, kPageSize);
    }
    page.lines = caching == Caching::kCached;
    combined_pages_ += page.lines ? 0 : 1;
  }
  ++(caching == Caching::kCached ? page.cached : page.combined);
}

void CpuCache::Leave(uint64_t pfn, Caching caching) {
  Page& page = pages_.at(pfn);
  --(caching == Caching::kCached ? page.cached : page.combined);
  if (page.viewed()) return;
  if (!page.lines || Clean(pfn, page)) {
    Forget(pfn);
    return;
  }
  left_.push_back(pfn);
  while (left_.size() > kPages) {
    const auto oldest = pages_.find(left_.front());
    if (oldest != pages_.end() && !oldest->second.viewed()) Forget(oldest->first);
    left_.pop_front();
  }
}

void CpuCache::DeviceRead(uint64_t hpa, uint8_t* to, size_t size, bool snoop) const {
  if (snoop && combined_pages_ == 0) return;
  ForParts(pages_, hpa, size, [&](uint64_t, const Page& page, uint64_t offset, uint64_t done, uint64_t bytes) {
    if (!snoop || !page.lines) std::memcpy(to + done, Kept(page) + offset, bytes);
  });
}

void CpuCache::DeviceWrite(uint64_t hpa, const uint8_t* from, size_t size, bool snoop) {
  if (pages_.empty()) return file_.write(hpa, from, size);
  uint64_t written = 0;
  ForParts(pages_, hpa, size, [&](uint64_t pfn, Page& page, uint64_t offset, uint64_t done, uint64_t bytes) {
    if (done != written) file_.write(hpa + written, from + written, done - written);
    WritePart(pfn, page, offset, from + done, bytes, snoop);
    written = done + bytes;
  });
  if (size != written) file_.write(hpa + written, from + written, size - written);
}

/// Performs the part of a device's write that lies in one page. The CPU sees the written bytes,
/// except bytes in dirty lines that are not snooped and bytes for which a write-combining buffer
/// holds newer data.
void CpuCache::WritePart(uint64_t pfn, Page& page, uint64_t offset, const uint8_t* from, uint64_t size, bool snoop) {
  const uint64_t unit = page.lines ? kLine : 1;
  const bool snooped = snoop && page.lines;
  uint8_t* const dram = Change(page);
  for (uint64_t done = 0; done < size;) {
    const uint64_t at = offset + done, line = at / unit * unit;
    const uint64_t bytes = std::min(line + unit - at, size - done);
    const uint8_t* const seen = Seen(pfn) + line;
    const bool dirty = std::memcmp(seen, dram + line, unit) != 0;
    if (dirty && snooped) std::memcpy(dram + line, seen, unit);
    std::memcpy(dram + at, from + done, bytes);
    if (!dirty || snooped) file_.write(pfn * kPageSize + at, from + done, bytes);
    done += bytes;
  }
}

void CpuCache::Stored(uint64_t hpa, const uint8_t* from, size_t size) {
  ForParts(pages_, hpa, size, [&](uint64_t, Page& page, uint64_t offset, uint64_t done, uint64_t bytes) {
    std::memcpy(Change(page) + offset, from + done, bytes);
  });
}

void CpuCache::WriteBack(uint64_t hpa, uint64_t size) {
  const uint64_t start = hpa / kLine * kLine;
  const uint64_t end = (hpa + size + kLine - 1) / kLine * kLine;
  std::vector<uint64_t> clean;
  ForParts(pages_, start, end - start, [&](uint64_t pfn, Page& page, uint64_t offset, uint64_t, uint64_t bytes) {
    std::memcpy(Change(page) + offset, Seen(pfn) + offset, bytes);
    if (!page.viewed() && Clean(pfn, page)) clean.push_back(pfn);
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
  for (auto& [pfn, page] : pages_) {
    if (!page.lines) std::memcpy(Change(page), Seen(pfn), kPageSize);
  }
}

uint64_t CpuCache::dirty_bytes() const {
  uint64_t dirty = 0;
  for (const auto& [pfn, page] : pages_) {
    const uint8_t *const seen = Seen(pfn), *const kept = Kept(page);
    for (size_t i = 0; i < kPageSize; ++i) dirty += seen[i] != kept[i];
  }
  return dirty;
}

}  // namespace gmmu::hw
