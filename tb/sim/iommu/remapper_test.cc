// SPDX-License-Identifier: Apache-2.0
// Tests the contract of Remapper with the VT-d unit and with a remapping unit that exists only in
// tests.
#include "iommu/remapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "tb/sim/iommu/flat_remapper.h"
#include "tb/sim/iommu/translate.h"
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint16_t kDevice = 0x0100, kOther = 0x0208;

/// A remapping unit, its memory, and the software that programs the unit.
class Unit {
 public:
  virtual ~Unit() = default;
  virtual Remapper& remapper() = 0;
  virtual RemapMemory& memory() = 0;
  virtual void TurnOn() = 0;
  /// Attaches the device to a domain without mappings.
  virtual void Attach(uint16_t requester) = 0;
  virtual void Map(uint64_t logical, uint64_t hpa) = 0;
  virtual void Unmap(uint64_t logical) = 0;
  /// Begins an invalidation of all translations, with a drain.
  virtual void Invalidate() = 0;
  /// Returns whether the invalidation has completed.
  virtual bool Completed() = 0;
};

class VtdUnit : public Unit {
 public:
  Remapper& remapper() override { return *remapper_; }
  RemapMemory& memory() override { return tables_.memory; }
  void TurnOn() override {
    remapper_->WriteRegister(vtd::kRtaddr, 8, VtdTables::kRoot);
    remapper_->WriteRegister(vtd::kGcmd, 4, vtd::kSrtp);
    remapper_->WriteRegister(vtd::kIqt, 8, 0);
    remapper_->WriteRegister(vtd::kIqa, 8, VtdTables::kQueue);
    remapper_->WriteRegister(vtd::kGcmd, 4, vtd::kQie);
    remapper_->WriteRegister(vtd::kGcmd, 4, vtd::kQie | vtd::kTe);
    remapper_->WriteRegister(vtd::kFedata, 4, 0x31);
    remapper_->WriteRegister(vtd::kFeaddr, 4, 0xFEE00000);
    remapper_->WriteRegister(vtd::kFectl, 4, 0);
  }
  void Attach(uint16_t requester) override {
    if (tables_.top == 0) tables_.top = tables_.NewTable();
    tables_.SetContext(requester, VtdTables::kDid, tables_.top, tables_.levels);
  }
  void Map(uint64_t logical, uint64_t hpa) override { tables_.Map(logical, hpa); }
  void Unmap(uint64_t logical) override { tables_.Map(logical, 0, 1, 0); }
  void Invalidate() override {
    tables_.memory.words[VtdTables::kStatus] = 0;
    for (const auto& [low, high] : {std::pair{VtdBench::ContextGlobal(), uint64_t{0}},
                                    {VtdBench::IotlbGlobal(), uint64_t{0}},
                                    {VtdBench::WaitStatus(1), VtdTables::kStatus}}) {
      tables_.memory.words[VtdTables::kQueue + tail_] = low;
      tables_.memory.words[VtdTables::kQueue + tail_ + 8] = high;
      tail_ = (tail_ + 16) % 4096;
    }
    remapper_->WriteRegister(vtd::kIqt, 4, tail_);
  }
  bool Completed() override {
    for (;;) {
      const RemapWork work = remapper_->NextWork();
      if (work.kind == RemapWork::Kind::kFetch) {
        uint64_t low = 0, high = 0;
        const bool ok = memory().Read64(work.address, &low) && memory().Read64(work.address + 8, &high);
        remapper_->FetchDone(ok, low, high);
      } else if (work.kind == RemapWork::Kind::kStatus) {
        remapper_->StatusDone(memory().Write32(work.address, work.data));
      } else {
        return tables_.memory.words[VtdTables::kStatus] == 1;
      }
    }
  }

 private:
  VtdTables tables_;
  std::unique_ptr<Remapper> remapper_ = Remapper::Make({});
  uint64_t tail_ = 0;
};

class FlatUnit : public Unit {
 public:
  FlatUnit() { remapper_.Use(memory_); }
  Remapper& remapper() override { return remapper_; }
  RemapMemory& memory() override { return memory_; }
  void TurnOn() override {
    memory_.words[kDirectory + 16] = 0x31;
    remapper_.WriteRegister(0, 8, kDirectory | FlatRemapper::kOn);
  }
  void Attach(uint16_t requester) override {
    const uint64_t record = kDirectory + FlatRemapper::kRecordBytes * ++devices_;
    memory_.words[record] = FlatRemapper::kValid | requester;
    memory_.words[record + 8] = kTable;
    memory_.words[record + 16] = 0x1000;
  }
  void Map(uint64_t logical, uint64_t hpa) override {
    memory_.words[kTable + logical / 4096 * 8] = hpa | FlatRemapper::kMapped;
  }
  void Unmap(uint64_t logical) override { memory_.words[kTable + logical / 4096 * 8] = 0; }
  void Invalidate() override { remapper_.WriteRegister(0, 8, kDirectory | FlatRemapper::kOn); }
  bool Completed() override { return (remapper_.ReadRegister(0, 8) & FlatRemapper::kBusy) == 0; }

 private:
  static constexpr uint64_t kDirectory = 0x10000, kTable = 0x200000;
  FakeMemory memory_;
  FlatRemapper remapper_;
  unsigned devices_ = 0;
};

using MakesUnit = std::unique_ptr<Unit> (*)();

class RemapperContract : public ::testing::TestWithParam<std::pair<const char*, MakesUnit>> {
 protected:
  RemapperContract() : unit(GetParam().second()), remapper(unit->remapper()) {
    remapper.set_message_sink([this](uint64_t, uint32_t data) { messages.push_back(data); });
  }
  /// Sets up one device with two mapped pages.
  void Start() {
    unit->TurnOn();
    unit->Attach(kDevice);
    unit->Map(0x5000, 0x123000);
    unit->Map(0x6000, 0x777000);
  }
  RemapResult Access(uint64_t logical, bool write = false, uint16_t requester = kDevice) {
    return TranslateAtOnce(remapper, unit->memory(), {requester, logical, write});
  }
  RemapResult Peek(uint64_t logical, bool write = false, uint16_t requester = kDevice) {
    return remapper.Peek(unit->memory(), {requester, logical, write});
  }

  const std::unique_ptr<Unit> unit;
  Remapper& remapper;
  std::vector<uint32_t> messages;
};

TEST_P(RemapperContract, OffPassesAddressesUnchanged) {
  EXPECT_FALSE(remapper.translating());
  for (const RemapResult& result : {Access(0x5008), Peek(0x5008)}) {
    EXPECT_EQ(result.outcome, RemapOutcome::kMemory);
    EXPECT_EQ(result.hpa, 0x5008u);
    EXPECT_FALSE(result.translated);
  }
}

TEST_P(RemapperContract, TheInterruptWindowIsForWritesAlone) {
  for (const bool on : {false, true}) {
    if (on) Start();
    const RemapResult write = Access(0xFEE01000, true);
    EXPECT_EQ(write.outcome, RemapOutcome::kInterrupt);
    EXPECT_EQ(write.hpa, 0xFEE01000u);
    EXPECT_FALSE(Access(0xFEE01000).ok());
  }
}

TEST_P(RemapperContract, ADeviceReachesWhatIsMappedForItAndNothingElse) {
  Start();
  EXPECT_TRUE(remapper.translating());
  for (const bool write : {false, true}) {
    EXPECT_EQ(Access(0x5ABC, write).hpa, 0x123ABCu);
    EXPECT_TRUE(Access(0x5ABC, write).translated);
    EXPECT_EQ(Access(0x6000, write).hpa, 0x777000u);
    EXPECT_FALSE(Access(0x7000, write).ok());
    EXPECT_FALSE(Access(uint64_t{1} << 50, write).ok()) << "beyond every table";
    EXPECT_FALSE(Access(0x5000, write, kOther).ok()) << "a device of no domain";
  }
  EXPECT_FALSE(TranslateAtOnce(remapper, unit->memory(), {kDevice, 0x5000, false, true}).ok())
      << "nobody has translated for the device";
}

TEST_P(RemapperContract, ARefusalIsReportedByAMessage) {
  Start();
  EXPECT_TRUE(Access(0x5000).ok());
  EXPECT_TRUE(messages.empty());
  EXPECT_FALSE(Access(0x9000).ok());
  EXPECT_THAT(messages, ::testing::ElementsAre(0x31));
  EXPECT_FALSE(Peek(0x9000).ok());
  EXPECT_THAT(messages, ::testing::SizeIs(1)) << "a look at the tables is no access";
}

TEST_P(RemapperContract, ATranslationMayBeKeptUntilItsInvalidationHasCompletedAndNoLonger) {
  Start();
  EXPECT_EQ(Access(0x5000).hpa, 0x123000u);
  unit->Map(0x5000, 0x444000);
  EXPECT_EQ(Peek(0x5000).hpa, 0x444000u) << "the tables alone";
  unit->Invalidate();
  ASSERT_TRUE(unit->Completed());
  EXPECT_EQ(Access(0x5000).hpa, 0x444000u);
  unit->Unmap(0x5000);
  unit->Invalidate();
  ASSERT_TRUE(unit->Completed());
  EXPECT_FALSE(Access(0x5000).ok());
}

TEST_P(RemapperContract, AnInvalidationCompletesBehindTheAccessesTranslatedBeforeIt) {
  Start();
  EXPECT_TRUE(Access(0x5000, true).ok());
  EXPECT_TRUE(Access(0x6000, true).ok());
  const RemapWalk early = remapper.Lookup({kDevice, 0x5000, true});
  const RemapWalk second = remapper.Lookup({kDevice, 0x6000, true});
  ASSERT_TRUE(early.done && early.result.ok());
  unit->Unmap(0x5000);
  unit->Invalidate();
  EXPECT_FALSE(unit->Completed());
  remapper.Finish(second);
  EXPECT_FALSE(unit->Completed());
  EXPECT_TRUE(Access(0x6000).ok()) << "later accesses go on";
  EXPECT_FALSE(unit->Completed());
  remapper.Finish(early);
  EXPECT_TRUE(unit->Completed());
  EXPECT_FALSE(Access(0x5000, true).ok());
}

TEST_P(RemapperContract, AWalkBegunBeforeAnInvalidationLeavesNothingBehind) {
  Start();
  RemapWalk walk = remapper.Lookup({kDevice, 0x5000, false});
  uint64_t low = 0, high = 0;
  while (!walk.done) {  // the tables change after each read, before Feed
    const RemapRead read = walk.read;
    ASSERT_TRUE(unit->memory().Read64(read.address, &low));
    if (read.bytes == 16) ASSERT_TRUE(unit->memory().Read64(read.address + 8, &high));
    unit->Map(0x5000, 0x444000);
    unit->Invalidate();
    remapper.Feed(walk, true, low, high);
  }
  remapper.Finish(walk);
  unit->Map(0x5000, 0x444000);
  unit->Invalidate();
  ASSERT_TRUE(unit->Completed());
  EXPECT_EQ(Access(0x5000).hpa, 0x444000u);
}

TEST_P(RemapperContract, WalksUnderWayAreKeptApart) {
  Start();
  RemapWalk walks[] = {remapper.Lookup({kDevice, 0x5010, false}), remapper.Lookup({kDevice, 0x6020, false}),
                       remapper.Lookup({kDevice, 0x9030, true})};
  const auto under_way = [](const RemapWalk& walk) { return !walk.done; };
  while (std::any_of(std::begin(walks), std::end(walks), under_way)) {
    for (RemapWalk& walk : walks) {
      if (walk.done) continue;
      uint64_t low = 0, high = 0;
      ASSERT_TRUE(unit->memory().Read64(walk.read.address, &low));
      if (walk.read.bytes == 16) ASSERT_TRUE(unit->memory().Read64(walk.read.address + 8, &high));
      remapper.Feed(walk, true, low, high);
    }
  }
  EXPECT_EQ(walks[0].result.hpa, 0x123010u);
  EXPECT_EQ(walks[1].result.hpa, 0x777020u);
  EXPECT_FALSE(walks[2].result.ok());
  for (const RemapWalk& walk : walks) remapper.Finish(walk);
  unit->Invalidate();
  EXPECT_TRUE(unit->Completed());
}

TEST_P(RemapperContract, MappingsAreWhatPeekGrants) {
  Start();
  unit->Attach(kOther);
  unit->Map(0x7000, 0x778000);
  const auto devices = remapper.Mappings(unit->memory());
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].requester, kDevice);
  EXPECT_EQ(devices[1].requester, kOther);
  for (const RemapDevice& device : devices) {
    uint64_t pages = 0;
    for (const RemapMapping& mapping : device.mappings) {
      for (uint64_t at = 0; at < mapping.bytes; at += 4096, ++pages) {
        EXPECT_TRUE(mapping.read && mapping.write);
        EXPECT_EQ(Peek(mapping.logical + at, true, device.requester).hpa, mapping.hpa + at);
      }
    }
    EXPECT_EQ(pages, 3u);
    EXPECT_EQ(device.mappings.size(), 2u) << "neighbours that continue each other are one";
  }
}

TEST_P(RemapperContract, CountersHaveNamesOfTheirOwn) {
  Start();
  static_cast<void>(Access(0x5000));
  static_cast<void>(Access(0x9000));
  std::set<std::string> names;
  uint64_t requests = 0, faults = 0;
  for (const hw::Counter& counter : remapper.Counters()) {
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
    EXPECT_EQ(counter.block, "iommu");
    if (counter.name == "requests") requests = counter.value;
    if (counter.name == "faults") faults = counter.value;
  }
  EXPECT_EQ(requests, 2u);
  EXPECT_EQ(faults, 1u);
}

INSTANTIATE_TEST_SUITE_P(
    All, RemapperContract,
    ::testing::Values(std::pair<const char*, MakesUnit>{"vtd", [] { return std::unique_ptr<Unit>(new VtdUnit); }},
                      std::pair<const char*, MakesUnit>{"flat", [] { return std::unique_ptr<Unit>(new FlatUnit); }}),
    [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace gmmu::sim
