// SPDX-License-Identifier: Apache-2.0
// Tests the MMU with many outstanding misses: shared walks, waiting lookups, and the order of
// service.
#include "mmu_test.h"

namespace gmmu::bench {
namespace {

TEST_F(MmuTest, EqualMissesOfAllPortsTakeOneWalk) {
  machine_.manners.latency = 100;
  for (unsigned port = 0; port < kPorts; ++port) {
    for (unsigned i = 0; i < 4; ++i) machine_.Post({port, 1, kVa + i * 64, Access::kRead});
  }
  EXPECT_TRUE(machine_.Run(2000));
  EXPECT_EQ(machine_.counts.walks, 1u);
  EXPECT_EQ(Reads(), 4u);
  uint64_t merged = 0, misses = 0;
  for (unsigned port = 0; port < kPorts; ++port) {
    merged += machine_.counts.merged[port];
    misses += machine_.counts.misses[port];
  }
  EXPECT_EQ(misses, 1u);
  EXPECT_EQ(merged, kPorts * 4 - 1);
}

TEST_F(MmuTest, ManyLookupsOfAFaultyPageEndWhileOthersOfItsLineAreServed) {
  // A fault is returned only to the lookup that began the walk, so each of these lookups needs its
  // own walk. No lookup may prevent another lookup's row from becoming free.
  for (uint64_t i = 0; i < 8; ++i) Put(kLeaf + 0xa00 + i * 8, i == 3 ? 0 : Page(0x100000 + (i << 12)));
  for (const unsigned latency : {1u, 7u, 30u}) {
    machine_.manners.latency = latency;
    for (unsigned i = 0; i < 6; ++i) {
      for (unsigned port = 0; port < kPorts; ++port) {
        for (const uint64_t page : {2u, 3u, 3u, 3u, 4u}) {
          machine_.Post({port, 1, 0x12340000 + (page << 12) + i * 64, Access::kRead});
        }
      }
    }
    EXPECT_TRUE(machine_.Run(6 * kPorts * 3 * (latency + 60))) << "L = " << latency;
    unsigned faults = 0;
    for (const Answer& answer : machine_.TakeAnswers()) {
      faults += answer.result.fault == Fault::kEntryInvalid;
    }
    EXPECT_EQ(faults, 6 * kPorts * 3);
    Flush(Scope::kGlobal);
  }
}

TEST_F(MmuTest, WaitersKeepTheirAnswerWhileTheirRowIsWantedAgain) {
  // Sixty lookups join one walk. As soon as the first of them has its response, another walk begins
  // that stores its entry in the same word of the same row's line.
  Put(kLeaf + 0xa28 + 0x400, Page(0x5000));
  machine_.manners.latency = 60;
  for (unsigned i = 0; i < 12; ++i) {
    for (unsigned port = 0; port < kPorts; ++port) {
      machine_.Post({port, 1, kVa + i * 64, Access::kRead});
    }
  }
  const uint64_t begun = machine_.now;
  std::vector<Answer> answers;
  while (answers.empty()) {
    machine_.Step();
    ASSERT_LT(machine_.now, begun + 1000);
    answers = machine_.TakeAnswers();
  }
  machine_.manners.latency = 2;
  machine_.Post({0, 1, kVa + 0x80000, Access::kRead});
  EXPECT_TRUE(machine_.Run(2000));
  for (const Answer& answer : machine_.TakeAnswers()) answers.push_back(answer);
  ASSERT_EQ(answers.size(), 12 * kPorts + 1);
  for (const Answer& answer : answers) {
    const bool other = answer.request.va == kVa + 0x80000;
    EXPECT_EQ(answer.result.gpa.offset >> 12, other ? 0x5u : 0x98765u);
  }
}

TEST_F(MmuTest, SharedResultsStandUntilTheLastSharerHasItsAnswer) {
  for (uint64_t i = 0; i < 512; ++i) Put(kLeaf + i * 8, Page(0x5000000 + (i << 12)));
  machine_.manners.rsp_stall = 90;
  machine_.manners.latency = 3;
  for (unsigned i = 0; i < 400; ++i) {
    const uint64_t page = 0x12200000 + (uint64_t{i * 37 % 512} << 12);
    for (unsigned j = 0; j < 3; ++j) {
      while (!machine_.Post({0, 1, page + j * 8, Access::kRead})) machine_.Step();
    }
    if (i % 50 == 0) Flush(Scope::kSpace, 1);
  }
  EXPECT_TRUE(machine_.Run(100000));
}

TEST_F(MmuTest, HitsPassMissesThatWait) {
  At(kVa);
  machine_.manners.latency = 500;
  machine_.Post({0, 1, uint64_t{5} << 39, Access::kRead});  // This lookup waits for memory.
  for (int i = 0; i < 20; ++i) machine_.Post({0, 1, kVa + static_cast<unsigned>(i) * 8, Access::kRead});
  for (int i = 0; i < 60; ++i) machine_.Step();
  EXPECT_EQ(machine_.pending(), 1u);
  EXPECT_TRUE(machine_.Run(3000));
}

TEST_F(MmuTest, TheFetchPassesTheMoversMisses) {
  // Reads and writes of the engine fill all the slots that they may use.
  At(kVa, Access::kRead, 1, kPorts - 3);
  machine_.TakeAnswers();
  machine_.manners.latency = 2000;
  for (uint64_t i = 0; i < 24; ++i) {
    machine_.Post({kPorts - 2, 1, (i + 8) << 39, Access::kRead});
    machine_.Post({kPorts - 1, 1, (i + 32) << 39, Access::kWrite});
  }
  for (int i = 0; i < 200; ++i) machine_.Step();
  EXPECT_EQ(machine_.TakeAnswers().size(), 0u);
  machine_.Post({kPorts - 3, 1, kVa, Access::kRead});                // This lookup hits in the L1.
  machine_.Post({kPorts - 3, 1, uint64_t{5} << 39, Access::kRead});  // This miss occupies a slot.
  for (int i = 0; i < 30; ++i) machine_.Step();
  const auto answers = machine_.TakeAnswers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].request.port, kPorts - 3);
  EXPECT_TRUE(machine_.Run(100000));
}

TEST_F(MmuTest, TheEngineGetsARowAlthoughClientsWantThemAll) {
  machine_.manners.latency = 300;
  for (uint64_t i = 0; i < 8; ++i) {
    machine_.Post({0, 1, (i + 8) << 39, Access::kRead});
    machine_.Post({1, 1, (i + 32) << 39, Access::kRead});
  }
  for (int i = 0; i < 100; ++i) machine_.Step();
  const uint64_t begun = machine_.now;
  machine_.Post({kPorts - 1, 1, kVa, Access::kRead});
  bool answered = false;
  while (!answered) {
    machine_.Step();
    for (const Answer& answer : machine_.TakeAnswers()) answered |= answer.request.port == kPorts - 1;
    ASSERT_LT(machine_.now, begun + 4 * 310 + 60);
  }
  EXPECT_TRUE(machine_.Run(10000));
}

}  // namespace
}  // namespace gmmu::bench
