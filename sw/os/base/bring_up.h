// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// How the operating system builds the first page tables.
///
/// kLinked: each table is placed by the seed and cleared; then its parent's entry is written.
///
/// kWindows22621, the order that was seen on build 22621, as a rule for any geometry:
///   places   of the paging process from the start of the segment up, root first; of processes from its end down,
///            root first
///   paging   all tables of its 1 GiB before the first SetRootPageTable, by the CPU: leaf tables are cleared one after
///            the other (Repeat, InitialUpdate); the level above them is cleared, its entries are then written one by
///            one; each level above that is written as a whole, links and all (InitialUpdate)
///   process  a range's first table is cleared, each new table above it is written as a whole with its link
///            (InitialUpdate), an existing table gets one entry; SetRootPageTable comes after the
///            first range
/// This rule gives 1,027 updates for four levels of 512 entries; 1,028 were seen. kUnexplainedWholeWrites carries the
/// one more as data: the root is written once more, a whole table, so that the entries are 264,704 as well (280,643 in
/// all that were seen, less the 15,939 of the first client process).
///   queries  adapter_answers.h: the queries made between DxgkDdiStartDevice and the system's process, in that order
///
/// kWindows26100, the seven steps that were seen on build 26100 for the paging process, as a rule for any geometry;
/// tables of other processes are made as with kLinked:
///   places  from the start of the segment up: root, the levels below it, the leaf table, leaf tables of 64 KiB
///           entries; the first leaf table's coverage of addresses stays unused
///   1  the leaf table is cleared as a whole (Repeat, InitialUpdate)
///   2  each level above it but the root is written as a whole (InitialUpdate): the leaf table, behind it as
///      many leaf tables of 64 KiB entries as the windows of VRAM need
///   3  the first entries of the leaf table map the leaf table itself, page by page
///   4  the paging buffers, one by one, read-only pages of system memory
///   5  the root is written as a whole
///   6  FLUSH_TLB before the driver gets the root; then SetRootPageTable
///   7  VIRTUAL_FILL through entries of the leaf table
/// The CPU does all this. If Parameters::immediate_updates_have_a_buffer is set, the calls also carry a DMA buffer and
/// private data, which are unused. Unexplained26100 holds the facts that follow no known rule.
enum class BringUp { kLinked, kWindows22621, kWindows26100 };

/// Who writes the entries of the paging process after bring-up: the CPU, or the GPU through physical addresses.
enum class WindowUpdates { kCpuVirtual, kGpuPhysical };

inline constexpr uint64_t kUnexplainedWholeWrites = 1;

/// Facts about the bring-up of build 26100, as seen. Offsets count from the lowest address in use. If the first leaf
/// table does not reach that far, the lowest free address is used.
struct Unexplained26100 {
  static constexpr uint64_t kBuffers = 0x40000;  ///< GPU VA of the paging buffers (entries 64 and 65)
  static constexpr uint64_t kFlushStart = 0x30000, kFlushEnd = 0x5B0000;
  static constexpr uint64_t kWindow = 0x430000;  ///< GPU VA of the first scratch window (entry 0x430)
  static constexpr uint64_t kFill = 0xBB0000;    ///< GPU VA of the first fill (entry 0xBB0)
  static constexpr uint64_t kFillPages = 34;
  /// An update whose purpose is unknown: GPU_PHYSICAL, level 0, InitialUpdate, read-only pages of system memory. The
  /// model sends it to a separate table that no other table names.
  static constexpr uint64_t kStart = 16, kCount = 80;
};

}  // namespace gmmu::os
