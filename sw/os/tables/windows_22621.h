// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct PageTable;
class TableTree;

/// Creates tables in the order that Windows build 22621 uses (BringUp::kWindows22621). Tables are
/// allocated from the root down and filled from the leaf up. The root is not written when it is
/// allocated, but together with its first entries.
class Windows22621 {
 public:
  explicit Windows22621(TableTree& tree) : tree_(tree) {}

  /// Creates a missing table and the missing tables above it (TableTree::Builder).
  PageTable& Build(unsigned level, uint64_t va, const UpdateSink& sink);
  /// For the paging process: creates all tables that cover [0, va_end), level by level, and writes
  /// the root.
  void MakeWhole(uint64_t va_end, const UpdateSink& sink);

 private:
  /// Allocates the table if it is missing, and invalidates all its entries.
  PageTable& WriteInvalid(unsigned level, uint64_t va, const UpdateSink& sink);

  TableTree& tree_;
};

}  // namespace gmmu::os
