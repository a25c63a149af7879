// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/cpu_cache.h"

namespace gmmu::hw {

/// [start, end), bytes.
struct Range {
  uint64_t start = 0;
  uint64_t end = 0;
};

/// What the CPU may do through a view. A store through a copy-on-write view is seen there only; one through a
/// read-only view is a page fault.
enum class ViewAccess : uint8_t { kReadWrite, kReadOnly, kCopyOnWrite };

/// The modelled machine's RAM: sparse, any size up to 47 bits, one byte of storage for every byte of the ranges
/// touched.
///
/// Backed by an anonymous file whose offset is the host physical address, so that a CPU view of scattered pages is one
/// contiguous pointer (MapPages) and devices see what the CPU writes with no copy. A page reads as zero until written.
/// What the CPU stores through a cached or write-combined view may reach devices later (CpuCache).
class HostRam {
 public:
  /// `installed`: ascending, 4 KiB aligned, not overlapping. Throws std::runtime_error with the reason when the host
  /// cannot reserve the address range.
  explicit HostRam(std::vector<Range> installed);
  ~HostRam();
  HostRam(const HostRam&) = delete;
  HostRam& operator=(const HostRam&) = delete;

  const std::vector<Range>& installed() const { return installed_; }
  /// One past the last installed byte.
  uint64_t end() const { return installed_.empty() ? 0 : installed_.back().end; }
  /// All of [hpa, hpa + size) is installed.
  bool Installed(uint64_t hpa, uint64_t size) const;

  /// What the CPU sees, and its uncached stores. False, and nothing moved, unless all of it is installed.
  [[nodiscard]] bool Read(uint64_t hpa, void* to, size_t size) const;
  [[nodiscard]] bool Write(uint64_t hpa, const void* from, size_t size);
  /// Accesses of devices; `snoop`: the CPU's caches are asked first, as for every request without the No Snoop
  /// attribute.
  [[nodiscard]] bool DeviceRead(uint64_t hpa, void* to, size_t size, bool snoop) const;
  [[nodiscard]] bool DeviceWrite(uint64_t hpa, const void* from, size_t size, bool snoop);

  /// A contiguous pointer to the pages `pfns[0..count)` (host physical page numbers), in that order. Throws
  /// std::runtime_error if a page is not installed or the host is out of address space.
  void* MapPages(const uint64_t* pfns, size_t count, Caching caching = Caching::kNonCached,
                 ViewAccess access = ViewAccess::kReadWrite);
  /// `view` and `count` as of MapPages.
  void UnmapPages(void* view, size_t count);
  /// Host physical address behind a pointer into a cached or write-combined view; nullopt for any other.
  std::optional<uint64_t> PhysicalOf(const void* pointer) const;
  /// Views not unmapped yet.
  size_t views() const { return views_; }

  CpuCache& cache() { return cache_; }

  /// Host physical page numbers of every page that holds data, ascending (pages never written are absent).
  std::vector<uint64_t> WrittenPages() const;

 private:
  CpuCache::File FileAccess();

  std::vector<Range> installed_;
  int file_ = -1;
  uint8_t* base_ = nullptr;
  uint64_t size_ = 0;
  size_t views_ = 0;
  CpuCache cache_{FileAccess()};
  std::unordered_map<void*, std::pair<Caching, std::vector<uint64_t>>> cached_views_;
};

}  // namespace gmmu::hw
