// SPDX-License-Identifier: Apache-2.0
// Drives gmmu_control with models of its neighbours. Checks every cycle against the block's
// contract.
#pragma once

#include <map>
#include <vector>

#include "control_machine.h"
#include "control_model.h"

namespace gmmu::bench {

/// The behaviour of the blocks around gmmu_control during one operation.
struct World {
  std::vector<bool> quiet;  // quiet_i in each cycle since hold_o rose; the last value persists
  int lag = 0;              // cycles after the flip for which the ports still report drained
  int drain = 0;            // cycles after `lag` for which the ports do not report drained
  int stale = 0;            // cycles after the kill for which a stale read is in flight
  bool in_use = false;      // responses of the new generation are always in use
};

class ControlTest : public ControlBenchTest {
 protected:
  /// Easy returns a world without delays; Slow returns one with random delays.
  static World Easy() { return {}; }
  World Slow() {
    World world;
    // The pipeline may report quiet too early, because lookups still enter in the first two
    // cycles of hold.
    world.quiet.assign(Random(5), true);
    world.quiet.push_back(false);
    // Messages of finishing walks end each quiet period.
    for (unsigned runs = Random(6); runs > 0; --runs) {
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
    config.offset = rng() >> 16;
    config.entries = Random(2) ? Random(10000) : static_cast<uint32_t>(rng());
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
    op.start = rng() >> Random(64);
    op.end = Random(8) == 0 ? rng() >> Random(64) : op.start + (rng() >> (20 + Random(44)));
    if (Random(8) == 0) op.end = op.start + Random(3) - 1;
    if (Random(3) == 0) op.end &= ~uint64_t{0xFFF};  // Some ranges end at a page boundary.
    const auto known = configs_.find(op.space);
    op.config = known != configs_.end() && Random(3) == 0 ? known->second : AnyConfig();
    return op;
  }

  void Drive(const ControlOp& op, bool valid) {
    t.ctl_valid_i = valid;
    GMMU_STRUCT(gmmu_mmu_control_bench, mmu_ctl_t) ctl{};
    ctl.op = op.set;  // CtlSetSpace or CtlInvalidate
    ctl.scope = static_cast<uint8_t>(op.scope);
    ctl.space = static_cast<uint8_t>(op.space);
    ctl.va_start = op.start, ctl.va_end = op.end;
    ctl.cfg.enable = op.config.enable;
    ctl.cfg.root.target = static_cast<uint8_t>(op.config.target);
    ctl.cfg.root.adapter = static_cast<uint8_t>(op.config.adapter);
    ctl.cfg.root.offset = op.config.offset;
    ctl.cfg.root_entries = op.config.entries;
    ctl.cfg.levels = static_cast<uint8_t>(op.config.levels);
    for (unsigned l = 0; l < 6; ++l) ctl.cfg.bits[l] = static_cast<uint8_t>(op.config.Bits(l));
    ctl.cfg.dual = op.config.dual;
    t.ctl_i = Pack(ctl);
  }
  auto Kill() const { return Unpack<GMMU_STRUCT(gmmu_mmu_control_bench, kill_t)>(t.kill_o[n]); }
  auto Sweep() const { return Unpack<GMMU_STRUCT(gmmu_mmu_control_bench, sweep_t)>(t.sweep_o[n]); }

  /// Drives random values on the inputs that the block must ignore.
  void Noise() {
    t.quiet_i = Random(2);
    t.drained_i = static_cast<uint8_t>(Random(4));
    t.stale_i = Random(2);
  }

  void ExpectIdle() {
    if (!just_ready_) ASSERT_EQ(t.hold_o[n], 0);
    just_ready_ = false;
    ASSERT_EQ(Kill().valid, 0);
    ASSERT_EQ(Sweep().valid, 0);
    ASSERT_EQ(t.space_write_o[n], 0);
    ASSERT_EQ(t.ctl_done_o[n], 0);
    ASSERT_EQ(t.inv_valid_o[n], 0);
    ASSERT_EQ(t.generation_o[n], generation_);
  }

  /// Checks the start after reset: everything is swept once while hold_o is set, within a bounded
  /// time, and nothing else happens.
  void Start(bool asks = false) {
    const ControlOp op;
    unsigned steps = 0;
    Settle();
    for (unsigned cycle = 0; !t.ctl_ready_o[n]; ++cycle) {
      ASSERT_LT(cycle, Steps() + 20) << "ready after reset";
      Drive(op, asks);
      Noise();
      Settle();
      ASSERT_EQ(Kill().valid, 0);
      ASSERT_EQ(t.space_write_o[n], 0);
      ASSERT_EQ(t.ctl_done_o[n], 0);
      ASSERT_EQ(t.inv_valid_o[n], 0);
      ASSERT_EQ(t.generation_o[n], 0);
      if (steps < Steps()) ASSERT_EQ(t.hold_o[n], 1) << "not yet swept";
      if (Sweep().valid) {
        ASSERT_EQ(Sweep().index, steps++);
        ASSERT_EQ(Sweep().all, 1);
        ASSERT_EQ(Sweep().ranged, 0);
      }
      Step();
      t.ctl_valid_i = 0;
      Settle();
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
      Settle();
      ASSERT_NO_FATAL_FAILURE(ExpectIdle());
      ASSERT_EQ(t.ctl_ready_o[n], 1);
      ASSERT_EQ(t.busy_o[n], 0);
      ASSERT_EQ(t.counted_o[n], 0);
      Step();
    }
  }

  void ExpectScope(const ControlOp& op) {
    ASSERT_EQ(Sweep().all, op.All());
    if (!op.All()) ASSERT_EQ(Sweep().space, op.space);
    ASSERT_EQ(Sweep().ranged, op.Ranged());
    if (!op.Ranged()) return;
    ASSERT_EQ(Sweep().first, op.First());
    ASSERT_EQ(Sweep().tail, op.Tail());
  }
  void ExpectRow(const ControlOp& op) {
    const auto prepared = Prepare(op.config);
    const auto row = Unpack<GMMU_STRUCT(gmmu_mmu_control_bench, space_row_t)>(t.space_row_o[n]);
    ASSERT_EQ(t.space_o[n], op.space);
    ASSERT_EQ(row.enable, prepared && op.config.enable);
    if (!prepared) return;
    ASSERT_EQ(row.root, op.config.offset >> 12);
    ASSERT_EQ(row.root_target, op.config.target);
    ASSERT_EQ(row.root_entries, std::min<uint32_t>(op.config.entries, 8192));
    ASSERT_EQ(row.top, op.config.levels - 1);
    ASSERT_EQ(row.root_shift, prepared->root_shift);
    ASSERT_EQ(row.root_bits, prepared->root_bits);
    for (unsigned l = 0; l < op.config.levels; ++l) {
      const unsigned pair = op.config.Pairs(l);
      ASSERT_EQ(row.shift[l], prepared->shift[l] - pair);
      ASSERT_EQ(row.bits[l], op.config.Bits(l) + pair);
      if (l > 0) ASSERT_EQ(row.keep[l - 1], prepared->keep[l]);
    }
    ASSERT_EQ(row.beyond, prepared->beyond);
  }

  enum class Flush { kDone, kOnlyAcknowledged };

  /// Runs one operation from request to completion and checks each cycle. `next`, if any, is an
  /// operation that is offered meanwhile. Returns the predicted outcome, which the block has
  /// matched.
  Flush Run(const ControlOp& op, const World& world, const ControlOp* next = nullptr) {
    Flush result = Flush::kOnlyAcknowledged;
    RunChecked(op, world, next, result);
    return result;
  }
  void RunChecked(const ControlOp& op, const World& world, const ControlOp* next, Flush& result) {
    const auto known = configs_.find(op.space);
    const bool flushes = !op.set || (op.space < Spaces() && (known == configs_.end() || !(known->second == op.config)));
    result = flushes ? Flush::kDone : Flush::kOnlyAcknowledged;
    for (int wait = 0;; ++wait) {
      ASSERT_LT(wait, 4) << "ready between operations";
      Drive(op, true);
      Noise();
      Settle();
      ASSERT_NO_FATAL_FAILURE(ExpectIdle());
      const bool taken = t.ctl_ready_o[n];
      Step();
      if (taken) break;
    }

    const int limit = static_cast<int>(world.quiet.size() + Steps()) + world.lag + world.drain + world.stale + 60;
    int held = 0, killed = -1, flipped = -1, scope_until = -1;
    unsigned steps = 0;
    bool quiet_lasts = false, may_end = false;
    for (int cycle = 0;; ++cycle) {
      ASSERT_LT(cycle, limit) << "done of the operation";
      Noise();
      const bool quiet = held >= static_cast<int>(world.quiet.size());
      if (t.hold_o[n] && killed < 0) {
        t.quiet_i = quiet || world.quiet[static_cast<size_t>(held)];
      }
      bool drained = false, stale = true;
      if (flipped >= 0) {
        const int since = cycle - flipped;
        const unsigned old = generation_ ^ 1;
        drained = since >= world.lag + world.drain;
        const bool says = drained || since < world.lag;
        t.drained_i &= static_cast<uint8_t>(~(1u << old));
        if (says) t.drained_i |= static_cast<uint8_t>(1u << old);
        if (world.in_use) t.drained_i &= static_cast<uint8_t>(1u << old);
      }
      if (op.Empty()) {
        t.stale_i = stale = false;
      } else if (killed >= 0 && cycle > killed + 1) {
        stale = cycle - killed <= world.stale;
        t.stale_i = stale;
      }
      Drive(next ? *next : AnyOp(), next != nullptr);
      Settle();

      ASSERT_EQ(t.busy_o[n], 1);
      ASSERT_EQ(t.counted_o[n], 1) << "each of these operations counts as an invalidation";
      if (!flushes) {
        ASSERT_EQ(t.hold_o[n], 0);
        ASSERT_EQ(Sweep().valid, 0);
      }
      if (Kill().valid) {
        ASSERT_TRUE(flushes);
        ASSERT_FALSE(op.Empty()) << "an empty range drops nothing";
        ASSERT_LT(killed, 0) << "one kill";
        ASSERT_EQ(t.hold_o[n], 1);
        ASSERT_TRUE(quiet_lasts) << "held " << held << " of " << world.quiet.size();
        ASSERT_EQ(Kill().all, op.All());
        if (!op.All()) ASSERT_EQ(Kill().space, op.space);
        ASSERT_EQ(t.space_write_o[n], op.set);
        if (op.set) ASSERT_NO_FATAL_FAILURE(ExpectRow(op));
        killed = cycle;
      } else {
        ASSERT_EQ(t.space_write_o[n], 0);
      }
      if (flushes && steps < Steps() && killed >= 0 && !op.Empty()) ASSERT_EQ(t.hold_o[n], 1);
      if (Sweep().valid) {
        ASSERT_GE(killed, 0);
        ASSERT_FALSE(op.Empty());
        ASSERT_EQ(Sweep().index, steps++);
        scope_until = cycle + 5;
      } else {
        ASSERT_TRUE(steps == 0 || steps == Steps()) << "one step a cycle";
      }
      if (cycle <= scope_until) ASSERT_NO_FATAL_FAILURE(ExpectScope(op));
      if (t.generation_o[n] != generation_) {
        ASSERT_TRUE(flushes);
        ASSERT_LT(flipped, 0) << "one flip";
        ASSERT_EQ(steps, op.Empty() ? 0 : Steps());
        if (!op.Empty()) ASSERT_GE(killed, 0);
        generation_ = t.generation_o[n];
        flipped = cycle;
      }
      if (t.ctl_done_o[n]) {
        ASSERT_EQ(t.hold_o[n], 0);
        ASSERT_EQ(t.inv_valid_o[n], flushes);
        if (flushes) {
          ASSERT_GE(flipped, 0);
          ASSERT_TRUE(may_end) << "something old is in use";
          ASSERT_EQ(t.inv_scope_o[n], op.set ? kSpace : op.scope);
          ASSERT_EQ(t.inv_space_o[n], op.space);
          if (op.Ranged()) {
            ASSERT_EQ(t.inv_start_o[n], op.start);
            ASSERT_EQ(t.inv_end_o[n], op.end);
          }
        }
        if (op.set && op.space < Spaces()) configs_[op.space] = op.config;
      } else {
        ASSERT_EQ(t.inv_valid_o[n], 0);
        ASSERT_EQ(t.ctl_ready_o[n], 0) << "one at a time";
      }
      may_end = drained && !stale;
      quiet_lasts |= t.hold_o[n] && quiet;
      held += t.hold_o[n];
      const bool done = t.ctl_done_o[n];
      const bool taken = next && t.ctl_ready_o[n];
      ASSERT_FALSE(taken) << "the next one is taken behind done";
      Step();
      if (done) return;
    }
  }

  std::map<unsigned, Config> configs_;
  unsigned generation_ = 0;
  bool just_ready_ = false;  // the registered hold_o may stay high for one more cycle
};

}  // namespace gmmu::bench
