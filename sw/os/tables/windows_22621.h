// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct PageTable;
class TableTree;

/// The order in which Windows build 22621 creates tables (BringUp::kWindows22621). Tables are allocated from the root
/// down and filled from the leaf up. The root is written with its first entries, not when it is allocated.
class Windows22621 {
 public:
  explicit Windows22621(TableTree& tree) : tree_(tree) {}

  /// Creates a missing table of a process and the missing tables above it (TableTree::Builder).
  PageTable& Build(unsigned level, uint64_t va, const UpdateSink& sink);
  /// For the paging process: creates all tables of [0, va_end), level by level, and the root.
  void MakeWhole(uint64_t va_end, const UpdateSink& sink);

 private:
  /// Completes the table by invalidating all its entries.
  PageTable& WriteInvalid(unsigned level, uint64_t va, const UpdateSink& sink);

  TableTree& tree_;
};

}  // namespace gmmu::os
