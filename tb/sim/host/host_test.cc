// SPDX-License-Identifier: Apache-2.0
// Tests when the CPU and devices see posted writes to host memory, and which invalidations drain them.
#include "host/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/time_model.h"
#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint16_t kSid = 0x0100, kDid = 5;
constexpr uint64_t kRoot = 0x10000, kContext = 0x11000, kTop = 0x12000, kLeaves = 0x15000, kQueue = 0x20000,
                   kStatus = 0x21000;
constexpr uint64_t kLogical = 0x3000, kPhysical = 0x40000, kValue = 0x1122334455667788;
constexpr uint32_t kIotlb = 0xF8;  // VtdParameters::iro

struct HostBench {
  HostBench()
      : ram({{0, 1 << 20}}),
        host(ram, Remapper::Make({}), timing, agenda, [this](uint64_t, uint32_t data) { messages.push_back(data); }) {
    Put(kRoot + 16, kContext | 1);
    Put(kContext, kTop | 1);
    Put(kContext + 8, 2 | kDid << 8);
    for (uint64_t table = kTop; table < kLeaves; table += 0x1000) Put(table, (table + 0x1000) | 3);
    Map(kPhysical | 3);
    host.WriteRegister(vtd::kRtaddr, 8, kRoot);
    host.WriteRegister(vtd::kGcmd, 4, vtd::kSrtp);
    host.WriteRegister(vtd::kGcmd, 4, vtd::kTe);
    host.owners().Note(kPhysical / hw::kPageSize, 1, true);
  }
  void Put(uint64_t hpa, uint64_t word) { ASSERT_TRUE(ram.Write(hpa, &word, sizeof word)); }
  uint64_t Word(uint64_t hpa) const {
    uint64_t word = 0;
    EXPECT_TRUE(ram.Read(hpa, &word, sizeof word));
    return word;
  }
  void Map(uint64_t entry) { Put(kLeaves + (kLogical >> 12) * 8, entry); }
  void Write(uint64_t logical = kLogical) { host.Write(kSid, logical, &kValue, sizeof kValue, true); }
  /// Unmaps the page, and invalidates its translation through the IOTLB register. `drains` holds bits DR and DW.
  void Invalidate(unsigned drains) {
    Map(0);
    host.WriteRegister(kIotlb, 8, uint64_t{1} << 63 | uint64_t{1} << 60 | uint64_t{drains} << 48);
  }
  bool busy() { return host.ReadRegister(kIotlb, 8) >> 63 != 0; }
  /// Runs the agenda until `done` returns true, and calls `look` after each step. Fails if the
  /// agenda becomes empty first.
  void RunUntil(const std::function<bool()>& done, const std::function<void()>& look) {
    while (!done()) {
      ASSERT_FALSE(agenda.empty()) << "nothing can end the wait";
      agenda.RunUntil(agenda.next());
      look();
    }
  }

  Agenda agenda;
  TimeParameters timing;
  hw::HostRam ram;
  std::vector<uint32_t> messages;
  Host host;
};

TEST(TwinHost, AnInvalidationByRegisterEndsBehindAWriteThatWasTranslatedBefore) {
  HostBench b;
  b.Write();
  b.Invalidate(3);
  EXPECT_TRUE(b.busy());
  EXPECT_EQ(b.Word(kPhysical), 0u) << "the write is on its way";
  b.RunUntil([&] { return !b.busy(); }, [] {});
  EXPECT_EQ(b.Word(kPhysical), kValue);
  b.Put(kPhysical, 1);
  b.Write();  // blocked, because the page is already unmapped
  b.agenda.RunUntil(b.agenda.now() + 10'000'000);
  EXPECT_EQ(b.Word(kPhysical), 1u);
  EXPECT_THAT(b.host.owners().findings(), IsEmpty());
}

TEST(TwinHost, AWaitDescriptorTellsItsStatusBehindTheWritesThatWereTranslatedBefore) {
  HostBench b;
  b.host.WriteRegister(vtd::kIqa, 8, kQueue);
  b.host.WriteRegister(vtd::kGcmd, 4, vtd::kTe | vtd::kQie);
  b.Put(kQueue, 2 | 1 << 4 | 3 << 6);  // IOTLB invalidation, global, with both drains
  b.Put(kQueue + 16, 5 | 1 << 5 | uint64_t{77} << 32);
  b.Put(kQueue + 24, kStatus);
  b.Write();
  b.Map(0);
  b.host.WriteRegister(vtd::kIqt, 8, 32);
  b.RunUntil([&] { return b.Word(kStatus) == 77; },
             [&] {
               if (b.Word(kStatus) == 77) EXPECT_EQ(b.Word(kPhysical), kValue);
             });
  b.Put(kPhysical, 1);
  b.agenda.RunUntil(b.agenda.now() + 10'000'000);
  EXPECT_EQ(b.Word(kPhysical), 1u);
}

TEST(TwinHost, AnInvalidationWaitsForNoWriteThatComesLaterAndForNoneWithoutADrain) {
  HostBench b;
  b.Write();
  b.Invalidate(0);
  EXPECT_FALSE(b.busy()) << "nothing was to be drained";
  b.agenda.RunUntil(b.agenda.now() + 10'000'000);
  b.Map(kPhysical | 3);
  b.Write();
  b.agenda.RunUntil(b.agenda.now() + b.timing.pcie_latency_ps / 2);
  b.host.WriteRegister(kIotlb, 8, uint64_t{1} << 63 | uint64_t{1} << 60 | uint64_t{3} << 48);
  EXPECT_TRUE(b.busy());
  b.agenda.RunUntil(b.agenda.now() + b.timing.pcie_latency_ps / 4);
  b.Write();
  b.agenda.RunUntil(b.agenda.now() + b.timing.pcie_latency_ps / 2);
  EXPECT_FALSE(b.busy()) << "the later one is still on its way";
  EXPECT_FALSE(b.agenda.empty());
}

// If an invalidation does not drain writes, software may reuse the page while a write is in flight.
// The page's owner is therefore checked when the write reaches memory.
TEST(TwinHost, AWriteIsCheckedAgainstThePagesOwnerWhenItLands) {
  HostBench b;
  b.Write();
  b.Invalidate(0);
  b.host.owners().Note(kPhysical / hw::kPageSize, 1, false);
  EXPECT_THAT(b.host.owners().findings(), IsEmpty());
  b.agenda.RunUntil(b.agenda.now() + 10'000'000);
  ASSERT_THAT(b.host.owners().findings(), ::testing::SizeIs(1));
  EXPECT_THAT(b.host.owners().findings()[0].text, HasSubstr("a device wrote host memory at 0x40000"));
}

TEST(TwinHost, TranslationGoesOffAndInvalidationsEndBehindAMessageToo) {
  HostBench b;
  b.Write(0xFEE00000);
  b.Invalidate(3);
  EXPECT_TRUE(b.busy());
  b.host.WriteRegister(vtd::kGcmd, 4, 0);
  EXPECT_NE(b.host.ReadRegister(vtd::kGsts, 4) & vtd::kTe, 0u);
  b.RunUntil([&] { return !b.busy(); }, [] {});
  EXPECT_EQ(b.host.ReadRegister(vtd::kGsts, 4) & vtd::kTe, 0u);
  EXPECT_THAT(b.messages, ::testing::ElementsAre(static_cast<uint32_t>(kValue)));
}

constexpr uint64_t kAt = 0x2010;

struct PostedWrites : ::testing::Test {
  uint64_t Cpu() {
    uint64_t word = 0;
    EXPECT_TRUE(ram.Read(kAt, &word, sizeof word));
    return word;
  }
  uint64_t Device() {
    uint64_t word = 0;
    EXPECT_TRUE(host.Read(kSid, kAt, &word, sizeof word, true));
    return word;
  }
  void Write(uint64_t word) { host.Write(kSid, kAt, &word, sizeof word, true); }
  void Arrive() { agenda.RunUntil(agenda.now() + 1'000'000'000); }

  hw::HostRam ram{{{0, 1 << 20}}};
  Agenda agenda;
  Host host{ram, nullptr, TimeParameters{}, agenda, [](uint64_t, uint32_t) {}};
};

TEST_F(PostedWrites, TheCpuSeesAShortWriteWhenItHasArrived) {
  Write(5);
  EXPECT_EQ(Cpu(), 0u);
  Arrive();
  EXPECT_EQ(Cpu(), 5u);
}

// A device read must see earlier posted writes, for example if a command writes a page-table entry
// in host memory and a later walk reads that entry.
TEST_F(PostedWrites, AReadOfTheDeviceSeesTheShortWritesBeforeIt) {
  Write(5);
  Write(6);
  uint64_t word = 0;
  EXPECT_TRUE(host.Peek(kSid, kAt, &word));
  EXPECT_EQ(word, 6u);
  EXPECT_TRUE(host.Peek(kSid, kAt - 4, &word));
  EXPECT_EQ(word, uint64_t{6} << 32);
  EXPECT_EQ(Cpu(), 0u) << "it was only looked at";
  EXPECT_EQ(Device(), 6u);
  Write(7);
  Arrive();
  EXPECT_EQ(Cpu(), 7u) << "what was pushed is not written again";
}

TEST_F(PostedWrites, ALongWriteStaysInFrontOfNoShortWriteBeforeIt) {
  Write(5);
  const uint64_t words[4] = {1, 2, 3, 4};
  host.Write(kSid, kAt - 8, words, sizeof words, true);
  Arrive();
  EXPECT_EQ(Cpu(), 2u);
}

}  // namespace
}  // namespace gmmu::sim
