// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// How the operating system builds the first page tables.
///
/// kLinked: each table is placed at random (by the seed) and cleared; then its parent's entry is written.
///
/// kWindows22621: the order observed on build 22621, generalised to any geometry:
///   places   The tables of the paging process are placed from the start of the segment upwards, root first. The tables
///            of other processes are placed from the end of the segment downwards, root first.
///   paging   The CPU writes all tables of the paging process's 1 GiB before the first
///            SetRootPageTable. The leaf tables are cleared one after another (Repeat,
///            InitialUpdate). The level above them is cleared, and its entries are then written
///            one by one. Each higher level is written as a whole, including its links
///            (InitialUpdate).
///   process  The first table of a range is cleared. Each new table above it is written as a whole,
///            including its link (InitialUpdate). In a table that already exists, only the entry
///            that links the new table is written. SetRootPageTable follows the first range.
///   queries  adapter_answers.h lists the queries between DxgkDdiStartDevice and the creation of the system's process,
///            in order.
/// For four levels of 512 entries, this order issues 1,027 updates; 1,028 were observed. The
/// missing update writes the whole root a second time, for an unknown reason
/// (kUnexplainedWholeWrites). With it, the number of entries also matches: 264,704 (280,643 were
/// observed, of which 15,939 belong to the first client process).
///
/// kWindows26100: the seven steps observed on build 26100 for the paging process, generalised to any geometry. The
/// tables of other processes are built as with kLinked.
///   places  The tables are placed from the start of the segment upwards: the root, the levels
///           below it, the leaf table, and then leaf tables of 64 KiB entries. Virtual addresses
///           that the leaf table with index 0 would cover are never used.
///   1  The leaf table is cleared as a whole (Repeat, InitialUpdate).
///   2  Each level above the leaf level, except the root, is written as a whole (InitialUpdate).
///      The level-1 entries link the leaf table and, after it, as many leaf tables of 64 KiB
///      entries as the scratch windows onto VRAM need.
///   3  The first entries of the leaf table map the leaf table itself, page by page.
///   4  The paging buffers, read-only pages of system memory, are mapped one by one.
///   5  The root is written as a whole.
///   6  FLUSH_TLB is issued before the driver receives the root; SetRootPageTable follows.
///   7  A VIRTUAL_FILL is executed through entries of the leaf table.
/// The CPU performs the table updates of all these steps. If
/// Parameters::immediate_updates_have_a_buffer is set, the calls also pass a DMA buffer and private
/// data, which are unused. Unexplained26100 lists the observations that follow no known rule.
enum class BringUp { kLinked, kWindows22621, kWindows26100 };

/// The unit that writes the paging process's entries after bring-up: the CPU through virtual addresses, or the GPU
/// through physical addresses.
enum class WindowUpdates { kCpuVirtual, kGpuPhysical };

inline constexpr uint64_t kUnexplainedWholeWrites = 1;

/// Facts observed during the bring-up of build 26100. Offsets are relative to the lowest address in
/// use. If the first leaf table does not cover an offset, the lowest free address is used instead.
struct Unexplained26100 {
  static constexpr uint64_t kBuffers = 0x40000;  ///< GPU VA of the paging buffers (entries 64 and 65)
  static constexpr uint64_t kFlushStart = 0x30000, kFlushEnd = 0x5B0000;
  static constexpr uint64_t kWindow = 0x430000;  ///< GPU VA of the first scratch window (entry 0x430)
  static constexpr uint64_t kFill = 0xBB0000;    ///< GPU VA of the first fill (entry 0xBB0)
  static constexpr uint64_t kFillPages = 34;
  /// Index of the first entry and number of entries of an update of unknown purpose: GPU_PHYSICAL,
  /// level 0, InitialUpdate, read-only pages of system memory. The model sends it to a separate
  /// table that no other table links.
  static constexpr uint64_t kStart = 16, kCount = 80;
};

}  // namespace gmmu::os
