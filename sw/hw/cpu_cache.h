// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

namespace gmmu::hw {

/// Size in bytes of a page of host memory. It is also the IOMMU's page size and the smallest GPU
/// page size.
inline constexpr uint64_t kPageSize = 4096;

/// The cache mode of a CPU view.
enum class Caching : uint8_t { kNonCached, kCached, kWriteCombined };

/// Models the CPU's caches and write-combining buffers, that is, the bytes that the CPU has stored
/// but that have not reached DRAM.
///
/// HostRam's file always holds the bytes that the CPU sees. For pages with cached or write-combined
/// views, this class also holds the bytes in DRAM; a byte that differs is dirty. A byte stays dirty
/// as long as any hardware could keep it, so that software that forgets to write back always fails
/// visibly:
///
///   cached           64-byte lines stay dirty until WriteBack, until a device writes to the line
///                    with snooping, or until more than kPages pages without a view are dirty (then
///                    the oldest page is written to DRAM).
///   write-combined   Bytes stay dirty until WriteBack, until DrainWriteCombining (the CPU's next
///                    uncached store) or until the view is removed. Devices do not snoop them.
///
/// Bytes that a device writes without snooping are hidden from the CPU only by a dirty line, which
/// overwrites them when it is written back. Clean lines are modelled as not cached.
class CpuCache {
 public:
  static constexpr size_t kLine = 64;
  static constexpr size_t kPages = 2048;

  /// Accesses the file; this does not count as a memory access. `page` returns a page's current
  /// bytes, valid until the next write, or null if the page is zero and has no storage.
  struct File {
    std::function<const uint8_t*(uint64_t pfn)> page;
    std::function<void(uint64_t at, const uint8_t* from, size_t size)> write;
  };
  explicit CpuCache(File file) : file_(std::move(file)) {}

  /// Call Enter when a view of the page is created, and Leave when it is removed, unless the view
  /// is kNonCached.
  void Enter(uint64_t pfn, Caching caching);
  void Leave(uint64_t pfn, Caching caching);

  /// True if no byte is dirty and no view exists. The file then equals DRAM.
  bool empty() const { return pages_.empty(); }

  /// Performs a device's read. On entry, `to` contains the file's bytes of [hpa, hpa + size); on
  /// return, the bytes that the device reads.
  void DeviceRead(uint64_t hpa, uint8_t* to, size_t size, bool snoop) const;
  /// Performs a device's write, including the write to the file.
  void DeviceWrite(uint64_t hpa, const uint8_t* from, size_t size, bool snoop);
  /// Records an uncached CPU store whose bytes are already in HostRam's file.
  void Stored(uint64_t hpa, const uint8_t* from, size_t size);

  /// WriteBack writes the dirty bytes of all lines that overlap [hpa, hpa + size) to DRAM.
  /// WriteBackAll writes all dirty bytes.
  void WriteBack(uint64_t hpa, uint64_t size);
  void WriteBackAll();
  void DrainWriteCombining();

  /// Returns the number of bytes that differ from DRAM.
  uint64_t dirty_bytes() const;

 private:
  using Bytes = std::array<uint8_t, kPageSize>;
  struct Page {
    std::unique_ptr<Bytes> dram;        ///< the bytes in DRAM; null: all zero
    unsigned cached = 0, combined = 0;  ///< numbers of cached and of write-combined views
    bool lines = true;                  ///< dirtiness is tracked by line; false: by byte, for write-combined views
    bool viewed() const { return cached + combined != 0; }
  };
  /// Calls `part(page number, page, offset in the page, offset in the range, size)` for each page
  /// of `pages` in the range.
  template <typename Pages, typename Part>
  static void ForParts(Pages& pages, uint64_t hpa, uint64_t size, const Part& part);
  const uint8_t* Seen(uint64_t pfn) const;
  static const uint8_t* Kept(const Page& page);
  static uint8_t* Change(Page& page);
  bool Clean(uint64_t pfn, const Page& page) const;
  void WritePart(uint64_t pfn, Page& page, uint64_t offset, const uint8_t* from, uint64_t size, bool snoop);
  void Forget(uint64_t pfn);

  const File file_;
  std::unordered_map<uint64_t, Page> pages_;
  std::deque<uint64_t> left_;  ///< pages without a view, oldest first; may name pages that have been dropped
  size_t combined_pages_ = 0;
};

}  // namespace gmmu::hw
