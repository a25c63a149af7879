// SPDX-License-Identifier: Apache-2.0
// A test bench for a VT-d unit: sparse memory, table building as software would do it, register and queue
// helpers.
#pragma once
#include <gtest/gtest.h>

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "iommu/vtd/core.h"
#include "iommu/vtd/formats.h"

namespace gmmu::sim {

inline constexpr uint64_t kR = vtd::kEntryRead, kW = vtd::kEntryWrite, kRw = kR | kW;
inline constexpr uint64_t kPs = vtd::kEntryPageSize;

class FakeMemory : public RemapMemory {
 public:
  bool Read64(uint64_t hpa, uint64_t* value) override {
    EXPECT_EQ(hpa % 8, 0u);
    if (unreadable.count(hpa >> 12) != 0) return false;
    ++reads;
    *value = words[hpa];
    return true;
  }
  bool Write32(uint64_t hpa, uint32_t value) override {
    if (unreadable.count(hpa >> 12) != 0) return false;
    uint64_t& word = words[hpa & ~uint64_t{7}];
    const unsigned shift = hpa % 8 * 8;
    word = (word & ~(uint64_t{0xFFFFFFFF} << shift)) | uint64_t{value} << shift;
    return true;
  }
  std::unordered_map<uint64_t, uint64_t> words;
  std::set<uint64_t> unreadable;  ///< page numbers that cannot be read
  uint64_t reads = 0;
};

/// The unit's tables in memory, built as software would build them.
struct VtdTables {
  static constexpr uint64_t kRoot = 0x10000, kQueue = 0x20000, kStatus = 0x30000;
  static constexpr uint16_t kSid = 0x0100;  // 01:00.0
  static constexpr uint16_t kDid = 5;

  uint64_t NewTable() { return next_table_ += 0x1000; }

  /// Writes a context entry for `sid`, for a domain with `levels` levels; creates the root entry and the context table
  /// if necessary. Returns the entry's address.
  uint64_t SetContext(uint16_t sid, uint16_t did, uint64_t top, unsigned levels, unsigned type = 0) {
    uint64_t& root = memory.words[kRoot + (sid >> 8) * 16u];
    if ((root & 1) == 0) root = NewTable() | 1;
    const uint64_t at = (root & ~uint64_t{0xFFF}) + (sid & 0xFFu) * 16u;
    memory.words[at + 8] = (levels - 2) | uint64_t{did} << 8;
    memory.words[at] = top | type << 2 | 1;
    return at;
  }

  /// Returns the address of the entry for `iova` in the table at `level`. Creates the tables above that table.
  uint64_t EntryAt(uint64_t top, unsigned levels, uint64_t iova, unsigned level) {
    uint64_t table = top;
    for (unsigned l = levels; l > level; --l) {
      uint64_t& entry = memory.words[table + (iova >> vtd::LevelShift(l) & 511) * 8];
      if ((entry & kRw) == 0) entry = NewTable() | kRw;
      table = entry & vtd::kEntryAddress;
    }
    return table + (iova >> vtd::LevelShift(level) & 511) * 8;
  }
  uint64_t& Entry(uint64_t top, unsigned levels, uint64_t iova, unsigned level) {
    return memory.words[EntryAt(top, levels, iova, level)];
  }
  void Map(uint64_t iova, uint64_t hpa, unsigned level = 1, uint64_t bits = kRw) {
    Entry(top, levels, iova, level) = hpa | bits | (level > 1 ? kPs : 0);
  }

  FakeMemory memory;
  uint64_t top = 0;
  unsigned levels = 4;

 private:
  uint64_t next_table_ = 0x100000;
};

class VtdBench : public VtdTables {
 public:
  explicit VtdBench(const VtdParameters& parameters = {}) : core(parameters) {
    core.set_message_sink([this](uint64_t address, uint32_t data) { messages.emplace_back(address, data); });
  }

  /// Sets up one domain with `domain_levels` levels for kSid, and enables translation and the invalidation queue.
  void Start(unsigned domain_levels = 4) {
    levels = domain_levels;
    top = NewTable();
    SetContext(kSid, kDid, top, levels);
    TurnOn();
  }
  void TurnOn() {
    Put(vtd::kRtaddr, 8, kRoot);
    Command(vtd::kSrtp);
    Put(vtd::kIqt, 8, 0);
    Put(vtd::kIqa, 8, kQueue | queue_size);
    Command(vtd::kQie);
    Command(vtd::kTe);
  }

  // ---- registers

  uint64_t Get(uint32_t offset, unsigned size) const { return core.ReadRegister(offset, size); }
  void Put(uint32_t offset, unsigned size, uint64_t value) { core.WriteRegister(offset, size, value); }
  uint32_t Gsts() const { return static_cast<uint32_t>(Get(vtd::kGsts, 4)); }
  uint32_t Fsts() const { return static_cast<uint32_t>(Get(vtd::kFsts, 4)); }
  /// Sets one command bit. As VT-d requires of software, it writes back all enable bits that are
  /// set, and writes one-shot bits as 0.
  void Command(uint32_t bit) { Put(vtd::kGcmd, 4, (Gsts() & 0x96FFFFFF) | bit); }
  void CommandOff(uint32_t bit) { Put(vtd::kGcmd, 4, (Gsts() & 0x96FFFFFF) & ~bit); }

  // ---- queue

  uint64_t QueueBytes() const { return uint64_t{4096} << queue_size; }
  void Queue(uint64_t low, uint64_t high = 0) {
    memory.words[kQueue + tail] = low;
    memory.words[kQueue + tail + 8] = high;
    tail = (tail + 16) % QueueBytes();
  }
  void Ring() { Put(vtd::kIqt, 4, tail); }
  void Submit(uint64_t low, uint64_t high = 0) {
    Queue(low, high);
    Ring();
    core.RunQueue(memory);
  }
  static constexpr uint64_t ContextGlobal() { return 1 | 1 << 4; }
  static constexpr uint64_t ContextDomain(uint16_t did) { return 1 | 2 << 4 | uint64_t{did} << 16; }
  static constexpr uint64_t ContextDevice(uint16_t did, uint16_t sid, unsigned fm = 0) {
    return 1 | 3 << 4 | uint64_t{did} << 16 | uint64_t{sid} << 32 | uint64_t{fm} << 48;
  }
  static constexpr uint64_t kDrain = 3 << 6;  // DR and DW
  static constexpr uint64_t IotlbGlobal() { return 2 | 1 << 4 | kDrain; }
  static constexpr uint64_t IotlbDomain(uint16_t did) { return 2 | 2 << 4 | kDrain | uint64_t{did} << 16; }
  static constexpr uint64_t IotlbPage(uint16_t did) { return 2 | 3 << 4 | kDrain | uint64_t{did} << 16; }
  static constexpr uint64_t Pages(uint64_t iova, unsigned mask, bool leaf_only = false) {
    return iova | mask | (leaf_only ? 1u << 6 : 0);
  }
  static constexpr uint64_t WaitStatus(uint32_t data) { return 5 | 1 << 5 | uint64_t{data} << 32; }
  static constexpr uint64_t kWaitInterrupt = 5 | 1 << 4;

  // ---- requests

  VtdResult Access(uint64_t iova, bool write = false, uint16_t sid = kSid) {
    return core.Translate(memory, {sid, iova, write, VtdAddressType::kUntranslated});
  }
  VtdResult Peek(uint64_t iova, bool write = false, uint16_t sid = kSid) {
    return core.Peek(memory, {sid, iova, write, VtdAddressType::kUntranslated});
  }
  /// Makes an access and returns the number of memory reads that it needs.
  uint64_t Cost(uint64_t iova, bool write = false, uint16_t sid = kSid) {
    const uint64_t before = Count("walk_reads");
    Access(iova, write, sid);
    return Count("walk_reads") - before;
  }
  uint64_t Count(const std::string& name) const {
    for (const hw::Counter& counter : core.Counters())
      if (counter.name == name) return counter.value;
    ADD_FAILURE() << "no counter " << name;
    return 0;
  }

  /// Performs the next memory read of a walk.
  void Step(VtdWalk& walk) {
    const RemapRead read = walk.read();
    uint64_t low = 0, high = 0;
    const bool ok = memory.Read64(read.address, &low) && (read.bytes == 8 || memory.Read64(read.address + 8, &high));
    core.Feed(walk, ok, low, high);
  }

  VtdCore core;
  std::vector<std::pair<uint64_t, uint32_t>> messages;
  uint64_t tail = 0;
  unsigned queue_size = 0;
};

/// A unit with translation enabled and a four-level domain for kSid.
struct StartedVtd : VtdBench {
  explicit StartedVtd(const VtdParameters& parameters = {}) : VtdBench(parameters) { Start(); }
};

/// Accesses `iova` and returns the fault reason. Checks that an uncached table walk gives the same reason.
inline VtdReason ReasonOf(VtdBench& bench, uint64_t iova, bool write = false) {
  const VtdResult result = bench.Access(iova, write);
  EXPECT_EQ(result.ok(), result.reason == VtdReason::kNone);
  EXPECT_EQ(bench.Peek(iova, write).reason, result.reason);
  return result.reason;
}

}  // namespace gmmu::sim
