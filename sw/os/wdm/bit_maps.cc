// SPDX-License-Identifier: Apache-2.0
// Implements the bit map routines declared in wdm_strings.h.
#include <string>

#include "ddi/wdm_strings.h"
#include "os/base/bug_check.h"

namespace {

constexpr ULONG kNone = 0xFFFFFFFF;

void Require(const RTL_BITMAP* map, ULONG start, ULONG count, const char* routine) {
  if (start <= map->SizeOfBitMap && count <= map->SizeOfBitMap - start) return;
  throw gmmu::os::BugCheck(std::string(routine) + " of bits " + std::to_string(start) + " to " +
                           std::to_string(uint64_t{start} + count) + " of a bit map of " +
                           std::to_string(map->SizeOfBitMap) + " bits");
}

bool Bit(const RTL_BITMAP* map, ULONG at) { return (map->Buffer[at / 32] >> at % 32 & 1) != 0; }

void Put(PRTL_BITMAP map, ULONG start, ULONG count, bool set, const char* routine) {
  Require(map, start, count, routine);
  for (ULONG at = start; at < start + count; ++at) {
    const ULONG mask = ULONG{1} << at % 32;
    map->Buffer[at / 32] = set ? map->Buffer[at / 32] | mask : map->Buffer[at / 32] & ~mask;
  }
}

bool Are(const RTL_BITMAP* map, ULONG start, ULONG count, bool set) {
  if (start > map->SizeOfBitMap || count > map->SizeOfBitMap - start) return false;
  for (ULONG at = start; at < start + count; ++at) {
    if (Bit(map, at) != set) return false;
  }
  return true;
}

/// Returns the start of the first run of `count` bits that all equal `set`, if it starts in [from,
/// to); otherwise kNone.
ULONG Find(const RTL_BITMAP* map, ULONG count, bool set, ULONG from, ULONG to) {
  for (ULONG start = from; start < to; ++start) {
    if (Are(map, start, count, set)) return start;
  }
  return kNone;
}

ULONG Find(const RTL_BITMAP* map, ULONG count, bool set, ULONG hint) {
  const ULONG from = hint < map->SizeOfBitMap ? hint & ~ULONG{7} : 0;
  const ULONG found = Find(map, count, set, from, map->SizeOfBitMap);
  return found != kNone ? found : Find(map, count, set, 0, from);
}

ULONG Number(const RTL_BITMAP* map, bool set) {
  ULONG number = 0;
  for (ULONG at = 0; at < map->SizeOfBitMap; ++at) number += Bit(map, at) == set;
  return number;
}

}  // namespace

extern "C" {

void RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap) {
  *BitMapHeader = {SizeOfBitMap, BitMapBuffer};
}
void RtlClearAllBits(PRTL_BITMAP BitMapHeader) {
  Put(BitMapHeader, 0, BitMapHeader->SizeOfBitMap, false, "RtlClearAllBits");
}
void RtlSetAllBits(PRTL_BITMAP BitMapHeader) {
  Put(BitMapHeader, 0, BitMapHeader->SizeOfBitMap, true, "RtlSetAllBits");
}
void RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) { Put(BitMapHeader, BitNumber, 1, false, "RtlClearBit"); }
void RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) { Put(BitMapHeader, BitNumber, 1, true, "RtlSetBit"); }
void RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear) {
  Put(BitMapHeader, StartingIndex, NumberToClear, false, "RtlClearBits");
}
void RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet) {
  Put(BitMapHeader, StartingIndex, NumberToSet, true, "RtlSetBits");
}
BOOLEAN RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
  Require(BitMapHeader, BitNumber, 1, "RtlTestBit");
  return Bit(BitMapHeader, BitNumber);
}
BOOLEAN RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
  return Are(BitMapHeader, StartingIndex, Length, false);
}
BOOLEAN RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
  return Are(BitMapHeader, StartingIndex, Length, true);
}
ULONG RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  return Find(BitMapHeader, NumberToFind, false, HintIndex);
}
ULONG RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  return Find(BitMapHeader, NumberToFind, true, HintIndex);
}
ULONG RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  const ULONG found = Find(BitMapHeader, NumberToFind, false, HintIndex);
  if (found != kNone) RtlSetBits(BitMapHeader, found, NumberToFind);
  return found;
}
ULONG RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  const ULONG found = Find(BitMapHeader, NumberToFind, true, HintIndex);
  if (found != kNone) RtlClearBits(BitMapHeader, found, NumberToFind);
  return found;
}
ULONG RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader) { return Number(BitMapHeader, true); }
ULONG RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader) { return Number(BitMapHeader, false); }

}  // extern "C"
