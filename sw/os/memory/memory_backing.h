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

/// The memory of a physical memory object (DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT), or of a block
/// that an isolation callback allocated (contiguous memory or MDL). By type:
///
///   MDL                pages, selected as MmAllocatePagesForMdlEx does: depending on Flags,
///                      SkipBytes is the step by which the range moves up until enough pages are
///                      found, or the size of contiguous chunks
///   CONTIGUOUS_MEMORY  consecutive pages between two bounds, which cross no multiple of a boundary
///   SECTION            pageable memory, backed by the page file (Section)
///   IO_SPACE           a range that a PCI device decodes; no memory is allocated
///
/// All sizes inside this class are multiples of the page size.
class MemoryBacking {
 public:
  using Arguments = DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

  /// Allocates memory into `backing`. Returns STATUS_INVALID_PARAMETER for arguments that can never
  /// be satisfied, STATUS_NO_MEMORY or STATUS_INSUFFICIENT_RESOURCES if there is not enough memory,
  /// and STATUS_COMMITMENT_LIMIT if a section exceeds the commit limit. If Make fails, no memory
  /// stays allocated. If a section of the same name exists, it is opened with its original size
  /// (STATUS_OBJECT_NAME_EXISTS, a success status) or the call fails (SectionNames). `names` is
  /// null if named sections are not supported.
  static NTSTATUS Make(Kernel& kernel, SectionNames* names, const Arguments& args, const std::string& owner,
                       const char* call, MemoryBacking& backing);
  /// Frees the memory. Triggers a bug check if a page is still pinned.
  void Free(Kernel& kernel);

  uint64_t pages() const { return pfns().size(); }
  /// Host physical page numbers; Section::kAway for pages of a section that are not in memory.
  const std::vector<uint64_t>& pfns() const { return section_ ? section_->pfns() : pfns_; }
  bool io_space() const { return type_ == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE; }
  /// True if the memory type implies contiguous pages.
  bool contiguous() const { return io_space() || type_ == DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY; }
  hw::Caching caching() const { return caching_; }
  /// The access that views permit, or nullopt if views are not permitted (a section without
  /// SECTION_MAP_READ).
  std::optional<hw::ViewAccess> access() const { return access_; }

  /// Keeps pages [first, first + count) in memory at fixed addresses until the matching Release.
  /// Returns false if no memory is left.
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
