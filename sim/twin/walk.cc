// SPDX-License-Identifier: Apache-2.0
// The steps of a table walk, written from docs/page-tables.md. They deliberately share no code with
// the reference walk of sim/probe, because the checker compares the two.
#include "twin/walk.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Target;

constexpr unsigned kAddressBits = 48;
constexpr unsigned kBlockLg2 = 16;  // log2 of the bytes of sixteen contiguous 4 KiB pages
constexpr unsigned kBlockPagesLg2 = 4;

Mapping Fails(Fault fault, unsigned level) {
  Mapping mapping;
  mapping.fault = fault;
  mapping.level = level;
  return mapping;
}

bool HoldsTables(Target target) { return target == Target::kSystem || target == Target::kVram; }

/// Whether the entry's table_64k bit has the value that its table requires.
bool AgreesWithItsTable(const SpaceShape& space, PteEntry entry, unsigned level, Half half) {
  const bool set = entry.table_64k() != 0;
  if (level != 1) return !set;
  const bool names_table = entry.large() == 0;
  if (space.dual) return half == Half::k64 ? set && names_table : !set;
  return !set || (names_table && space.bits[0] >= kBlockPagesLg2);
}

/// Whether docs/page-tables.md lists `entry`, which is valid and not zero, under "faults with
/// entry_reserved".
bool Reserved(const SpaceShape& space, PteEntry entry, unsigned level, bool k64, Half half) {
  const uint64_t address = entry.page() << 12;
  const bool names_table = level > 0 && entry.large() == 0;
  if (entry.reserved63() != 0) return true;
  if (!AgreesWithItsTable(space, entry, level, half)) return true;
  if (address >> kAddressBits != 0) return true;
  if (entry.target() != Target::kPeer && entry.adapter() != 0) return true;
  if (level == 0 && entry.large() != 0) return true;
  if ((level != 0 || k64) && entry.contiguous() != 0) return true;
  if (k64 && address % (uint64_t{1} << kBlockLg2) != 0) return true;
  if (level != 0 && entry.large() != 0 && address % (uint64_t{1} << space.shift[level]) != 0) return true;
  return names_table && !HoldsTables(entry.target());
}

}  // namespace

SpaceShape SpaceShape::From(regs::SpaceGeometry geometry, regs::SpaceRoot root, unsigned va_bits) {
  SpaceShape space;
  space.root = root;
  space.root_entries = geometry.root_entries();
  const auto levels = static_cast<unsigned>(geometry.levels());
  space.root_level = levels == 0 ? 0 : levels - 1;
  if (levels < 2 || levels > 6) return space;
  space.shift[0] = 12;
  bool allowed = true;
  for (unsigned level = 0; level < levels; ++level) {
    const uint64_t bits = geometry.raw >> (8 + 4 * level) & 15;
    allowed = allowed && bits >= 1 && bits <= 13;
    space.bits[level] = static_cast<uint8_t>(bits);
    space.shift[level + 1] = static_cast<uint8_t>(space.shift[level] + bits);
  }
  space.dual = geometry.dual() != 0;
  if (space.dual) allowed = allowed && space.bits[1] <= 12 && space.bits[0] >= kBlockPagesLg2;
  space.usable = root.enable() != 0 && allowed && space.top() <= va_bits;
  return space;
}

std::optional<Mapping> BeforeTheRoot(const SpaceShape& space, uint64_t va) {
  const unsigned level = space.root_level;
  if (!space.usable) return Fails(Fault::kSpaceDisabled, level);
  if (va >> space.top() != 0) return Fails(Fault::kVaRange, level);
  if (space.Index(va, level) >= space.root_entries) return Fails(Fault::kRootBound, level);
  if (!HoldsTables(space.root.target())) return Fails(Fault::kEntryReserved, level);
  return std::nullopt;
}

uint64_t EntryAddress(const SpaceShape& space, uint64_t va, unsigned level, const TablePlace& table, Half half) {
  const uint64_t index = space.Index(va, level);
  if (table.k64) return table.address + 8 * (index >> kBlockPagesLg2);
  if (level == 1 && space.dual) return table.address + 16 * index + (half == Half::k64 ? 8 : 0);
  return table.address + 8 * index;
}

Step Judge(const SpaceShape& space, uint64_t va, unsigned level, const TablePlace& table, Half half, PteEntry entry) {
  Step step;
  Mapping& mapping = step.mapping;
  mapping.level = level;
  mapping.span_lg2 = table.k64 ? kBlockLg2 : space.shift[level];
  if (entry.zero() != 0) {
    mapping.zero = true;
    return step;
  }
  if (entry.valid() == 0) {
    mapping.fault = Fault::kEntryInvalid;
    step.other_half = space.dual && half == Half::k64 && (level == 1 || table.k64);
    return step;
  }
  if (Reserved(space, entry, level, table.k64, half)) {
    mapping.fault = Fault::kEntryReserved;
    return step;
  }
  if (level > 0 && entry.large() == 0) {
    step.table = TablePlace{entry.target(), entry.page() << 12, entry.table_64k() != 0};
    return step;
  }
  mapping.coherent = entry.coherent() != 0;
  mapping.read_only = entry.read_only() != 0;
  mapping.no_execute = entry.no_execute() != 0;
  mapping.target = entry.target();
  mapping.adapter = static_cast<unsigned>(entry.adapter());
  mapping.base = entry.page() << 12;
  const uint64_t block = (uint64_t{1} << kBlockPagesLg2) - 1;
  if (entry.contiguous() != 0 && space.bits[0] >= kBlockPagesLg2 && (entry.page() & block) == (va >> 12 & block)) {
    mapping.span_lg2 = kBlockLg2;
    mapping.base = (entry.page() & ~block) << 12;
  }
  return step;
}

Fault Permission(const Mapping& mapping, Access access) {
  if (mapping.zero) return Fault::kNone;
  if (access == Access::kWrite && mapping.read_only) return Fault::kWriteProtect;
  if (access == Access::kExecute && mapping.no_execute) return Fault::kExecuteProtect;
  return Fault::kNone;
}

}  // namespace gmmu::sim::twin
