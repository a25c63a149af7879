// SPDX-License-Identifier: Apache-2.0
// Makes the same accesses at the client ports of both engines, and expects equal responses and bytes in VRAM.
#include <map>

#include "hw/client_accesses.h"
#include "hw/traffic.h"
#include "tb/system/engines_script.h"

namespace gmmu::test {
namespace {

/// A list of accesses for each client, issued in order at fixed cycles after the start.
class List : public hw::ClientAccesses {
 public:
  struct Item {
    hw::ClientRequest request;
    uint64_t cycle;
  };
  std::map<unsigned, std::vector<Item>> items;
  uint64_t begin = 0;
  std::map<uint64_t, hw::ClientAnswer> answers;  // by tag

  void Add(unsigned client, uint64_t va, unsigned bytes, Access access, uint64_t cycle = 0, uint8_t space = 1) {
    items[client].push_back({{va, next_tag_++, static_cast<uint8_t>(bytes), space, access}, cycle});
  }
  uint64_t Due(unsigned client) override {
    const auto& mine = items[client];
    return next_[client] < mine.size() ? begin + mine[next_[client]].cycle : kNever;
  }
  hw::ClientRequest Take(unsigned client, uint64_t cycle) override {
    EXPECT_GE(cycle, Due(client));
    return items[client][next_[client]++].request;
  }
  void Answered(unsigned, const hw::ClientAnswer& answer) override {
    EXPECT_TRUE(answers.emplace(answer.tag, answer).second) << "answered twice";
    EXPECT_GT(answer.answered, answer.requested);
  }
  bool done() const { return answers.size() == next_tag_; }

 private:
  std::map<unsigned, size_t> next_;
  uint64_t next_tag_ = 0;
};

void Drive(Script& s, List& list) {
  hw::Platform& platform = s.platform();
  hw::Instruments& instruments = *platform.instruments();
  list.begin = instruments.Cycles() + 10;
  instruments.DriveClients(0, &list);
  for (int i = 0; i < 1'000 && !list.done(); ++i) platform.WaitForMessage(1'000), platform.TakeMessage();
  EXPECT_TRUE(list.done()) << list.answers.size() << " answers";
  instruments.DriveClients(0, nullptr);
  for (const auto& [tag, answer] : list.answers)
    s.Say(fmt::format("access {}: {}", tag, regs::NameOf(answer.fault)), answer.tag);
}

TEST(ClientPorts, GiveTheSameAnswersOnBothEngines) {
  ExpectSame([](Script& s) {
    MakePages(s);
    List list;
    for (unsigned i = 0; i < 200; ++i) {
      const uint64_t line = i * 2654435761u % (16 * 64) * 64;
      const unsigned offset = i % 3 == 0 ? 0 : i * 7 % 40;
      list.Add(i % 4, line + offset, i % 3 == 0 ? 64 : 1 + i % 24, i % 5 == 0 ? Access::kExecute : Access::kRead);
    }
    list.Add(0, 0x80000, 8, Access::kRead);     // not mapped
    list.Add(1, 0x90000, 64, Access::kWrite);   // read only
    list.Add(2, 0x91000, 4, Access::kExecute);  // no execute
    list.Add(3, 0x92000, 64, Access::kWrite);   // zero
    list.Add(0, 0x92000, 64, Access::kRead);
    list.Add(1, 0x94000, 64, Access::kRead);      // peer
    list.Add(2, 0x95000, 64, Access::kWrite);     // beyond the end of VRAM
    list.Add(3, 0x40000, 64, Access::kRead);      // host memory
    list.Add(0, 64, 64, Access::kRead, 0, 2);     // a space that is disabled
    list.Add(1, 0x41008, 16, Access::kWrite);     // host memory
    list.Add(2, 128, 64, Access::kRead, 20'000);  // much later, when the GPU is asleep
    Drive(s, list);
    for (uint32_t port = 0; port < 4; ++port) {
      const uint32_t block = regs::kPortCountersBase + port * regs::kPortCountersStride;
      s.Say("lookups", s.Read(block + regs::PortCountersLookups::kOffset));
      s.Say("faults", s.Read(block + regs::PortCountersFaults::kOffset));
    }
    s.Say("read bytes", s.Read(regs::kCountersBase + regs::CountersClientReadBytes::kOffset));
    s.Say("written bytes", s.Read(regs::kCountersBase + regs::CountersClientWriteBytes::kOffset));
  });
}

TEST(ClientPorts, WriteThePatternOfTheirAddress) {
  ExpectSame([](Script& s) {
    MakePages(s);
    List list;
    list.Add(0, 0x1040, 64, Access::kWrite);
    list.Add(1, 0x2043, 13, Access::kWrite);
    list.Add(1, 0x207F, 1, Access::kWrite);
    Drive(s, list);
    s.SayVram(kVram, 0x10000);
    const uint64_t at = s.bare().window() + kVram + (1 ^ 5) * 4096 + 0x48;
    EXPECT_EQ(s.platform().MmioRead(at, 8), hw::AddressPattern(0, 0x1048));
  });
}

TEST(ClientPorts, DropAnswersOfAccessesThatWereTakenAway) {
  ExpectSame([](Script& s) {
    MakePages(s);
    hw::Instruments& instruments = *s.platform().instruments();
    List gone, list;
    for (unsigned i = 0; i < 40; ++i) gone.Add(i % 4, i * 64, 64, Access::kRead);
    gone.begin = instruments.Cycles();
    instruments.DriveClients(0, &gone);
    s.platform().WaitForMessage(30);
    const size_t before = gone.answers.size();
    EXPECT_LT(before, 40u);
    for (unsigned i = 0; i < 8; ++i) list.Add(i % 4, i * 64, 64, Access::kRead);
    Drive(s, list);
    EXPECT_EQ(gone.answers.size(), before);
  });
}

}  // namespace
}  // namespace gmmu::test
