// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/iommu.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/text.h"
#include "os/hal/vtd/fault_record.h"

namespace gmmu::os::vtd {
namespace {
// This many DMA faults since the unit was enabled count as a storm, which ends the run. The fault
// records are then no longer drained.
constexpr uint64_t kMostFaults = 4096;
constexpr size_t kMostPageDescriptors = 16;

// The cast is valid because CreateDomain creates every domain of this unit.
Domain& Own(RemappingDomain& domain) { return static_cast<Domain&>(domain); }

}  // namespace

Iommu::Iommu(const RemappingParts& parts)
    : hal_(parts.hal),
      pages_(parts.pages),
      ledger_(parts.ledger),
      seed_(parts.seed),
      registers_(parts.hal, parts.base),
      queue_(registers_, parts.pages, parts.ledger, parts.forget),
      interrupts_(registers_, parts.pages, queue_) {}

Iommu::~Iommu() = default;

void Iommu::FlushWriteBuffer() {
  if (Field(cap_, 4, 4) == 0 || !enabled()) return;  // if the unit is off, Enable flushes later
  registers_.Write32(kGcmd, (registers_.Read32(kGsts) & kLevelBits) | kWbf);
  hal_.scheduler().Wait([&] { return (registers_.Read32(kGsts) & kWbf) == 0; }, kBoundNs,
                        "the IOMMU's write buffer flush", kPollNs);
}

void Iommu::Prepare() {
  cap_ = registers_.Read64(kCap);
  ecap_ = registers_.Read64(kEcap);
  if (cap_ == ~uint64_t{0}) throw OsError("no IOMMU answers at " + Hex(registers_.base()));
  if (Field(ecap_, 1, 1) == 0) throw OsError("the IOMMU has no queued invalidation");
  if (Field(ecap_, 0, 0) == 0) throw OsError("the IOMMU reads its tables without snooping");
  if ((Field(cap_, 12, 8) & 6) == 0) throw OsError("the IOMMU has neither 3-level nor 4-level tables");
}

void Iommu::Enable(std::function<void(const RemappingFault&)> on_fault, const std::vector<Attachment>& attached) {
  Prepare();
  root_ = NewTable("IOMMU root table");
  FlushWriteBuffer();
  registers_.Write64(kRtaddr, root_ * hw::kPageSize);
  registers_.Command(kSrtp, true);

  StartServices(std::move(on_fault));
  for (const auto& [device, domain] : attached) Attach(device, *domain);
  registers_.Command(kTe, true);
}

void Iommu::Disable() {
  if (!domains_.empty()) throw BugCheck("the IOMMU is switched off while a domain exists");
  registers_.Command(kTe, false);
  const uint64_t root = std::exchange(root_, 0);
  StopServices();
  for (const auto& [bus, pfn] : context_tables_) pages_.Free(pfn);
  context_tables_.clear();
  if (!serving_) queue_.FreePages();
  pages_.Free(root);
}

void Iommu::StartServices(std::function<void(const RemappingFault&)> on_fault) {
  queue_.Enable();
  if (std::exchange(serving_, true)) return;
  on_fault_ = std::move(on_fault);
  faults_ = 0;
  message_ = hal_.ConnectInterrupt("iommu faults", [this] { DrainFaults(); });
  registers_.Write32(kFedata, message_.data);
  registers_.Write32(kFeaddr, static_cast<uint32_t>(message_.address));
  registers_.Write32(kFectl, 0);
}

void Iommu::StopServices() {
  if (root_ != 0 || interrupts_.enabled()) return;
  registers_.Write32(kFectl, 1u << 31);
  DrainFaults();
  queue_.Disable();
  hal_.DisconnectInterrupt(message_);
  serving_ = false;
}

hw::Message Iommu::RouteInterrupt(hw::Bdf device, const hw::Message& message,
                                  std::function<void(const RemappingFault&)> on_fault) {
  if (!interrupts_.enabled()) {
    Prepare();
    InterruptTable::Require(ecap_);
    StartServices(std::move(on_fault));
    interrupts_.Enable();
  }
  const hw::Message sent = interrupts_.Route(device, message);
  ++routed_;
  return sent;
}

void Iommu::UnrouteInterrupt(const hw::Message& sent) {
  interrupts_.Unroute(sent);
  if (--routed_ != 0) return;
  interrupts_.Disable();
  interrupts_.FreePages();
  StopServices();
  if (!serving_) queue_.FreePages();
}

void Iommu::InvalidatePages(Domain& domain, uint64_t first, uint64_t count, const SecondStage::Unmapped& unmapped) {
  Invalidate(domain, first, count, unmapped.largest_leaf, unmapped.tables.empty());
  pages_.Free(unmapped.tables);
}

void Iommu::Invalidate(Domain& domain, uint64_t first, uint64_t count, unsigned largest_leaf, bool only_leaves) {
  const unsigned mamv = static_cast<unsigned>(Field(cap_, 53, 48));
  // A page-selective invalidation drops a large page only if the address mask covers the whole
  // page.
  const bool page_selective = Field(cap_, 39, 39) != 0 && mamv >= 9 * largest_leaf;
  const uint64_t hint = only_leaves ? 1u << 6 : 0;  // IH
  std::vector<InvalidationQueue::Descriptor> descriptors;
  while (count != 0 && page_selective && descriptors.size() <= kMostPageDescriptors) {
    unsigned lg2 = 0;  // size of the next naturally aligned block, in log2(pages)
    while (lg2 < mamv && (first & ((uint64_t{2} << lg2) - 1)) == 0 && (uint64_t{2} << lg2) <= count) ++lg2;
    descriptors.push_back({2u | 3u << 4 | 3u << 6 | uint64_t{domain.id()} << 16, first << 12 | hint | lg2});
    first += uint64_t{1} << lg2;
    count -= uint64_t{1} << lg2;
  }
  if (count != 0) descriptors = {InvalidationQueue::OfDomain(domain.id())};
  queue_.Submit(descriptors);
}

RemappingDomain* Iommu::CreateDomain(uint64_t limit, bool identity, const std::string& owner) {
  const uint64_t most = uint64_t{1} << (Field(cap_, 21, 16) + 1);
  limit = std::min(limit, most);
  const uint64_t sagaw = Field(cap_, 12, 8);
  const bool three = (sagaw & 2) != 0 && (limit <= (uint64_t{1} << 39) && (sagaw & 4) == 0);
  const unsigned levels = three ? 3 : 4;
  limit = std::min(limit, uint64_t{1} << (12 + 9 * levels));
  uint16_t id = 1;
  auto in_use = [&](uint16_t candidate) {
    return std::any_of(domains_.begin(), domains_.end(),
                       [candidate](const auto& domain) { return domain->id() == candidate; });
  };
  while (in_use(id)) ++id;
  SecondStage::Features features;
  features.levels = levels;
  features.leaves_2mib = Field(cap_, 34, 34) != 0;
  features.leaves_1gib = Field(cap_, 35, 35) != 0;
  SecondStage tables(hal_, pages_, features, "IOMMU domain " + std::to_string(id));
  std::unique_ptr<Domain> domain(new Domain(id, std::move(tables), limit, identity, seed_, ledger_, owner));
  Domain* made = domain.get();
  // Pushing the domain first reserves its id: Submit may let another fibre look for a free id.
  domains_.push_back(std::move(domain));
  if (std::find(stale_ids_.begin(), stale_ids_.end(), id) != stale_ids_.end())
    queue_.Submit({InvalidationQueue::OfDomain(id)});
  return made;
}

void Iommu::DestroyDomain(RemappingDomain* destroyed) {
  Domain& domain = Own(*destroyed);
  domain.RequireNoDevice();
  queue_.Submit({InvalidationQueue::OfDomain(domain.id())});
  domain.tables_.Free();
  domain.Close();
  stale_ids_.push_back(domain.id());
  domains_.erase(
      std::find_if(domains_.begin(), domains_.end(), [&domain](const auto& held) { return held.get() == &domain; }));
}

void Iommu::Attach(hw::Bdf device, RemappingDomain& to) {
  Domain& domain = Own(to);
  auto table = context_tables_.find(device.bus);
  if (table == context_tables_.end()) {
    table = context_tables_.emplace(device.bus, NewTable("IOMMU context table")).first;
    const uint64_t root_entry = root_ * hw::kPageSize + 16 * uint64_t{device.bus};
    registers_.WriteEntry(root_entry, table->second * hw::kPageSize | 1);
  }
  const uint16_t sid = device.requester_id();
  const uint64_t entry = table->second * hw::kPageSize + 16 * uint64_t{sid & 0xFFu};
  if ((registers_.ReadEntry(entry) & 1) != 0) throw BugCheck("device " + device.ToString() + " is attached already");
  registers_.WriteEntry(entry + 8, uint64_t{domain.id()} << 8 | (domain.tables_.features().levels - 2));
  // Written last, because it sets the present bit. TT = 0: untranslated requests are translated.
  registers_.WriteEntry(entry, domain.tables_.root_pfn() * hw::kPageSize | 1);
  FlushWriteBuffer();
  // In caching mode, the unit may have cached the not-present entry under domain 0.
  if (Field(cap_, 7, 7) != 0) {
    queue_.Submit({{1u | 3u << 4 | uint64_t{sid} << 32, 0}, InvalidationQueue::OfDomain(domain.id())});
  }
  domain.AddDevice(device);
}

void Iommu::Detach(hw::Bdf device, RemappingDomain& from) {
  Domain& domain = Own(from);
  const uint16_t sid = device.requester_id();
  domain.RequireDevice(device);
  const uint64_t entry = context_tables_.at(device.bus) * hw::kPageSize + 16 * uint64_t{sid & 0xFFu};
  registers_.WriteEntry(entry, 0);
  registers_.WriteEntry(entry + 8, 0);
  queue_.Submit({{1u | 3u << 4 | uint64_t{domain.id()} << 16 | uint64_t{sid} << 32, 0},
                 InvalidationQueue::OfDomain(domain.id())});
  domain.RemoveDevice(device);
}

void Iommu::Map(RemappingDomain& to, uint64_t logical, const std::vector<uint64_t>& pfns, const std::string& owner,
                const std::string& created_by) {
  Domain& domain = Own(to);
  const uint64_t first = logical / hw::kPageSize;
  for (size_t i = 0; i < pfns.size();) {
    size_t end = i + 1;
    while (end < pfns.size() && pfns[end] == pfns[end - 1] + 1) ++end;
    domain.tables_.Map({first + i, pfns[i], end - i});
    i = end;
  }
  domain.AddMapping(first, pfns.size(), owner, created_by);
  FlushWriteBuffer();
  if (Field(cap_, 7, 7) != 0 && !pfns.empty()) InvalidateMapped(domain, first, pfns.size());
}

void Iommu::Unmap(RemappingDomain& from, uint64_t logical, uint64_t pages) {
  Domain& domain = Own(from);
  const uint64_t first = logical / hw::kPageSize;
  domain.RequireMapping(first, pages);
  if (pages != 0) InvalidatePages(domain, first, pages, domain.tables_.Unmap(first, pages));
  domain.RemoveMapping(first);
}

void Iommu::MapIdentity(RemappingDomain& to, const std::vector<uint64_t>& pfns) {
  Domain& domain = Own(to);
  const std::vector<uint64_t> fresh = domain.AddUses(pfns);
  for (uint64_t pfn : fresh) domain.tables_.Map({pfn, pfn, 1});
  FlushWriteBuffer();
  if (Field(cap_, 7, 7) == 0) return;
  for (uint64_t pfn : fresh) InvalidateMapped(domain, pfn, 1);
}

void Iommu::MapWhole(RemappingDomain& to, const std::vector<hw::Range>& ranges) {
  Domain& domain = Own(to);
  for (const hw::Range& range : ranges) domain.tables_.Map({range.start, range.start, range.end - range.start});
  domain.AddWhole(ranges);
  FlushWriteBuffer();
  if (Field(cap_, 7, 7) == 0) return;
  for (const hw::Range& range : ranges) InvalidateMapped(domain, range.start, range.end - range.start);
}

void Iommu::UnmapIdentity(RemappingDomain& from, const std::vector<uint64_t>& pfns) {
  Domain& domain = Own(from);
  const std::vector<uint64_t> gone = domain.EndUses(pfns);
  if (gone.empty()) return;
  std::vector<uint64_t> tables;
  for (uint64_t pfn : gone) {
    const SecondStage::Unmapped one = domain.tables_.Unmap(pfn, 1);
    tables.insert(tables.end(), one.tables.begin(), one.tables.end());
  }
  // The pages are scattered, so the whole domain is invalidated.
  queue_.Submit({InvalidationQueue::OfDomain(domain.id())});
  pages_.Free(tables);
}

void Iommu::PunchHole(RemappingDomain& in, uint64_t logical) {
  Domain& domain = Own(in);
  const uint64_t page = logical / hw::kPageSize;
  const SecondStage::Unmapped gone = domain.tables_.Punch(page);
  if (gone.largest_leaf == 0) {
    InvalidatePages(domain, page, 1, gone);
  } else {
    queue_.Submit({InvalidationQueue::OfDomain(domain.id())});
    pages_.Free(gone.tables);
  }
}

// The unit interrupts only for the first pending fault, so the handler also drains faults that
// arrive during the drain. After kMostFaults faults, it leaves the records full and masks the
// interrupt, so the unit drops further faults.
void Iommu::DrainFaults() {
  const uint32_t records = static_cast<uint32_t>(Field(cap_, 47, 40)) + 1;
  const uint32_t at = static_cast<uint32_t>(16 * Field(cap_, 33, 24));
  uint32_t status = registers_.Read32(kFsts);
  while (faults_ < kMostFaults) {
    uint32_t index = static_cast<uint32_t>(Field(status, 15, 8)) % records;
    for (;; index = (index + 1) % records) {
      const uint64_t high = registers_.Read64(at + 16 * index + 8);
      if (high >> 63 == 0) break;
      const uint64_t low = registers_.Read64(at + 16 * index);
      const RemappingFault fault = FaultOf(low, high);
      registers_.Write32(at + 16 * index + 12, 1u << 31);
      if (on_fault_) on_fault_(fault);
      if (++faults_ == kMostFaults) EndStorm(fault);
    }
    registers_.Write32(kFsts, kPfo);
    status = registers_.Read32(kFsts);
    if ((status & kIqe) != 0) queue_.OnError();
    if ((status & kPpf) == 0) return;
  }
}

void Iommu::EndStorm(const RemappingFault& last) {
  registers_.Write32(kFectl, 1u << 31);
  throw BugCheck("a storm of DMA faults: the IOMMU has recorded " + std::to_string(faults_) +
                 " since it was switched on, the last one of " + last.Text());
}

}  // namespace gmmu::os::vtd
