// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/platform.h"
#include "os/base/ledger.h"
#include "os/base/ranges.h"

namespace gmmu::os {

class Hal;
class PageAllocator;

/// A device access that the remapping unit blocked.
struct RemappingFault {
  enum class Cause : uint8_t {
    kNotAttached,      ///< the device is in no domain
    kNoAccess,         ///< the page is not mapped, or not for this kind of access
    kBeyondLimit,      ///< the address is beyond the domain's width
    kBadTables,        ///< the unit could not read its tables, or they are invalid
    kInterruptWindow,  ///< the address is, or maps to, the interrupt window
    kInterrupt,        ///< an interrupt message that the device may not send
    kOther,
  };
  hw::Bdf device;
  bool read = false;
  uint64_t address = 0;  ///< logical address, 4 KiB aligned
  Cause cause = Cause::kOther;
  uint32_t interrupt = 0;  ///< with kInterrupt: the table entry that the message names
  std::string reason;      ///< the cause in the unit's own terms, for reports: "no read permission"

  /// Returns a string like "device 01:00.0: read of logical page 0x5000: no read permission".
  std::string Text() const;
};

/// The address space through which the devices of one logical adapter access host memory.
/// Remapping::CreateDomain creates it.
///
/// Logical addresses are allocated at pseudo-random places in [4 KiB, limit), except the interrupt
/// window 0xFEE00000-0xFEEFFFFF. Page numbers count 4 KiB pages.
class RemappingDomain {
 public:
  virtual ~RemappingDomain() = default;
  RemappingDomain(const RemappingDomain&) = delete;
  RemappingDomain& operator=(const RemappingDomain&) = delete;

  /// Whether logical addresses equal host addresses (1:1) and are not allocated from `logical`.
  bool identity() const { return identity_; }
  /// Whether an identity domain maps all installed memory, allocated or not.
  bool whole() const { return !whole_.empty(); }
  RangeAllocator& logical() { return logical_; }
  bool Has(hw::Bdf device) const;
  /// Whether nothing is mapped.
  bool empty() const { return mappings_.empty() && uses_.empty() && whole_.empty(); }
  /// Returns the host page of a logical page, or all ones if it is not mapped. Reads the unit's
  /// tables.
  virtual uint64_t Lookup(uint64_t page) const = 0;

 protected:
  // State that every implementation of Remapping keeps in its domains.

  /// `number` is unique among the unit's domains.
  RemappingDomain(unsigned number, uint64_t limit, bool identity, uint64_t seed, Ledger& ledger,
                  const std::string& owner);
  unsigned number() const { return number_; }
  /// Triggers a bug check if a device is attached.
  void RequireNoDevice() const;
  /// Call when the domain is destroyed.
  void Close() { ledger_.Close(ticket_); }
  void AddDevice(hw::Bdf device) { devices_.push_back(device.requester_id()); }
  /// Triggers a bug check unless the device is attached.
  void RequireDevice(hw::Bdf device) const;
  void RemoveDevice(hw::Bdf device);
  /// Call after Remapping::Map has mapped `pages` pages to logical pages from `first` upwards.
  void AddMapping(uint64_t first, uint64_t pages, const std::string& owner, const std::string& created_by);
  /// Triggers a bug check unless a single Map call has mapped exactly these pages.
  void RequireMapping(uint64_t first, uint64_t pages) const;
  void RemoveMapping(uint64_t first);
  /// AddUses counts one more use of each host page, EndUses one less. AddUses returns the pages
  /// that had no use before, in order; EndUses returns those that have no use left. Pages mapped by
  /// MapWhole are ignored. Ending a use that does not exist triggers a bug check.
  std::vector<uint64_t> AddUses(const std::vector<uint64_t>& pfns);
  std::vector<uint64_t> EndUses(const std::vector<uint64_t>& pfns);
  void AddWhole(const std::vector<hw::Range>& ranges) { whole_.insert(whole_.end(), ranges.begin(), ranges.end()); }

 private:
  struct Mapping {
    uint64_t pages;
    Ledger::Ticket ticket;
  };
  bool InWhole(uint64_t pfn) const;

  Ledger& ledger_;
  const unsigned number_;
  const bool identity_;
  std::vector<hw::Range> whole_;          // page ranges that MapWhole has mapped
  std::map<uint64_t, Mapping> mappings_;  // keyed by the first logical page of the Map call
  std::map<uint64_t, unsigned> uses_;     // number of MapIdentity calls in effect for each host page
  std::vector<uint16_t> devices_;
  RangeAllocator logical_;
  Ledger::Ticket ticket_;
};

/// Driver for the IOMMU, the unit that translates the addresses of devices' memory accesses.
///
/// The rest of the operating system uses only this interface; each implementation supports one
/// architecture. Addresses are byte addresses, logical or host physical, and refer to 4 KiB pages;
/// `pfns` are host page numbers. Calls wait for the unit, so the IRQL must be below kDispatch. When
/// a call returns, its change is in effect for every later device access, and pages may be reused
/// at once. Fibres may make calls at the same time if the calls are for different pages or domains.
/// Errors: OsError if memory or the unit fails, OsTimeout if the unit does not respond, BugCheck
/// for misuse.
///
/// Until the first RouteInterrupt, the unit passes interrupt messages unchanged.
class Remapping {
 public:
  virtual ~Remapping() = default;

  /// Reads the unit's capabilities, so that domains can be created and filled while the unit is
  /// off. Enable does the same. Throws OsError if no unit responds or if the unit lacks a required
  /// capability.
  virtual void Prepare() = 0;
  /// A device and the domain to which it is attached.
  using Attachment = std::pair<hw::Bdf, RemappingDomain*>;
  /// Enables translation, after which every unattached device is blocked. The devices of `attached`
  /// are attached first, because they may be accessing memory. `on_fault` is called for each
  /// blocked access, at IRQL kDevice.
  virtual void Enable(std::function<void(const RemappingFault&)> on_fault,
                      const std::vector<Attachment>& attached = {}) = 0;
  /// Disables translation, after which every device accesses all host memory by physical addresses.
  /// All domains must have been destroyed.
  virtual void Disable() = 0;
  virtual bool enabled() const = 0;
  virtual bool has_domains() const = 0;

  /// Creates a domain for logical addresses below `limit` bytes, or below the unit's own limit if
  /// that is lower. If `identity` is true, logical addresses equal host addresses. This object owns
  /// the domain.
  virtual RemappingDomain* CreateDomain(uint64_t limit, bool identity, const std::string& owner) = 0;
  /// Destroys the domain and its mappings. Its devices must have been detached.
  virtual void DestroyDomain(RemappingDomain* domain) = 0;
  /// Attaches the device to the domain. A device is in one domain at a time.
  virtual void Attach(hw::Bdf device, RemappingDomain& domain) = 0;
  virtual void Detach(hw::Bdf device, RemappingDomain& domain) = 0;

  /// Maps `pfns` to consecutive logical pages from `logical` (4 KiB aligned) upwards, readable and writable. Triggers a
  /// bug check if one of these logical pages is already mapped.
  virtual void Map(RemappingDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns,
                   const std::string& owner, const std::string& created_by) = 0;
  /// Undoes the Map call that began at `logical`. Returns when no device uses the mapping any more.
  virtual void Unmap(RemappingDomain& domain, uint64_t logical, uint64_t pages) = 0;
  /// Let the devices of an identity domain access `pfns` at the pages' own addresses. Uses of a
  /// page are counted; the last UnmapIdentity removes the mapping.
  virtual void MapIdentity(RemappingDomain& domain, const std::vector<uint64_t>& pfns) = 0;
  virtual void UnmapIdentity(RemappingDomain& domain, const std::vector<uint64_t>& pfns) = 0;
  /// Maps every page of `ranges` (page numbers) at its own address for the lifetime of the domain. May be called again
  /// for other ranges, also while devices are attached. MapIdentity must not have mapped any of the pages before.
  virtual void MapWhole(RemappingDomain& domain, const std::vector<hw::Range>& ranges) = 0;
  /// Injects a fault: removes one page from a mapping. Unmap tolerates the missing page.
  virtual void PunchHole(RemappingDomain& domain, uint64_t logical) = 0;

  /// Enables interrupt remapping if it is off, after which a device can send only messages that are
  /// routed for it. Returns the message that `device` must send so that the unit sends `message`,
  /// which Hal::ConnectInterrupt returned. `on_fault` has the same meaning as in Enable; RouteInterrupt
  /// may be called before Enable. Throws OsError if the unit cannot remap interrupts.
  virtual hw::Message RouteInterrupt(hw::Bdf device, const hw::Message& message,
                                     std::function<void(const RemappingFault&)> on_fault) = 0;
  /// Undoes RouteInterrupt, which returned `sent`. The last call disables interrupt remapping.
  virtual void UnrouteInterrupt(const hw::Message& sent) = 0;
};

/// What a remapping unit's driver needs.
struct RemappingParts {
  Hal& hal;
  PageAllocator& pages;
  Ledger& ledger;
  uint64_t base;  ///< host physical address of the unit's registers, as firmware reports it
  uint64_t seed;  ///< seed for the placement of logical addresses
  /// Injects a fault: if `forget` returns true, the driver queues the next invalidation but does
  /// not wait for it.
  std::function<bool()> forget;
};

/// Creates the driver for the unit that firmware reports. Firmware reports only VT-d units.
std::unique_ptr<Remapping> MakeRemapping(const RemappingParts& parts);

}  // namespace gmmu::os
