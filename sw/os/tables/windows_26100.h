// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct PageTable;
class TableMemory;
class TableTree;

/// The order in which build 26100 of Windows makes the first tables of the paging process (BringUp::kWindows26100).
class Windows26100 {
 public:
  /// `coherent`: the GPU snoops system memory.
  Windows26100(TableTree& tree, const TableMemory& memory, bool coherent)
      : tree_(tree), memory_(memory), coherent_(coherent) {}

  /// Makes the first tables without the root: the leaf table of `va`, and `large` leaf tables of 64 KiB entries behind
  /// it. Returns entries that map the leaf table of `va` itself, page by page.
  std::vector<DXGK_PTE> MakeFirst(uint64_t va, uint64_t large, const UpdateSink& sink);
  /// Writes the root as a whole, with links to the tables that exist.
  void MakeWholeRoot(const UpdateSink& sink);

 private:
  std::vector<DXGK_PTE> EntriesFor(const PageTable& table) const;

  TableTree& tree_;
  const TableMemory& memory_;
  const bool coherent_;
};

}  // namespace gmmu::os
