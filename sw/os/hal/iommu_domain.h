// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "os/base/ledger.h"
#include "os/base/ranges.h"
#include "os/hal/second_stage.h"

namespace gmmu::os {

/// One second-stage translation: the view of host memory that a logical adapter has.
///
/// Made by Iommu::CreateDomain. Logical addresses come from [4 KiB, limit) without the interrupt window
/// 0xFEE00000-0xFEEFFFFF, at places drawn by seed.
class IommuDomain {
 public:
  uint16_t id() const { return id_; }
  const SecondStage& tables() const { return tables_; }
  /// True if logical addresses equal the host's (1:1) and are not allocated by `logical`.
  bool identity() const { return identity_; }
  /// True if an identity domain maps all installed memory, in use or not.
  bool whole() const { return !whole_.empty(); }
  RangeAllocator& logical() { return logical_; }

 private:
  friend class Iommu;
  IommuDomain(uint16_t id, SecondStage tables, uint64_t limit, bool identity, uint64_t seed, Ledger& ledger)
      : id_(id),
        tables_(std::move(tables)),
        identity_(identity),
        logical_(hw::kPageSize, limit, seed, "logical_range", "domain" + std::to_string(id), ledger) {
    logical_.Exclude(0xFEE00000, 0xFEF00000);
  }
  struct Mapping {
    uint64_t pages;
    Ledger::Ticket ticket;
  };
  bool InWhole(uint64_t pfn) const {
    return std::any_of(whole_.begin(), whole_.end(),
                       [pfn](const hw::Range& range) { return pfn >= range.start && pfn < range.end; });
  }
  uint16_t id_;
  SecondStage tables_;
  const bool identity_;
  std::vector<hw::Range> whole_;                // page ranges that MapWhole has mapped
  std::map<uint64_t, Mapping> mappings_;        // by the first logical page of the Map call
  std::map<uint64_t, unsigned> identity_uses_;  // number of MapIdentity calls that hold each host page
  std::vector<uint16_t> attached_;
  Ledger::Ticket ticket_ = 0;
  RangeAllocator logical_;
};

}  // namespace gmmu::os
