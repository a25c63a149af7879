// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "hw/gmmu_regs.h"

namespace gmmu::sim {

/// An address space, as registers `space.geometry` and `space.root` describe it
/// (docs/page-tables.md, Geometry).
struct SpaceConfig {
  bool enable = false;
  regs::Target root_target = regs::Target::kSystem;
  uint64_t root_address = 0;  ///< byte address, 4 KiB aligned
  uint32_t root_entries = 0;
  unsigned levels = 0;            ///< 2 to 6
  std::array<uint8_t, 6> bits{};  ///< index bits by level; [0] is the leaf level
  bool dual = false;              ///< level 1 has dual entries

  static SpaceConfig FromRegisters(uint64_t geometry, uint64_t root);
  /// Returns log2 of the number of bytes that a level-`level` entry maps.
  unsigned Shift(unsigned level) const;
  bool operator==(const SpaceConfig& other) const;
  bool operator!=(const SpaceConfig& other) const { return !(*this == other); }
};

/// A GPU physical address: {target, adapter, offset in bytes}.
struct Gpa {
  regs::Target target = regs::Target::kSystem;
  uint8_t adapter = 0;
  uint64_t offset = 0;
  bool operator==(const Gpa& o) const { return target == o.target && adapter == o.adapter && offset == o.offset; }
};

/// The result of a table walk. `gpa` and `coherent` are defined only if `fault` is kNone and `zero` is false.
struct Translation {
  regs::Fault fault = regs::Fault::kNone;
  unsigned level = 0;  ///< of the entry that faults or maps the page
  bool zero = false;
  bool coherent = false;
  Gpa gpa;
  bool operator==(const Translation& o) const;  ///< as software sees it: same fault and level, both zero, or same gpa
};

/// Reads one aligned 8-byte table entry. Returns nullopt after a bus error.
using EntryReader = std::function<std::optional<uint64_t>(regs::Target target, uint64_t address)>;

/// Walks the tables for one address as docs/page-tables.md describes, without caches. The checks
/// are made in the order of the table on that page.
///
/// This function is the oracle of every bench and of the translation checker. It favours clarity
/// over speed and was written independently of the RTL; never change it to agree with the RTL.
/// sim/twin/walk.cc implements the same walk without sharing code, so that each detects the other's
/// errors.
Translation ReferenceWalk(const SpaceConfig& space, uint64_t va, regs::Access access, const EntryReader& read);

}  // namespace gmmu::sim
