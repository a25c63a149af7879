// SPDX-License-Identifier: Apache-2.0
#include "os/hal/remapping.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/base/text.h"
#include "os/hal/vtd/iommu.h"

namespace gmmu::os {

std::unique_ptr<Remapping> MakeRemapping(const RemappingParts& parts) { return std::make_unique<vtd::Iommu>(parts); }

std::string RemappingFault::Text() const {
  if (cause == Cause::kInterrupt)
    return "device " + device.ToString() + ": interrupt message for entry " + std::to_string(interrupt) + ": " + reason;
  return "device " + device.ToString() + ": " + (read ? "read" : "write") + " of logical page " + Hex(address) + ": " +
         reason;
}

RemappingDomain::RemappingDomain(unsigned number, uint64_t limit, bool identity, uint64_t seed, Ledger& ledger,
                                 const std::string& owner)
    : ledger_(ledger),
      number_(number),
      identity_(identity),
      logical_(hw::kPageSize, limit, seed, "logical_range", "domain" + std::to_string(number), ledger),
      ticket_(ledger.Open("domain", std::to_string(number), owner, "CreateDomain")) {
  logical_.Exclude(0xFEE00000, 0xFEF00000);
}

bool RemappingDomain::Has(hw::Bdf device) const {
  return std::find(devices_.begin(), devices_.end(), device.requester_id()) != devices_.end();
}

void RemappingDomain::RequireNoDevice() const {
  if (!devices_.empty()) throw BugCheck("a domain with attached devices is destroyed");
}

void RemappingDomain::RequireDevice(hw::Bdf device) const {
  if (!Has(device)) throw BugCheck("device " + device.ToString() + " is not attached");
}

void RemappingDomain::RemoveDevice(hw::Bdf device) {
  devices_.erase(std::find(devices_.begin(), devices_.end(), device.requester_id()));
}

void RemappingDomain::AddMapping(uint64_t first, uint64_t pages, const std::string& owner,
                                 const std::string& created_by) {
  const std::string name = Hex(first * hw::kPageSize) + "+" + Hex(pages * hw::kPageSize);
  mappings_.emplace(first, Mapping{pages, ledger_.Open("domain_mapping", name, owner, created_by)});
}

void RemappingDomain::RequireMapping(uint64_t first, uint64_t pages) const {
  const auto mapping = mappings_.find(first);
  if (mapping == mappings_.end() || mapping->second.pages != pages)
    throw BugCheck("unmap of logical " + Hex(first * hw::kPageSize) + ", which is not mapped");
}

void RemappingDomain::RemoveMapping(uint64_t first) {
  const auto mapping = mappings_.find(first);
  ledger_.Close(mapping->second.ticket);
  mappings_.erase(mapping);
}

bool RemappingDomain::InWhole(uint64_t pfn) const {
  return std::any_of(whole_.begin(), whole_.end(),
                     [pfn](const hw::Range& range) { return pfn >= range.start && pfn < range.end; });
}

std::vector<uint64_t> RemappingDomain::AddUses(const std::vector<uint64_t>& pfns) {
  std::vector<uint64_t> fresh;
  for (uint64_t pfn : pfns) {
    if (!InWhole(pfn) && uses_[pfn]++ == 0) fresh.push_back(pfn);
  }
  return fresh;
}

std::vector<uint64_t> RemappingDomain::EndUses(const std::vector<uint64_t>& pfns) {
  std::vector<uint64_t> gone;
  for (uint64_t pfn : pfns) {
    if (InWhole(pfn)) continue;
    const auto uses = FindOrStop(uses_, pfn, "host page ", Hex(pfn), " is not mapped 1:1");
    if (--uses->second != 0) continue;
    uses_.erase(uses);
    gone.push_back(pfn);
  }
  return gone;
}

}  // namespace gmmu::os
