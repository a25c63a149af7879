// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "os/kernel/hal.h"
#include "os/kernel/ledger.h"
#include "os/kernel/pages.h"
#include "os/kernel/ranges.h"
#include "os/kernel/second_stage.h"

namespace gmmu::os {

/// One drained record of the VT-d unit's fault recording registers.
struct IommuFault {
  uint16_t requester = 0;
  uint8_t reason = 0;
  bool read = false;
  uint64_t address = 0;  ///< logical, 4 KiB aligned
  std::string ReasonName() const;
};

/// One second-stage translation: what a logical adapter sees of host memory.
///
/// Made by Iommu::CreateDomain. Logical addresses come from [4 KiB, limit) without the interrupt
/// window 0xFEE00000-0xFEEFFFFF, at places drawn by seed.
class IommuDomain {
 public:
  uint16_t id() const { return id_; }
  const SecondStage& tables() const { return tables_; }
  /// Logical addresses are the host's own (1:1), not given out by `logical`.
  bool identity() const { return identity_; }
  /// Identity: all installed memory is mapped, whoever uses it.
  bool whole() const { return !whole_.empty(); }
  RangeAllocator& logical() { return logical_; }

 private:
  friend class Iommu;
  IommuDomain(uint16_t id, SecondStage tables, uint64_t limit, bool identity, uint64_t seed,
              Ledger& ledger)
      : id_(id),
        tables_(std::move(tables)),
        identity_(identity),
        logical_(hw::kPageSize, limit, seed, "logical_range", "domain" + std::to_string(id),
                 ledger) {
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
  std::vector<hw::Range> whole_;  // in pages: what MapWhole took
  std::map<uint64_t, Mapping> mappings_;        // by first logical page of a Map call
  std::map<uint64_t, unsigned> identity_uses_;  // of a host page, by those that MapIdentity took
  std::vector<uint16_t> attached_;
  Ledger::Ticket ticket_ = 0;
  RangeAllocator logical_;
};

/// Driver of a VT-d unit in legacy mode with queued invalidation.
///
/// Tables lie in host memory; every change that a cache may know is followed by an invalidation and
/// its wait descriptor before the call returns, so that pages may be reused at once. A unit that stops its queue (IQE)
/// ends the call that waits for it, and every later one that would have to, with an OsError.
class Iommu {
 public:
  /// `forget`: true when the next invalidation is to be queued and never waited for (a deliberate
  /// fault).
  Iommu(Hal& hal, PageAllocator& pages, Ledger& ledger, uint64_t base, uint64_t seed,
        std::function<bool()> forget);
  ~Iommu();

  /// Reads the capabilities, sets up root table, queue and fault interrupt, and switches
  /// translation on: from then on every device that is not attached is blocked. Throws OsError when
  /// the unit lacks what is needed.
  void Enable(std::function<void(const IommuFault&)> on_fault);
  /// Translation and queue off, tables freed. Domains must be gone.
  void Disable();
  bool enabled() const { return root_ != 0; }
  /// Reads the capabilities: domains may be made and filled while the unit is off. Part of Enable.
  void Prepare();

  /// A domain for logical addresses below `limit` bytes; `identity`: they are the host's own.
  IommuDomain* CreateDomain(uint64_t limit, bool identity, const std::string& owner);
  void DestroyDomain(IommuDomain* domain);
  void Attach(hw::Bdf device, IommuDomain& domain);
  void Detach(hw::Bdf device, IommuDomain& domain);

  /// Maps `pfns` to consecutive logical pages from `logical` (bytes, 4 KiB aligned), readable and
  /// writable, with the largest IOMMU pages that fit.
  void Map(IommuDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns,
           const std::string& owner, const std::string& created_by);
  /// Undoes the Map that began at `logical`, and waits until no device uses it any more.
  void Unmap(IommuDomain& domain, uint64_t logical, uint64_t pages);
  /// Lets the devices of an identity domain reach `pfns` at their own addresses. Uses of a page are
  /// counted; it goes with the last UnmapIdentity.
  void MapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns);
  void UnmapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns);
  /// The same for every page of `ranges` (page numbers), which no MapIdentity took, for as long as the
  /// domain lives.
  void MapWhole(IommuDomain& domain, const std::vector<hw::Range>& ranges);
  /// Takes one page out of a mapping, for the deliberate fault of that name; Unmap tolerates it.
  void PunchHole(IommuDomain& domain, uint64_t logical);

  uint64_t root_address() const { return root_ * hw::kPageSize; }
  uint64_t invalidations() const { return invalidations_; }

 private:
  struct Descriptor {
    uint64_t low, high;
  };
  uint32_t Read32(uint32_t offset) { return static_cast<uint32_t>(hal_.Read(base_ + offset, 4)); }
  uint64_t Read64(uint32_t offset) { return hal_.Read(base_ + offset, 8); }
  void Write32(uint32_t offset, uint32_t value) { hal_.Write(base_ + offset, 4, value); }
  void Write64(uint32_t offset, uint64_t value) { hal_.Write(base_ + offset, 8, value); }

  uint64_t NewTable(const std::string& created_by) {
    return SecondStage::NewTable(hal_, pages_, created_by);
  }
  void Command(uint32_t bit, bool on);
  void FlushWriteBuffer();
  void Submit(const std::vector<Descriptor>& descriptors);
  /// `unmapped`: what changed besides the leaves of 4 KiB; its tables are freed when no device can use
  /// them any more.
  void InvalidatePages(IommuDomain& domain, uint64_t first, uint64_t count,
                       const SecondStage::Unmapped& unmapped);
  /// Throws OsError, with what the unit said, when it stopped the queue.
  void RequireQueue() const;
  void StopQueue();
  Descriptor DomainFlush(uint16_t id) const;
  void WriteEntry(uint64_t address, uint64_t value);
  uint64_t ReadEntry(uint64_t address);
  void DrainFaults();

  Hal& hal_;
  PageAllocator& pages_;
  Ledger& ledger_;
  const uint64_t base_;
  const uint64_t seed_;
  const std::function<bool()> forget_;
  uint64_t cap_ = 0, ecap_ = 0;
  uint64_t root_ = 0;
  uint64_t queue_ = 0;       // pfn
  uint64_t status_ = 0;      // pfn of the wait descriptors' status page
  uint32_t queue_tail_ = 0;  // entries
  std::string queue_error_;  // empty: it runs
  uint32_t next_status_ = 1;
  std::map<uint8_t, uint64_t> context_tables_;  // bus -> pfn
  std::vector<std::unique_ptr<IommuDomain>> domains_;
  std::vector<uint64_t> stale_ids_;  // domain ids used before
  hw::Message message_;
  std::function<void(const IommuFault&)> on_fault_;
  uint64_t invalidations_ = 0;
};

}  // namespace gmmu::os
