// SPDX-License-Identifier: Apache-2.0
// Tests random tables, accesses and invalidations: a cached translation must equal the result of a
// table walk at some moment since the last invalidation that covers it. To replay a failure, set
// GMMU_SEED in the environment.
#include <cstdlib>
#include <map>
#include <random>

#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

struct Answer {
  bool ok;
  uint64_t hpa;
  bool operator==(const Answer& other) const { return ok == other.ok && (!ok || hpa == other.hpa); }
};

/// Checks the relations between counters that vtd.h states; they hold while no request is in flight.
void ExpectSums(const VtdBench& bench) {
  const auto count = [&](const char* name) { return bench.Count(name); };
  EXPECT_EQ(count("requests"), count("bypassed") + count("context_hits") + count("context_misses"));
  EXPECT_EQ(count("context_hits") + count("context_misses"),
            count("context_ended") + count("iotlb_hits") + count("iotlb_misses"));
  EXPECT_EQ(count("iotlb_misses"), count("table_cache_hits") + count("table_cache_misses"));
  EXPECT_EQ(count("missed"), count("walks") + count("waited"));
  EXPECT_GT(count("walks"), 100u);
}

/// The legal results: for each page and access kind, all results that a table walk would have
/// returned since the page's last invalidation.
class Legal {
 public:
  void Note(VtdBench& bench, const std::vector<uint64_t>& pages) {
    for (const uint64_t page : pages) {
      for (const bool write : {false, true}) {
        const VtdResult result = bench.Peek(page, write);
        const Answer answer{result.ok(), result.hpa};
        auto& seen = seen_[{page, write}];
        if (seen.empty() || !(seen.back() == answer)) seen.push_back(answer);
      }
    }
  }
  void Forget(uint64_t start, uint64_t end) {
    for (auto& entry : seen_) {
      if (entry.first.first >= start && entry.first.first < end) entry.second.clear();
    }
  }
  bool Allows(uint64_t page, bool write, const Answer& answer) const {
    for (const Answer& seen : seen_.at({page, write})) {
      if (seen == answer) return true;
    }
    return false;
  }

 private:
  std::map<std::pair<uint64_t, bool>, std::vector<Answer>> seen_;
};

class VtdRandom : public testing::TestWithParam<int> {
 protected:
  static uint64_t Seed(unsigned first) {
    const char* given = std::getenv("GMMU_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 0) : first + static_cast<unsigned>(GetParam());
  }
};

TEST_P(VtdRandom, CachedAnswersAreNeverOlderThanTheLastInvalidation) {
  const uint64_t seed = Seed(1000);
  SCOPED_TRACE("GMMU_SEED=" + std::to_string(seed));
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t bound) { return random() % bound; };

  VtdParameters p;
  p.caching_mode = GetParam() % 2 == 1;
  p.iotlb_sets = 1 + static_cast<unsigned>(pick(4));
  p.iotlb_ways = 1 + static_cast<unsigned>(pick(8));
  p.psc_entries = 0;  // cached tables let walks mix old and new entries (see the next tests)
  p.num_fault_records = 1;
  VtdBench bench(p);
  bench.Start(3 + static_cast<unsigned>(pick(2)));

  // The twelve pages are spread over tables of every level; some are in the same 2 MiB region.
  std::vector<uint64_t> pages;
  for (uint64_t i = 0; i < 12; ++i) pages.push_back(pick(3) << 30 | pick(3) << 21 | pick(4) << 12);
  Legal legal;
  legal.Note(bench, pages);

  unsigned compared = 0, stale = 0;
  for (int step = 0; step < 3000; ++step) {
    const uint64_t page = pages[pick(pages.size())];
    const uint64_t action = pick(10);
    if (action < 2) {  // change an entry of any level on the path to the page
      const unsigned level = 1 + static_cast<unsigned>(pick(3));
      // A large page on the path to a lower level must be split first.
      for (unsigned upper = 3; upper > level; --upper) {
        uint64_t& entry = bench.Entry(bench.top, bench.levels, page, upper);
        if ((entry & kPs) != 0) entry = 0;
      }
      uint64_t& entry = bench.Entry(bench.top, bench.levels, page, level);
      if (level == 1 || pick(2) == 0) {
        entry = (pick(1024) << vtd::LevelShift(level)) | pick(4) | (level > 1 ? kPs : 0);
      } else {
        entry = 0;
      }
      legal.Note(bench, pages);
    } else if (action == 2) {
      switch (pick(3)) {
        case 0:
          bench.Submit(VtdBench::IotlbGlobal());
          legal.Forget(0, ~uint64_t{0});
          break;
        case 1:
          bench.Submit(VtdBench::IotlbDomain(VtdBench::kDid));
          legal.Forget(0, ~uint64_t{0});
          break;
        default: {
          // Invalidate the whole GiB, which covers every page size that may be cached.
          bench.Submit(VtdBench::IotlbPage(VtdBench::kDid), VtdBench::Pages(page, 18));
          const uint64_t start = page >> 30 << 30;
          legal.Forget(start, start + (uint64_t{1} << 30));
        }
      }
      legal.Note(bench, pages);
    } else {
      const bool write = pick(2) != 0;
      const VtdResult result = bench.Access(page, write);
      const Answer answer{result.ok(), result.hpa};
      const VtdResult now = bench.Peek(page, write);
      ++compared;
      if (!(answer == Answer{now.ok(), now.hpa})) ++stale;
      ASSERT_TRUE(legal.Allows(page, write, answer)) << "step " << step << " page " << std::hex << page << " write "
                                                     << write << " got " << answer.ok << " " << answer.hpa;
    }
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(stale, 0u);  // if the caches never returned a stale entry, the test would prove nothing
}

TEST_P(VtdRandom, AnswersEqualTheTablesWhenEveryChangeIsInvalidated) {
  const uint64_t seed = Seed(2000);
  SCOPED_TRACE("GMMU_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t bound) { return random() % bound; };

  VtdParameters p;
  p.caching_mode = GetParam() % 2 == 1;
  p.iotlb_ways = 1 + static_cast<unsigned>(pick(8));
  p.num_fault_records = 1;
  VtdBench bench(p);
  bench.Start(3 + static_cast<unsigned>(pick(2)));

  for (int step = 0; step < 4000; ++step) {
    const uint64_t page = pick(3) << 30 | pick(3) << 21 | pick(4) << 12;
    if (pick(4) == 0) {
      const unsigned level = 1 + static_cast<unsigned>(pick(3));
      bool leaf_only = true;
      for (unsigned upper = 3; upper > level; --upper) {
        uint64_t& entry = bench.Entry(bench.top, bench.levels, page, upper);
        if ((entry & kPs) == 0) continue;
        entry = 0;
        bench.Submit(VtdBench::IotlbPage(VtdBench::kDid), VtdBench::Pages(page, 9 * (upper - 1)));
      }
      // Tables created here turn not-present entries into present ones, for which caching mode requires an
      // invalidation.
      const uint64_t at = bench.EntryAt(bench.top, bench.levels, page, level);
      uint64_t& entry = bench.memory.words[at];
      if (level > 1 && (entry & kRw) != 0 && (entry & kPs) == 0) leaf_only = false;
      entry = (pick(1024) << vtd::LevelShift(level)) | pick(4) | (level > 1 ? kPs : 0);
      if (pick(8) == 0) entry |= uint64_t{1} << 49;
      bench.Submit(VtdBench::IotlbPage(VtdBench::kDid), VtdBench::Pages(page, 9 * (level - 1), leaf_only));
    }
    const bool write = pick(2) != 0;
    const VtdResult got = bench.Access(page, write), want = bench.Peek(page, write);
    ASSERT_EQ(got.reason, want.reason) << "step " << step << " page " << std::hex << page;
    ASSERT_EQ(got.hpa, want.hpa) << "step " << step << " page " << std::hex << page;
  }
  EXPECT_GT(bench.Count("iotlb_hits"), 500u);
  ExpectSums(bench);
}

// Several walks run concurrently, each with one read in flight, while a table changes. After the
// wait descriptor has written its status, no result may come from the old entry.
TEST_P(VtdRandom, NoOldAnswerLeavesAfterTheWaitOfItsInvalidation) {
  const uint64_t seed = Seed(3000);
  SCOPED_TRACE("GMMU_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t bound) { return random() % bound; };

  VtdParameters p;
  p.caching_mode = GetParam() % 2 == 1;
  p.psc_entries = static_cast<unsigned>(pick(8));
  p.iotlb_ways = static_cast<unsigned>(pick(3));
  StartedVtd bench(p);
  constexpr uint64_t kPages = 6;
  const auto iova = [](uint64_t index) { return index % 3 << 12 | index / 3 << 21; };
  for (uint64_t i = 0; i < kPages; ++i) bench.Map(iova(i), (i + 1) << 20);

  struct Active {
    VtdWalk walk;
    uint64_t page;
  };
  std::vector<Active> active;
  uint64_t changing = kPages;  // none
  uint32_t token = 0;
  unsigned changes = 0, held = 0, answers = 0;
  for (int step = 0; step < 20000; ++step) {
    switch (pick(4)) {
      case 0:
        if (active.size() < 5) {
          const uint64_t page = pick(kPages);
          active.push_back(
              {bench.core.Lookup({VtdBench::kSid, iova(page), pick(2) != 0, VtdAddressType::kUntranslated}), page});
        }
        break;
      case 1:
        if (!active.empty()) {
          const size_t i = pick(active.size());
          Active& one = active[i];
          if (!one.walk.done()) {
            if (one.walk.reads() == 0 && pick(2) == 0) bench.core.Restart(one.walk);
            if (!one.walk.done()) bench.Step(one.walk);
          } else {
            if (one.page != changing) {
              ++answers;
              ASSERT_TRUE(one.walk.result().ok());
              ASSERT_EQ(one.walk.result().hpa, bench.Peek(iova(one.page)).hpa) << "step " << step;
            }
            bench.core.Finish(one.walk);
            active.erase(active.begin() + static_cast<std::ptrdiff_t>(i));
          }
        }
        break;
      case 2:
        if (changing == kPages && pick(4) == 0) {
          changing = pick(kPages);
          bench.Map(iova(changing), (pick(4096) + 16) << 20);
          ++changes;
          bench.Queue(VtdBench::IotlbPage(VtdBench::kDid), VtdBench::Pages(iova(changing), 0, pick(2) != 0));
          bench.Submit(VtdBench::WaitStatus(++token), VtdBench::kStatus);
        }
        break;
      default:
        bench.core.RunQueue(bench.memory);
        if (changing == kPages) break;
        if (bench.memory.words[VtdBench::kStatus] == token) {
          changing = kPages;
        } else {
          ++held;
        }
    }
  }
  EXPECT_GT(changes, 100u);
  EXPECT_GT(held, 100u);
  EXPECT_GT(answers, 500u);
  for (Active& one : active) {
    while (!one.walk.done()) bench.Step(one.walk);
    bench.core.Finish(one.walk);
  }
  EXPECT_EQ(bench.Count("waited") > 0, p.iotlb_ways > 0);
  ExpectSums(bench);
}

INSTANTIATE_TEST_SUITE_P(Seeds, VtdRandom, testing::Range(0, 8));

}  // namespace
}  // namespace gmmu::sim
