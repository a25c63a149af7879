// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/cpu_cache.h"

namespace gmmu::hw {

class PageStore;

/// A half-open range [start, end), in bytes unless stated otherwise.
struct Range {
  uint64_t start = 0;
  uint64_t end = 0;
};

/// How the CPU may access a view. A store through a copy-on-write view is visible only in that
/// view; a store through a read-only view causes a page fault.
enum class ViewAccess : uint8_t { kReadWrite, kReadOnly, kCopyOnWrite };

/// The modelled machine's RAM, of any size up to 47 bits. It is sparse: only pages that were
/// written or mapped need storage.
///
/// The pages are in the file of a PageStore. A CPU view maps scattered pages of that file as one
/// contiguous range (MapPages), so that devices see the CPU's stores without a copy. A page reads
/// as zero until it is written. Stores through a cached or write-combined view may reach devices
/// later (CpuCache).
class HostRam {
 public:
  /// `installed` must be ascending, 4 KiB aligned and without overlaps; otherwise the constructor
  /// throws std::runtime_error. The constructor and later calls that use more pages also throw
  /// std::runtime_error if the host cannot provide memory.
  explicit HostRam(std::vector<Range> installed);
  ~HostRam();
  HostRam(const HostRam&) = delete;
  HostRam& operator=(const HostRam&) = delete;

  const std::vector<Range>& installed() const { return installed_; }
  /// Address of the first byte after the installed memory.
  uint64_t end() const { return installed_.empty() ? 0 : installed_.back().end; }
  /// Returns whether all of [hpa, hpa + size) is installed.
  bool Installed(uint64_t hpa, uint64_t size) const;

  /// Perform the CPU's reads and uncached stores. If the range is not installed, they transfer
  /// nothing and return false.
  [[nodiscard]] bool Read(uint64_t hpa, void* to, size_t size) const;
  [[nodiscard]] bool Write(uint64_t hpa, const void* from, size_t size);
  /// Perform accesses by devices. If `snoop` is true, the access snoops the CPU's caches, like
  /// every request without the No Snoop attribute. If the range is not fully installed, they
  /// transfer nothing and return false.
  [[nodiscard]] bool DeviceRead(uint64_t hpa, void* to, size_t size, bool snoop) const;
  [[nodiscard]] bool DeviceWrite(uint64_t hpa, const void* from, size_t size, bool snoop);

  /// Maps the pages `pfns[0..count)` (host physical page numbers) in that order as one contiguous view. Throws
  /// std::runtime_error if a page is not installed or the host is out of address space.
  void* MapPages(const uint64_t* pfns, size_t count, Caching caching = Caching::kNonCached,
                 ViewAccess access = ViewAccess::kReadWrite);
  /// Makes a view inaccessible, or restores the access rights (`access`) with which it was mapped.
  /// The pages stay mapped.
  void SetReachable(void* view, size_t count, ViewAccess access, bool reachable);
  /// Removes a view. `view` is the result of MapPages, `count` its argument.
  void UnmapPages(void* view, size_t count);
  /// Returns the host physical address of a pointer into a cached or write-combined view, or nullopt for any other
  /// pointer.
  std::optional<uint64_t> PhysicalOf(const void* pointer) const;
  /// Returns the number of existing views.
  size_t views() const { return views_; }

  CpuCache& cache() { return cache_; }

  /// Lists, in ascending order, the host physical page numbers of all pages that contain a non-zero
  /// byte.
  std::vector<uint64_t> PagesWithData() const;

 private:
  CpuCache::File FileAccess();
  void MapRuns(uint8_t* view, const uint64_t* pfns, size_t count, ViewAccess access);
  /// Writes bytes to the file, that is, to what the CPU sees.
  void Store(uint64_t hpa, const uint8_t* from, size_t size);

  std::vector<Range> installed_;
  const std::unique_ptr<PageStore> store_;
  size_t views_ = 0;
  CpuCache cache_{FileAccess()};
  std::unordered_map<void*, std::pair<Caching, std::vector<uint64_t>>> cached_views_;
};

}  // namespace gmmu::hw
