// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/memory/section.h"

namespace gmmu::os {

class Kernel;
class SectionNames;

/// The memory of a physical memory object, by type (DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT), and of the contiguous
/// memory and the MDLs of the isolation callbacks:
///
///   MDL                pages as MmAllocatePagesForMdlEx chooses them: SkipBytes moves the range on until enough
///                      pages are found, or is the size of contiguous chunks (Flags)
///   CONTIGUOUS_MEMORY  consecutive pages between two bounds that do not cross a multiple of a boundary
///   SECTION            pageable memory of the page file (Section)
///   IO_SPACE           a range that a PCI device decodes; no memory is allocated
///
/// All sizes inside this class are multiples of the page size.
class MemoryBacking {
 public:
  using Arguments = DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

  /// Returns STATUS_INVALID_PARAMETER for arguments that no memory can satisfy, STATUS_NO_MEMORY or
  /// STATUS_INSUFFICIENT_RESOURCES if there is no memory, and STATUS_COMMITMENT_LIMIT if no commit charge is left for a
  /// section. After a failure, nothing is allocated. An existing named section is opened (STATUS_OBJECT_NAME_EXISTS, a
  /// success, with the section's original size) or collides (SectionNames). If `names` is null, there are no named
  /// sections.
  static NTSTATUS Make(Kernel& kernel, SectionNames* names, const Arguments& args, const std::string& owner,
                       const char* call, MemoryBacking& backing);
  /// Frees the memory. Triggers a bug check while a page is pinned.
  void Free(Kernel& kernel);

  uint64_t pages() const { return pfns().size(); }
  /// Host physical pages; Section::kAway for a page of a section that is not in memory.
  const std::vector<uint64_t>& pfns() const { return section_ ? section_->pfns() : pfns_; }
  bool io_space() const { return type_ == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE; }
  /// Whether the memory's type requires contiguous pages.
  bool contiguous() const { return io_space() || type_ == DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY; }
  hw::Caching caching() const { return caching_; }
  /// The access that a view permits, or nullopt if no view is permitted (a section without SECTION_MAP_READ).
  std::optional<hw::ViewAccess> access() const { return access_; }

  /// Keeps pages [first, first + count) in place until the matching Release. Returns false if no memory is left.
  bool Hold(uint64_t first, uint64_t count) { return !section_ || section_->Hold(first, count); }
  void Release(uint64_t first, uint64_t count) {
    if (section_) section_->Release(first, count);
  }

 private:
  NTSTATUS MakePages(Kernel& kernel, const Arguments& args, const std::string& owner, const char* call);
  NTSTATUS MakeContiguous(Kernel& kernel, const Arguments& args, const std::string& owner, const char* call);
  NTSTATUS MakeSection(Kernel& kernel, SectionNames* names, const Arguments& args, const std::string& owner,
                       const char* call);
  NTSTATUS MakeIoSpace(Kernel& kernel, const Arguments& args);

  DXGK_PHYSICAL_MEMORY_TYPE type_ = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
  hw::Caching caching_ = hw::Caching::kNonCached;
  std::optional<hw::ViewAccess> access_ = hw::ViewAccess::kReadWrite;
  std::vector<uint64_t> pfns_;
  std::shared_ptr<Section> section_;  // shared by all objects that opened the section by name
};

}  // namespace gmmu::os
