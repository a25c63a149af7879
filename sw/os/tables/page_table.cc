// SPDX-License-Identifier: Apache-2.0
#include "os/tables/page_table.h"

#include "os/memory/system_buffer.h"
#include "os/miniport/geometry.h"

namespace gmmu::os {
namespace {

// An update has only one allocation and one driver protection. Therefore the table is first
// invalidated, and then each run of entries that share these values is written by one update.
void WriteLeaf(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
               const UpdateSink& sink) {
  const uint64_t page = extent.use_64k ? kBytesOf64k : hw::kPageSize;
  Initialise(table, extent, sink);
  for (size_t first = 0, end = 0; first < entries.size(); first = end) {
    end = EndOfRun(entries, first, page);
    if (!InUse(entries[first].entry)) continue;
    TableUpdate run;
    run.use_64k = extent.use_64k;
    run.start = first;
    run.count = end - first;
    run.first_va = extent.va + first * page;
    run.allocation = entries[first].allocation;
    run.allocation_offset = entries[first].allocation_offset;
    run.driver_protection = entries[first].driver_protection;
    for (size_t i = first; i < end; ++i) run.entries.push_back(entries[i].entry);
    Aim(run, table);
    sink(run);
  }
}

}  // namespace

PageTable::PageTable() = default;
PageTable::PageTable(PageTable&& other) noexcept = default;
PageTable& PageTable::operator=(PageTable&& other) noexcept = default;
PageTable::~PageTable() = default;

TableExtent ExtentOf(const Geometry& geometry, const TableSlot& slot, bool use_64k) {
  const auto [level, index] = slot;
  return {level, index * geometry.Coverage(level), geometry.Entries(level) / (use_64k ? kPagesOf64k : 1), use_64k};
}

void Aim(TableUpdate& update, const PageTable& table) {
  update.table = table.gpu;
  update.table_cpu = table.cpu;
  update.table_va = table.view;
}

TableUpdate UpdateOfAll(const PageTable& table, const TableExtent& extent) {
  TableUpdate update;
  update.level = extent.level;
  update.count = extent.entries;
  update.use_64k = extent.use_64k;
  update.first_va = extent.va;
  Aim(update, table);
  return update;
}

TableUpdate UpdateToInvalid(const PageTable& table, const TableExtent& extent) {
  TableUpdate update = UpdateOfAll(table, extent);
  update.entries.resize(1);
  update.repeat = true;
  return update;
}

void Initialise(const PageTable& table, const TableExtent& extent, const UpdateSink& sink) {
  TableUpdate update = UpdateToInvalid(table, extent);
  update.initial = true;
  sink(update);
}

void FillUpdate(TableUpdate& update, const std::vector<HeldEntry>& entries, bool dual) {
  for (const HeldEntry& held : entries) {
    update.entries.push_back(held.entry);
    if (update.level == 1 && dual) update.entries_64k.push_back(held.entry_64k);
  }
}

void WriteAll(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries, bool dual,
              const UpdateSink& sink) {
  if (extent.level == 0) return WriteLeaf(table, extent, entries, sink);
  TableUpdate update = UpdateOfAll(table, extent);
  update.initial = true;
  FillUpdate(update, entries, dual);
  sink(update);
}

}  // namespace gmmu::os
