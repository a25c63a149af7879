// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gmmu::hw {

inline constexpr uint64_t kPageSize = 4096;

/// [start, end), bytes.
struct Range {
  uint64_t start = 0;
  uint64_t end = 0;
};

/// The modelled machine's RAM: sparse, any size up to 47 bits, one byte of storage for every byte of the ranges touched.
///
/// Backed by an anonymous file whose offset is the host physical address, so that a CPU view of scattered pages is one
/// contiguous pointer (MapPages) and devices see what the CPU writes with no copy. A page reads as zero until written.
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

  /// False, and nothing moved, unless all of it is installed.
  [[nodiscard]] bool Read(uint64_t hpa, void* to, size_t size) const;
  [[nodiscard]] bool Write(uint64_t hpa, const void* from, size_t size);

  /// A contiguous pointer to the pages `pfns[0..count)` (host physical page numbers), in that order. Throws
  /// std::runtime_error if a page is not installed or the host is out of address space.
  void* MapPages(const uint64_t* pfns, size_t count);
  /// `view` and `count` as of MapPages.
  void UnmapPages(void* view, size_t count);
  /// Views not unmapped yet.
  size_t views() const { return views_; }

  /// Host physical page numbers of every page that holds data, ascending (pages never written are absent).
  std::vector<uint64_t> WrittenPages() const;

 private:
  std::vector<Range> installed_;
  int file_ = -1;
  uint8_t* base_ = nullptr;
  uint64_t size_ = 0;
  size_t views_ = 0;
};

}  // namespace gmmu::hw
