// SPDX-License-Identifier: Apache-2.0
#include "random_tables.h"

namespace gmmu::bench {

using regs::PteEntry;
using regs::Target;

RandomTables::RandomTables(TableMemory& memory, uint64_t seed, unsigned levels, unsigned most_bits, bool line_errors,
                           bool dual, uint64_t* next)
    : memory_(memory), random_(seed), seed_(seed), line_errors_(line_errors) {
  config_.enable = true;
  config_.levels = levels;
  config_.dual = dual;
  unsigned total = 0;
  for (unsigned l = 0; l < levels; ++l) {
    const unsigned room = 36 - total - (levels - 1 - l);
    unsigned bits = 1 + Random(most_bits);
    if (Random(2) == 0) bits = 9;
    if (bits > room) bits = room;
    if (bits > 13) bits = 13;
    if (dual && l == 0 && bits < 4) bits += 3;
    if (dual && l == 1 && bits > 12) bits = 12;
    config_.bits[l] = static_cast<uint8_t>(bits);
    total += bits;
    const unsigned count = l + 1 == levels ? 1 : 2 + Random(3);
    const unsigned with_64k = l == 0 && bits >= 4 ? 2 * count : count;
    for (unsigned i = 0; i < with_64k; ++i) {
      const TableMemory::Key base{static_cast<int>(Random(2)), *next};
      *next += 0x10000;
      tables_[{base.first, base.second >> 16}] = {l, i >= count};
      (i >= count ? pool_64k_ : pool_[l]).push_back(base);
    }
  }
  config_.root_target = static_cast<Target>(pool_[levels - 1][0].first);
  config_.root_address = pool_[levels - 1][0].second;
  const uint32_t full = uint32_t{1} << config_.bits[levels - 1];
  config_.root_entries = Random(3) == 0 ? 1 + Random(full) : full;
  for (int i = 0; i < 12; ++i) places_.push_back(random_() & ((uint64_t{1} << (total + 12)) - 1) & ~uint64_t{0xffff});
  places_.push_back(0);
  places_.push_back(((uint64_t{1} << (total + 12)) - 1) & ~uint64_t{0xffff});
}

bool RandomTables::MapsBy64K(uint64_t block) const { return (seed_ >> (block % 61) & 1) != 0; }

uint64_t RandomTables::Generate(TableMemory::Key key) {
  const auto [level, k64] = tables_.at({key.first, key.second >> 16});
  const uint64_t number = (key.second & 0xffff) / 8;
  const bool half_64k = config_.dual && level == 1 && number % 2 != 0;
  const TableMemory::Key block{key.first, key.second & ~uint64_t{127}};
  const uint64_t salt = salt_[block];
  used_.push_back(key);
  const uint64_t block_seed = seed_ ^ (block.second * 0x9e3779b97f4a7c15ull) ^ (salt << 56) ^ uint64_t(block.first);
  std::mt19937_64 of_block(block_seed);
  std::mt19937_64 of_entry(block_seed ^ (key.second * 0xff51afd7ed558ccdull));
  const auto pick = [](std::mt19937_64& random, unsigned below) { return static_cast<unsigned>(random() % below); };

  const auto attributes = [&pick](std::mt19937_64& random) {
    PteEntry entry;
    entry.set_valid(1).set_coherent(pick(random, 2)).set_read_only(pick(random, 4) == 0);
    entry.set_no_execute(pick(random, 4) == 0).set_target(static_cast<Target>(pick(random, 4)));
    if (entry.target() == Target::kPeer) entry.set_adapter(pick(random, 64));
    entry.set_segment(pick(random, 32)).set_software(pick(random, 4)).set_page(random() & 0xfffffffffull);
    return entry;
  };

  const bool other_half = config_.dual && level == 0 && MapsBy64K(k64 ? number : number / 16) != k64;
  if (other_half) return of_entry() & ~uint64_t{3};
  if (level == 0 && !k64 && config_.bits[0] >= 4 && pick(of_block, 4) == 0) {
    PteEntry entry = attributes(of_block);
    entry.set_contiguous(1).set_page((entry.page() & ~uint64_t{15}) | ((key.second / 8) & 15));
    return entry.raw;
  }
  const unsigned kind = pick(of_entry, 100);
  if (line_errors_ && salt == 0) {
    const uint64_t line = key.second & ~uint64_t{63};
    std::mt19937_64 of_line(block_seed ^ line);
    const bool poisoned = pick(of_line, 100) == 0;
    for (unsigned word = 0; word < 8 && poisoned; ++word) memory_.Poison({key.first, line + word * 8});
  }
  PteEntry entry = attributes(of_entry);
  // In a pair, either word 0 maps the whole range or word 1 points to a table.
  bool word0_maps_all = !config_.dual || level != 1;
  if (config_.dual && level == 1) {
    std::mt19937_64 of_pair(block_seed ^ number / 2);
    word0_maps_all = pick(of_pair, 4) == 0;
    if (half_64k && word0_maps_all) return of_entry() & ~uint64_t{3};
    if (!half_64k && !word0_maps_all && kind >= 5 && kind < 9) return 0;
  }
  if (kind < 5) {
    entry.raw = of_entry() & ~uint64_t{3};  // invalid, with random other bits
    return entry.raw;
  }
  if (kind < 9) {
    entry.raw = of_entry() | 2;  // a zero page, with random other bits
    return entry.raw;
  }
  if (kind == 9 && salt == 0 && !line_errors_) memory_.Poison(key);
  if (k64) entry.set_page(entry.page() & ~uint64_t{15});
  if (level > 0) {
    const uint64_t cover = (uint64_t{1} << (config_.Shift(level) - 12)) - 1;
    if (kind < 18 && !half_64k && word0_maps_all) {
      entry.set_large(1);
      if (kind != 17) entry.set_page(entry.page() & ~cover);
    } else {
      const bool to_64k = level == 1 && (config_.dual ? half_64k : !pool_64k_.empty() && pick(of_entry, 3) == 0);
      const auto& lower = to_64k ? pool_64k_ : pool_[level - 1];
      entry.set_table_64k(to_64k);
      const TableMemory::Key table = lower[pick(of_entry, static_cast<unsigned>(lower.size()))];
      entry.set_adapter(0).set_target(static_cast<Target>(table.first)).set_page(table.second >> 12);
    }
  }
  if (kind >= 95) {
    switch (pick(of_entry, 6)) {
      case 0: entry.set_reserved63(1); break;
      case 1: entry.set_table_64k(1 - entry.table_64k()); break;
      case 2: entry.set_page(entry.page() | (uint64_t{1} << (36 + pick(of_entry, 4)))); break;
      case 3: level == 0 && (!k64 || kind == 95) ? entry.set_large(1) : entry.set_contiguous(1); break;
      case 4:
        if (entry.target() != Target::kPeer) entry.set_adapter(1 + pick(of_entry, 63));
        break;
      default:
        if (level > 0) entry.set_large(0).set_adapter(0).set_target(Target::kAperture);
        break;
    }
  }
  return entry.raw;
}

void RandomTables::Change(uint64_t cycle) {
  if (used_.empty()) return;
  const TableMemory::Key key = used_[Random(static_cast<unsigned>(used_.size()))];
  const TableMemory::Key block{key.first, key.second & ~uint64_t{127}};
  for (int i = 0; i < 16; ++i) {
    const TableMemory::Key word{key.first, block.second + i * 8u};
    memory_.Read(word);
    // All words of a contiguous block must be readable, so a poisoned word cannot join one.
    if (memory_.Poisoned(word)) return;
  }
  ++salt_[block];
  for (int i = 0; i < 16; ++i) {
    const TableMemory::Key word{key.first, block.second + i * 8u};
    memory_.Write(word, Generate(word), cycle);
  }
  if (used_.size() > 4096) used_.resize(2048);
}

uint64_t RandomTables::SomeVa() {
  uint64_t va = places_[Random(static_cast<unsigned>(places_.size()))];
  va += uint64_t{Random(40)} << 12;
  va += Random(4096);
  const unsigned odd = Random(200);
  if (odd == 0) va |= uint64_t{1} << Random(64);
  if (odd == 1) va = random_();
  return va;
}

}  // namespace gmmu::bench
