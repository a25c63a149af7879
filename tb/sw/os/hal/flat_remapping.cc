// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/os/hal/flat_remapping.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/text.h"
#include "os/hal/hal.h"
#include "os/hal/pages.h"

namespace gmmu::os::test {
namespace {

// The maximum size of a domain. The table of such a domain occupies 128 MiB.
constexpr uint64_t kMostBytes = uint64_t{1} << 36;
constexpr uint64_t kWord = sizeof(uint64_t);
constexpr unsigned kMostReads = 100'000;
constexpr char kNoMemory[] = "the flat unit's table is not installed memory";

FlatDomain& Own(RemappingDomain& domain) { return static_cast<FlatDomain&>(domain); }

}  // namespace

FlatDomain::FlatDomain(unsigned number, const RemappingParts& parts, uint64_t limit, bool identity,
                       const std::string& owner)
    : RemappingDomain(number, limit, identity, parts.seed, parts.ledger, owner),
      ram_(parts.hal.ram()),
      pages_(limit / hw::kPageSize) {
  const auto table = parts.pages.AllocateContiguous((pages_ * kWord + hw::kPageSize - 1) / hw::kPageSize, 0,
                                                    ~uint64_t{0}, 0, "iommu", "table of a domain");
  if (!table) throw OsError("no memory for the table of a domain");
  table_ = *table;
}

uint64_t FlatDomain::Lookup(uint64_t page) const {
  uint64_t word = 0;
  if (page < pages_ && !ram_.Read(At(page), &word, sizeof word)) throw OsError(kNoMemory);
  return (word & sim::FlatRemapper::kMapped) == 0 ? ~uint64_t{0} : word / hw::kPageSize;
}

uint64_t FlatRemapping::Word(uint64_t address) const {
  uint64_t value = 0;
  if (!parts_.hal.ram().Read(address, &value, sizeof value)) throw OsError(kNoMemory);
  return value;
}

void FlatRemapping::Put(uint64_t address, uint64_t value) {
  if (!parts_.hal.ram().Write(address, &value, sizeof value)) throw OsError(kNoMemory);
}

void FlatRemapping::Prepare() {
  if (parts_.hal.Read(parts_.base, kWord) == ~uint64_t{0}) throw OsError("no IOMMU answers at " + Hex(parts_.base));
}

void FlatRemapping::Enable(std::function<void(const RemappingFault&)> on_fault,
                           const std::vector<Attachment>& attached) {
  Prepare();
  on_fault_ = std::move(on_fault);
  directory_ = parts_.pages.AllocatePage("iommu", "directory");
  message_ = parts_.hal.ConnectInterrupt("iommu faults", [this] { TakeFault(); });
  Put(Record(0) + 2 * kWord, message_.data);
  for (const auto& [device, domain] : attached) Attach(device, *domain);
  on_ = true;
  parts_.hal.Write(parts_.base, kWord, directory_ * hw::kPageSize | sim::FlatRemapper::kOn);
}

void FlatRemapping::Disable() {
  if (!domains_.empty()) throw BugCheck("the IOMMU is switched off while a domain exists");
  parts_.hal.Write(parts_.base, kWord, 0);
  on_ = false;
  TakeFault();
  parts_.hal.DisconnectInterrupt(message_);
  parts_.pages.Free(directory_);
}

void FlatRemapping::Invalidate() {
  if (!on_) return;
  parts_.hal.Write(parts_.base, kWord, directory_ * hw::kPageSize | sim::FlatRemapper::kOn);
  if (parts_.forget()) return;
  for (unsigned reads = 0; (parts_.hal.Read(parts_.base, kWord) & sim::FlatRemapper::kBusy) != 0; ++reads)
    if (reads == kMostReads)
      throw OsError("the flat unit still has accesses in flight that are older than its register's last write");
}

void FlatRemapping::TakeFault() {
  const uint64_t record = Word(Record(0));
  if ((record & sim::FlatRemapper::kValid) == 0) return;
  const bool attached = (record & sim::FlatRemapper::kAttached) != 0;
  RemappingFault fault;
  fault.device = {static_cast<uint8_t>(record >> 8), static_cast<uint8_t>(record >> 3 & 31),
                  static_cast<uint8_t>(record & 7)};
  fault.read = (record & sim::FlatRemapper::kRead) != 0;
  fault.address = Word(Record(0) + kWord);
  fault.cause = attached ? RemappingFault::Cause::kNoAccess : RemappingFault::Cause::kNotAttached;
  fault.reason = attached ? "no word in the table" : "no record in the directory";
  Put(Record(0), 0);
  if (on_fault_) on_fault_(fault);
}

RemappingDomain* FlatRemapping::CreateDomain(uint64_t limit, bool identity, const std::string& owner) {
  unsigned number = 1;
  while (domains_.count(number) != 0) ++number;
  std::unique_ptr<FlatDomain> domain(new FlatDomain(number, parts_, std::min(limit, kMostBytes), identity, owner));
  return (domains_[number] = std::move(domain)).get();
}

void FlatRemapping::DestroyDomain(RemappingDomain* destroyed) {
  FlatDomain& domain = Own(*destroyed);
  domain.RequireNoDevice();
  for (uint64_t page = 0; page * hw::kPageSize < domain.pages_ * kWord; ++page) parts_.pages.Free(domain.table_ + page);
  domain.Close();
  domains_.erase(domain.number());
}

std::optional<uint64_t> FlatRemapping::Find(std::optional<hw::Bdf> device) const {
  const uint64_t wanted = device ? sim::FlatRemapper::kValid | device->requester_id() : 0;
  for (unsigned index = 1; index < sim::FlatRemapper::kRecords; ++index)
    if (Word(Record(index)) == wanted) return Record(index);
  return std::nullopt;
}

void FlatRemapping::Attach(hw::Bdf device, RemappingDomain& to) {
  FlatDomain& domain = Own(to);
  if (Find(device)) throw BugCheck("device " + device.ToString() + " is attached already");
  const std::optional<uint64_t> record = Find(std::nullopt);
  if (!record) throw OsError("the directory is full");
  Put(*record + kWord, domain.At(0));
  Put(*record + 2 * kWord, domain.pages_);
  Put(*record, sim::FlatRemapper::kValid | device.requester_id());
  domain.AddDevice(device);
}

void FlatRemapping::Detach(hw::Bdf device, RemappingDomain& from) {
  FlatDomain& domain = Own(from);
  domain.RequireDevice(device);
  Put(*Find(device), 0);
  Invalidate();
  domain.RemoveDevice(device);
}

void FlatRemapping::MapPage(const FlatDomain& domain, uint64_t page, uint64_t pfn) {
  if (page >= domain.pages_) throw OsError("logical page " + Hex(page * hw::kPageSize) + " is beyond the domain");
  if (domain.Lookup(page) != ~uint64_t{0})
    throw BugCheck("logical page " + Hex(page * hw::kPageSize) + " is mapped already");
  Put(domain.At(page), pfn * hw::kPageSize | sim::FlatRemapper::kMapped);
}

void FlatRemapping::UnmapPages(const FlatDomain& domain, uint64_t first, uint64_t count) {
  for (uint64_t page = first; page < first + count; ++page) Put(domain.At(page), 0);
}

void FlatRemapping::Map(RemappingDomain& to, uint64_t logical, const std::vector<uint64_t>& pfns,
                        const std::string& owner, const std::string& created_by) {
  FlatDomain& domain = Own(to);
  const uint64_t first = logical / hw::kPageSize;
  for (size_t i = 0; i < pfns.size(); ++i) MapPage(domain, first + i, pfns[i]);
  domain.AddMapping(first, pfns.size(), owner, created_by);
}

void FlatRemapping::Unmap(RemappingDomain& from, uint64_t logical, uint64_t pages) {
  FlatDomain& domain = Own(from);
  const uint64_t first = logical / hw::kPageSize;
  domain.RequireMapping(first, pages);
  UnmapPages(domain, first, pages);
  Invalidate();
  domain.RemoveMapping(first);
}

void FlatRemapping::MapIdentity(RemappingDomain& to, const std::vector<uint64_t>& pfns) {
  FlatDomain& domain = Own(to);
  for (uint64_t pfn : domain.AddUses(pfns)) MapPage(domain, pfn, pfn);
}

void FlatRemapping::UnmapIdentity(RemappingDomain& from, const std::vector<uint64_t>& pfns) {
  FlatDomain& domain = Own(from);
  for (uint64_t pfn : domain.EndUses(pfns)) UnmapPages(domain, pfn, 1);
  Invalidate();
}

void FlatRemapping::MapWhole(RemappingDomain& to, const std::vector<hw::Range>& ranges) {
  FlatDomain& domain = Own(to);
  for (const hw::Range& range : ranges)
    for (uint64_t pfn = range.start; pfn < range.end; ++pfn) MapPage(domain, pfn, pfn);
  domain.AddWhole(ranges);
}

void FlatRemapping::PunchHole(RemappingDomain& in, uint64_t logical) {
  UnmapPages(Own(in), logical / hw::kPageSize, 1);
  Invalidate();
}

}  // namespace gmmu::os::test
