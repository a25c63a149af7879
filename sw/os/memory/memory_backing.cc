// SPDX-License-Identifier: Apache-2.0
#include "os/memory/memory_backing.h"

#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/section_names.h"

namespace gmmu::os {
namespace {

uint64_t Bytes(const PHYSICAL_ADDRESS& address) { return static_cast<uint64_t>(address.QuadPart); }

/// Returns the first address after the inclusive bound `highest`.
uint64_t Past(const PHYSICAL_ADDRESS& highest) {
  return Bytes(highest) == ~uint64_t{0} ? ~uint64_t{0} : Bytes(highest) + 1;
}

hw::Caching CachingOf(DXGK_MEMORY_CACHING_TYPE type) {
  switch (type) {
    case DXGK_MEMORY_CACHING_TYPE_CACHED: return hw::Caching::kCached;
    case DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED: return hw::Caching::kWriteCombined;
    default: return hw::Caching::kNonCached;
  }
}

constexpr UINT kMdlFlags = MM_DONT_ZERO_ALLOCATION | MM_ALLOCATE_FROM_LOCAL_NODE_ONLY | MM_ALLOCATE_FULLY_REQUIRED |
                           MM_ALLOCATE_NO_WAIT | MM_ALLOCATE_PREFER_CONTIGUOUS | MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS;

/// Selects pages as MmAllocatePagesForMdlEx does. Three flags of that function have no effect,
/// because there is only one memory node, allocations never wait, and a partial allocation is never
/// returned.
class MdlPages {
 public:
  MdlPages(PageAllocator& pages, const MemoryBacking::Arguments& args, const std::string& owner, const char* call)
      : pages_(pages), args_(args), owner_(owner), call_(call), count_(PagesOf(args.Size)) {
    pages_.set_zeroing((args.Mdl.Flags & MM_DONT_ZERO_ALLOCATION) == 0);
  }
  ~MdlPages() { pages_.set_zeroing(true); }
  MdlPages(const MdlPages&) = delete;
  MdlPages& operator=(const MdlPages&) = delete;

  /// Allocates and returns all pages, or returns an empty vector if there are not enough.
  std::vector<uint64_t> Take() {
    if ((args_.Mdl.Flags & MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS) != 0) {
      const uint64_t skip = Bytes(args_.Mdl.SkipBytes);
      Chunks(skip == 0 ? count_ : skip / hw::kPageSize, skip != 0);
    } else {
      if ((args_.Mdl.Flags & MM_ALLOCATE_PREFER_CONTIGUOUS) != 0) Chunks(count_, false);
      if (taken_.empty()) Ranges();
    }
    if (taken_.size() == count_) return taken_;
    pages_.Free(taken_);
    return {};
  }

 private:
  /// Allocates contiguous chunks of `size` pages. If `aligned` is true, each chunk is aligned to
  /// its size.
  void Chunks(uint64_t size, bool aligned) {
    while (taken_.size() < count_) {
      const auto first = pages_.AllocateContiguous(size, Bytes(args_.Mdl.LowAddress), Past(args_.Mdl.HighAddress), 0,
                                                   owner_, call_, aligned ? size : 1);
      if (!first) return;
      for (uint64_t i = 0; i < size; ++i) taken_.push_back(*first + i);
    }
  }

  /// Allocates pages from the requested range. If that is not enough, moves the range up by
  /// SkipBytes and repeats, up to the end of memory.
  void Ranges() {
    const uint64_t skip = Bytes(args_.Mdl.SkipBytes);
    uint64_t low = Bytes(args_.Mdl.LowAddress), high = Past(args_.Mdl.HighAddress);
    while (true) {
      while (taken_.size() < count_) {
        const uint64_t want = count_ - taken_.size();
        auto some = pages_.AllocateScattered(want, low, high, owner_, call_);
        // The range has too few free pages: halve the request until it succeeds.
        for (uint64_t less = want / 2; !some && less != 0; less /= 2)
          some = pages_.AllocateScattered(less, low, high, owner_, call_);
        if (!some) break;
        taken_.insert(taken_.end(), some->begin(), some->end());
      }
      if (taken_.size() == count_ || skip == 0 || low >= pages_.end() || skip > ~uint64_t{0} - low) return;
      low += skip;
      high = skip > ~uint64_t{0} - high ? ~uint64_t{0} : high + skip;
    }
  }

  PageAllocator& pages_;
  const MemoryBacking::Arguments& args_;
  const std::string& owner_;
  const char* const call_;
  const uint64_t count_;
  std::vector<uint64_t> taken_;
};

}  // namespace

NTSTATUS MemoryBacking::Make(Kernel& kernel, SectionNames* names, const Arguments& args, const std::string& owner,
                             const char* call, MemoryBacking& backing) {
  if (args.Size == 0 || args.Size > kernel.hal().ram().end()) return STATUS_INVALID_PARAMETER;
  if (args.CacheType > DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED) return STATUS_INVALID_PARAMETER;
  backing.type_ = args.Type;
  backing.caching_ = CachingOf(args.CacheType);
  switch (args.Type) {
    case DXGK_PHYSICAL_MEMORY_TYPE_MDL: return backing.MakePages(kernel, args, owner, call);
    case DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY: return backing.MakeContiguous(kernel, args, owner, call);
    case DXGK_PHYSICAL_MEMORY_TYPE_SECTION: return backing.MakeSection(kernel, names, args, owner, call);
    case DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE: return backing.MakeIoSpace(kernel, args);
    default: return STATUS_INVALID_PARAMETER;
  }
}

NTSTATUS MemoryBacking::MakePages(Kernel& kernel, const Arguments& args, const std::string& owner, const char* call) {
  const uint64_t skip = Bytes(args.Mdl.SkipBytes);
  if ((args.Mdl.Flags & ~kMdlFlags) != 0 || skip % hw::kPageSize != 0 ||
      Bytes(args.Mdl.LowAddress) > Bytes(args.Mdl.HighAddress)) {
    return STATUS_INVALID_PARAMETER;
  }
  const bool chunks = (args.Mdl.Flags & MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS) != 0;
  if (chunks && skip != 0 && (!PowerOfTwo(skip) || args.Size % skip != 0)) return STATUS_INVALID_PARAMETER;
  pfns_ = MdlPages(kernel.pages(), args, owner, call).Take();
  return pfns_.empty() ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

NTSTATUS MemoryBacking::MakeContiguous(Kernel& kernel, const Arguments& args, const std::string& owner,
                                       const char* call) {
  const uint64_t boundary = Bytes(args.ContiguousMemory.BoundaryAddressMultiple);
  if (boundary != 0 && (!PowerOfTwo(boundary) || boundary < hw::kPageSize)) return STATUS_INVALID_PARAMETER;
  // Models build 26100, on which the creation of large contiguous objects sometimes fails on a
  // running system but succeeds after a cold boot.
  const uint64_t fails = kernel.parameters().inject.contiguous_bytes;
  if (fails != 0 && args.Size >= fails && kernel.pages().used_before()) {
    kernel.Injected("contiguous_bytes");
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  const uint64_t count = PagesOf(args.Size);
  const auto first = kernel.pages().AllocateContiguous(count, Bytes(args.ContiguousMemory.LowestAcceptableAddress),
                                                       Past(args.ContiguousMemory.HighestAcceptableAddress), boundary,
                                                       owner, call);
  if (!first) return STATUS_INSUFFICIENT_RESOURCES;
  for (uint64_t i = 0; i < count; ++i) pfns_.push_back(*first + i);
  return STATUS_SUCCESS;
}

NTSTATUS MemoryBacking::MakeSection(Kernel& kernel, SectionNames* names, const Arguments& args,
                                    const std::string& owner, const char* call) {
  if (args.CacheType == DXGK_MEMORY_CACHING_TYPE_NON_CACHED) return STATUS_INVALID_PARAMETER;
  if (kernel.parameters().section_attributes_refused && (args.Section.AllocationAttributes & ~ULONG{SEC_COMMIT}) != 0) {
    return STATUS_INVALID_PARAMETER;
  }
  switch (args.Section.PageProtection) {
    case PAGE_READWRITE: access_ = hw::ViewAccess::kReadWrite; break;
    case PAGE_WRITECOPY: access_ = hw::ViewAccess::kCopyOnWrite; break;
    case PAGE_READONLY:
    case PAGE_EXECUTE: access_ = hw::ViewAccess::kReadOnly; break;
    default: return STATUS_INVALID_PARAMETER;
  }
  const ACCESS_MASK desired = args.Section.DesiredAccess;
  if ((desired & (SECTION_MAP_READ | SECTION_MAP_WRITE | SECTION_MAP_EXECUTE)) == 0) access_.reset();
  else if ((desired & SECTION_MAP_WRITE) == 0 && access_ == hw::ViewAccess::kReadWrite)
    access_ = hw::ViewAccess::kReadOnly;
  std::u16string name;
  const NTSTATUS named = SectionNames::NameOf(args.Section.ObjectAttributes, name);
  if (!NT_SUCCESS(named)) return named;
  if (names != nullptr && !name.empty()) {
    const NTSTATUS found = names->Open(name, args.Section.ObjectAttributes->Attributes, section_);
    if (found != STATUS_OBJECT_NAME_NOT_FOUND) return found;
  }
  auto section = std::make_shared<Section>(kernel.pages(), kernel.hal().ram(), PagesOf(args.Size), owner, call);
  if (!section->committed()) return STATUS_COMMITMENT_LIMIT;
  if (names != nullptr && !name.empty()) names->Add(name, section);
  section_ = std::move(section);
  return STATUS_SUCCESS;
}

NTSTATUS MemoryBacking::MakeIoSpace(Kernel& kernel, const Arguments& args) {
  const uint64_t base = Bytes(args.IOSpace.BaseAddress);
  if (base % hw::kPageSize != 0 || !kernel.pci().Decodes(base, args.Size)) return STATUS_INVALID_PARAMETER;
  for (uint64_t i = 0; i < PagesOf(args.Size); ++i) pfns_.push_back(base / hw::kPageSize + i);
  return STATUS_SUCCESS;
}

void MemoryBacking::Free(Kernel& kernel) {
  if (section_ || io_space()) return;  // section pages are freed when the last hold is released
  kernel.pages().Free(pfns_);
}

}  // namespace gmmu::os
