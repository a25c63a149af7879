// SPDX-License-Identifier: Apache-2.0
// A remapping unit that no machine has, and its driver: the second implementation of os/hal/remapping.h.
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
#include "os/hal/remapping.h"

namespace gmmu::os::test {

/// The unit. It has one register of 64 bits: the address of the directory, and bit 0, which switches translation on.
///
/// The directory is a page of 128 records of four words. Record 0 holds the oldest fault that software has not taken:
/// word 0 is {valid 63, read 62, attached 61, requester id 15:0}, word 1 the logical page's address; word 2 is the data of
/// the interrupt message that the unit sends when it has written the record. While the record is valid, further faults
/// are dropped. The others are of devices: word 0 is {valid 63, requester id 15:0}, word 1 the address of a table, word 2
/// the number of its words. Word n of a table is the host address of logical page n, with bit 0 set; else it is not mapped.
///
/// The unit caches words of tables that map a page. Each write of the register empties the cache.
class FlatUnit {
 public:
  static constexpr uint64_t kOn = 1, kMapped = 1, kValid = uint64_t{1} << 63, kRead = uint64_t{1} << 62,
                            kAttached = uint64_t{1} << 61;
  static constexpr unsigned kRecords = 128, kRecordBytes = 32;

  FlatUnit(hw::HostRam& ram, std::function<void(uint32_t data)> interrupt)
      : ram_(ram), interrupt_(std::move(interrupt)) {}

  uint64_t Read() const { return register_; }
  void Write(uint64_t value) {
    register_ = value;
    cache_.clear();
  }
  /// The host physical address that an access of a device reaches; nullopt: it is refused.
  std::optional<uint64_t> Translate(uint16_t requester, uint64_t logical, bool write);

 private:
  uint64_t directory() const { return register_ & ~uint64_t{0xFFF}; }
  uint64_t Word(uint64_t address) const;
  void Put(uint64_t address, uint64_t value);

  hw::HostRam& ram_;
  const std::function<void(uint32_t data)> interrupt_;
  uint64_t register_ = 0;
  std::map<std::pair<uint16_t, uint64_t>, uint64_t> cache_;  // by requester id and logical page
};

class FlatDomain final : public RemappingDomain {
 public:
  uint64_t Lookup(uint64_t page) const override;

 private:
  friend class FlatRemapping;
  FlatDomain(unsigned number, const RemappingParts& parts, uint64_t limit, bool identity, const std::string& owner);
  uint64_t At(uint64_t page) const { return table_ * hw::kPageSize + page * sizeof(uint64_t); }

  hw::HostRam& ram_;
  const uint64_t pages_;  // logical pages below the limit, each with a word in the table
  uint64_t table_ = 0;    // its first page
};

/// Its driver. A domain has one flat table, which is allocated as a whole.
///
/// A machine that has a FlatUnit where firmware reports the IOMMU runs jobs with it: set JobOptions::remapping
/// (workload/job.h) to FlatRemapping::Make.
class FlatRemapping final : public Remapping {
 public:
  explicit FlatRemapping(const RemappingParts& parts) : parts_(parts) {}
  static std::unique_ptr<Remapping> Make(const RemappingParts& parts) { return std::make_unique<FlatRemapping>(parts); }

  void Prepare() override;
  void Enable(std::function<void(const RemappingFault&)> on_fault) override;
  void Disable() override;
  bool enabled() const override { return on_; }
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

 private:
  uint64_t Word(uint64_t address) const;
  void Put(uint64_t address, uint64_t value);
  uint64_t Record(unsigned index) const { return directory_ * hw::kPageSize + FlatUnit::kRecordBytes * index; }
  /// Address of the record of `device`; of a free one unless `device` is given. Null: there is none.
  std::optional<uint64_t> Find(std::optional<hw::Bdf> device) const;
  void MapPage(const FlatDomain& domain, uint64_t page, uint64_t pfn);
  void UnmapPages(const FlatDomain& domain, uint64_t first, uint64_t count);
  /// Makes the unit forget what it has cached.
  void Invalidate();
  void TakeFault();

  const RemappingParts parts_;
  bool on_ = false;
  uint64_t directory_ = 0;                                   // its page
  std::map<unsigned, std::unique_ptr<FlatDomain>> domains_;  // by number
  hw::Message message_;
  std::function<void(const RemappingFault&)> on_fault_;
};

}  // namespace gmmu::os::test
