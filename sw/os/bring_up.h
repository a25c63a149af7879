// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// How page tables come into being.
///
/// kLinked: each table where the seed says; cleared, then named by an entry of its parent.
///
/// kWindows22621, the order that was seen on build 22621, as a rule for any geometry:
///   places   of the paging process from the start of the segment up, root first; of processes from its end down,
///            root first
///   paging   all tables of its 1 GiB before the first SetRootPageTable, by the CPU: leaf tables are cleared one after
///            the other (Repeat, InitialUpdate); the level above them is cleared, its entries are then written one by
///            one; each level above that is written as a whole, links and all (InitialUpdate)
///   process  a range's first table is cleared, each new table above it is written as a whole with its link
///            (InitialUpdate), a table that is there already gets one entry; SetRootPageTable comes after the first range
/// One whole-table write more than this rule gives was seen in the bring-up of the paging process (1,028 updates of
/// 264,704 entries): kUnexplainedWholeWrites carries it as data, the root is written once more.
enum class BringUp { kLinked, kWindows22621 };

inline constexpr uint64_t kUnexplainedWholeWrites = 1;

}  // namespace gmmu::os
