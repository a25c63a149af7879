// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "os/hal/hal.h"
#include "os/hal/pages.h"
#include "os/hal/remapping.h"
#include "os/hal/vtd/domain.h"
#include "os/hal/vtd/interrupt_table.h"
#include "os/hal/vtd/invalidation_queue.h"
#include "os/hal/vtd/registers.h"

namespace gmmu::os::vtd {

/// Driver for a VT-d unit in legacy mode with queued invalidation.
///
/// The unit's tables are in host memory. A call that changes a possibly cached entry queues an invalidation with a wait
/// descriptor, and returns only after both have completed.
class Iommu final : public Remapping {
 public:
  explicit Iommu(const RemappingParts& parts);
  ~Iommu() override;

  /// Reads the capabilities.
  void Prepare() override;
  /// Sets up the root table, the queue and the fault interrupt, and enables translation.
  void Enable(std::function<void(const RemappingFault&)> on_fault, const std::vector<Attachment>& attached) override;
  /// Disables translation and the queue, and frees the tables.
  void Disable() override;
  bool enabled() const override { return root_ != 0; }
  bool has_domains() const override { return !domains_.empty(); }

  RemappingDomain* CreateDomain(uint64_t limit, bool identity, const std::string& owner) override;
  void DestroyDomain(RemappingDomain* domain) override;
  void Attach(hw::Bdf device, RemappingDomain& domain) override;
  void Detach(hw::Bdf device, RemappingDomain& domain) override;

  /// Maps with the largest pages that fit.
  void Map(RemappingDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns, const std::string& owner,
           const std::string& created_by) override;
  void Unmap(RemappingDomain& domain, uint64_t logical, uint64_t pages) override;
  void MapIdentity(RemappingDomain& domain, const std::vector<uint64_t>& pfns) override;
  void UnmapIdentity(RemappingDomain& domain, const std::vector<uint64_t>& pfns) override;
  void MapWhole(RemappingDomain& domain, const std::vector<hw::Range>& ranges) override;
  void PunchHole(RemappingDomain& domain, uint64_t logical) override;
  hw::Message RouteInterrupt(hw::Bdf device, const hw::Message& message,
                             std::function<void(const RemappingFault&)> on_fault) override;
  void UnrouteInterrupt(const hw::Message& sent) override;

 private:
  /// The queue and the fault interrupt serve translation and interrupt remapping. StopServices stops
  /// them unless one of the two is still on.
  void StartServices(std::function<void(const RemappingFault&)> on_fault);
  void StopServices();
  uint64_t NewTable(const std::string& created_by) { return SecondStage::NewTable(hal_, pages_, created_by); }
  void FlushWriteBuffer();
  /// `unmapped` contains the removed tables and the level of the largest removed leaf. The tables
  /// are freed when no device can use them any more.
  void InvalidatePages(Domain& domain, uint64_t first, uint64_t count, const SecondStage::Unmapped& unmapped);
  /// In caching mode, the unit may have cached the not-present entries of pages that have since been mapped, at any
  /// level.
  void InvalidateMapped(Domain& domain, uint64_t first, uint64_t count) {
    Invalidate(domain, first, count, 0, /*only_leaves=*/false);
  }
  /// `only_leaves`: no table was added or removed (IH).
  void Invalidate(Domain& domain, uint64_t first, uint64_t count, unsigned largest_leaf, bool only_leaves);
  void DrainFaults();
  [[noreturn]] void EndStorm(const RemappingFault& last);

  Hal& hal_;
  PageAllocator& pages_;
  Ledger& ledger_;
  const uint64_t seed_;
  Registers registers_;
  InvalidationQueue queue_;
  InterruptTable interrupts_;
  unsigned routed_ = 0;  // entries of interrupts_ in use
  uint64_t cap_ = 0, ecap_ = 0;
  uint64_t root_ = 0;
  std::map<uint8_t, uint64_t> context_tables_;  // bus -> pfn
  std::vector<std::unique_ptr<Domain>> domains_;
  std::vector<uint64_t> stale_ids_;  // ids of destroyed domains, which the unit may have cached
  hw::Message message_;
  bool serving_ = false;
  std::function<void(const RemappingFault&)> on_fault_;
  uint64_t faults_ = 0;  // faults drained since Enable
};

}  // namespace gmmu::os::vtd
