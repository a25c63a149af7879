// SPDX-License-Identifier: Apache-2.0
#include "hw/host_ram.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gmmu::hw {
namespace {

constexpr uint64_t kMaxEnd = uint64_t{1} << 47;

std::runtime_error Failure(const std::string& what, int error) {
  return std::runtime_error("host RAM: " + what + ": " + std::strerror(error));
}

std::string GiB(uint64_t bytes) { return std::to_string(bytes >> 30) + " GiB"; }

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

HostRam::HostRam(std::vector<Range> installed) : installed_(std::move(installed)) {
  CheckInstalled(installed_);
  size_ = end();
  if (size_ == 0) return;
  file_ = memfd_create("gmmu-host-ram", MFD_CLOEXEC);
  if (file_ < 0) throw Failure("cannot create an anonymous file", errno);
  if (ftruncate(file_, static_cast<off_t>(size_)) != 0) {
    const int error = errno;
    close(file_);
    throw Failure("cannot make an anonymous file of " + GiB(size_), error);
  }
  void* base = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    close(file_);
    throw Failure("cannot reserve " + GiB(size_) + " of address space (is a limit set, see `ulimit -v`?)", error);
  }
  base_ = static_cast<uint8_t*>(base);
  // Pages are accounted one by one (WrittenPages), so huge pages are off. A core file leaves the sparse range out.
  madvise(base, size_, MADV_NOHUGEPAGE);
  madvise(base, size_, MADV_DONTDUMP);
}

HostRam::~HostRam() {
  if (base_ != nullptr) munmap(base_, size_);
  if (file_ >= 0) close(file_);
}

bool HostRam::Installed(uint64_t hpa, uint64_t size) const {
  for (const Range& range : installed_) {
    if (hpa < range.start) return false;
    if (hpa >= range.end) continue;
    // The access may cross into a range that begins where this one ends.
    if (size <= range.end - hpa) return true;
    size -= range.end - hpa;
    hpa = range.end;
  }
  return false;
}

bool HostRam::HoldsData(uint64_t hpa, uint64_t size) const {
  for (uint64_t pfn = hpa / kPageSize; pfn <= (hpa + size - 1) / kPageSize; ++pfn) {
    if (pfn == held_last_) continue;
    if (holding_data_.count(pfn) == 0) {
      const auto at = static_cast<off_t>(pfn * kPageSize);
      if (lseek(file_, at, SEEK_DATA) != at) return false;
      holding_data_.insert(pfn);
    }
    held_last_ = pfn;
  }
  return true;
}

bool HostRam::Read(uint64_t hpa, void* to, size_t size) const {
  if (size == 0) return true;
  if (!Installed(hpa, size)) return false;
  if (HoldsData(hpa, size)) {
    std::memcpy(to, base_ + hpa, size);
    return true;
  }
  // The read goes through the file, because a load from a page that was never written would allocate it.
  uint8_t* out = static_cast<uint8_t*>(to);
  while (size > 0) {
    const ssize_t got = pread(file_, out, size, static_cast<off_t>(hpa));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Failure("read failed", errno);
    out += got;
    hpa += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool HostRam::Write(uint64_t hpa, const void* from, size_t size) {
  if (size == 0) return true;
  if (!Installed(hpa, size)) return false;
  std::memcpy(base_ + hpa, from, size);
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
  static constexpr uint8_t kNothing[kPageSize] = {};
  return {[this](uint64_t pfn) -> const uint8_t* {
            if (!Installed(pfn * kPageSize, kPageSize)) throw Failure("a viewed page has gone", 0);
            return HoldsData(pfn * kPageSize, kPageSize) ? base_ + pfn * kPageSize : kNothing;
          },
          [this](uint64_t at, const uint8_t* from, size_t size) { std::memcpy(base_ + at, from, size); }};
}

void* HostRam::MapPages(const uint64_t* pfns, size_t count, Caching caching, ViewAccess access) {
  const size_t bytes = std::max<size_t>(count, 1) * kPageSize;
  for (size_t i = 0; i < count; ++i) {
    if (pfns[i] >= size_ / kPageSize || !Installed(pfns[i] * kPageSize, kPageSize))
      throw std::runtime_error("host RAM: page " + std::to_string(pfns[i]) + " is not installed");
  }
  void* view = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (view == MAP_FAILED) throw Failure("cannot reserve a CPU view", errno);
  const int protection = access == ViewAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  const int sharing = access == ViewAccess::kCopyOnWrite ? MAP_PRIVATE : MAP_SHARED;
  for (size_t first = 0; first < count;) {
    size_t run = 1;
    while (first + run < count && pfns[first + run] == pfns[first] + run) ++run;
    uint8_t* at = static_cast<uint8_t*>(view) + first * kPageSize;
    if (mmap(at, run * kPageSize, protection, sharing | MAP_NORESERVE | MAP_FIXED, file_,
             static_cast<off_t>(pfns[first] * kPageSize)) == MAP_FAILED) {
      const int error = errno;
      munmap(view, bytes);
      throw Failure("cannot map " + std::to_string(count) +
                        " pages into a CPU view (vm.max_map_count bounds scattered ones)",
                    error);
    }
    first += run;
  }
  if (caching != Caching::kNonCached) {
    for (size_t i = 0; i < count; ++i) cache_.Enter(pfns[i], caching);
    cached_views_.emplace(view, std::make_pair(caching, std::vector<uint64_t>(pfns, pfns + count)));
  }
  ++views_;
  return view;
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

std::vector<uint64_t> HostRam::WrittenPages() const {
  std::vector<uint64_t> pages;
  off_t at = 0;
  while (static_cast<uint64_t>(at) < size_) {
    const off_t data = lseek(file_, at, SEEK_DATA);
    if (data < 0) {
      if (errno == ENXIO) break;  // no data from here on
      throw Failure("cannot look for written pages", errno);
    }
    const off_t hole = lseek(file_, data, SEEK_HOLE);
    if (hole < 0) throw Failure("cannot look for written pages", errno);
    const uint64_t end = (static_cast<uint64_t>(hole) + kPageSize - 1) / kPageSize;
    for (uint64_t pfn = static_cast<uint64_t>(data) / kPageSize; pfn < end; ++pfn) pages.push_back(pfn);
    at = static_cast<off_t>(end * kPageSize);
  }
  return pages;
}

}  // namespace gmmu::hw
