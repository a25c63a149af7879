// SPDX-License-Identifier: Apache-2.0
#include "probe/reference_walk.h"

namespace gmmu::sim {
namespace {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Target;

constexpr unsigned kPageLg2 = 12;
constexpr unsigned kBlockLg2 = 16;        // log2 of the bytes that a 64 KiB leaf entry maps
constexpr unsigned kPageNumberBits = 36;  // 48-bit addresses in 4 KiB pages

/// Whether docs/page-tables.md allows the geometry. The limits of a particular hardware
/// configuration are not checked.
bool IsAllowedGeometry(const SpaceConfig& space) {
  if (space.levels < 2 || space.levels > 6) return false;
  for (unsigned level = 0; level < space.levels; ++level)
    if (space.bits[level] < 1 || space.bits[level] > 13) return false;
  return !space.dual || (space.bits[1] <= 12 && space.bits[0] >= 4);
}

/// The forms of a table word.
enum class Form {
  kEntry,  ///< single entry at any level
  kWord0,  ///< first word of a dual entry at level 1
  kWord1,
  kLeaf64,  ///< entry of a 64 KiB leaf table
};

struct Table {
  Target target;
  uint64_t address;
};

bool HoldsTables(Target target) { return target == Target::kSystem || target == Target::kVram; }

Translation FaultAt(Fault fault, unsigned level) {
  Translation result;
  result.fault = fault;
  result.level = level;
  return result;
}

/// A walk for one address and one access.
class Walk {
 public:
  Walk(const SpaceConfig& space, uint64_t va, Access access, const EntryReader& read)
      : space_(space), va_(va), access_(access), read_(read) {}

  Translation FromRoot() const {
    Table table{space_.root_target, space_.root_address};
    for (unsigned level = space_.levels - 1; level > 1; --level) {
      const Outcome found = Visit(table, level, Form::kEntry);
      if (!found.names_table) return found.translation;
      table = found.table;
    }
    if (!space_.dual) return FromLevel1(table, Form::kEntry);
    const Translation wide = FromLevel1(table, Form::kWord1);
    return wide.fault == Fault::kEntryInvalid ? FromLevel1(table, Form::kWord0) : wide;
  }

 private:
  /// The result of decoding one word: either the next table or the end of the walk.
  struct Outcome {
    bool names_table = false;
    Table table{};
    bool table_64k = false;
    Translation translation;
  };

  Translation FromLevel1(Table table, Form form) const {
    const Outcome found = Visit(table, 1, form);
    if (!found.names_table) return found.translation;
    return Visit(found.table, 0, found.table_64k ? Form::kLeaf64 : Form::kEntry).translation;
  }

  unsigned Shift(unsigned level, Form form) const { return form == Form::kLeaf64 ? kBlockLg2 : space_.Shift(level); }

  uint64_t AddressOf(Table table, unsigned level, Form form) const {
    const unsigned bits = form == Form::kLeaf64 ? space_.bits[0] - (kBlockLg2 - kPageLg2) : space_.bits[level];
    const uint64_t index = (va_ >> Shift(level, form)) & ((uint64_t{1} << bits) - 1);
    if (form == Form::kWord0) return table.address + 16 * index;
    if (form == Form::kWord1) return table.address + 16 * index + 8;
    return table.address + 8 * index;
  }

  /// Whether docs/page-tables.md lists `entry`, which is valid and not zero, under "faults with
  /// entry_reserved".
  bool IsReservedForm(PteEntry entry, unsigned level, Form form) const {
    const bool large = entry.large() != 0;
    const bool names_table = level > 0 && !large;
    if (entry.reserved63() != 0) return true;
    if (entry.page() >> kPageNumberBits != 0) return true;
    if (entry.adapter() != 0 && entry.target() != Target::kPeer) return true;
    if (level == 0 && large) return true;
    if (level > 0 && entry.contiguous() != 0) return true;
    if (large && (entry.page() << kPageLg2) % (uint64_t{1} << space_.Shift(level)) != 0) return true;
    if (names_table && !HoldsTables(entry.target())) return true;
    const bool table_64k = entry.table_64k() != 0;
    switch (form) {
      case Form::kEntry: return table_64k && !(names_table && level == 1 && space_.bits[0] >= 4);
      case Form::kWord0: return table_64k;
      case Form::kWord1: return !names_table || !table_64k;
      case Form::kLeaf64: return table_64k || entry.contiguous() != 0 || (entry.page() & 15) != 0;
    }
    return true;
  }

  Outcome Visit(Table table, unsigned level, Form form) const {
    Outcome outcome;
    Translation& result = outcome.translation;
    const std::optional<uint64_t> word = read_(table.target, AddressOf(table, level, form));
    result = FaultAt(Fault::kTableRead, level);
    if (!word) return outcome;
    PteEntry entry;
    entry.raw = *word;
    result.fault = Fault::kNone;
    result.zero = entry.zero() != 0;
    if (result.zero) return outcome;
    result.fault = Fault::kEntryInvalid;
    if (entry.valid() == 0) return outcome;
    result.fault = Fault::kEntryReserved;
    if (IsReservedForm(entry, level, form)) return outcome;
    result.fault = Fault::kNone;
    if (level > 0 && entry.large() == 0) {
      outcome.names_table = true;
      outcome.table = {entry.target(), entry.page() << kPageLg2};
      outcome.table_64k = entry.table_64k() != 0;
      return outcome;
    }
    if (access_ == Access::kWrite && entry.read_only() != 0) result.fault = Fault::kWriteProtect;
    if (access_ == Access::kExecute && entry.no_execute() != 0) result.fault = Fault::kExecuteProtect;
    result.coherent = entry.coherent() != 0;
    result.gpa.target = entry.target();
    result.gpa.adapter = static_cast<uint8_t>(entry.adapter());
    result.gpa.offset = (entry.page() << kPageLg2) + va_ % (uint64_t{1} << Shift(level, form));
    return outcome;
  }

  const SpaceConfig& space_;
  const uint64_t va_;
  const Access access_;
  const EntryReader& read_;
};

}  // namespace

SpaceConfig SpaceConfig::FromRegisters(uint64_t geometry, uint64_t root) {
  regs::SpaceGeometry shape;
  shape.raw = geometry;
  regs::SpaceRoot where;
  where.raw = root;
  SpaceConfig space;
  space.enable = where.enable() != 0;
  space.root_target = where.target();
  space.root_address = where.address();
  space.root_entries = static_cast<uint32_t>(shape.root_entries());
  space.levels = static_cast<unsigned>(shape.levels());
  const uint64_t bits[6] = {shape.bits0(), shape.bits1(), shape.bits2(), shape.bits3(), shape.bits4(), shape.bits5()};
  for (unsigned level = 0; level < 6; ++level) space.bits[level] = static_cast<uint8_t>(bits[level]);
  space.dual = shape.dual() != 0;
  return space;
}

unsigned SpaceConfig::Shift(unsigned level) const {
  unsigned shift = kPageLg2;
  for (unsigned below = 0; below < level; ++below) shift += bits[below];
  return shift;
}

bool SpaceConfig::operator==(const SpaceConfig& o) const {
  return enable == o.enable && root_target == o.root_target && root_address == o.root_address &&
         root_entries == o.root_entries && levels == o.levels && bits == o.bits && dual == o.dual;
}

bool Translation::operator==(const Translation& o) const {
  if (fault != o.fault) return false;
  if (fault != Fault::kNone) return level == o.level;
  if (zero != o.zero) return false;
  return zero || (gpa == o.gpa && coherent == o.coherent);
}

Translation ReferenceWalk(const SpaceConfig& space, uint64_t va, Access access, const EntryReader& read) {
  const unsigned root_level = space.levels == 0 ? 0 : space.levels - 1;
  if (!space.enable || !IsAllowedGeometry(space)) return FaultAt(Fault::kSpaceDisabled, root_level);
  const unsigned top = space.Shift(space.levels);
  if (top < 64 && va >> top != 0) return FaultAt(Fault::kVaRange, root_level);
  if (va >> space.Shift(root_level) >= space.root_entries) return FaultAt(Fault::kRootBound, root_level);

  if (!HoldsTables(space.root_target)) return FaultAt(Fault::kEntryReserved, root_level);
  return Walk(space, va, access, read).FromRoot();
}

}  // namespace gmmu::sim
