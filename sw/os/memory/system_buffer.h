// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "hw/host_ram.h"

namespace gmmu::os {

class Kernel;
class MemoryObjects;

/// Host memory that a GPU may access: a physical memory object with one ADL for all its pages. It
/// is created by the code that implements the driver's callbacks (MemoryObjects).
///
/// The owner must call Release(). The destructor frees nothing, so that stack unwinding does not
/// access the machine.
class SystemBuffer {
 public:
  /// kReadOnlyView: scattered pages with a read-only CPU view.
  enum class Shape { kScattered, kContiguous, kReadOnlyView };

  SystemBuffer() = default;
  /// `lowest` is the lowest permitted host physical address of the buffer's pages.
  SystemBuffer(Kernel& kernel, MemoryObjects& objects, HANDLE adapter, uint64_t bytes, Shape shape, std::string owner,
               uint64_t lowest = 0);
  SystemBuffer(SystemBuffer&& other) noexcept { *this = std::move(other); }
  SystemBuffer& operator=(SystemBuffer&& other) noexcept;

  void Release();
  explicit operator bool() const { return object_ != nullptr; }

  uint64_t bytes() const { return bytes_; }
  const DXGK_ADL& adl() const { return *adl_; }
  /// The page number by which the GPU addresses page `index` of the buffer: a logical page number,
  /// or a physical one in physical mode.
  uint64_t page(uint64_t index) const {
    if (index == wrong_index_) return wrong_page_;
    return adl_->Flags.Contiguous ? adl_->BasePageNumber + index : adl_->Pages[index];
  }
  uint64_t logical() const { return page(0) * hw::kPageSize; }
  const std::vector<uint64_t>& host_pages() const;

  /// Deliberate fault (inject.wrong_adl): makes page(index) return `page`.
  void Falsify(uint64_t index, uint64_t page) {
    wrong_index_ = index;
    wrong_page_ = page;
  }

  /// Maps a CPU view of [offset, offset + size) and returns its address. Only one view may exist at
  /// a time.
  uint8_t* Map(uint64_t offset, uint64_t size);
  void Unmap();
  /// Writes to the buffer, as the operating system may do even if the view is read-only.
  void Write(uint64_t offset, const void* bytes, size_t size) const;

 private:
  Kernel* kernel_ = nullptr;
  MemoryObjects* objects_ = nullptr;
  HANDLE object_ = nullptr;
  HANDLE adapter_object_ = nullptr;
  DXGK_ADL* adl_ = nullptr;
  uint64_t bytes_ = 0;
  std::string owner_;
  uint64_t wrong_index_ = ~uint64_t{0};
  uint64_t wrong_page_ = 0;
  void* view_ = nullptr;
  uint64_t view_size_ = 0;
};

}  // namespace gmmu::os
