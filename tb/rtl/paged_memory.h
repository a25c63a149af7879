// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace gmmu {

/// Bytes in 4 KiB pages. Only pages created with Make exist: any other page reads as zeros and
/// ignores writes, and each such access is counted in `strays`.
class PagedMemory {
 public:
  using Pages = std::map<uint64_t, std::array<uint8_t, 4096>>;

  void Make(uint64_t address, uint64_t bytes) {
    for (uint64_t page = address >> 12; page <= (address + bytes - 1) >> 12; ++page) pages_[page];
  }
  bool Has(uint64_t address) const { return pages_.count(address >> 12) != 0; }
  uint8_t Read(uint64_t address) const {
    const auto page = pages_.find(address >> 12);
    if (page == pages_.end()) return ++strays_, 0;
    return page->second[address & 0xfff];
  }
  void Write(uint64_t address, uint8_t value) {
    const auto page = pages_.find(address >> 12);
    if (page == pages_.end()) ++strays_;
    else page->second[address & 0xfff] = value;
  }
  uint64_t Read64(uint64_t address) const {
    uint64_t value = 0;
    for (int i = 7; i >= 0; --i) value = value << 8 | Read(address + i);
    return value;
  }
  void Write64(uint64_t address, uint64_t value) {
    for (int i = 0; i < 8; ++i) Write(address + i, static_cast<uint8_t>(value >> (8 * i)));
  }
  std::vector<uint8_t> Bytes(uint64_t address, size_t size) const {
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = Read(address + i);
    return bytes;
  }
  unsigned strays() const { return strays_; }
  const Pages& pages() const { return pages_; }
  Pages& pages() { return pages_; }

 private:
  Pages pages_;
  mutable unsigned strays_ = 0;
};

}  // namespace gmmu
