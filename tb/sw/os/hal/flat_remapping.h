// SPDX-License-Identifier: Apache-2.0
// A driver for a remapping unit that exists only in tests (tb/sim/iommu/flat_remapper.h). It is a
// second implementation of os/hal/remapping.h, beside VT-d.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/host_ram.h"
#include "hw/platform.h"
#include "os/base/errors.h"
#include "os/hal/remapping.h"
#include "tb/sim/iommu/flat_remapper.h"

namespace gmmu::os::test {

class FlatDomain final : public RemappingDomain {
 public:
  uint64_t Lookup(uint64_t page) const override;

 private:
  friend class FlatRemapping;
  FlatDomain(unsigned number, const RemappingParts& parts, uint64_t limit, bool identity, const std::string& owner);
  uint64_t At(uint64_t page) const { return table_ * hw::kPageSize + page * sizeof(uint64_t); }

  hw::HostRam& ram_;
  const uint64_t pages_;  // pages below the limit; each has one table entry
  uint64_t table_ = 0;    // first page of the table
};

/// The unit's driver. Each domain has one flat table, allocated as a whole. To use this driver in a
/// job on a FlatMachine, set JobOptions::remapping (workload/job.h).
class FlatRemapping final : public Remapping {
 public:
  explicit FlatRemapping(const RemappingParts& parts) : parts_(parts) {}
  static std::unique_ptr<Remapping> Make(const RemappingParts& parts) { return std::make_unique<FlatRemapping>(parts); }

  void Prepare() override;
  void Enable(std::function<void(const RemappingFault&)> on_fault, const std::vector<Attachment>& attached) override;
  void Disable() override;
  bool enabled() const override { return on_; }
  bool has_domains() const override { return !domains_.empty(); }
  RemappingDomain* CreateDomain(uint64_t limit, bool identity, const std::string& owner) override;
  void DestroyDomain(RemappingDomain* domain) override;
  void Attach(hw::Bdf device, RemappingDomain& domain) override;
  void Detach(hw::Bdf device, RemappingDomain& domain) override;
  void Map(RemappingDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns, const std::string& owner,
           const std::string& created_by) override;
  void Unmap(RemappingDomain& domain, uint64_t logical, uint64_t pages) override;
  void MapIdentity(RemappingDomain& domain, const std::vector<uint64_t>& pfns) override;
  void UnmapIdentity(RemappingDomain& domain, const std::vector<uint64_t>& pfns) override;
  void MapWhole(RemappingDomain& domain, const std::vector<hw::Range>& ranges) override;
  void PunchHole(RemappingDomain& domain, uint64_t logical) override;
  hw::Message RouteInterrupt(hw::Bdf, const hw::Message&, std::function<void(const RemappingFault&)>) override {
    throw OsError("the flat unit remaps no interrupts");
  }
  void UnrouteInterrupt(const hw::Message&) override {}

 private:
  uint64_t Word(uint64_t address) const;
  void Put(uint64_t address, uint64_t value);
  uint64_t Record(unsigned index) const { return directory_ * hw::kPageSize + sim::FlatRemapper::kRecordBytes * index; }
  /// Returns the address of `device`'s record, or of a free record if `device` is nullopt. Returns nullopt if no such
  /// record exists.
  std::optional<uint64_t> Find(std::optional<hw::Bdf> device) const;
  void MapPage(const FlatDomain& domain, uint64_t page, uint64_t pfn);
  void UnmapPages(const FlatDomain& domain, uint64_t first, uint64_t count);
  /// Makes the unit discard its cached translations.
  void Invalidate();
  void TakeFault();

  const RemappingParts parts_;
  bool on_ = false;
  uint64_t directory_ = 0;                                   // its page number
  std::map<unsigned, std::unique_ptr<FlatDomain>> domains_;  // by domain number
  hw::Message message_;
  std::function<void(const RemappingFault&)> on_fault_;
};

}  // namespace gmmu::os::test
