// SPDX-License-Identifier: Apache-2.0
// Unmaps pages of host memory while the GPU writes to them. After the IOMMU has reported the
// invalidation complete, the GPU must not change the pages, on any engine. GMMU_RACES and GMMU_SEED
// set the number of races and the seed (make check-long).
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>
#include <string>

#include "gmmu/gmmu.h"
#include "host/bare_machine.h"

namespace gmmu {
namespace {

using regs::Target;
using B = sim::BareMachine;

constexpr uint64_t kPages = 4, kLogical = 0x400000, kPhysical = 0x600000, kSource = 0x10000;
constexpr uint64_t kQueue = 0x280000, kStatus = 0x281000;  // the IOMMU's invalidation queue and status word
constexpr unsigned kDomain = 1;                            // domain id that BareMachine uses
constexpr int kPolls = 10'000;

uint64_t Environment(const char* name, uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 0) : otherwise;
}

class Races {
 public:
  Races(hw::Platform& p, uint64_t seed) : p_(p), m_(p, 0, 10'000'000), random_(seed), unit_(*p.firmware().iommu_base) {
    m_.PowerOn();
    std::vector<B::Mapping> maps = {{B::kRing, B::kRing}, {B::kBuffer, B::kBuffer}, {B::kFence, B::kFence}};
    for (uint64_t page = 0; page < kPages; ++page) maps.push_back({Logical(page), Physical(page)});
    m_.TranslateDma(maps);
    for (const B::Mapping& map : maps) Own(map.host, true);
    m_.StartRing();
    const uint64_t source[2] = {~uint64_t{0}, ~uint64_t{0}};
    m_.WriteVram(kSource, source, sizeof source);
    iotlb_ = unit_ + (p_.MmioRead(unit_ + 0x10, 8) >> 8 & 0x3FF) * 16 + 8;  // ECAP.IRO
  }

  /// Makes later calls to Invalidate use the invalidation queue.
  void UseQueue() {
    queued_ = true;
    p_.MmioWrite(unit_ + 0x88, 8, 0);
    p_.MmioWrite(unit_ + 0x90, 8, kQueue);
    p_.MmioWrite(unit_ + 0x18, 4, 1u << 31 | 1u << 26);  // GCMD: TE stays set, QIE is set
    ASSERT_NE(p_.MmioRead(unit_ + 0x1C, 4) & 1u << 26, 0u);
  }

  /// Unmaps a random range of pages while the GPU executes random commands on them. Reports errors
  /// as test failures.
  void Run() {
    for (uint64_t page = 0; page < kPages; ++page) {
      m_.Put(Physical(page), 0);
      m_.Put(Physical(page) + 8, 0);
      Own(Physical(page), true);
      Leaf(page, Physical(page) | 3);  // needs no flush: not-present entries are not cached
    }
    std::vector<uint64_t> commands;
    for (uint64_t i = 0, n = 1 + Below(4); i < n; ++i) {
      const bool reads = Below(16) == 0;
      const uint64_t page = Logical(Below(kPages));
      for (const uint64_t word : reads ? B::Copy(Target::kSystem, page, Target::kVram, kSource + 0x1000, 16)
                                       : B::Copy(Target::kVram, kSource, Target::kSystem, page, 1 + Below(16)))
        commands.push_back(word);
    }
    m_.Submit(commands);
    static_cast<void>(p_.WaitForMessage(Below(4'000)));
    const uint64_t first = Below(kPages), count = 1 + Below(kPages - first);
    for (uint64_t page = first; page < first + count; ++page) Leaf(page, 0);
    ASSERT_TRUE(Invalidate()) << "the invalidation did not end";
    for (uint64_t page = first; page < first + count; ++page) Own(Physical(page), false);
    for (uint64_t page = first; page < first + count; ++page) {
      ++(Word(page) == 0 ? before_ : behind_);
      m_.Put(Physical(page), kMark);
      m_.Put(Physical(page) + 8, kMark);
    }
    Settle();
    for (uint64_t page = first; page < first + count; ++page) {
      ASSERT_EQ(Word(page), kMark) << "page " << page << " was written after its invalidation";
      ASSERT_EQ(Word(page, 8), kMark) << "page " << page << " was written after its invalidation";
    }
  }

  uint64_t before() const { return before_; }  ///< pages unmapped before the GPU wrote to them
  uint64_t behind() const { return behind_; }  ///< pages unmapped after the GPU wrote to them

 private:
  static constexpr uint64_t kMark = 0xC0FFEEC0FFEE0001;
  static uint64_t Logical(uint64_t page) { return kLogical + page * hw::kPageSize; }
  static uint64_t Physical(uint64_t page) { return kPhysical + page * hw::kPageSize; }
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  void Own(uint64_t address, bool owned) { p_.instruments()->NotePages(address / hw::kPageSize, 1, owned); }

  uint64_t Word(uint64_t page, uint64_t offset = 0) {
    uint64_t word = 0;
    EXPECT_TRUE(p_.ram().Read(Physical(page) + offset, &word, sizeof word));
    return word;
  }

  void Leaf(uint64_t page, uint64_t entry) {
    uint64_t table = B::kTop;
    for (int shift = 39; shift > 12; shift -= 9) {
      ASSERT_TRUE(p_.ram().Read(table + (Logical(page) >> shift & 511) * 8, &table, sizeof table));
      table &= ~uint64_t{0xFFF};
    }
    m_.Put(table + (Logical(page) >> 12 & 511) * 8, entry);
  }

  /// Invalidates the whole domain, draining reads and writes. Returns false if this does not
  /// complete in time.
  bool Invalidate() {
    if (!queued_) {
      p_.MmioWrite(iotlb_, 8, uint64_t{1} << 63 | uint64_t{2} << 60 | uint64_t{3} << 48 | uint64_t{kDomain} << 32);
      for (int i = 0; i < kPolls; ++i) {
        if (p_.MmioRead(iotlb_, 8) >> 63 == 0) return true;
      }
      return false;
    }
    const auto put = [this](uint64_t low, uint64_t high) {
      m_.Put(kQueue + tail_, low);
      m_.Put(kQueue + tail_ + 8, high);
      tail_ = (tail_ + 16) % 4096;
    };
    put(2 | 2 << 4 | 3 << 6 | uint64_t{kDomain} << 16, 0);
    put(5 | 1 << 5 | uint64_t{++waits_} << 32, kStatus);  // status write
    p_.MmioWrite(unit_ + 0x88, 8, tail_);
    for (int i = 0; i < kPolls; ++i) {
      uint32_t status = 0;
      if (!p_.ram().Read(kStatus, &status, sizeof status)) return false;
      if (status == waits_) return true;
      static_cast<void>(p_.MmioRead(unit_ + 0x1C, 4));  // each access lets simulated time pass
    }
    return false;
  }

  /// Waits until the commands have completed and their writes have taken effect. Restarts the ring if a read of an
  /// unmapped page stopped it.
  void Settle() {
    const bool good = m_.Await();
    static_cast<void>(p_.WaitForMessage(1'000));
    if (!good) m_.RestartRing();
    while (p_.TakeMessage()) {}
  }

  hw::Platform& p_;
  B m_;
  std::mt19937_64 random_;
  const uint64_t unit_;
  uint64_t iotlb_ = 0, tail_ = 0;
  uint32_t waits_ = 0;
  bool queued_ = false;
  uint64_t before_ = 0, behind_ = 0;
};

class UnmapRace : public testing::TestWithParam<std::string> {};

TEST_P(UnmapRace, NothingIsWrittenAfterAnInvalidationHasEnded) {
  const uint64_t races = Environment("GMMU_RACES", 1'000), seed = Environment("GMMU_SEED", 1);
  SCOPED_TRACE("GMMU_RACES=" + std::to_string(races) + " GMMU_SEED=" + std::to_string(seed));
  RecordProperty("seed", std::to_string(seed));
  const auto run = [&](hw::Platform& p) {
    Races all(p, seed);
    for (uint64_t i = 0; i < races && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("race " + std::to_string(i));
      if (i == races / 2) all.UseQueue();
      all.Run();
    }
    if (!testing::Test::HasFailure()) {
      EXPECT_GT(all.before(), races / 10);
      EXPECT_GT(all.behind(), races / 10);
    }
    for (const hw::Finding& finding : p.instruments()->Findings())
      ADD_FAILURE() << finding.probe << ": " << finding.text;
    return 0;
  };
  Machine machine(Configuration(), Software{{GetParam(), seed}, run});
  machine.Run();
}

INSTANTIATE_TEST_SUITE_P(Engines, UnmapRace, testing::ValuesIn(Engines()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gmmu
