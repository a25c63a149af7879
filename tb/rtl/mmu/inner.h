// SPDX-License-Identifier: Apache-2.0
// Drives the bench of gmmu_l1_entries and of the blocks inside the walk table, and declares C++
// versions of their packed types.
#pragma once

#include "Vgmmu_mmu_inner_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/mmu/key.h"
#include "tb/rtl/structs.h"

namespace gmmu::inner {

using bench::Key;
using bench::kVpnMask;
constexpr unsigned kSpaceDisabled = 1, kVaRange = 2, kRootBound = 3, kInvalid = 4, kReserved = 5, kTableRead = 6;

/// A page_t.
struct Page {
  uint64_t pfn = 0;
  unsigned target = 0, adapter = 0;
  bool zero = false, coherent = false, read_only = false, no_execute = false, big = false;
  unsigned level = 0;
  uint64_t Raw() const {
    return pfn << 16 | uint64_t{target} << 14 | uint64_t{adapter} << 8 | uint64_t{zero} << 7 | uint64_t{coherent} << 6 |
           uint64_t{read_only} << 5 | uint64_t{no_execute} << 4 | uint64_t{big} << 3 | level;
  }
  static Page Of(uint64_t raw) {
    return {raw >> 16,
            static_cast<unsigned>(raw >> 14 & 3),
            static_cast<unsigned>(raw >> 8 & 63),
            (raw >> 7 & 1) != 0,
            (raw >> 6 & 1) != 0,
            (raw >> 5 & 1) != 0,
            (raw >> 4 & 1) != 0,
            (raw >> 3 & 1) != 0,
            static_cast<unsigned>(raw & 7)};
  }
  /// Returns the defined bits. The address of a zero page is undefined.
  uint64_t Seen() const {
    Page seen = *this;
    if (zero) seen.pfn = seen.target = seen.adapter = 0;
    return seen.Raw();
  }
};

/// A page table entry, decoded according to docs/page-tables.md. `shift` is the shift of the
/// entry's level, in page number bits.
struct Entry {
  uint64_t raw;
  bool Bit(unsigned n) const { return raw >> n & 1; }
  uint64_t page() const { return raw >> 12 & ((uint64_t{1} << 40) - 1); }
  unsigned target() const { return static_cast<unsigned>(raw >> 6 & 3); }
  unsigned adapter() const { return static_cast<unsigned>(raw >> 52 & 63); }

  bool Valid() const { return Bit(0); }
  bool Zero() const { return Bit(1); }
  /// FaultAt returns the fault of an entry that ends a walk, or 0.
  enum Form { kLeaf, kUpper, kLeaf64, kHalf64 };
  unsigned FaultAt(Form form, unsigned shift) const {
    if (Zero() || !Valid()) return Zero() ? 0 : kInvalid;
    if (form == kLeaf) return Fault(0, 0);
    if (form == kHalf64) return kReserved;
    if (form == kLeaf64) return Fault(0, 0) != 0 || Bit(8) || (page() & 15) != 0 ? kReserved : 0;
    return Bit(5) ? Fault(1, shift) : kReserved;  // an entry that points to a table is illegal here
  }
  /// Returns the fault of the entry, or 0.
  unsigned Fault(unsigned level, unsigned shift) const {
    const bool zero = Bit(1), valid = Bit(0), large = Bit(5), contiguous = Bit(8);
    if (zero) return 0;
    if (!valid) return kInvalid;
    const uint64_t inside = (uint64_t{1} << shift) - 1;
    const bool reserved = Bit(63) || Bit(9) || page() >> 36 != 0 || (adapter() != 0 && target() != 3) ||
                          (level == 0 && large) || (level != 0 && contiguous) ||
                          (level != 0 && large && (page() & inside) != 0) || (level != 0 && !large && target() > 1);
    return reserved ? kReserved : 0;
  }
  bool NamesTable(unsigned level) const { return level != 0 && !Bit(1) && !Bit(5) && Fault(level, 0) == 0; }
  bool NamesTable64() const { return Bit(9) && Entry{raw ^ 1u << 9}.NamesTable(1); }
  /// Returns the page that the entry maps at vpn. block_ok: the leaf table has at least sixteen
  /// entries.
  Page PageAt(unsigned level, unsigned shift, uint64_t vpn, bool block_ok) const {
    const uint64_t inside = level == 0 ? 0 : (uint64_t{1} << shift) - 1;
    Page page;
    page.pfn = ((this->page() & kVpnMask) | (vpn & inside)) & kVpnMask;
    page.target = target(), page.adapter = adapter();
    page.zero = Bit(1);
    if (!page.zero) page.coherent = Bit(2), page.read_only = Bit(3), page.no_execute = Bit(4);
    page.big = level == 0 ? block_ok && !page.zero && Bit(8) && (this->page() & 15) == (vpn & 15) : shift >= 4;
    page.level = level;
    return page;
  }
};

/// Drives the blocks after a reset. Size 1 is the smallest.
class InnerBench : public BlockBench<Vgmmu_mmu_inner_bench> {
 public:
  InnerBench(unsigned size, uint64_t seed) : BlockBench(size, seed), rows(size ? 2 : 9) {
    t.small_i = size;
    Reset();
  }
  /// Returns the position of the only set bit, or 64 if not exactly one bit is set.
  static unsigned One(uint64_t set) {
    return set != 0 && (set & (set - 1)) == 0 ? static_cast<unsigned>(__builtin_ctzll(set)) : 64;
  }

  const unsigned rows;
};
using InnerTest = BlockTest<InnerBench>;

/// Returns a random table entry. Most kinds of legal and faulty entries are frequent.
template <typename Rng>
uint64_t SomeEntry(Rng& rng) {
  uint64_t raw = rng() & ((uint64_t{1} << 48) - 1) & ~uint64_t{0xfff};
  raw |= 1 | (rng() & 0x1c) | (rng() & 0xc0);  // valid; attributes, target
  if (rng() % 3 != 0) raw &= ~uint64_t{0x80};  // The target is usually system memory or VRAM.
  if ((raw >> 6 & 3) == 3) raw |= (rng() & 63) << 52;
  raw |= (rng() & 31) << 58 | (rng() & 3) << 10;  // bits for software
  if (rng() % 3 == 0) raw |= 1 << 8;
  if (rng() % 4 == 0) raw |= 1 << 5;
  if (rng() % 8 == 0) raw |= 2;
  if (rng() % 8 == 0) raw &= ~uint64_t{1};
  if (rng() % 24 == 0) raw |= uint64_t{1} << 63;
  if (rng() % 24 == 0) raw |= 1 << 9;
  if (rng() % 24 == 0) raw |= uint64_t{1} << (48 + rng() % 4);
  if (rng() % 24 == 0) raw |= uint64_t{1} << (52 + rng() % 6);
  return raw;
}

}  // namespace gmmu::inner
