// SPDX-License-Identifier: Apache-2.0
#include "probe/reference_walk.h"

namespace gmmu::sim {
namespace {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Target;

constexpr unsigned kPageLg2 = 12;
constexpr unsigned kPageNumberBits = 36;  // 48-bit addresses

/// What is wider than the hardware was built for is not known here.
bool IsAllowedGeometry(const SpaceConfig& space) {
  if (space.levels < 2 || space.levels > 6) return false;
  for (unsigned level = 0; level < space.levels; ++level)
    if (space.bits[level] < 1 || space.bits[level] > 13) return false;
  return true;
}

/// The list "faults with entry_reserved" of the page; `entry` is valid and not zero.
bool IsReservedForm(PteEntry entry, unsigned level, unsigned shift) {
  if (entry.reserved63() != 0 || entry.table_64k() != 0) return true;
  if (entry.page() >> kPageNumberBits != 0) return true;
  if (entry.adapter() != 0 && entry.target() != Target::kPeer) return true;
  if (level == 0) return entry.large() != 0;
  if (entry.contiguous() != 0) return true;
  if (entry.large() != 0) return ((entry.page() << kPageLg2) & ((uint64_t{1} << shift) - 1)) != 0;
  return entry.target() == Target::kAperture || entry.target() == Target::kPeer;
}

Translation FaultAt(Fault fault, unsigned level) {
  Translation result;
  result.fault = fault;
  result.level = level;
  return result;
}

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
  const uint64_t bits[6] = {shape.bits0(), shape.bits1(), shape.bits2(),
                            shape.bits3(), shape.bits4(), shape.bits5()};
  for (unsigned level = 0; level < 6; ++level) space.bits[level] = static_cast<uint8_t>(bits[level]);
  return space;
}

unsigned SpaceConfig::Shift(unsigned level) const {
  unsigned shift = kPageLg2;
  for (unsigned below = 0; below < level; ++below) shift += bits[below];
  return shift;
}

bool SpaceConfig::operator==(const SpaceConfig& o) const {
  return enable == o.enable && root_target == o.root_target && root_address == o.root_address &&
         root_entries == o.root_entries && levels == o.levels && bits == o.bits;
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

  if (space.root_target != Target::kSystem && space.root_target != Target::kVram)
    return FaultAt(Fault::kEntryReserved, root_level);

  Target table_target = space.root_target;
  uint64_t table = space.root_address;
  for (unsigned level = root_level;; --level) {
    const unsigned shift = space.Shift(level);
    const uint64_t index = (va >> shift) & ((uint64_t{1} << space.bits[level]) - 1);
    const std::optional<uint64_t> word = read(table_target, table + index * 8);
    if (!word) return FaultAt(Fault::kTableRead, level);
    PteEntry entry;
    entry.raw = *word;
    if (entry.zero() != 0) {
      Translation result;
      result.zero = true;
      result.level = level;
      return result;
    }
    if (entry.valid() == 0) return FaultAt(Fault::kEntryInvalid, level);
    if (IsReservedForm(entry, level, shift)) return FaultAt(Fault::kEntryReserved, level);
    if (level > 0 && entry.large() == 0) {
      table_target = entry.target();
      table = entry.page() << kPageLg2;
      continue;
    }
    if (access == Access::kWrite && entry.read_only() != 0) return FaultAt(Fault::kWriteProtect, level);
    if (access == Access::kExecute && entry.no_execute() != 0) return FaultAt(Fault::kExecuteProtect, level);
    Translation result;
    result.level = level;
    result.coherent = entry.coherent() != 0;
    result.gpa.target = entry.target();
    result.gpa.adapter = static_cast<uint8_t>(entry.adapter());
    result.gpa.offset = (entry.page() << kPageLg2) + (va & ((uint64_t{1} << shift) - 1));
    return result;
  }
}

}  // namespace gmmu::sim
