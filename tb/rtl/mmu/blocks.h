// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Vgmmu_mmu_blocks_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/mmu/key.h"
#include "tb/rtl/structs.h"

namespace gmmu::bench {

/// The fields of page_t from bit 0 up: level, big, no_execute, read_only, coherent, zero, adapter,
/// target, page number.
struct Page {
  uint64_t raw = 0;
  Page() = default;
  explicit Page(uint64_t bits) : raw(bits) {}
  Page(uint64_t pfn, unsigned level, bool big) : raw(pfn << 16 | static_cast<uint64_t>(big) << 3 | level) {}
  uint64_t pfn() const { return raw >> 16; }
  bool zero() const { return raw >> 7 & 1; }
  bool read_only() const { return raw >> 5 & 1; }
  bool no_execute() const { return raw >> 4 & 1; }
  bool big() const { return raw >> 3 & 1; }
  unsigned level() const { return raw & 7; }
  Page WithLow(uint64_t vpn) const {  ///< the page that maps vpn in the same 64 KiB block
    return Page((raw & ~(uint64_t{15} << 16)) | (vpn & 15) << 16);
  }
};

/// Drives the blocks of the MMU individually, after a reset. Size 1 is the smallest.
class Blocks : public BlockBench<Vgmmu_mmu_blocks_bench> {
 public:
  Blocks(unsigned size, uint64_t seed) : BlockBench(size, seed) {
    t.small_i = size != 0;
    Reset();
    // The arrays have no reset: sweep them once, as the control block does.
    SetScope(true);
    for (unsigned i = 0; i < 64; ++i) Sweep(i);
    Run(3);
    SetScope(false);
  }
  void SetScope(bool all, bool ranged = false, unsigned space = 0, uint64_t first = 0, uint64_t tail = 0) {
    sweep_.all = all, sweep_.ranged = ranged, sweep_.space = static_cast<uint8_t>(space);
    sweep_.first = first, sweep_.tail = tail;
    t.sweep_i = Pack(sweep_);
  }
  void SetSweep(bool valid, unsigned index) {
    sweep_.valid = valid, sweep_.index = static_cast<uint16_t>(index);
    t.sweep_i = Pack(sweep_);
  }
  void Sweep(unsigned index) {
    SetSweep(true, index);
    Step();
    SetSweep(false, index);
  }
  void SetKey(const Key& key) { t.key_i = key.Raw(); }
  void SetOther(const Key& key) { t.other_i = Key{key.space, key.vpn}.Raw(); }
  bool small() const { return n != 0; }

 private:
  GMMU_STRUCT(gmmu_mmu_blocks_bench, sweep_t) sweep_ {};
};
using BlocksTest = BlockTest<Blocks>;

}  // namespace gmmu::bench
