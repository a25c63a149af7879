// SPDX-License-Identifier: Apache-2.0
// gmmu_control in a world of its own: the test plays the pipeline that runs dry, the ports that
// give answers back and the walks that become stale, and judges every cycle by the contract.
#include <map>
#include <vector>

#include "control_machine.h"
#include "control_model.h"

namespace gmmu::bench {
namespace {

/// What the world does during one operation.
struct World {
  std::vector<bool> quiet;            // from the first cycle of hold on; afterwards it lasts
  int lag = 0;                        // cycles after the flip in which the ports still say drained
  int drain = 0;                      // cycles after them in which they do not
  int stale = 0;                      // cycles after the kill with a stale read under way
  bool in_use = false;                // answers of the new generation are in use all the time
};

class ControlTest : public ControlBenchTest {
 protected:
  /// A world that is in no one's way, and one with random delays.
  static World Easy() { return {}; }
  World Slow() {
    World world;
    // The pipeline says quiet for some cycles of hold, as lookups still enter in the first two.
    world.quiet.assign(Random(5), true);
    world.quiet.push_back(false);
    for (unsigned runs = Random(6); runs > 0; --runs) {  // messages of walks that come back
      for (unsigned i = Random(4); i > 0; --i) world.quiet.push_back(true);
      for (unsigned i = 1 + Random(8); i > 0; --i) world.quiet.push_back(false);
    }
    world.lag = static_cast<int>(Random(5));
    world.drain = static_cast<int>(Random(3) == 0 ? 0 : Random(60));
    world.stale = static_cast<int>(Random(3) == 0 ? 0 : Random(90));
    world.in_use = Random(2) == 0;
    return world;
  }

  Config AnyConfig() {
    Config config;
    config.enable = Random(8) != 0;
    config.target = Random(4);
    config.adapter = Random(64);
    config.offset = random_() >> 16;
    config.entries = Random(2) ? Random(10000) : static_cast<uint32_t>(random_());
    config.dual = Random(3) == 0;
    config.levels = Random(6) == 0 ? Random(8) : 2 + Random(5);
    for (unsigned l = 0; l < 6; ++l) {
      config.bits |= (Random(20) == 0 ? Random(16) : 1 + Random(9)) << (4 * l);
    }
    return config;
  }
  ControlOp AnyOp() {
    ControlOp op;
    op.set = Random(2) == 0;
    op.scope = Random(3);
    op.space = Random(10) == 0 ? Random(64) : Random(Spaces());
    op.start = random_() >> Random(64);
    op.end = Random(8) == 0 ? random_() >> Random(64) : op.start + (random_() >> (20 + Random(44)));
    if (Random(8) == 0) op.end = op.start + Random(3) - 1;
    if (Random(3) == 0) op.end &= ~uint64_t{0xFFF};  // the first byte of a page is not in the range
    const auto known = configs_.find(op.space);
    op.config = known != configs_.end() && Random(3) == 0 ? known->second : AnyConfig();
    return op;
  }

  void Drive(const ControlOp& op, bool valid) {
    top_->ctl_valid_i = valid;
    top_->ctl_set_i = op.set;
    top_->ctl_scope_i = static_cast<uint8_t>(op.scope);
    top_->ctl_space_i = static_cast<uint8_t>(op.space);
    top_->ctl_start_i = op.start;
    top_->ctl_end_i = op.end;
    top_->cfg_enable_i = op.config.enable;
    top_->cfg_target_i = static_cast<uint8_t>(op.config.target);
    top_->cfg_adapter_i = static_cast<uint8_t>(op.config.adapter);
    top_->cfg_offset_i = op.config.offset;
    top_->cfg_entries_i = op.config.entries;
    top_->cfg_levels_i = static_cast<uint8_t>(op.config.levels);
    top_->cfg_bits_i = op.config.bits;
    top_->cfg_dual_i = op.config.dual;
  }

  /// The part of the world's inputs that means nothing.
  void Noise() {
    top_->quiet_i = Random(2);
    top_->drained_i = static_cast<uint8_t>(Random(4));
    top_->stale_i = Random(2);
  }

  void ExpectIdle() {
    if (!just_ready_) ASSERT_EQ(top_->hold_o, 0);
    just_ready_ = false;
    ASSERT_EQ(top_->kill_valid_o, 0);
    ASSERT_EQ(top_->sweep_valid_o, 0);
    ASSERT_EQ(top_->space_write_o, 0);
    ASSERT_EQ(top_->ctl_done_o, 0);
    ASSERT_EQ(top_->inv_valid_o, 0);
    ASSERT_EQ(top_->generation_o, generation_);
  }

  /// After reset: everything is swept once under hold; nothing else happens. Bounded.
  void Start(bool asks = false) {
    const ControlOp op;
    unsigned steps = 0;
    top_->eval();
    for (unsigned cycle = 0; !top_->ctl_ready_o; ++cycle) {
      ASSERT_LT(cycle, Steps() + 20) << "ready after reset";
      Drive(op, asks);
      Noise();
      top_->eval();
      ASSERT_EQ(top_->kill_valid_o, 0);
      ASSERT_EQ(top_->space_write_o, 0);
      ASSERT_EQ(top_->ctl_done_o, 0);
      ASSERT_EQ(top_->inv_valid_o, 0);
      ASSERT_EQ(top_->generation_o, 0);
      if (steps < Steps()) ASSERT_EQ(top_->hold_o, 1) << "not yet swept";
      if (top_->sweep_valid_o) {
        ASSERT_EQ(top_->sweep_index_o, steps++);
        ASSERT_EQ(top_->sweep_all_o, 1);
        ASSERT_EQ(top_->sweep_ranged_o, 0);
      }
      Edge();
      top_->ctl_valid_i = 0;
      top_->eval();
    }
    ASSERT_EQ(steps, Steps());
    generation_ = 0;
    configs_.clear();
    just_ready_ = true;
  }

  void IdleCycles(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      Drive(AnyOp(), false);
      Noise();
      top_->eval();
      ASSERT_NO_FATAL_FAILURE(ExpectIdle());
      ASSERT_EQ(top_->ctl_ready_o, 1);
      ASSERT_EQ(top_->busy_o, 0);
      Edge();
    }
  }

  void ExpectScope(const ControlOp& op) {
    ASSERT_EQ(top_->sweep_all_o, op.All());
    if (!op.All()) ASSERT_EQ(top_->sweep_space_o, op.space);
    ASSERT_EQ(top_->sweep_ranged_o, op.Ranged());
    if (!op.Ranged()) return;
    ASSERT_EQ(top_->sweep_first_o, op.First());
    ASSERT_EQ(top_->sweep_tail_o, op.Tail());
  }
  void ExpectRow(const ControlOp& op) {
    const auto prepared = Prepare(op.config);
    ASSERT_EQ(top_->space_o, op.space);
    ASSERT_EQ(top_->row_enable_o, prepared && op.config.enable);
    if (!prepared) return;
    ASSERT_EQ(top_->row_root_o, op.config.offset >> 12);
    ASSERT_EQ(top_->row_target_o, op.config.target);
    ASSERT_EQ(top_->row_entries_o, std::min<uint32_t>(op.config.entries, 8192));
    ASSERT_EQ(top_->row_top_o, op.config.levels - 1);
    ASSERT_EQ(top_->row_root_shift_o, prepared->root_shift);
    ASSERT_EQ(top_->row_root_bits_o, prepared->root_bits);
    for (unsigned l = 0; l < op.config.levels; ++l) {
      const unsigned pair = op.config.Pairs(l);
      ASSERT_EQ(top_->row_shift_o >> (6 * l) & 63, prepared->shift[l] - pair);
      ASSERT_EQ(top_->row_bits_o >> (4 * l) & 15, op.config.Bits(l) + pair);
      if (l > 0) ASSERT_EQ(top_->row_keep_o[l], prepared->keep[l]);
    }
    ASSERT_EQ(top_->row_beyond_o, prepared->beyond);
  }

  enum class Flush { kDone, kOnlyAcknowledged };

  /// One operation from the request to its end, each cycle judged. `next`: is offered meanwhile and
  /// stays so. The result says what the model expected, which is then what happened.
  Flush Run(const ControlOp& op, const World& world, const ControlOp* next = nullptr) {
    Flush result = Flush::kOnlyAcknowledged;
    RunChecked(op, world, next, result);
    return result;
  }
  void RunChecked(const ControlOp& op, const World& world, const ControlOp* next, Flush& result) {
    const auto known = configs_.find(op.space);
    const bool flushes = !op.set || (op.space < Spaces() &&
                                     (known == configs_.end() || !(known->second == op.config)));
    result = flushes ? Flush::kDone : Flush::kOnlyAcknowledged;
    for (int wait = 0;; ++wait) {
      ASSERT_LT(wait, 4) << "ready between operations";
      Drive(op, true);
      Noise();
      top_->eval();
      ASSERT_NO_FATAL_FAILURE(ExpectIdle());
      const bool taken = top_->ctl_ready_o;
      Edge();
      if (taken) break;
    }

    const int limit = static_cast<int>(world.quiet.size() + Steps()) + world.lag + world.drain +
                      world.stale + 60;
    int held = 0, killed = -1, flipped = -1, scope_until = -1;
    unsigned steps = 0;
    bool quiet_lasts = false, may_end = false;
    for (int cycle = 0;; ++cycle) {
      ASSERT_LT(cycle, limit) << "done of the operation";
      Noise();
      const bool quiet = held >= static_cast<int>(world.quiet.size());
      if (top_->hold_o && killed < 0) {
        top_->quiet_i = quiet || world.quiet[static_cast<size_t>(held)];
      }
      bool drained = false, stale = true;
      if (flipped >= 0) {
        const int since = cycle - flipped;
        const unsigned old = generation_ ^ 1;
        drained = since >= world.lag + world.drain;
        const bool says = drained || since < world.lag;
        top_->drained_i &= static_cast<uint8_t>(~(1u << old));
        if (says) top_->drained_i |= static_cast<uint8_t>(1u << old);
        if (world.in_use) top_->drained_i &= static_cast<uint8_t>(1u << old);
      }
      if (killed >= 0 && cycle > killed + 1) {
        stale = cycle - killed <= world.stale;
        top_->stale_i = stale;
      }
      Drive(next ? *next : AnyOp(), next != nullptr);
      top_->eval();

      ASSERT_EQ(top_->busy_o, 1);
      if (!flushes) {
        ASSERT_EQ(top_->hold_o, 0);
        ASSERT_EQ(top_->sweep_valid_o, 0);
      }
      if (top_->kill_valid_o) {
        ASSERT_TRUE(flushes);
        ASSERT_LT(killed, 0) << "one kill";
        ASSERT_EQ(top_->hold_o, 1);
        ASSERT_TRUE(quiet_lasts) << "held " << held << " of " << world.quiet.size();
        ASSERT_EQ(top_->kill_all_o, op.All());
        if (!op.All()) ASSERT_EQ(top_->kill_space_o, op.space);
        ASSERT_EQ(top_->space_write_o, op.set);
        if (op.set) ASSERT_NO_FATAL_FAILURE(ExpectRow(op));
        killed = cycle;
      } else {
        ASSERT_EQ(top_->space_write_o, 0);
      }
      if (flushes && steps < Steps() && killed >= 0 && !op.Empty()) ASSERT_EQ(top_->hold_o, 1);
      if (top_->sweep_valid_o) {
        ASSERT_GE(killed, 0);
        ASSERT_FALSE(op.Empty());
        ASSERT_EQ(top_->sweep_index_o, steps++);
        scope_until = cycle + 5;
      } else {
        ASSERT_TRUE(steps == 0 || steps == Steps()) << "one step a cycle";
      }
      if (cycle <= scope_until) ASSERT_NO_FATAL_FAILURE(ExpectScope(op));
      if (top_->generation_o != generation_) {
        ASSERT_TRUE(flushes);
        ASSERT_LT(flipped, 0) << "one flip";
        ASSERT_EQ(steps, op.Empty() ? 0 : Steps());
        ASSERT_GE(killed, 0);
        generation_ = top_->generation_o;
        flipped = cycle;
      }
      if (top_->ctl_done_o) {
        ASSERT_EQ(top_->hold_o, 0);
        ASSERT_EQ(top_->inv_valid_o, flushes);
        if (flushes) {
          ASSERT_GE(flipped, 0);
          ASSERT_TRUE(may_end) << "something old is in use";
          ASSERT_EQ(top_->inv_scope_o, op.set ? kSpace : op.scope);
          ASSERT_EQ(top_->inv_space_o, op.space);
          if (op.Ranged()) {
            ASSERT_EQ(top_->inv_start_o, op.start);
            ASSERT_EQ(top_->inv_end_o, op.end);
          }
        }
        if (op.set && op.space < Spaces()) configs_[op.space] = op.config;
      } else {
        ASSERT_EQ(top_->inv_valid_o, 0);
        ASSERT_EQ(top_->ctl_ready_o, 0) << "one at a time";
      }
      may_end = drained && !stale;
      quiet_lasts |= top_->hold_o && quiet;
      held += top_->hold_o;
      const bool done = top_->ctl_done_o;
      const bool taken = next && top_->ctl_ready_o;
      ASSERT_FALSE(taken) << "the next one is taken behind done";
      Edge();
      if (done) return;
    }
  }

  std::map<unsigned, Config> configs_;
  unsigned generation_ = 0;
  bool just_ready_ = false;  // orders leave by registers: hold may stand for one cycle more
};

TEST_P(ControlTest, AfterResetEverythingIsSweptOnce) {
  ASSERT_NO_FATAL_FAILURE(Start(true));
  ASSERT_NO_FATAL_FAILURE(IdleCycles(50));
}

TEST_P(ControlTest, TheKillWaitsUntilQuietLasts) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (unsigned scope : {kGlobal, kSpace, kRange}) {
    for (unsigned early = 0; early < 5; ++early) {
      ControlOp op;
      op.scope = scope;
      op.space = 1;
      op.start = 0x5000;
      op.end = 0x9001;
      World world;
      world.quiet.assign(early, true);
      world.quiet.resize(early + 300, false);
      ASSERT_NO_FATAL_FAILURE(Run(op, world));
    }
  }
}

TEST_P(ControlTest, DoneWaitsForAnswersOfTheOldGenerationAndForStaleReadsAlone) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 4; ++i) {  // both generations
    for (int lag = 0; lag < 5; ++lag) {
      ASSERT_NO_FATAL_FAILURE(Run({}, {{}, lag, 300, 0, false}));
    }
    ASSERT_NO_FATAL_FAILURE(Run({}, {{}, 0, 0, 300, false}));
    ASSERT_NO_FATAL_FAILURE(Run({}, {{}, 0, 40, 40, true}));
    ASSERT_NO_FATAL_FAILURE(Run({}, Easy()));
  }
}

TEST_P(ControlTest, ARangeIsSweptFromItsFirstToItsLastPage) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const uint64_t top = uint64_t{1} << 48, all = ~uint64_t{0};
  const std::pair<uint64_t, uint64_t> ranges[] = {
      {0, 1}, {0, 0x1000}, {0, 0x1001}, {0xFFF, 0x1000}, {0xFFF, 0x1001}, {0x1000, 0x1000},
      {0x2000, 0x1000}, {0, 0}, {0, top}, {0, top + 1}, {0, all}, {top - 1, top}, {top - 1, all},
      {top, top + 1}, {top, all}, {all, 0}, {all - 1, all}, {0x7654321000, 0x7654322000}, {5, 4},
      {uint64_t{1} << 63, all}, {0x1000, 0}, {top - 0x1000, top - 0xFFF}};
  for (const auto& [start, end] : ranges) {
    ControlOp op;
    op.scope = kRange;
    op.space = Random(Spaces());
    op.start = start;
    op.end = end;
    ASSERT_NO_FATAL_FAILURE(Run(op, Easy())) << std::hex << start << ' ' << end;
  }
}

TEST_P(ControlTest, AnEqualSpaceIsOnlyAcknowledgedAndEveryChangedBitFlushes) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ControlOp op;
  op.set = true;
  for (op.space = 0; op.space < Spaces(); ++op.space) {
    op.config = {};  // all zeros, as a RAM may hold them: the first one always takes effect
    ASSERT_EQ(Run(op, Easy()), Flush::kDone);
    ASSERT_EQ(Run(op, Easy()), Flush::kOnlyAcknowledged);
    op.config = AnyConfig();
    ASSERT_EQ(Run(op, Easy()), Flush::kDone);
    if (HasFatalFailure()) return;
  }
  op.space = Random(Spaces());
  for (unsigned bit = 0; bit < 1 + 2 + 6 + 48 + 32 + 3 + 24; ++bit) {
    unsigned b = bit;
    Config& c = op.config;
    if (b < 48) c.offset ^= uint64_t{1} << b;
    else if ((b -= 48) < 32) c.entries ^= 1u << b;
    else if ((b -= 32) < 24) c.bits ^= 1u << b;
    else if ((b -= 24) < 6) c.adapter ^= 1u << b;
    else if ((b -= 6) < 3) c.levels ^= 1u << b;
    else if ((b -= 3) < 2) c.target ^= 1u << b;
    else c.enable = !c.enable;
    if (bit == 0) ASSERT_NO_FATAL_FAILURE(Run(op, Easy()));  // the space's first of these
    if (bit > 0) ASSERT_EQ(Run(op, Easy()), Flush::kDone) << "bit " << bit;
    ASSERT_EQ(Run(op, Easy(), &op), Flush::kOnlyAcknowledged) << "bit " << bit;
    if (HasFatalFailure()) return;
  }
}

TEST_P(ControlTest, ResetInTheMiddleSweepsAgainAndForgetsTheSpaces) {
  for (int i = 0; i < 60; ++i) {
    ASSERT_NO_FATAL_FAILURE(Start());
    ControlOp op;
    op.set = true;
    op.space = Random(Spaces());
    op.config = AnyConfig();
    ASSERT_EQ(Run(op, Slow()), Flush::kDone);
    ControlOp other = AnyOp();
    for (unsigned cycles = Random(60); cycles > 0; --cycles) {
      Drive(other, true);
      Noise();
      top_->quiet_i = 1;
      Edge();
    }
    top_->ctl_valid_i = 0;
    Reset();
    ASSERT_NO_FATAL_FAILURE(Start());
    ASSERT_EQ(Run(op, Easy()), Flush::kDone);
    Reset();
    if (HasFatalFailure()) return;
  }
}

TEST_P(ControlTest, FollowsTheContractUnderRandomOperations) {
  ASSERT_NO_FATAL_FAILURE(Start());
  unsigned flushes = 0, acknowledged = 0;
  ControlOp op = AnyOp();
  for (int i = 0; i < 600; ++i) {
    const ControlOp next = AnyOp();
    const bool offered = Random(2) == 0;
    const Flush flush = Run(op, Random(3) == 0 ? Easy() : Slow(), offered ? &next : nullptr);
    if (HasFatalFailure()) FAIL() << "operation " << i;
    flush == Flush::kDone ? ++flushes : ++acknowledged;
    if (!offered) ASSERT_NO_FATAL_FAILURE(IdleCycles(1 + Random(5)));
    op = next;
  }
  EXPECT_GT(flushes, 300u);
  EXPECT_GT(acknowledged, 40u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ControlTest, ControlSizesAndSeeds(), ControlSizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
