// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/iommu.h"

#include <algorithm>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/kernel/errors.h"
#include "os/kernel/text.h"

namespace gmmu::os {
namespace {
// Registers (docs/vtd.md).
constexpr uint32_t kCap = 0x08, kEcap = 0x10, kGcmd = 0x18, kGsts = 0x1C, kRtaddr = 0x20;
constexpr uint32_t kFsts = 0x34, kFectl = 0x38, kFedata = 0x3C, kFeaddr = 0x40;
constexpr uint32_t kIqh = 0x80, kIqt = 0x88, kIqa = 0x90, kIqercd = 0xB0;
constexpr uint32_t kTe = 1u << 31, kSrtp = 1u << 30, kWbf = 1u << 27, kQie = 1u << 26;
constexpr uint32_t kLevelBits = 0x96FFFFFF;
constexpr uint32_t kPfo = 1u << 0, kPpf = 1u << 1, kIqe = 1u << 4;
constexpr uint64_t kMostFaults = 4096;  // in one go: who makes more has stopped the run long ago
constexpr uint64_t kQueueEntries = 256;
constexpr uint64_t kBoundNs = 10'000'000;
constexpr uint64_t kPollNs = 100;
constexpr size_t kMostPageDescriptors = 16;

uint64_t Field(uint64_t value, unsigned high, unsigned low) {
  return (value >> low) & (~uint64_t{0} >> (63 - (high - low)));
}
}  // namespace

std::string IommuFault::ReasonName() const {
  switch (reason) {
    case 0x1:
      return "root entry not present";
    case 0x2:
      return "context entry not present";
    case 0x3:
      return "context entry invalid";
    case 0x4:
      return "address beyond the domain's width";
    case 0x5:
      return "no write permission";
    case 0x6:
      return "no read permission";
    case 0x7:
      return "paging entry unreadable";
    case 0x8:
      return "root table unreadable";
    case 0x9:
      return "context table unreadable";
    case 0xA:
      return "reserved field in a root entry";
    case 0xB:
      return "reserved field in a context entry";
    case 0xC:
      return "reserved field in a paging entry";
    case 0xD:
      return "translation request blocked";
    case 0xE:
      return "address maps into the interrupt range";
    default:
      return "reason " + Hex(reason);
  }
}

Iommu::Iommu(Hal& hal, PageAllocator& pages, Ledger& ledger, uint64_t base, uint64_t seed,
             std::function<bool()> forget)
    : hal_(hal),
      pages_(pages),
      ledger_(ledger),
      base_(base),
      seed_(seed),
      forget_(std::move(forget)) {}

Iommu::~Iommu() = default;

void Iommu::WriteEntry(uint64_t address, uint64_t value) {
  if (!hal_.ram().Write(address, &value, sizeof value))
    throw OsError("IOMMU table outside of memory");
}

uint64_t Iommu::ReadEntry(uint64_t address) {
  uint64_t value = 0;
  if (!hal_.ram().Read(address, &value, sizeof value))
    throw OsError("IOMMU table outside of memory");
  return value;
}

void Iommu::Command(uint32_t bit, bool on) {
  const uint32_t level = Read32(kGsts) & kLevelBits;
  Write32(kGcmd, on ? level | bit : level & ~bit);
  hal_.scheduler().Wait([&] { return ((Read32(kGsts) & bit) != 0) == on; }, kBoundNs,
                        "the IOMMU to follow a change of command bit " + Hex(bit), kPollNs);
}

void Iommu::FlushWriteBuffer() {
  if (Field(cap_, 4, 4) == 0 || !enabled()) return;  // Enable does it once for all
  Write32(kGcmd, (Read32(kGsts) & kLevelBits) | kWbf);
  hal_.scheduler().Wait([&] { return (Read32(kGsts) & kWbf) == 0; }, kBoundNs,
                        "the IOMMU's write buffer flush", kPollNs);
}

void Iommu::Prepare() {
  cap_ = Read64(kCap);
  ecap_ = Read64(kEcap);
  if (cap_ == ~uint64_t{0}) throw OsError("no IOMMU answers at " + Hex(base_));
  if (Field(ecap_, 1, 1) == 0) throw OsError("the IOMMU has no queued invalidation");
  if (Field(ecap_, 0, 0) == 0) throw OsError("the IOMMU reads its tables without snooping");
  if ((Field(cap_, 12, 8) & 6) == 0)
    throw OsError("the IOMMU has neither 3-level nor 4-level tables");
}

void Iommu::Enable(std::function<void(const IommuFault&)> on_fault) {
  Prepare();
  on_fault_ = std::move(on_fault);

  root_ = NewTable("IOMMU root table");
  FlushWriteBuffer();
  Write64(kRtaddr, root_ * hw::kPageSize);
  Command(kSrtp, true);

  queue_ = NewTable("IOMMU invalidation queue");
  status_ = NewTable("IOMMU wait status");
  Write64(kIqt, 0);
  Write64(kIqa, queue_ * hw::kPageSize);  // 256 entries of 16 bytes
  queue_tail_ = 0;
  queue_error_.clear();
  Command(kQie, true);
  Submit({{1u | 1u << 4, 0}, {2u | 1u << 4 | 3u << 6, 0}});  // context cache, then IOTLB, global

  message_ = hal_.ConnectInterrupt("iommu faults", [this] { DrainFaults(); });
  Write32(kFedata, message_.data);
  Write32(kFeaddr, static_cast<uint32_t>(message_.address));
  Write32(kFectl, 0);
  Command(kTe, true);
}

void Iommu::Disable() {
  if (!domains_.empty()) throw BugCheck("the IOMMU is switched off while a domain exists");
  Command(kTe, false);
  Write32(kFectl, 1u << 31);
  DrainFaults();
  Command(kQie, false);
  hal_.DisconnectInterrupt(message_);
  for (const auto& [bus, pfn] : context_tables_) pages_.Free(pfn);
  context_tables_.clear();
  pages_.Free(queue_);
  pages_.Free(status_);
  pages_.Free(root_);
  root_ = 0;
}

void Iommu::Submit(const std::vector<Descriptor>& descriptors) {
  if (!enabled()) return;  // it keeps nothing while it is off
  RequireQueue();
  const uint32_t slot = next_status_++ % 1024;
  const uint64_t status = status_ * hw::kPageSize + 4 * slot;
  const uint32_t done = next_status_;
  const Ledger::Ticket ticket = ledger_.Open("invalidation", "status " + std::to_string(done),
                                             "iommu", "queued invalidation");
  uint32_t tail = queue_tail_;
  auto put = [&](const Descriptor& descriptor) {
    const uint64_t at = queue_ * hw::kPageSize + 16 * uint64_t{tail};
    WriteEntry(at, descriptor.low);
    WriteEntry(at + 8, descriptor.high);
    tail = (tail + 1) % kQueueEntries;
  };
  for (const Descriptor& descriptor : descriptors) put(descriptor);
  put({5u | 1u << 5 | 1u << 6 | uint64_t{done} << 32, status});  // wait, status write, fence
  queue_tail_ = tail;
  Write64(kIqt, uint64_t{tail} << 4);
  ++invalidations_;
  if (forget_()) return;
  auto answered = [&] {
    uint32_t value = 0;
    if (!queue_error_.empty()) return true;
    return hal_.ram().Read(status, &value, sizeof value) && value == done;
  };
  hal_.scheduler().Wait(answered, kBoundNs, "the IOMMU's invalidation wait descriptor", kPollNs);
  RequireQueue();
  ledger_.Close(ticket);
}

void Iommu::RequireQueue() const {
  if (!queue_error_.empty()) throw OsError(queue_error_);
}

// Nothing can be invalidated any more, so nothing may be unmapped: whoever waits for the queue, or comes to it, ends
// the run before it reuses a page.
void Iommu::StopQueue() {
  const uint64_t at = Read64(kIqh);
  const uint64_t address = queue_ * hw::kPageSize + at;
  queue_error_ = "the IOMMU stopped its invalidation queue, IQERCD " + Hex(Field(Read64(kIqercd), 3, 0)) +
                 ", at the descriptor " + std::to_string(at / 16) + " (tail " +
                 std::to_string(Read64(kIqt) / 16) + "): " + Hex(ReadEntry(address)) + " " +
                 Hex(ReadEntry(address + 8));
  Write32(kGcmd, Read32(kGsts) & kLevelBits & ~kQie);
  Write32(kFsts, kIqe);
}

Iommu::Descriptor Iommu::DomainFlush(uint16_t id) const {
  return {2u | 2u << 4 | 3u << 6 | uint64_t{id} << 16, 0};
}

void Iommu::InvalidatePages(IommuDomain& domain, uint64_t first, uint64_t count,
                            const SecondStage::Unmapped& unmapped) {
  const unsigned mamv = static_cast<unsigned>(Field(cap_, 53, 48));
  // A large page is dropped by a mask that covers it.
  const bool page_selective = Field(cap_, 39, 39) != 0 && mamv >= 9 * unmapped.largest_leaf;
  const uint64_t leaves_only = unmapped.tables.empty() ? 1u << 6 : 0;  // IH
  std::vector<Descriptor> descriptors;
  while (count != 0 && page_selective && descriptors.size() <= kMostPageDescriptors) {
    unsigned lg2 = 0;  // naturally aligned blocks of 2^lg2 pages
    while (lg2 < mamv && (first & ((uint64_t{2} << lg2) - 1)) == 0 && (uint64_t{2} << lg2) <= count)
      ++lg2;
    descriptors.push_back({2u | 3u << 4 | 3u << 6 | uint64_t{domain.id_} << 16,
                           first << 12 | leaves_only | lg2});
    first += uint64_t{1} << lg2;
    count -= uint64_t{1} << lg2;
  }
  if (count != 0) descriptors = {DomainFlush(domain.id_)};
  Submit(descriptors);
  pages_.Free(unmapped.tables);
}

IommuDomain* Iommu::CreateDomain(uint64_t limit, bool identity, const std::string& owner) {
  const uint64_t most = uint64_t{1} << (Field(cap_, 21, 16) + 1);
  limit = std::min(limit, most);
  const uint64_t sagaw = Field(cap_, 12, 8);
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
  features.leaves_2mib = Field(cap_, 34, 34) != 0;
  features.leaves_1gib = Field(cap_, 35, 35) != 0;
  std::unique_ptr<IommuDomain> domain(new IommuDomain(
      id, SecondStage(hal_, pages_, features, "IOMMU domain " + std::to_string(id)), limit, identity,
      seed_, ledger_));
  domain->ticket_ = ledger_.Open("domain", std::to_string(id), owner, "CreateDomain");
  IommuDomain* made = domain.get();
  domains_.push_back(std::move(domain));  // the id is taken before anything waits
  if (std::find(stale_ids_.begin(), stale_ids_.end(), id) != stale_ids_.end())
    Submit({DomainFlush(id)});
  return made;
}

void Iommu::DestroyDomain(IommuDomain* domain) {
  if (!domain->attached_.empty()) throw BugCheck("a domain with attached devices is destroyed");
  Submit({DomainFlush(domain->id_)});
  domain->tables_.Free();
  ledger_.Close(domain->ticket_);
  stale_ids_.push_back(domain->id_);
  domains_.erase(std::find_if(domains_.begin(), domains_.end(),
                              [domain](const auto& held) { return held.get() == domain; }));
}

void Iommu::Attach(hw::Bdf device, IommuDomain& domain) {
  auto table = context_tables_.find(device.bus);
  if (table == context_tables_.end()) {
    table = context_tables_.emplace(device.bus, NewTable("IOMMU context table")).first;
    const uint64_t root_entry = root_ * hw::kPageSize + 16 * uint64_t{device.bus};
    WriteEntry(root_entry, table->second * hw::kPageSize | 1);
  }
  const uint16_t sid = device.requester_id();
  const uint64_t entry = table->second * hw::kPageSize + 16 * uint64_t{sid & 0xFFu};
  if ((ReadEntry(entry) & 1) != 0)
    throw BugCheck("device " + device.ToString() + " is attached already");
  WriteEntry(entry + 8, uint64_t{domain.id_} << 8 | (domain.tables_.features().levels - 2));
  WriteEntry(entry,
             domain.tables_.root_pfn() * hw::kPageSize | 1);  // present last, translate untranslated requests
  FlushWriteBuffer();
  if (Field(cap_, 7, 7) != 0) {  // caching mode: not-present entries may be cached under domain 0
    Submit({{1u | 3u << 4 | uint64_t{sid} << 32, 0}, DomainFlush(domain.id_)});
  }
  domain.attached_.push_back(sid);
}

void Iommu::Detach(hw::Bdf device, IommuDomain& domain) {
  const uint16_t sid = device.requester_id();
  const auto held = std::find(domain.attached_.begin(), domain.attached_.end(), sid);
  if (held == domain.attached_.end())
    throw BugCheck("device " + device.ToString() + " is not attached");
  const uint64_t entry =
      context_tables_.at(device.bus) * hw::kPageSize + 16 * uint64_t{sid & 0xFFu};
  WriteEntry(entry, 0);
  WriteEntry(entry + 8, 0);
  Submit({{1u | 3u << 4 | uint64_t{domain.id_} << 16 | uint64_t{sid} << 32, 0},
          DomainFlush(domain.id_)});
  domain.attached_.erase(held);
}

void Iommu::Map(IommuDomain& domain, uint64_t logical, const std::vector<uint64_t>& pfns,
                const std::string& owner, const std::string& created_by) {
  const uint64_t first = logical / hw::kPageSize;
  for (size_t i = 0; i < pfns.size();) {
    size_t end = i + 1;
    while (end < pfns.size() && pfns[end] == pfns[end - 1] + 1) ++end;
    domain.tables_.Map({first + i, pfns[i], end - i});
    i = end;
  }
  const Ledger::Ticket ticket =
      ledger_.Open("domain_mapping", Hex(logical) + "+" + Hex(pfns.size() * hw::kPageSize), owner,
                   created_by);
  domain.mappings_.emplace(first, IommuDomain::Mapping{pfns.size(), ticket});
  FlushWriteBuffer();
  if (Field(cap_, 7, 7) != 0 && !pfns.empty()) InvalidatePages(domain, first, pfns.size(), {});
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
  if (Field(cap_, 7, 7) == 0) return;
  for (uint64_t pfn : fresh) InvalidatePages(domain, pfn, 1, {});
}

void Iommu::MapWhole(IommuDomain& domain, const std::vector<hw::Range>& ranges) {
  for (const hw::Range& range : ranges)
    domain.tables_.Map({range.start, range.start, range.end - range.start});
  domain.whole_ = ranges;
  FlushWriteBuffer();
}

void Iommu::UnmapIdentity(IommuDomain& domain, const std::vector<uint64_t>& pfns) {
  SecondStage::Unmapped gone;
  bool any = false;
  for (uint64_t pfn : pfns) {
    if (domain.InWhole(pfn)) continue;
    const auto uses = domain.identity_uses_.find(pfn);
    if (uses == domain.identity_uses_.end())
      throw BugCheck("host page " + Hex(pfn) + " is not mapped 1:1");
    if (--uses->second != 0) continue;
    domain.identity_uses_.erase(uses);
    const SecondStage::Unmapped one = domain.tables_.Unmap(pfn, 1);
    gone.tables.insert(gone.tables.end(), one.tables.begin(), one.tables.end());
    any = true;
  }
  if (!any) return;
  Submit({DomainFlush(domain.id_)});  // the pages are anywhere
  pages_.Free(gone.tables);
}

void Iommu::PunchHole(IommuDomain& domain, uint64_t logical) {
  const uint64_t page = logical / hw::kPageSize;
  const SecondStage::Unmapped gone = domain.tables_.Punch(page);
  if (gone.largest_leaf == 0) {
    InvalidatePages(domain, page, 1, gone);
  } else {
    Submit({DomainFlush(domain.id_)});
    pages_.Free(gone.tables);
  }
}

// An interrupt comes only when no fault is pending any more and then one is: whatever comes while others are drained is
// drained with them.
void Iommu::DrainFaults() {
  const uint32_t records = static_cast<uint32_t>(Field(cap_, 47, 40)) + 1;
  const uint32_t at = static_cast<uint32_t>(16 * Field(cap_, 33, 24));
  uint32_t status = Read32(kFsts);
  uint64_t drained = 0;
  do {
    uint32_t index = static_cast<uint32_t>(Field(status, 15, 8)) % records;
    for (; drained < kMostFaults; ++drained, index = (index + 1) % records) {
      const uint64_t high = Read64(at + 16 * index + 8);
      if (high >> 63 == 0) break;
      const uint64_t low = Read64(at + 16 * index);
      IommuFault fault;
      fault.requester = static_cast<uint16_t>(high);
      fault.reason = static_cast<uint8_t>(Field(high, 39, 32));
      fault.read = Field(high, 62, 62) != 0;
      fault.address = low & ~uint64_t{0xFFF};
      Write32(at + 16 * index + 12, 1u << 31);
      if (on_fault_) on_fault_(fault);
    }
    Write32(kFsts, kPfo);
    status = Read32(kFsts);
    if ((status & kIqe) != 0) StopQueue();
  } while ((status & kPpf) != 0 && drained < kMostFaults);
}

}  // namespace gmmu::os
