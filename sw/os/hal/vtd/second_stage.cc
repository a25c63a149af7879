// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/second_stage.h"

#include <algorithm>
#include <array>
#include <utility>

#include "os/base/bug_check.h"
#include "os/base/text.h"

namespace gmmu::os::vtd {
namespace {
constexpr uint64_t kPresent = 3;      // read and write
constexpr uint64_t kLarge = 1u << 7;  // a leaf above the lowest level
constexpr uint64_t kAddress = 0x000FFFFFFFFFF000;
}  // namespace

uint64_t SecondStage::NewTable(Hal& hal, PageAllocator& pages, const std::string& created_by) {
  static constexpr std::array<uint8_t, hw::kPageSize> kZeros{};
  const uint64_t pfn = pages.AllocatePage("iommu", created_by);
  if (!hal.ram().Write(pfn * hw::kPageSize, kZeros.data(), kZeros.size()))
    throw OsError("an IOMMU table page is not installed memory");
  return pfn;
}

SecondStage::SecondStage(Hal& hal, PageAllocator& pages, const Features& features, std::string name)
    : hal_(hal), pages_(pages), features_(features), name_(std::move(name)) {
  root_ = NewTable(hal_, pages_, name_);
  tables_[Key(features_.levels - 1, 0)] = {root_, 0};
}

uint64_t SecondStage::EntryAddress(const Table& table, unsigned level, uint64_t page) const {
  return table.pfn * hw::kPageSize + 8 * (page >> 9 * level & 511);
}

uint64_t SecondStage::ReadEntry(const Table& table, unsigned level, uint64_t page) const {
  uint64_t value = 0;
  if (!hal_.ram().Read(EntryAddress(table, level, page), &value, sizeof value))
    throw OsError("IOMMU table outside of memory");
  return value;
}

void SecondStage::WriteEntry(const Table& table, unsigned level, uint64_t page, uint64_t value) {
  if (!hal_.ram().Write(EntryAddress(table, level, page), &value, sizeof value))
    throw OsError("IOMMU table outside of memory");
}

SecondStage::Table& SecondStage::Ensure(unsigned level, uint64_t page) {
  const auto found = tables_.find(Key(level, page));
  if (found != tables_.end()) return found->second;
  Table& above = Ensure(level + 1, page);
  if ((ReadEntry(above, level + 1, page) & kPresent) != 0)
    throw BugCheck("logical page " + Hex(page * hw::kPageSize) + " is mapped already");
  const uint64_t pfn = NewTable(hal_, pages_, name_);
  WriteEntry(above, level + 1, page, pfn * hw::kPageSize | kPresent);
  ++above.used;
  return tables_[Key(level, page)] = {pfn, 0};
}

unsigned SecondStage::LeafLevel(const Run& run) const {
  for (unsigned level = 2; level > 0; --level) {
    if (!(level == 2 ? features_.leaves_1gib : features_.leaves_2mib)) continue;
    if (((run.logical | run.host) & (Span(level) - 1)) == 0 && run.pages >= Span(level)) return level;
  }
  return 0;
}

void SecondStage::Map(const Run& run) {
  for (Run left = run; left.pages != 0;) {
    const unsigned level = LeafLevel(left);
    Table& table = Ensure(level, left.logical);
    if ((ReadEntry(table, level, left.logical) & kPresent) != 0)
      throw BugCheck("logical page " + Hex(left.logical * hw::kPageSize) + " is mapped already");
    WriteEntry(table, level, left.logical, left.host * hw::kPageSize | kPresent | (level != 0 ? kLarge : 0));
    ++table.used;
    ++leaves_[level];
    left = {left.logical + Span(level), left.host + Span(level), left.pages - Span(level)};
  }
}

unsigned SecondStage::Find(uint64_t page, uint64_t& entry) const {
  for (unsigned level = features_.levels - 1;; --level) {
    entry = ReadEntry(tables_.at(Key(level, page)), level, page);
    if ((entry & kPresent) == 0 || level == 0 || (entry & kLarge) != 0) return level;
  }
}

uint64_t SecondStage::Lookup(uint64_t logical) const {
  uint64_t entry = 0;
  const unsigned level = Find(logical, entry);
  if ((entry & kPresent) == 0) return ~uint64_t{0};
  return (entry & kAddress) / hw::kPageSize + (logical & (Span(level) - 1));
}

void SecondStage::Clear(unsigned level, uint64_t page, Unmapped& out) {
  Table& table = tables_.at(Key(level, page));
  WriteEntry(table, level, page, 0);
  if (--table.used != 0 || table.pfn == root_) return;
  out.tables.push_back(table.pfn);
  tables_.erase(Key(level, page));
  Clear(level + 1, page, out);
}

SecondStage::Unmapped SecondStage::Unmap(uint64_t logical, uint64_t pages) {
  Unmapped out;
  const uint64_t end = logical + pages;
  while (logical < end) {
    uint64_t entry = 0;
    const unsigned level = Find(logical, entry);
    const uint64_t next = (logical / Span(level) + 1) * Span(level);
    if ((entry & kPresent) != 0) {
      if (logical % Span(level) != 0 || next > end)
        throw BugCheck("a part of a large IOMMU page at logical " + Hex(logical * hw::kPageSize) + " is unmapped");
      out.largest_leaf = std::max(out.largest_leaf, level);
      --leaves_[level];
      Clear(level, logical, out);
    }
    logical = next;
  }
  return out;
}

SecondStage::Unmapped SecondStage::Punch(uint64_t logical) {
  uint64_t entry = 0;
  const unsigned level = Find(logical, entry);
  if ((entry & kPresent) == 0) return {};
  const uint64_t first = logical / Span(level) * Span(level);
  const uint64_t host = (entry & kAddress) / hw::kPageSize;
  Unmapped out = Unmap(first, Span(level));
  // Maps single pages, because mapping a run would create a large leaf again.
  for (uint64_t i = 0; i < Span(level); ++i) {
    if (first + i != logical) Map({first + i, host + i, 1});
  }
  return out;
}

void SecondStage::Free() {
  for (const auto& [key, table] : tables_) pages_.Free(table.pfn);
  tables_.clear();
}

}  // namespace gmmu::os::vtd
