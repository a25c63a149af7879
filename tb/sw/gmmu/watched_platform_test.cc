// SPDX-License-Identifier: Apache-2.0
#include "gmmu/watched_platform.h"

#include <gmock/gmock.h>

#include <cstring>
#include <deque>

#include "host/bare_machine.h"
#include "twin/fast_engine.h"

namespace gmmu {
namespace {

/// A watcher that counts the calls to Look and records the responses to clients.
class Notes : public Watcher {
 public:
  void Look() override { ++looks; }
  uint64_t LongestWaitNs() override { return longest_ns; }
  void Answered(const Access& access) override { accesses.push_back(access); }

  unsigned looks = 0;
  uint64_t longest_ns = 1'000'000;
  std::vector<Access> accesses;
};

/// Makes client 1 read four lines of address space 1.
class Lines : public hw::ClientAccesses {
 public:
  uint64_t Due(unsigned client) override { return client == 1 && !todo.empty() ? 0 : kNever; }
  hw::ClientRequest Take(unsigned, uint64_t) override {
    hw::ClientRequest request;
    request.va = todo.front();
    request.tag = request.va;
    request.space = 1;
    todo.pop_front();
    return request;
  }
  void Answered(unsigned, const hw::ClientAnswer&) override { ++answered; }

  std::deque<uint64_t> todo{0x0, 0x40, 0x1000, 0x7000};
  unsigned answered = 0;
};

void OnMachine(const std::function<void(hw::Platform&)>& software) {
  const auto engine = sim::twin::CreateEngine(sim::MachineConfig::Default(), {});
  engine->Run([&](hw::Platform& platform) {
    software(platform);
    return 0;
  });
}

TEST(WatchedPlatform, LooksAfterEveryAccessThatTakesTime) {
  OnMachine([](hw::Platform& platform) {
    Notes notes;
    WatchedPlatform watched(platform, notes);
    sim::BareMachine machine(watched);
    machine.PowerOn();
    EXPECT_EQ(notes.looks, 6u);  // including those after configuration writes
    (void)machine.Read(0);
    machine.Write(regs::Ctrl::kOffset, 0);
    const uint64_t word = 7;
    // Look is called twice: after the block write, and after a read that follows it.
    machine.WriteVram(0, &word, 8);
    EXPECT_EQ(notes.looks, 10u);
    EXPECT_EQ(watched.instruments()->Cycles(), platform.instruments()->Cycles());
  });
}

TEST(WatchedPlatform, CutsAWaitWithoutChangingItsLength) {
  OnMachine([](hw::Platform& platform) {
    Notes notes;
    notes.longest_ns = 300;
    WatchedPlatform watched(platform, notes);
    const uint64_t before = watched.NowNs();
    EXPECT_FALSE(watched.WaitForMessage(1000));
    EXPECT_EQ(watched.NowNs() - before, 1000u);
    EXPECT_EQ(notes.looks, 4u);  // waits of 300, 300, 300 and 100 ns
  });
}

TEST(WatchedPlatform, TellsAnswersOfClientPortsWithTheirAddresses) {
  OnMachine([](hw::Platform& platform) {
    Notes notes;
    WatchedPlatform watched(platform, notes);
    sim::BareMachine machine(watched);
    machine.PowerOn();
    machine.MapSpace({0x100000, 0x101000});
    machine.Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw);
    Lines lines;
    watched.instruments()->DriveClients(0, &lines);
    (void)watched.WaitForMessage(100'000);
    watched.instruments()->DriveClients(0, nullptr);
    ASSERT_EQ(lines.answered, 4u);
    ASSERT_EQ(notes.accesses.size(), 4u);
    std::map<uint64_t, Access> by_va;
    for (const Access& access : notes.accesses) by_va[access.va] = access;
    for (const uint64_t va : {0x0, 0x40, 0x1000}) {
      EXPECT_EQ(by_va.at(va).fault, 0) << va;
      EXPECT_EQ(by_va.at(va).client, 1u);
      EXPECT_EQ(by_va.at(va).bytes, 64);
      EXPECT_GT(by_va.at(va).answered, by_va.at(va).requested);
    }
    EXPECT_NE(by_va.at(0x7000).fault, 0);  // the page-table entry is invalid
  });
}

}  // namespace
}  // namespace gmmu
