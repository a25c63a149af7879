// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "os/hal/remapping.h"
#include "os/hal/vtd/second_stage.h"

namespace gmmu::os::vtd {

/// A VT-d domain: a domain id and its second-stage tables.
class Domain final : public RemappingDomain {
 public:
  uint16_t id() const { return static_cast<uint16_t>(number()); }
  const SecondStage& tables() const { return tables_; }
  uint64_t Lookup(uint64_t page) const override { return tables_.Lookup(page); }

 private:
  friend class Iommu;
  Domain(uint16_t id, SecondStage tables, uint64_t limit, bool identity, uint64_t seed, Ledger& ledger,
         const std::string& owner)
      : RemappingDomain(id, limit, identity, seed, ledger, owner), tables_(std::move(tables)) {}

  SecondStage tables_;
};

}  // namespace gmmu::os::vtd
