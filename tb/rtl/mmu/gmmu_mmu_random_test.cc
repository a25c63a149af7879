// SPDX-License-Identifier: Apache-2.0
// Tests the MMU under random load. Every response must equal the reference walk over table entries
// that were current at some time since the latest completed invalidation of its address.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <ostream>

#include "mmu_machine.h"
#include "random_tables.h"

namespace gmmu::bench {
namespace {

struct Scene {
  const char* name;
  bool small;
  Manners manners;
  unsigned change_every;  // mean interval in cycles; 0: never
  unsigned flush_every;
  unsigned like = 0;    // index of the MMU in gmmu_mmu_bench that was built with the reduced sizes
  bool resize = false;  // also change the sizes in use
};

void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

Manners Make(unsigned latency, unsigned spread, unsigned stall, bool reorder, unsigned delay) {
  Manners manners;
  manners.latency = latency;
  manners.latency_spread = spread;
  manners.ar_stall = manners.r_stall = manners.rsp_stall = manners.req_idle = stall;
  manners.reorder = reorder;
  manners.done_delay = delay;
  manners.early_read = 50;
  return manners;
}

Manners SlowAnswers() {
  Manners manners = Make(3, 10, 0, true, 30);
  manners.rsp_stall = 93;
  return manners;
}

/// Returns random sizes, most of them legal; 0 selects the built size.
regs::SizesInUse SomeSizes(const std::function<unsigned(unsigned)>& pick) {
  return regs::SizesInUse()
      .set_l1_entries(pick(18))
      .set_l2_entries(pick(4) == 0 ? 0 : 32u << pick(5))
      .set_l2_ways(pick(4) == 0 ? 0 : 1u << pick(3))
      .set_walk_cache(pick(4) == 0 ? 0 : 2u << pick(4))
      .set_walks(pick(9));
}

class MmuRandom : public testing::TestWithParam<std::tuple<Scene, int>> {};

TEST_P(MmuRandom, EveryAnswerEqualsTheReferenceWalk) {
  const auto& [scene, seed] = GetParam();
  std::mt19937_64 random(static_cast<uint64_t>(seed) * 7919 + 1);
  const auto pick = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
  Machine machine(scene.small, static_cast<uint64_t>(seed), scene.like);
  machine.manners = scene.manners;

  const unsigned spaces = scene.small ? 2 : 5;
  uint64_t next = 0x100000;
  std::vector<std::unique_ptr<RandomTables>> tables;
  for (unsigned s = 0; s < 2 * spaces; ++s) {  // The second half is for later changes of a root.
    const unsigned levels = 2 + (s + static_cast<unsigned>(seed)) % 5;
    tables.push_back(std::make_unique<RandomTables>(machine.memory, random(), levels, 13, machine.t.data_words_o > 1,
                                                    pick(2) != 0, &next));
  }
  machine.memory.fill = [&tables](TableMemory::Key key) -> uint64_t {
    for (auto& owner : tables) {
      if (owner->Owns(key)) return owner->Generate(key);
    }
    return 0;
  };
  std::vector<unsigned> active(spaces);
  for (unsigned s = 0; s < spaces; ++s) {
    active[s] = s;
    Control set;
    set.set_space = true;
    set.space = s;
    set.config = tables[s]->config();
    machine.Do(set);
  }
  if (scene.like != 0) machine.TurnDownAlike();

  for (int cycle = 0; cycle < 12000 && machine.errors().empty(); ++cycle) {
    for (unsigned p = 0; p < machine.ports(); ++p) {
      Request request;
      request.port = p;
      request.space = pick(40) == 0 ? spaces : pick(spaces);  // space `spaces` is never enabled
      request.va = request.space < spaces ? tables[active[request.space]]->SomeVa() : random();
      request.access = static_cast<regs::Access>(pick(3));
      if (machine.pending() < 64) machine.Post(request);
    }
    if (scene.change_every != 0 && pick(scene.change_every) == 0) {
      tables[active[pick(spaces)]]->Change(machine.now);
    }
    if (scene.flush_every != 0 && machine.CommandsDone() && pick(scene.flush_every) == 0) {
      Control control;
      control.space = pick(spaces);
      const unsigned kind = pick(20);
      if (kind < 2) {
        control.set_space = true;
        if (kind == 1) active[control.space] = (active[control.space] + spaces) % (2 * spaces);
        control.config = tables[active[control.space]]->config();
      } else if (scene.resize && kind < 6) {
        control.sizes = SomeSizes(pick);
      } else {
        control.scope = kind < 4 ? regs::Scope::kGlobal : kind < 8 ? regs::Scope::kSpace : regs::Scope::kRange;
        control.start = tables[active[control.space]]->SomeVa();
        control.end = control.start + (uint64_t{1} << (10 + pick(30)));
        if (pick(20) == 0) control.end = pick(2) == 0 ? ~uint64_t{0} : control.start;
      }
      machine.Command(control);
    }
    machine.Step();
    machine.TakeAnswers();
  }
  EXPECT_TRUE(machine.Run(200000)) << "something is stuck: " << machine.pending() << " lookups are not answered";
  for (const std::string& error : machine.errors()) ADD_FAILURE() << error;
  EXPECT_GT(machine.checked(), 100u);

  // Every lookup must end as exactly one of hit, miss, merged or fault, and the counters of the
  // levels must agree.
  const Machine::Counts& counts = machine.counts;
  uint64_t misses = 0;
  for (unsigned p = 0; p < machine.ports(); ++p) {
    EXPECT_EQ(counts.lookups[p], counts.hits[p] + counts.misses[p] + counts.merged[p] + counts.faults[p])
        << "port " << p;
    misses += counts.misses[p] + counts.merged[p];
  }
  EXPECT_GE(counts.l2_lookups, misses);
  EXPECT_EQ(counts.l2_lookups, counts.l2_hits + counts.l2_misses + counts.l2_merged);
  EXPECT_EQ(counts.walks, counts.l2_misses);
  EXPECT_EQ(counts.walks, counts.walks_ok + counts.walks_fault);
}

std::vector<Scene> Scenes() {
  return {
      {"quiet_fast", false, Make(1, 0, 0, false, 0), 0, 0},
      {"changes", false, Make(12, 8, 0, true, 8), 30, 150},
      {"stalls", false, Make(6, 40, 40, true, 60), 20, 120},
      {"slow_answers", false, SlowAnswers(), 8, 30},
      {"small_slow_answers", true, SlowAnswers(), 8, 30},
      {"flush_storm", false, Make(20, 20, 10, true, 20), 10, 4},
      {"resized", false, Make(6, 20, 10, true, 20), 20, 60, 0, true},
      {"resize_storm", false, Make(12, 20, 10, true, 20), 10, 4, 0, true},
      {"like_1_fast", false, Make(1, 0, 0, false, 0), 0, 0, 1},
      {"like_1", false, Make(12, 8, 20, true, 8), 30, 150, 1},
      {"like_2", false, Make(12, 8, 20, true, 8), 30, 150, 2},
      {"like_2_slow_answers", false, SlowAnswers(), 8, 30, 2},
      {"like_3", false, Make(6, 10, 10, true, 20), 10, 40, 3},
      {"small_fast", true, Make(1, 0, 0, false, 0), 40, 200},
      {"small_stalls", true, Make(4, 30, 30, true, 40), 20, 100},
      {"small_flush_storm", true, Make(9, 20, 10, true, 10), 10, 4},
  };
}

/// Returns the last seed: the value of GMMU_SEEDS, or 4. The first seed is 1.
int LastSeed() {
  const char* seeds = std::getenv("GMMU_SEEDS");
  return seeds != nullptr ? std::max(1, std::atoi(seeds)) : 4;
}

INSTANTIATE_TEST_SUITE_P(Scenes, MmuRandom,
                         testing::Combine(testing::ValuesIn(Scenes()), testing::Range(1, LastSeed() + 1)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_seed" +
                                  std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace gmmu::bench
