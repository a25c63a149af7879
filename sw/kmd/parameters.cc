// SPDX-License-Identifier: Apache-2.0
#include "kmd/parameters.h"

#include <algorithm>

#include "ddi/wdm.h"
#include "kmd/link.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

constexpr uint32_t kMostBitsOfPairs = 12;  // limits a level-1 table of entry pairs to 64 KiB

constexpr uint32_t kEvery = ~0u;

/// The name of a value, composed of text and digits.
struct Name {
  char text[64] = "";
  size_t size = 0;

  void Append(const char* more) {
    for (; *more != 0 && size + 1 < sizeof text; ++more) text[size++] = *more;
  }
  void Append(uint32_t digit) {
    const char one[] = {static_cast<char>('0' + digit), 0};
    Append(one);
  }
};

/// Reads the values of the registry key. A value for one linked adapter takes precedence over the
/// value for all adapters.
class Key {
 public:
  explicit Key(uint32_t index) : index_(index) {}

  uint64_t Value(const char* name, uint64_t fallback) const {
    ULONG64 value = 0;
    if (index_ != kEvery) {
      Name own;
      own.Append("Adapter");
      own.Append(index_);
      own.Append(name);
      if (NT_SUCCESS(GmmuQueryParameter(own.text, &value))) return value;
    }
    return NT_SUCCESS(GmmuQueryParameter(name, &value)) ? value : fallback;
  }
  uint64_t ValueOfLevel(const char* name, uint32_t level, uint64_t fallback) const {
    Name numbered;
    numbered.Append(name);
    numbered.Append(level);
    return Value(numbered.text, fallback);
  }

 private:
  uint32_t index_;
};

Parameters Values(const Key& key, Parameters read) {
#define NUMBER(member, name, initial, unit, min, max, text) read.member = key.Value(#name, read.member);
#define BYTES(same, member, name, lg2, initial, unit, min, max, text) read.member = key.Value(#name, read.member);
#define SWITCH(member, name, initial, text) read.member = key.Value(#name, read.member) != 0;
#define CHOICE(same, member, name, initial, text, ...) read.member = key.Value(#name, read.member);
#define NO_KEY(member, name, initial, text) read.member = key.Value(#name, read.member);
#define LEVELS(member, name, unit, min, max, text)                           \
  for (uint32_t level = 0; level < DXGK_MAX_PAGE_TABLE_LEVEL_COUNT; ++level) \
    read.member[level] = key.ValueOfLevel(#name, level, read.member[level]);
#include "kmd/driver.def"
  return read;
}

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

uint64_t Parameters::TablePage() const { return leaf_64k && page_table_segment == kVramSegment ? kPage64k : kPage; }

void Parameters::SwitchOff() {
  const auto before = [this](uint64_t version) { return interface_version < version; };
  if (before(DXGKDDI_INTERFACE_VERSION_WDDM2_1)) system_64k = false;
  if (before(DXGKDDI_INTERFACE_VERSION_WDDM2_4)) isolation = false;
  if (before(DXGKDDI_INTERFACE_VERSION_WDDM2_6)) invalid_not_cached = false;
  if (before(DXGKDDI_INTERFACE_VERSION_WDDM2_7)) isolation_required = false;
  if (before(DXGKDDI_INTERFACE_VERSION_WDDM2_9)) map_aperture2 = false;
}

bool Parameters::Read() { return Read(kEvery); }

bool Parameters::Read(uint32_t index) {
  const Key key(index);
  Parameters read = Values(key, *this);
  read.interface_version = std::min<uint64_t>(read.interface_version, DXGKDDI_INTERFACE_VERSION);
  if (read.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0) return false;
  read.SwitchOff();
  if (!read.isolation) read.save_area_bytes = 0;  // the save callbacks exist only with isolation

  if (read.update_mode > DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) return false;
  if (read.aperture_bytes == 0 || read.aperture_bytes % kPage != 0 || read.aperture_bytes / kPage > UINT32_MAX)
    return false;
  if (read.limit_bits < 32 || read.limit_bits > 48) return false;
  if (read.page_table_levels < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT ||
      read.page_table_levels > DXGK_MAX_PAGE_TABLE_LEVEL_COUNT)
    return false;
  if (read.page_table_segment != kSystemMemory && read.page_table_segment != kVramSegment) return false;
  if (read.paging_buffer_segment != kSystemMemory && read.paging_buffer_segment != kApertureSegment) return false;
  if (read.paging_buffer_bytes == 0 || read.paging_buffer_bytes % 64 != 0 || read.paging_buffer_bytes > UINT32_MAX)
    return false;
  const uint64_t records = read.paging_private_bytes;
  if ((records != 0 && records < sizeof(PagingRecord)) || records > UINT32_MAX) return false;
  for (const uint64_t pages :
       {read.bad_base, read.bad_bytes, read.vram_base, read.aperture_base, read.context_bytes, read.save_area_bytes}) {
    if (pages % kPage != 0) return false;
  }
  if (read.visible_vram % kPage64k != 0 || read.system_segment_bytes % kPage64k != 0) return false;
  if (read.system_segment_bytes != 0 && read.host_aperture) return false;        // there is no hidden segment
  if (read.system_segment_bytes != 0 && read.linked_adapters > 1) return false;  // no peer access
  if (read.isolation_required && !read.isolation) return false;
  if ((read.dual_pte || read.system_64k) && !read.leaf_64k) return false;
  const uint64_t alignment = read.page_table_alignment;
  if ((alignment & (alignment - 1)) != 0 || (alignment != 0 && alignment < kPage) || alignment > UINT32_MAX)
    return false;
  if (read.linked_adapters < 1 || read.linked_adapters > LinkPlace::kMost) return false;
  if (read.lead_adapter >= read.linked_adapters) return false;
  for (uint32_t level = 0; level < read.page_table_levels; ++level) {
    const uint64_t bits = key.ValueOfLevel("PageTableBits", level, page_table_bits[level]);
    if (bits < 1 || bits > 13) return false;
    read.page_table_bits[level] = static_cast<uint32_t>(bits);
    if (read.page_table_bytes[level] % kPage != 0 || read.page_table_bytes[level] > UINT32_MAX) return false;
    if (read.page_table_segment == kSystemMemory && read.TableBytes(level) > kPage) return false;
  }
  if (read.va_bits() > 57) return false;
  if (read.leaf_64k && read.page_table_bits[0] < kPagesOf64kLg2) return false;
  if (read.dual_pte && read.page_table_bits[1] > kMostBitsOfPairs) return false;
  *this = read;
  return true;
}

}  // namespace gmmu::kmd
