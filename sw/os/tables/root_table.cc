// SPDX-License-Identifier: Apache-2.0
#include "os/tables/root_table.h"

#include <algorithm>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/errors.h"
#include "os/base/text.h"
#include "os/tables/table_memory.h"

namespace gmmu::os {

unsigned RootTable::level() const { return adapter_.caps().geometry.count() - 1; }

PageTable RootTable::Renew(uint64_t wanted) {
  const Geometry& geometry = adapter_.caps().geometry;
  uint64_t bytes = geometry.levels[level()].bytes, entries = geometry.Entries(level());
  if (geometry.count() == 2) {  // only two-level roots are resizable
    const auto [held, size] = adapter_.RootPageTableSize(wanted == 0 ? entries : std::min(wanted, entries));
    entries = std::min(held, entries);
    bytes = size;
  }
  PageTable made = memory_.Make(level(), 0, bytes);
  entries_ = entries;
  return std::exchange(table_, std::move(made));
}

void RootTable::Write(const UpdateSink& sink) {
  table_.written = true;
  Initialise(table_, extent(), sink);
}

void RootTable::Free() {
  if (table_.bytes == 0) return;
  memory_.Free(table_);
  table_ = {};
}

bool RootTable::Reaches(uint64_t va) const { return va >> adapter_.caps().geometry.Shift(level()) < entries_; }

void RootTable::Reach(uint64_t va) {
  if (Reaches(va)) return;
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t index = va >> geometry.Shift(level());
  if (grow_ && geometry.count() == 2 && index < geometry.Entries(1)) grow_(index + 1);
  if (!Reaches(va))
    throw OsError("address " + Hex(va) + " of " + memory_.name() + " is beyond the " + std::to_string(entries_) +
                  " entries of its root");
}

}  // namespace gmmu::os
