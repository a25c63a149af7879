// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "mmu_memory.h"
#include "probe/reference_walk.h"

namespace gmmu::bench {

/// Random page tables of one space. A pool holds tables of each level. Entries are generated when
/// first read and can be changed.
///
/// All kinds of entries occur: tables, pages of every attribute, contiguous blocks (always whole),
/// large pages, zero pages, invalid entries, every reserved form, and entries whose read ends in an
/// error.
class RandomTables {
 public:
  /// Allocates tables from `*next` on (64 KiB each). A bus error affects one entry or, with
  /// `line_errors` (for a bus whose beats hold several entries), a whole 64-byte line. dual:
  /// level-1 entries are pairs. In a pair, either word 0 maps the whole range or word 1 points to a
  /// table. Each 64 KiB block is mapped by only one of the two tables of a pair; the block's
  /// position decides which one.
  RandomTables(TableMemory& memory, uint64_t seed, unsigned levels, unsigned most_bits, bool line_errors, bool dual,
               uint64_t* next);

  const sim::SpaceConfig& config() const { return config_; }
  bool Owns(TableMemory::Key key) const { return tables_.count({key.first, key.second >> 16}) != 0; }
  uint64_t Generate(TableMemory::Key key);  ///< generates a word of one of these tables
  /// Replaces an entry in use (or a whole contiguous block).
  void Change(uint64_t cycle);
  uint64_t SomeVa();  ///< returns an address that is mostly near others, sometimes outside the geometry

 private:
  unsigned Random(unsigned below) { return static_cast<unsigned>(random_() % below); }

  TableMemory& memory_;
  std::mt19937_64 random_;
  const uint64_t seed_;
  const bool line_errors_;
  sim::SpaceConfig config_;
  struct Kind {
    unsigned level;
    bool k64;  ///< a leaf table of 64 KiB entries
  };
  bool MapsBy64K(uint64_t block) const;  ///< dual space: whether a 64 KiB entry maps this block

  std::map<std::pair<int, uint64_t>, Kind> tables_;  ///< {target, address >> 16}
  std::array<std::vector<TableMemory::Key>, 6> pool_;
  std::vector<TableMemory::Key> pool_64k_;
  std::map<TableMemory::Key, uint64_t> salt_;  ///< one value per block of sixteen entries
  std::vector<TableMemory::Key> used_;
  std::vector<uint64_t> places_;
};

}  // namespace gmmu::bench
