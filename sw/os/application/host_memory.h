// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace gmmu::os {

class SystemBuffer;
class VideoMemory;

/// Scattered pages of host memory that an application has and a GPU may reach (SystemBuffer).
///
/// Release() must be called; the destructor only forgets.
class HostMemory {
 public:
  /// None; Release() does nothing.
  HostMemory();
  /// For the GPU whose video memory that is. The pages lie at `lowest` or above, bytes of host physical memory.
  HostMemory(const VideoMemory& of, uint64_t bytes, uint64_t lowest = 0);
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();
  void Release();

  uint64_t bytes() const;
  /// Page number, and address of the first byte, as the GPU uses them.
  uint64_t page(uint64_t index) const;
  uint64_t logical() const;
  /// Host physical page numbers.
  const std::vector<uint64_t>& host_pages() const;
  /// From now on page(index) answers `page`: the deliberate fault "wrong ADL".
  void Falsify(uint64_t index, uint64_t page);

  /// CPU view of [offset, offset + size); one at a time.
  uint8_t* Map(uint64_t offset, uint64_t size);
  void Unmap();

  SystemBuffer& buffer() const { return *buffer_; }

 private:
  std::unique_ptr<SystemBuffer> buffer_;
};

}  // namespace gmmu::os
