// SPDX-License-Identifier: Apache-2.0
#include "hw/host_ram.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "hw/page_store.h"

namespace gmmu::hw {
namespace {

constexpr uint64_t kMaxEnd = uint64_t{1} << 47;

std::runtime_error Failure(const std::string& what, int error) {
  return std::runtime_error("host RAM: " + what + ": " + std::strerror(error));
}

void CheckInstalled(const std::vector<Range>& installed) {
  uint64_t last = 0;
  for (const Range& range : installed) {
    if ((range.start | range.end) % kPageSize != 0) throw std::runtime_error("host RAM: a range is not 4 KiB aligned");
    if (range.end <= range.start || range.start < last)
      throw std::runtime_error("host RAM: ranges must ascend, hold bytes and not overlap");
    if (range.end > kMaxEnd) throw std::runtime_error("host RAM: a range ends above 47 bits");
    last = range.end;
  }
}

}  // namespace

HostRam::HostRam(std::vector<Range> installed)
    : installed_(std::move(installed)), store_(std::make_unique<PageStore>("host RAM")) {
  CheckInstalled(installed_);
}

HostRam::~HostRam() = default;

bool HostRam::Installed(uint64_t hpa, uint64_t size) const {
  for (const Range& range : installed_) {
    if (hpa < range.start) return false;
    if (hpa >= range.end) continue;
    // The rest of the access may be in a range that begins where this range ends.
    if (size <= range.end - hpa) return true;
    size -= range.end - hpa;
    hpa = range.end;
  }
  return false;
}

bool HostRam::Read(uint64_t hpa, void* to, size_t size) const {
  if (size == 0) return true;
  if (!Installed(hpa, size)) return false;
  auto* out = static_cast<uint8_t*>(to);
  while (size > 0) {
    const size_t part = std::min(size, kPageSize - hpa % kPageSize);
    const uint8_t* const page = store_->Find(hpa / kPageSize);
    if (page != nullptr) std::memcpy(out, page + hpa % kPageSize, part);
    else std::memset(out, 0, part);
    out += part;
    hpa += part;
    size -= part;
  }
  return true;
}

void HostRam::Store(uint64_t hpa, const uint8_t* from, size_t size) {
  while (size > 0) {
    const size_t part = std::min(size, kPageSize - hpa % kPageSize);
    std::memcpy(store_->Use(hpa / kPageSize) + hpa % kPageSize, from, part);
    hpa += part;
    from += part;
    size -= part;
  }
}

bool HostRam::Write(uint64_t hpa, const void* from, size_t size) {
  if (size == 0) return true;
  if (!Installed(hpa, size)) return false;
  Store(hpa, static_cast<const uint8_t*>(from), size);
  cache_.Stored(hpa, static_cast<const uint8_t*>(from), size);
  return true;
}

bool HostRam::DeviceRead(uint64_t hpa, void* to, size_t size, bool snoop) const {
  if (!Read(hpa, to, size)) return false;
  cache_.DeviceRead(hpa, static_cast<uint8_t*>(to), size, snoop);
  return true;
}

bool HostRam::DeviceWrite(uint64_t hpa, const void* from, size_t size, bool snoop) {
  if (size == 0) return true;
  if (!Installed(hpa, size)) return false;
  cache_.DeviceWrite(hpa, static_cast<const uint8_t*>(from), size, snoop);
  return true;
}

CpuCache::File HostRam::FileAccess() {
  return {[this](uint64_t pfn) -> const uint8_t* {
            if (!Installed(pfn * kPageSize, kPageSize)) throw Failure("a viewed page has gone", 0);
            return store_->Find(pfn);
          },
          [this](uint64_t at, const uint8_t* from, size_t size) { Store(at, from, size); }};
}

void* HostRam::MapPages(const uint64_t* pfns, size_t count, Caching caching, ViewAccess access) {
  const size_t bytes = std::max<size_t>(count, 1) * kPageSize;
  for (size_t i = 0; i < count; ++i) {
    if (pfns[i] >= end() / kPageSize || !Installed(pfns[i] * kPageSize, kPageSize))
      throw std::runtime_error("host RAM: page " + std::to_string(pfns[i]) + " is not installed");
  }
  void* view = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (view == MAP_FAILED) throw Failure("cannot reserve a CPU view", errno);
  // Must precede MapRuns, which may allocate the page's storage: Enter copies only pages with
  // storage.
  if (caching != Caching::kNonCached) {
    for (size_t i = 0; i < count; ++i) cache_.Enter(pfns[i], caching);
  }
  try {
    MapRuns(static_cast<uint8_t*>(view), pfns, count, access);
  } catch (...) {
    munmap(view, bytes);
    if (caching != Caching::kNonCached) {
      for (size_t i = 0; i < count; ++i) cache_.Leave(pfns[i], caching);
    }
    throw;
  }
  if (caching != Caching::kNonCached)
    cached_views_.emplace(view, std::make_pair(caching, std::vector<uint64_t>(pfns, pfns + count)));
  ++views_;
  return view;
}

/// Maps the pages consecutively, starting at `view`. Pages that are adjacent in the file share one
/// mapping.
void HostRam::MapRuns(uint8_t* view, const uint64_t* pfns, size_t count, ViewAccess access) {
  const int protection = access == ViewAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  const int sharing = access == ViewAccess::kCopyOnWrite ? MAP_PRIVATE : MAP_SHARED;
  for (size_t first = 0; first < count;) {
    const uint64_t offset = store_->OffsetOf(pfns[first]);
    size_t run = 1;
    while (first + run < count && store_->OffsetOf(pfns[first + run]) == offset + run * kPageSize) ++run;
    if (mmap(view + first * kPageSize, run * kPageSize, protection, sharing | MAP_NORESERVE | MAP_FIXED, store_->file(),
             static_cast<off_t>(offset)) == MAP_FAILED) {
      throw Failure("cannot map " + std::to_string(count) +
                        " pages into a CPU view (vm.max_map_count bounds scattered ones)",
                    errno);
    }
    first += run;
  }
}

void HostRam::SetReachable(void* view, size_t count, ViewAccess access, bool reachable) {
  const int protection = access == ViewAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  if (mprotect(view, count * kPageSize, reachable ? protection : PROT_NONE) != 0)
    throw Failure("cannot change the protection of a CPU view", errno);
}

void HostRam::UnmapPages(void* view, size_t count) {
  if (munmap(view, std::max<size_t>(count, 1) * kPageSize) != 0) throw Failure("cannot unmap a CPU view", errno);
  const auto cached = cached_views_.find(view);
  if (cached != cached_views_.end()) {
    for (uint64_t pfn : cached->second.second) cache_.Leave(pfn, cached->second.first);
    cached_views_.erase(cached);
  }
  --views_;
}

std::optional<uint64_t> HostRam::PhysicalOf(const void* pointer) const {
  const auto at = reinterpret_cast<uintptr_t>(pointer);
  for (const auto& [view, cached] : cached_views_) {
    const auto start = reinterpret_cast<uintptr_t>(view);
    if (at < start || at - start >= cached.second.size() * kPageSize) continue;
    return cached.second[(at - start) / kPageSize] * kPageSize + (at - start) % kPageSize;
  }
  return std::nullopt;
}

std::vector<uint64_t> HostRam::PagesWithData() const {
  std::vector<uint64_t> pages = store_->Used();
  const auto empty = [this](uint64_t pfn) {
    const uint8_t* const page = store_->Find(pfn);
    return std::all_of(page, page + kPageSize, [](uint8_t byte) { return byte == 0; });
  };
  pages.erase(std::remove_if(pages.begin(), pages.end(), empty), pages.end());
  return pages;
}

}  // namespace gmmu::hw
