// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <utility>

#include "iommu/remapper.h"

namespace gmmu::sim {

/// A second implementation of Remapper, a remapping unit that exists only for tests. It has one
/// 64-bit register at offset 0, which holds the address of the directory. Bit 0 enables
/// translation. Bit 1 reads 1 while accesses that were translated before the latest write to the
/// register are in flight.
///
/// The directory is a page of 128 records of four words. Record 0 holds the oldest fault that software has not read:
/// word 0 is {valid 63, read 62, attached 61, requester id 15:0}; word 1 is the logical page's address; word 2 is the
/// data of the interrupt message that the unit sends after it has written the record. While the record is valid,
/// further faults are dropped. The other records describe devices: word 0 is {valid 63, requester id 15:0}; word 1 is
/// the address of a table; word 2 is the number of words in that table. Word n of a table is the host address of
/// logical page n, with bit 0 set if the page is mapped.
///
/// The unit caches table words that map a page. Each write to the register empties the cache. The
/// unit accesses memory directly, in zero simulated time: its walks request no reads from the
/// machine.
class FlatRemapper : public Remapper {
 public:
  static constexpr uint64_t kOn = 1, kBusy = 2, kMapped = 1, kValid = uint64_t{1} << 63, kRead = uint64_t{1} << 62,
                            kAttached = uint64_t{1} << 61;
  static constexpr unsigned kRecords = 128, kRecordBytes = 32;
  static constexpr uint64_t kPage = 4096, kWord = 8, kMessage = 0xFEE00000, kMessageEnd = 0xFEF00000;

  /// Sets the machine's memory, which must outlive the accesses.
  void Use(RemapMemory& memory) { memory_ = &memory; }

  void set_message_sink(const MessageSink& sink) override { sink_ = sink; }
  uint64_t ReadRegister(uint32_t offset, unsigned size) const override {
    if (offset != 0 || size != kWord) return ~uint64_t{0};
    const bool busy = !in_flight_.empty() && in_flight_.begin()->first != epoch_;
    return register_ | (busy ? kBusy : 0);
  }
  void WriteRegister(uint32_t offset, unsigned size, uint64_t value) override {
    if (offset != 0 || size != kWord) return;
    register_ = value & ~kBusy;
    cache_.clear();
    ++epoch_;
  }

  RemapWalk Lookup(const RemapRequest& request) override {
    RemapWalk walk;
    walk.request = request;
    walk.slot = epoch_;
    ++in_flight_[epoch_];
    ++requests_;
    walk.result = Translate(request);
    return walk;
  }
  void Feed(RemapWalk&, bool, uint64_t, uint64_t) override {}
  void Restart(RemapWalk&) override {}
  void Finish(const RemapWalk& walk) override {
    const auto of = in_flight_.find(walk.slot);
    if (--of->second == 0) in_flight_.erase(of);
  }
  void CountJoined(bool) override {}
  RemapResult Peek(RemapMemory& memory, const RemapRequest& request) const override {
    if (!translating() || InWindow(request.logical)) return Pass(request);
    const std::optional<uint64_t> page = PageOf(memory, request.requester, request.logical / kPage).page;
    return request.translated || !page ? RemapResult{} : Grant(*page + request.logical % kPage);
  }

  RemapWork NextWork() override { return {}; }
  void FetchDone(bool, uint64_t, uint64_t) override {}
  void StatusDone(bool) override {}

  bool translating() const override { return (register_ & kOn) != 0; }
  uint64_t root() const override { return register_ & ~(kPage - 1); }
  std::vector<RemapDevice> Mappings(RemapMemory& memory) const override {
    std::map<uint16_t, RemapDevice> devices;
    for (unsigned index = 1; index < kRecords; ++index) {
      const uint64_t record = root() + kRecordBytes * index, first = Word(memory, record);
      if ((first & kValid) == 0) continue;
      RemapDevice& device = devices[static_cast<uint16_t>(first)];
      device.requester = static_cast<uint16_t>(first);
      device.address_bits = 48;
      for (uint64_t page = 0; page < Word(memory, record + 2 * kWord); ++page)
        if (const auto at = PageOf(memory, device.requester, page).page) Append(page * kPage, *at, device.mappings);
    }
    std::vector<RemapDevice> all;
    for (auto& [requester, device] : devices) all.push_back(std::move(device));
    return all;
  }
  std::vector<hw::Counter> Counters() const override {
    return {{"iommu", "requests", requests_, "requests", "Requests of devices."},
            {"iommu", "faults", faults_, "faults", "Requests that were refused, recorded or not."}};
  }

 private:
  struct Found {
    bool attached = false;
    std::optional<uint64_t> page;
  };

  static bool InWindow(uint64_t address) { return address >= kMessage && address < kMessageEnd; }
  static RemapResult Grant(uint64_t hpa) { return {RemapOutcome::kMemory, hpa, true, false, 0}; }
  static RemapResult Pass(const RemapRequest& request) {
    RemapResult result;
    result.hpa = request.logical;
    result.data = request.data;
    result.outcome = !InWindow(request.logical) ? RemapOutcome::kMemory
                     : request.write            ? RemapOutcome::kInterrupt
                                                : RemapOutcome::kBlocked;
    return result;
  }
  static uint64_t Word(RemapMemory& memory, uint64_t address) {
    uint64_t value = 0;
    return memory.Read64(address, &value) ? value : 0;
  }
  void Put(uint64_t address, uint64_t value) {
    static_cast<void>(memory_->Write32(address, static_cast<uint32_t>(value)));  // a write outside memory is lost
    static_cast<void>(memory_->Write32(address + 4, static_cast<uint32_t>(value >> 32)));
  }
  static void Append(uint64_t logical, uint64_t hpa, std::vector<RemapMapping>& to) {
    if (!to.empty() && to.back().logical + to.back().bytes == logical && to.back().hpa + to.back().bytes == hpa)
      to.back().bytes += kPage;
    else to.push_back({logical, hpa, kPage, true, true});
  }

  Found PageOf(RemapMemory& memory, uint16_t requester, uint64_t page) const {
    for (unsigned index = 1; index < kRecords; ++index) {
      const uint64_t record = root() + kRecordBytes * index;
      if (Word(memory, record) != (kValid | requester)) continue;
      if (page >= Word(memory, record + 2 * kWord)) return {true, std::nullopt};
      const uint64_t word = Word(memory, Word(memory, record + kWord) + kWord * page);
      if ((word & kMapped) == 0) return {true, std::nullopt};
      return {true, word & ~kMapped};
    }
    return {};
  }

  RemapResult Translate(const RemapRequest& request) {
    if (!translating() || InWindow(request.logical)) return Pass(request);
    const uint64_t page = request.logical / kPage;
    const auto cached = cache_.find({request.requester, page});
    Found found{true, std::nullopt};
    if (cached != cache_.end()) found.page = cached->second;
    else found = PageOf(*memory_, request.requester, page);
    if (found.page && !request.translated) {
      cache_[{request.requester, page}] = *found.page;
      return Grant(*found.page + request.logical % kPage);
    }
    ++faults_;
    if ((Word(*memory_, root()) & kValid) != 0) return {};
    Put(root() + kWord, page * kPage);
    Put(root(), kValid | (request.write ? 0 : kRead) | (found.attached ? kAttached : 0) | request.requester);
    sink_(kMessage, static_cast<uint32_t>(Word(*memory_, root() + 2 * kWord)));
    return {};
  }

  RemapMemory* memory_ = nullptr;
  MessageSink sink_;
  uint64_t register_ = 0;
  std::map<std::pair<uint16_t, uint64_t>, uint64_t> cache_;  ///< by requester id and logical page
  uint32_t epoch_ = 0;                                       ///< number of register writes so far
  std::map<uint32_t, unsigned> in_flight_;                   ///< number of requests, by the epoch of their Lookup
  uint64_t requests_ = 0, faults_ = 0;
};

}  // namespace gmmu::sim
