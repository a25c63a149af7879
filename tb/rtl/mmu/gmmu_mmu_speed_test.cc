// SPDX-License-Identifier: Apache-2.0
// The MMU's figures. A memory of latency L (cycles from the edge that accepts AR to the edge that
// accepts the first R beat)
// without stalls; times run from the edge that accepts the request to the edge on which the answer
// is valid.
#include <gtest/gtest.h>

#include <iostream>

#include "mmu_machine.h"

namespace gmmu::bench {
namespace {

using regs::Access;
using regs::PteEntry;
using regs::Target;

constexpr uint64_t kRoot = 0x100000;

/// Three levels of nine bits, everything mapped: va to system page number va >> 12 plus 0x80000.
class MmuSpeed : public testing::Test {
 protected:
  MmuSpeed() : machine_(false, 1) {
    machine_.check = true;
    config_.enable = true;
    config_.root_target = Target::kVram;
    config_.root_address = kRoot;
    config_.root_entries = 512;
    config_.levels = 3;
    config_.bits = {9, 9, 9, 0, 0, 0};
    machine_.memory.fill = [](TableMemory::Key key) {
      const uint64_t table = key.second >> 12, index = (key.second >> 3) & 511;
      PteEntry entry;
      entry.set_valid(1);
      if (table == kRoot >> 12) return entry.set_target(Target::kVram).set_page(0x1000 + index).raw;
      if (table < 0x2000) return entry.set_target(Target::kVram).set_page(0x100000 + ((table - 0x1000) << 9) + index).raw;
      return entry.set_page(0x80000 + ((table - 0x100000) << 9) + index).raw;
    };
    Control control;
    control.set_space = true;
    control.space = 0;
    control.config = config_;
    machine_.Do(control);
  }
  ~MmuSpeed() override {
    for (const std::string& error : machine_.errors()) ADD_FAILURE() << error;
  }
  uint64_t Latency(uint64_t va, unsigned port = 0) {
    const Answer answer = machine_.Translate({port, 0, va, Access::kRead});
    return answer.answered - answer.accepted;
  }
  /// Cycles from the first request accepted to the last answer of `count` lookups of one port.
  template <typename Va>
  double CyclesEach(unsigned count, Va va) {
    machine_.TakeAnswers();
    unsigned posted = 0;
    std::vector<Answer> answers;
    while (answers.size() < count) {
      while (posted < count && machine_.Post({0, 0, va(posted), Access::kRead})) ++posted;
      machine_.Step();
      for (const Answer& answer : machine_.TakeAnswers()) answers.push_back(answer);
    }
    uint64_t first = ~uint64_t{0}, last = 0;
    for (const Answer& answer : answers) {
      first = std::min(first, answer.accepted);
      last = std::max(last, answer.answered);
    }
    return static_cast<double>(last - first) / count;
  }

  Machine machine_;
  sim::SpaceConfig config_;
};

TEST_F(MmuSpeed, AHitIsAnsweredAfterTwoCyclesAndOneComesEveryCycle) {
  Latency(0);
  const uint64_t hit = Latency(64);
  const double each = CyclesEach(1000, [](unsigned i) { return (i * 64) & 0xfff; });
  std::cout << "L1 hit: " << hit << " cycles, " << each << " cycles each\n";
  EXPECT_LE(hit, 2u);
  EXPECT_LE(each, 1.01);
}

TEST_F(MmuSpeed, AnL2HitAfterAnL1Miss) {
  Latency(0, 1);
  const uint64_t l2 = Latency(0, 0);
  const uint64_t neighbour = Latency(0x3000, 0);
  std::cout << "L2 hit: " << l2 << " cycles; neighbour of a fetched line: " << neighbour << " cycles\n";
  EXPECT_LE(l2, 6u);
}

TEST_F(MmuSpeed, AColdWalkOfThreeReads) {
  for (const unsigned latency : {1u, 10u, 50u}) {
    machine_.manners.latency = latency;
    Control control;
    machine_.Do(control);
    const uint64_t walk = Latency(uint64_t{latency} << 21);
    std::cout << "cold walk, 3 reads, L = " << latency << ": " << walk << " cycles = 3L + " << walk - 3 * latency << "\n";
    // a shorter read does not hide the next index
    EXPECT_LE(walk, 3 * latency + (latency < 4 ? 12 : 10));
  }
}

TEST_F(MmuSpeed, AWalkFromTheWalkCache) {
  machine_.manners.latency = 50;
  Latency(0);
  const uint64_t walk = Latency(0x100000);
  std::cout << "walk-cache hit, L = 50: " << walk << " cycles = L + " << walk - 50 << "\n";
  EXPECT_LE(walk, 50u + 11);
}

TEST_F(MmuSpeed, SequentialMisses) {
  machine_.manners.latency = 50;
  const double each = CyclesEach(2048, [](unsigned i) { return uint64_t{i} << 12; });
  std::cout << "sequential misses, 8 walkers, L = 50: " << each << " cycles each\n";
  EXPECT_LE(each, 9.0);
}

TEST_F(MmuSpeed, SparseMisses) {
  machine_.manners.latency = 50;
  const double walked = CyclesEach(400, [](unsigned i) { return uint64_t{i} << 30 |
      uint64_t{i} << 21; });
  std::cout << "sparse misses of " << static_cast<double>(machine_.top().table_reads_o) / 400 << " reads, 8 walkers, L = 50: " << walked
            << " cycles each\n";
  const double cached = CyclesEach(400, [](unsigned i) { return uint64_t{i % 8} << 21 |
      uint64_t{i / 8} << 15; });
  std::cout << "sparse misses, walk cache hits, 8 walkers, L = 50: " << cached << " cycles each\n";
  EXPECT_LE(walked, 27.0);
  EXPECT_LE(cached, 16.0);
}

}  // namespace
}  // namespace gmmu::bench
