// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "os/base/text.h"
#include "os/miniport/import_scan.h"

namespace gmmu::os {

/// A part of a driver's file. A read beyond the end of the part throws ImportScanError, with the file offset in the
/// message.
class FileBytes {
 public:
  FileBytes(const uint8_t* at, size_t size, uint64_t offset = 0) : at_(at), size_(size), offset_(offset) {}

  /// `what` is the name of the part in error messages.
  FileBytes Part(uint64_t offset, uint64_t size, const char* what = "a table") const {
    if (offset > size_ || size > size_ - offset) {
      throw ImportScanError("the file ends inside of " + std::string(what) + ": " + std::to_string(size) +
                            " bytes at offset " + Hex(offset_ + offset) + ", " +
                            std::to_string(offset > size_ ? 0 : size_ - offset) + " are there");
    }
    return {at_ + offset, static_cast<size_t>(size), offset_ + offset};
  }
  template <typename T>
  T Read(uint64_t offset, const char* what = "a table") const {
    T value;
    std::memcpy(&value, Part(offset, sizeof value, what).at_, sizeof value);
    return value;
  }
  /// Returns the string at `offset`, up to its terminating 0.
  std::string Text(uint64_t offset) const {
    const FileBytes rest = Part(offset, size_ - std::min<uint64_t>(offset, size_), "the names");
    const void* end = rest.size_ == 0 ? nullptr : std::memchr(rest.at_, 0, rest.size_);
    if (end == nullptr) throw ImportScanError("the name at offset " + Hex(rest.offset_) + " has no end");
    return {reinterpret_cast<const char*>(rest.at_), static_cast<const char*>(end)};
  }
  bool StartsWith(const char* text, size_t size) const { return size_ >= size && std::memcmp(at_, text, size) == 0; }
  size_t size() const { return size_; }
  uint64_t offset() const { return offset_; }  ///< position in the file

 private:
  const uint8_t* at_;
  size_t size_;
  uint64_t offset_;
};

}  // namespace gmmu::os
