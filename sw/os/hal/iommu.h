// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "os/hal/hal.h"
#include "os/hal/invalidation_queue.h"
#include "os/hal/iommu_domain.h"
#include "os/hal/iommu_fault.h"
#include "os/base/ledger.h"
#include "os/hal/pages.h"
#include "os/hal/vtd_registers.h"

namespace gmmu::os {

/// Driver of a VT-d unit in legacy mode with queued invalidation.
///
/// Tables are in host memory. After a change of an entry that may be cached, an invalidation and its wait descriptor
/// complete before the call returns, so that pages may be reused at once.
class Iommu {
 public:
  /// `forget` returns true if the next invalidation is to be queued but not waited for (a deliberate
  /// fault).
  Iommu(Hal& hal, PageAllocator& pages, Ledger& ledger, uint64_t base, uint64_t seed, std::function<bool()> forget);
  ~Iommu();

  /// Reads the capabilities, sets up root table, queue and fault interrupt, and switches translation on: from then on
  /// every unattached device is blocked. Throws OsError if the unit lacks a required capability.
  void Enable(std::function<void(const IommuFault&)> on_fault);
  /// Switches translation and queue off, and frees the tables. Domains must have been destroyed.
  void Disable();
  bool enabled() const { return root_ != 0; }
  /// Reads the capabilities, so that domains can be made and filled while the unit is off. Part of Enable.
  void Prepare();

  /// Makes a domain for logical addresses below `limit` bytes; `identity`: they equal the host's addresses.
  IommuDomain* CreateDomain(uint64_t limit, bool identity, const std::string& owner);
  void DestroyDomain(IommuDomain* domain);
  void Attach(hw::Bdf device, IommuDomain& domain);
  void Detach(hw::Bdf device, IommuDomain& domain);

  /// Maps `pfns` to consecutive logical pages from `logical` (bytes, 4 KiB aligned), readable and
  /// writable, with the largest IOMMU pages that fit.
  void Map(IommuDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns, const std::string& owner,
           const std::string& created_by);
  /// Undoes the Map that began at `logical` and waits until no device uses the mapping.
  void Unmap(IommuDomain& domain, uint64_t logical, uint64_t pages);
  /// Lets the devices of an identity domain reach `pfns` at their own addresses. Uses of a page are
  /// counted; the last UnmapIdentity removes its mapping.
  void MapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns);
  void UnmapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns);
  /// Maps every page of `ranges` (page numbers) at its own address for the life of the domain. No page may have been
  /// mapped by MapIdentity.
  void MapWhole(IommuDomain& domain, const std::vector<hw::Range>& ranges);
  /// Removes one page from a mapping, for the deliberate fault of that name; Unmap tolerates it.
  void PunchHole(IommuDomain& domain, uint64_t logical);

  uint64_t root_address() const { return root_ * hw::kPageSize; }
  uint64_t invalidations() const { return queue_.invalidations(); }

 private:
  uint64_t NewTable(const std::string& created_by) { return SecondStage::NewTable(hal_, pages_, created_by); }
  void FlushWriteBuffer();
  /// `unmapped`: the changes besides the 4 KiB leaves. Its tables are freed once no device can use them.
  void InvalidatePages(IommuDomain& domain, uint64_t first, uint64_t count, const SecondStage::Unmapped& unmapped);
  void DrainFaults();
  [[noreturn]] void EndStorm(const IommuFault& last);

  Hal& hal_;
  PageAllocator& pages_;
  Ledger& ledger_;
  const uint64_t seed_;
  VtdRegisters registers_;
  InvalidationQueue queue_;
  uint64_t cap_ = 0, ecap_ = 0;
  uint64_t root_ = 0;
  std::map<uint8_t, uint64_t> context_tables_;  // bus -> pfn
  std::vector<std::unique_ptr<IommuDomain>> domains_;
  std::vector<uint64_t> stale_ids_;  // domain ids that were used before
  hw::Message message_;
  std::function<void(const IommuFault&)> on_fault_;
  uint64_t faults_ = 0;  // faults drained since Enable
};

}  // namespace gmmu::os
