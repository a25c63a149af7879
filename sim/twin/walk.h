// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::twin {

/// The geometry of an address space, prepared for walks (docs/page-tables.md, Geometry).
struct SpaceShape {
  bool usable = false;  ///< the space is enabled, with a legal and supported geometry
  regs::SpaceRoot root;
  uint64_t root_entries = 0;
  unsigned root_level = 0;
  std::array<uint8_t, 6> bits{};
  std::array<uint8_t, 7> shift{};  ///< log2 of the bytes per entry; [levels]: of the space
  bool dual = false;               ///< level 1 has dual entries

  /// Decodes the geometry and root registers. The hardware supports addresses of `va_bits` bits.
  static SpaceShape From(regs::SpaceGeometry geometry, regs::SpaceRoot root, unsigned va_bits);
  unsigned top() const { return shift[root_level + 1]; }
  uint64_t Index(uint64_t va, unsigned level) const { return va >> shift[level] & ((uint64_t{1} << bits[level]) - 1); }
};

/// The address of a table and the format of its entries.
struct TablePlace {
  regs::Target target = regs::Target::kSystem;  ///< system memory or VRAM
  uint64_t address = 0;
  bool k64 = false;  ///< a leaf table of 64 KiB entries
};

/// Which word of a dual entry (level 1) a walk reads. Ignored at other levels.
enum class Half : uint8_t { k4, k64 };

/// The result of a walk. It is valid for an aligned block of 2^span_lg2 bytes.
struct Mapping {
  regs::Fault fault = regs::Fault::kNone;  ///< up to entry_reserved, before permission checks
  unsigned level = 0;
  unsigned span_lg2 = 12;
  bool zero = false, coherent = false, read_only = false, no_execute = false;
  regs::Target target = regs::Target::kSystem;
  unsigned adapter = 0;
  uint64_t base = 0;  ///< physical address of the block
};

/// Performs the checks before the first read (lines 1 to 3a of the table in docs/page-tables.md).
/// Returns nullopt if they pass.
std::optional<Mapping> BeforeTheRoot(const SpaceShape& space, uint64_t va);

/// Returns the byte address of the word that a walk for `va` reads at `level`, in `table`.
uint64_t EntryAddress(const SpaceShape& space, uint64_t va, unsigned level, const TablePlace& table, Half half);

/// The result of decoding a table word: the next lower table, a restart for the other half, or the
/// end of the walk.
struct Step {
  std::optional<TablePlace> table;
  bool other_half = false;
  Mapping mapping;
};
/// Decodes `entry`, the word that a walk for `va` reads at `level` in `table`. This walk and
/// ReferenceWalk (sim/probe) deliberately share no code, because the checker compares every
/// translation of the twin with the reference.
Step Judge(const SpaceShape& space, uint64_t va, unsigned level, const TablePlace& table, Half half,
           regs::PteEntry entry);

/// Returns kNone if the mapping permits the access (lines 9 and 10 of the table in docs/page-tables.md).
regs::Fault Permission(const Mapping& mapping, regs::Access access);

}  // namespace gmmu::sim::twin
