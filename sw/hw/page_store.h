// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/cpu_cache.h"

namespace gmmu::hw {

/// Stores the pages of a sparse memory in an anonymous file, in the order of their first use. Pages
/// that are used together are therefore adjacent in the file and need few mappings, whatever their
/// page numbers.
///
/// A page reads as zero and has no storage until it is used. Storage is never freed. The caller
/// defines the page numbers.
class PageStore {
 public:
  /// The constructor and later calls throw std::runtime_error if the host cannot provide memory.
  /// The message begins with `owner` and contains the host's reason.
  explicit PageStore(std::string owner);
  ~PageStore();
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  /// Returns the kPageSize bytes of a page, or null if the page has not been used yet. Their
  /// address never changes.
  uint8_t* Find(uint64_t page) const;
  /// Marks a page as used, and returns its bytes.
  uint8_t* Use(uint64_t page);
  /// Marks a page as used, and returns its byte offset in file().
  uint64_t OffsetOf(uint64_t page);
  int file() const { return file_; }
  /// Lists the used pages in ascending order.
  std::vector<uint64_t> Used() const;

 private:
  static constexpr uint64_t kChunk = 64 << 20;  ///< bytes mapped at a time; storage is allocated page by page

  struct Recent {
    uint64_t page = ~uint64_t{0};
    uint8_t* bytes = nullptr;
  };

  uint8_t* BytesOf(uint64_t offset) const { return chunks_[offset / kChunk] + offset % kChunk; }
  void Grow();

  const std::string owner_;
  int file_ = -1;
  std::vector<uint8_t*> chunks_;
  std::unordered_map<uint64_t, uint64_t> offsets_;  ///< offset in the file, by page
  mutable std::array<Recent, 256> recent_;          ///< recently found pages, by the low bits of their numbers
};

}  // namespace gmmu::hw
