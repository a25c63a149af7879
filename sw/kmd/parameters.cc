// SPDX-License-Identifier: Apache-2.0
#include "kmd/parameters.h"

#include <algorithm>

#include "ddi/wdm.h"
#include "kmd/link.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

constexpr uint32_t kMostBitsOfPairs = 12;  // a table of level 1 has at most 64 KiB

constexpr uint32_t kEvery = ~0u;

/// Values of the key: those of one linked adapter go before those of every one.
class Key {
 public:
  explicit Key(uint32_t index) : index_(index) {}

  uint64_t Value(const char* name, uint64_t fallback) const {
    ULONG64 value = 0;
    if (index_ != kEvery) {
      char own[64] = "Adapter0";
      own[7] = static_cast<char>('0' + index_);
      size_t at = 8;
      for (const char* c = name; *c != 0 && at + 1 < sizeof own; ++c) own[at++] = *c;
      if (NT_SUCCESS(GmmuQueryParameter(own, &value))) return value;
    }
    return NT_SUCCESS(GmmuQueryParameter(name, &value)) ? value : fallback;
  }

 private:
  uint32_t index_;
};

constexpr const char* kBitsNames[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT] = {
    "PageTableBits0", "PageTableBits1", "PageTableBits2",
    "PageTableBits3", "PageTableBits4", "PageTableBits5"};
constexpr const char* kBytesNames[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT] = {
    "PageTableBytes0", "PageTableBytes1", "PageTableBytes2",
    "PageTableBytes3", "PageTableBytes4", "PageTableBytes5"};

}  // namespace

uint32_t Parameters::va_bits() const {
  uint32_t bits = 12;
  for (uint32_t level = 0; level < page_table_levels; ++level) bits += page_table_bits[level];
  return bits;
}

uint64_t Parameters::TableBytes(uint32_t level) const {
  const uint64_t entries = uint64_t{8} * EntryWords(level) << page_table_bits[level];
  return RoundUp(std::max<uint64_t>(entries, page_table_bytes[level]), kPage);
}

uint64_t Parameters::Leaf64kTableBytes() const {
  return leaf_64k ? RoundUp(uint64_t{8} << (page_table_bits[0] - kPagesOf64kLg2), kPage) : 0;
}

uint64_t Parameters::TablePage() const {
  return leaf_64k && page_table_segment == kVramSegment ? kPage64k : kPage;
}

bool Parameters::Read() { return Read(kEvery); }

bool Parameters::Read(uint32_t index) {
  const Key key(index);
  const uint64_t aperture = key.Value("ApertureBytes", aperture_bytes);
  const uint64_t limit = key.Value("LimitBits", limit_bits);
  const uint64_t levels = key.Value("PageTableLevels", page_table_levels);
  const uint64_t segment = key.Value("PageTableSegment", page_table_segment);
  const uint64_t paging = key.Value("PagingBufferBytes", paging_buffer_bytes);
  const uint64_t aperture2 = key.Value("MapAperture2", map_aperture2);
  const uint64_t coherent = key.Value("CoherentAperture", coherent_aperture);
  const uint64_t contiguous = key.Value("ContiguousPages", contiguous_pages);
  const uint64_t mode = key.Value("PageTableUpdateMode", update_mode);
  const uint64_t explicitly = key.Value("ExplicitPageTableInvalidation", explicit_invalidation);
  if (mode > DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) return false;
  if (aperture == 0 || aperture % kPage != 0 || aperture / kPage > UINT32_MAX) return false;
  if (limit < 32 || limit > 48) return false;
  if (levels < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT || levels > DXGK_MAX_PAGE_TABLE_LEVEL_COUNT)
    return false;
  if (segment != kSystemMemory && segment != kVramSegment) return false;
  if (paging == 0 || paging % 64 != 0 || paging > UINT32_MAX) return false;

  Parameters read = *this;
  read.aperture_bytes = aperture;
  read.limit_bits = static_cast<uint32_t>(limit);
  read.page_table_levels = static_cast<uint32_t>(levels);
  read.page_table_segment = static_cast<uint32_t>(segment);
  read.paging_buffer_bytes = static_cast<uint32_t>(paging);
  read.map_aperture2 = aperture2 != 0;
  read.coherent_aperture = coherent != 0;
  read.contiguous_pages = contiguous != 0;
  read.update_mode = static_cast<DXGK_PAGETABLEUPDATEMODE>(mode);
  read.explicit_invalidation = explicitly != 0;
  read.isolation = key.Value("Isolation", isolation) != 0;
  read.isolation_required = key.Value("IsolationRequired", isolation_required) != 0;
  read.reserved_base = key.Value("ReservedBase", reserved_base);
  read.reserved_bytes = key.Value("ReservedBytes", reserved_bytes);
  read.bad_base = key.Value("BadVramBase", bad_base);
  read.bad_bytes = key.Value("BadVramBytes", bad_bytes);
  if (read.bad_base % kPage != 0 || read.bad_bytes % kPage != 0) return false;
  if (read.isolation_required && !read.isolation) return false;
  read.vram_base = key.Value("VramBase", vram_base);
  read.aperture_base = key.Value("ApertureBase", aperture_base);
  read.fill_by_byte = key.Value("FillByByte", fill_by_byte) != 0;
  read.no_64bit_atomics = key.Value("No64BitAtomics", no_64bit_atomics) != 0;
  read.idle_for_updates = key.Value("IdleForUpdates", idle_for_updates) != 0;
  read.invalid_not_cached = key.Value("InvalidNotCached", invalid_not_cached) != 0;
  const uint64_t records = key.Value("PagingPrivateBytes", paging_private_bytes);
  read.context_bytes = key.Value("ContextBytes", context_bytes);
  read.context_shared = key.Value("ContextShared", context_shared) != 0;
  read.driver_va_bytes = key.Value("DriverVaBytes", driver_va_bytes);
  read.driver_va_user = key.Value("DriverVaUser", driver_va_user) != 0;
  if ((records != 0 && records < sizeof(PagingRecord)) || records > UINT32_MAX) return false;
  read.paging_private_bytes = static_cast<uint32_t>(records);
  if (read.vram_base % kPage != 0 || read.aperture_base % kPage != 0 || read.context_bytes % kPage != 0) return false;
  read.save_area_bytes = read.isolation ? key.Value("SaveAreaBytes", save_area_bytes) : 0;  // who would keep it?
  if (read.save_area_bytes % kPage != 0) return false;
  read.save_area_shared = key.Value("SaveAreaShared", save_area_shared) != 0;
  read.leaf_64k = key.Value("Leaf64k", leaf_64k) != 0;
  read.dual_pte = key.Value("DualPte", dual_pte) != 0;
  read.system_64k = key.Value("System64k", system_64k) != 0;
  if ((read.dual_pte || read.system_64k) && !read.leaf_64k) return false;
  const uint64_t buffers = key.Value("PagingBufferSegment", paging_buffer_segment);
  if (buffers != kSystemMemory && buffers != kApertureSegment) return false;
  read.paging_buffer_segment = static_cast<uint32_t>(buffers);
  const uint64_t alignment = key.Value("PageTableAlignment", page_table_alignment);
  if ((alignment & (alignment - 1)) != 0 || (alignment != 0 && alignment < kPage) || alignment > UINT32_MAX)
    return false;
  read.page_table_alignment = static_cast<uint32_t>(alignment);
  read.linked_adapters = static_cast<uint32_t>(key.Value("LinkedAdapters", linked_adapters));
  read.lead_adapter = static_cast<uint32_t>(key.Value("LeadAdapter", lead_adapter));
  if (read.linked_adapters < 1 || read.linked_adapters > LinkPlace::kMost) return false;
  if (read.lead_adapter >= read.linked_adapters) return false;
  for (uint32_t level = 0; level < levels; ++level) {
    const uint64_t bits = key.Value(kBitsNames[level], page_table_bits[level]);
    if (bits < 1 || bits > 13) return false;
    read.page_table_bits[level] = static_cast<uint32_t>(bits);
    const uint64_t bytes = key.Value(kBytesNames[level], page_table_bytes[level]);
    if (bytes % kPage != 0 || bytes > UINT32_MAX) return false;
    read.page_table_bytes[level] = static_cast<uint32_t>(bytes);
    if (segment == kSystemMemory && read.TableBytes(level) > kPage) return false;
  }
  if (read.va_bits() > 57) return false;
  if (read.leaf_64k && read.page_table_bits[0] < kPagesOf64kLg2) return false;
  if (read.dual_pte && read.page_table_bits[1] > kMostBitsOfPairs) return false;
  *this = read;
  return true;
}

}  // namespace gmmu::kmd
