// SPDX-License-Identifier: Apache-2.0
#include "os/hal/iommu.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {
// More DMA faults than this since the unit was enabled are a storm, which ends the run. The records are then not
// drained.
constexpr uint64_t kMostFaults = 4096;
constexpr size_t kMostPageDescriptors = 16;

}  // namespace

Iommu::Iommu(Hal& hal, PageAllocator& pages, Ledger& ledger, uint64_t base, uint64_t seed, std::function<bool()> forget)
    : hal_(hal),
      pages_(pages),
      ledger_(ledger),
      seed_(seed),
      registers_(hal, base),
      queue_(registers_, pages, ledger, std::move(forget)) {}

Iommu::~Iommu() = default;

void Iommu::FlushWriteBuffer() {
  if (vtd::Field(cap_, 4, 4) == 0 || !enabled()) return;  // Enable flushes the write buffer itself
  registers_.Write32(vtd::kGcmd, (registers_.Read32(vtd::kGsts) & vtd::kLevelBits) | vtd::kWbf);
  hal_.scheduler().Wait([&] { return (registers_.Read32(vtd::kGsts) & vtd::kWbf) == 0; }, vtd::kBoundNs,
                        "the IOMMU's write buffer flush", vtd::kPollNs);
}

void Iommu::Prepare() {
  cap_ = registers_.Read64(vtd::kCap);
  ecap_ = registers_.Read64(vtd::kEcap);
  if (cap_ == ~uint64_t{0}) throw OsError("no IOMMU answers at " + Hex(registers_.base()));
  if (vtd::Field(ecap_, 1, 1) == 0) throw OsError("the IOMMU has no queued invalidation");
  if (vtd::Field(ecap_, 0, 0) == 0) throw OsError("the IOMMU reads its tables without snooping");
  if ((vtd::Field(cap_, 12, 8) & 6) == 0) throw OsError("the IOMMU has neither 3-level nor 4-level tables");
}

void Iommu::Enable(std::function<void(const IommuFault&)> on_fault) {
  Prepare();
  on_fault_ = std::move(on_fault);
  faults_ = 0;

  root_ = NewTable("IOMMU root table");
  FlushWriteBuffer();
  registers_.Write64(vtd::kRtaddr, root_ * hw::kPageSize);
  registers_.Command(vtd::kSrtp, true);

  queue_.Enable();

  message_ = hal_.ConnectInterrupt("iommu faults", [this] { DrainFaults(); });
  registers_.Write32(vtd::kFedata, message_.data);
  registers_.Write32(vtd::kFeaddr, static_cast<uint32_t>(message_.address));
  registers_.Write32(vtd::kFectl, 0);
  registers_.Command(vtd::kTe, true);
}

void Iommu::Disable() {
  if (!domains_.empty()) throw BugCheck("the IOMMU is switched off while a domain exists");
  registers_.Command(vtd::kTe, false);
  registers_.Write32(vtd::kFectl, 1u << 31);
  DrainFaults();
  queue_.Disable();
  hal_.DisconnectInterrupt(message_);
  for (const auto& [bus, pfn] : context_tables_) pages_.Free(pfn);
  context_tables_.clear();
  queue_.FreePages();
  pages_.Free(root_);
  root_ = 0;
}

void Iommu::InvalidatePages(IommuDomain& domain, uint64_t first, uint64_t count,
                            const SecondStage::Unmapped& unmapped) {
  const unsigned mamv = static_cast<unsigned>(vtd::Field(cap_, 53, 48));
  // An invalidation drops a large page when its mask covers the whole page.
  const bool page_selective = vtd::Field(cap_, 39, 39) != 0 && mamv >= 9 * unmapped.largest_leaf;
  const uint64_t leaves_only = unmapped.tables.empty() ? 1u << 6 : 0;  // IH
  std::vector<InvalidationQueue::Descriptor> descriptors;
  while (count != 0 && page_selective && descriptors.size() <= kMostPageDescriptors) {
    unsigned lg2 = 0;  // naturally aligned blocks of 2^lg2 pages
    while (lg2 < mamv && (first & ((uint64_t{2} << lg2) - 1)) == 0 && (uint64_t{2} << lg2) <= count) ++lg2;
    descriptors.push_back({2u | 3u << 4 | 3u << 6 | uint64_t{domain.id_} << 16, first << 12 | leaves_only | lg2});
    first += uint64_t{1} << lg2;
    count -= uint64_t{1} << lg2;
  }
  if (count != 0) descriptors = {InvalidationQueue::OfDomain(domain.id_)};
  queue_.Submit(descriptors);
  pages_.Free(unmapped.tables);
}

IommuDomain* Iommu::CreateDomain(uint64_t limit, bool identity, const std::string& owner) {
  const uint64_t most = uint64_t{1} << (vtd::Field(cap_, 21, 16) + 1);
  limit = std::min(limit, most);
  const uint64_t sagaw = vtd::Field(cap_, 12, 8);
  const bool three = (sagaw & 2) != 0 && (limit <= (uint64_t{1} << 39) && (sagaw & 4) == 0);
  const unsigned levels = three ? 3 : 4;
  limit = std::min(limit, uint64_t{1} << (12 + 9 * levels));
  uint16_t id = 1;
  auto in_use = [&](uint16_t candidate) {
    return std::any_of(domains_.begin(), domains_.end(),
                       [candidate](const auto& domain) { return domain->id_ == candidate; });
  };
  while (in_use(id)) ++id;
  SecondStage::Features features;
  features.levels = levels;
  features.leaves_2mib = vtd::Field(cap_, 34, 34) != 0;
  features.leaves_1gib = vtd::Field(cap_, 35, 35) != 0;
  std::unique_ptr<IommuDomain> domain(new IommuDomain(
      id, SecondStage(hal_, pages_, features, "IOMMU domain " + std::to_string(id)), limit, identity, seed_, ledger_));
  domain->ticket_ = ledger_.Open("domain", std::to_string(id), owner, "CreateDomain");
  IommuDomain* made = domain.get();
  domains_.push_back(std::move(domain));  // reserves the id before another fibre searches for a free one
  if (std::find(stale_ids_.begin(), stale_ids_.end(), id) != stale_ids_.end())
    queue_.Submit({InvalidationQueue::OfDomain(id)});
  return made;
}

void Iommu::DestroyDomain(IommuDomain* domain) {
  if (!domain->attached_.empty()) throw BugCheck("a domain with attached devices is destroyed");
  queue_.Submit({InvalidationQueue::OfDomain(domain->id_)});
  domain->tables_.Free();
  ledger_.Close(domain->ticket_);
  stale_ids_.push_back(domain->id_);
  domains_.erase(
      std::find_if(domains_.begin(), domains_.end(), [domain](const auto& held) { return held.get() == domain; }));
}

void Iommu::Attach(hw::Bdf device, IommuDomain& domain) {
  auto table = context_tables_.find(device.bus);
  if (table == context_tables_.end()) {
    table = context_tables_.emplace(device.bus, NewTable("IOMMU context table")).first;
    const uint64_t root_entry = root_ * hw::kPageSize + 16 * uint64_t{device.bus};
    registers_.WriteEntry(root_entry, table->second * hw::kPageSize | 1);
  }
  const uint16_t sid = device.requester_id();
  const uint64_t entry = table->second * hw::kPageSize + 16 * uint64_t{sid & 0xFFu};
  if ((registers_.ReadEntry(entry) & 1) != 0) throw BugCheck("device " + device.ToString() + " is attached already");
  registers_.WriteEntry(entry + 8, uint64_t{domain.id_} << 8 | (domain.tables_.features().levels - 2));
  registers_.WriteEntry(entry,
                        domain.tables_.root_pfn() * hw::kPageSize |
                            1);  // the present bit is written last; translates untranslated requests
  FlushWriteBuffer();
  if (vtd::Field(cap_, 7, 7) != 0) {  // caching mode: not-present entries may be cached under domain 0
    queue_.Submit({{1u | 3u << 4 | uint64_t{sid} << 32, 0}, InvalidationQueue::OfDomain(domain.id_)});
  }
  domain.attached_.push_back(sid);
}

void Iommu::Detach(hw::Bdf device, IommuDomain& domain) {
  const uint16_t sid = device.requester_id();
  const auto held = std::find(domain.attached_.begin(), domain.attached_.end(), sid);
  if (held == domain.attached_.end()) throw BugCheck("device " + device.ToString() + " is not attached");
  const uint64_t entry = context_tables_.at(device.bus) * hw::kPageSize + 16 * uint64_t{sid & 0xFFu};
  registers_.WriteEntry(entry, 0);
  registers_.WriteEntry(entry + 8, 0);
  queue_.Submit(
      {{1u | 3u << 4 | uint64_t{domain.id_} << 16 | uint64_t{sid} << 32, 0}, InvalidationQueue::OfDomain(domain.id_)});
  domain.attached_.erase(held);
}

void Iommu::Map(IommuDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns, const std::string& owner,
                const std::string& created_by) {
  const uint64_t first = logical / hw::kPageSize;
  for (size_t i = 0; i < pfns.size();) {
    size_t end = i + 1;
    while (end < pfns.size() && pfns[end] == pfns[end - 1] + 1) ++end;
    domain.tables_.Map({first + i, pfns[i], end - i});
    i = end;
  }
  const Ledger::Ticket ticket = ledger_.Open("domain_mapping", Hex(logical) + "+" + Hex(pfns.size() * hw::kPageSize),
                                             owner, created_by);
  domain.mappings_.emplace(first, IommuDomain::Mapping{pfns.size(), ticket});
  FlushWriteBuffer();
  if (vtd::Field(cap_, 7, 7) != 0 && !pfns.empty()) InvalidatePages(domain, first, pfns.size(), {});
}

void Iommu::Unmap(IommuDomain& domain, uint64_t logical, uint64_t pages) {
  const uint64_t first = logical / hw::kPageSize;
  const auto mapping = domain.mappings_.find(first);
  if (mapping == domain.mappings_.end() || mapping->second.pages != pages)
    throw BugCheck("unmap of logical " + Hex(logical) + ", which is not mapped");
  if (pages != 0) InvalidatePages(domain, first, pages, domain.tables_.Unmap(first, pages));
  ledger_.Close(mapping->second.ticket);
  domain.mappings_.erase(mapping);
}

void Iommu::MapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns) {
  std::vector<uint64_t> fresh;
  for (uint64_t pfn : pfns) {
    if (!domain.InWhole(pfn) && domain.identity_uses_[pfn]++ == 0) fresh.push_back(pfn);
  }
  for (uint64_t pfn : fresh) domain.tables_.Map({pfn, pfn, 1});
  FlushWriteBuffer();
  if (vtd::Field(cap_, 7, 7) == 0) return;
  for (uint64_t pfn : fresh) InvalidatePages(domain, pfn, 1, {});
}

void Iommu::MapWhole(IommuDomain& domain, const std::vector<hw::Range>& ranges) {
  for (const hw::Range& range : ranges) domain.tables_.Map({range.start, range.start, range.end - range.start});
  domain.whole_ = ranges;
  FlushWriteBuffer();
}

void Iommu::UnmapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns) {
  SecondStage::Unmapped gone;
  bool any = false;
  for (uint64_t pfn : pfns) {
    if (domain.InWhole(pfn)) continue;
    const auto uses = FindOrStop(domain.identity_uses_, pfn, "host page ", Hex(pfn), " is not mapped 1:1");
    if (--uses->second != 0) continue;
    domain.identity_uses_.erase(uses);
    const SecondStage::Unmapped one = domain.tables_.Unmap(pfn, 1);
    gone.tables.insert(gone.tables.end(), one.tables.begin(), one.tables.end());
    any = true;
  }
  if (!any) return;
  queue_.Submit(
      {InvalidationQueue::OfDomain(domain.id_)});  // the pages are scattered, so the whole domain is invalidated
  pages_.Free(gone.tables);
}

void Iommu::PunchHole(IommuDomain& domain, uint64_t logical) {
  const uint64_t page = logical / hw::kPageSize;
  const SecondStage::Unmapped gone = domain.tables_.Punch(page);
  if (gone.largest_leaf == 0) {
    InvalidatePages(domain, page, 1, gone);
  } else {
    queue_.Submit({InvalidationQueue::OfDomain(domain.id_)});
    pages_.Free(gone.tables);
  }
}

// The unit interrupts only for the first pending fault, so faults that arrive during the drain are drained as well.
// After kMostFaults the records stay full, so that the unit drops further faults, and its interrupt is masked.
void Iommu::DrainFaults() {
  const uint32_t records = static_cast<uint32_t>(vtd::Field(cap_, 47, 40)) + 1;
  const uint32_t at = static_cast<uint32_t>(16 * vtd::Field(cap_, 33, 24));
  uint32_t status = registers_.Read32(vtd::kFsts);
  while (faults_ < kMostFaults) {
    uint32_t index = static_cast<uint32_t>(vtd::Field(status, 15, 8)) % records;
    for (;; index = (index + 1) % records) {
      const uint64_t high = registers_.Read64(at + 16 * index + 8);
      if (high >> 63 == 0) break;
      const uint64_t low = registers_.Read64(at + 16 * index);
      IommuFault fault;
      fault.requester = static_cast<uint16_t>(high);
      fault.reason = static_cast<uint8_t>(vtd::Field(high, 39, 32));
      fault.read = vtd::Field(high, 62, 62) != 0;
      fault.address = low & ~uint64_t{0xFFF};
      registers_.Write32(at + 16 * index + 12, 1u << 31);
      if (on_fault_) on_fault_(fault);
      if (++faults_ == kMostFaults) EndStorm(fault);
    }
    registers_.Write32(vtd::kFsts, vtd::kPfo);
    status = registers_.Read32(vtd::kFsts);
    if ((status & vtd::kIqe) != 0) queue_.OnError();
    if ((status & vtd::kPpf) == 0) return;
  }
}

void Iommu::EndStorm(const IommuFault& last) {
  registers_.Write32(vtd::kFectl, 1u << 31);
  throw BugCheck("a storm of DMA faults: the IOMMU has recorded " + std::to_string(faults_) +
                 " since it was switched on, the last one of " + last.Text());
}

}  // namespace gmmu::os
