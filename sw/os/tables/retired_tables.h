// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "os/tables/page_table.h"

namespace gmmu::os {

class TableMemory;

/// Tables to which no entry points any longer, but which queued updates and TLBs may still use.
/// Free releases their memory.
class RetiredTables {
 public:
  explicit RetiredTables(TableMemory& memory) : memory_(memory) {}

  /// `invalid` is true if every entry of the table is already invalid.
  void Add(PageTable table, const TableExtent& extent, bool invalid) {
    tables_.push_back({std::move(table), extent, invalid});
  }
  /// Invalidates all entries of the tables that may contain valid entries
  /// (DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation). Returns whether there was such a table.
  bool Invalidate(const UpdateSink& sink);
  /// Frees the memory. Call when no queued update and no TLB uses the tables.
  void Free();
  void ForEach(const std::function<void(const PageTable&)>& visit) const {
    for (const Retired& retired : tables_) visit(retired.table);
  }

 private:
  struct Retired {
    PageTable table;
    TableExtent extent;
    bool invalid;
  };
  TableMemory& memory_;
  std::vector<Retired> tables_;
};

}  // namespace gmmu::os
