// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "host/agenda.h"
#include "host/time_model.h"
#include "hw/gmmu_regs.h"
#include "twin/mmu.h"

namespace gmmu::sim::twin {

/// Executes the operations that software requests through the MMU's registers, one at a time:
/// invalidations, new roots and new sizes.
class Operations {
 public:
  /// `invalidated` is called when an invalidation by `inv_cmd` is complete, `ended` when any
  /// operation is complete.
  Operations(Mmu& mmu, TimeModel& time, Agenda& agenda, std::function<void()> invalidated, std::function<void()> ended)
      : mmu_(mmu), time_(time), agenda_(agenda), invalidated_(std::move(invalidated)), ended_(std::move(ended)) {}

  bool busy() const { return busy_; }
  regs::InvStatus status() const { return regs::InvStatus().set_busy(busy_ ? 1 : 0).set_done(done_); }

  regs::InvStart start;
  regs::InvEnd end;
  regs::InvCmd command;
  std::array<regs::SpaceGeometry, regs::kSpaceCount> geometry{};
  std::array<regs::SpaceRoot, regs::kSpaceCount> root{};

  /// Handles a write to inv_cmd, which is ignored while an operation is in progress.
  void Invalidate(uint64_t raw) {
    if (busy_) return;
    const regs::InvCmd wanted{raw};
    command = regs::InvCmd().set_scope(wanted.scope()).set_space(wanted.space());
    mmu_.Invalidate(command.scope(), static_cast<unsigned>(command.space()), start.va(), end.va());
    Begin(mmu_.InvalidatedAt(), true);
  }
  /// Handles a write to a space's root. Call it only while no operation is in progress.
  void Configure(unsigned space, const regs::SpaceRoot& wanted) {
    root[space] = wanted;
    const bool changed = mmu_.Configure(space, geometry[space], root[space]);
    Begin(changed ? mmu_.InvalidatedAt() : agenda_.now() + time_.InvalidationPs(), false);
  }
  /// Handles a write to sizes_in_use. Call it only while no operation is in progress.
  void Resize(regs::SizesInUse asked) {
    const uint64_t end_ps = mmu_.InvalidatedAt();  // computed with the sizes before the change
    mmu_.Resize(asked);
    Begin(end_ps, false);
  }
  void Reset() {
    ++generation_;
    busy_ = false;
    done_ = 0;
    start.raw = end.raw = command.raw = 0;
    geometry = {};
    root = {};
  }

 private:
  void Begin(uint64_t end_ps, bool invalidation) {
    busy_ = true;
    agenda_.At(end_ps, [this, invalidation, generation = generation_] {
      if (generation != generation_) return;
      busy_ = false;
      ++done_;
      if (invalidation) invalidated_();
      ended_();
    });
  }

  Mmu& mmu_;
  TimeModel& time_;
  Agenda& agenda_;
  const std::function<void()> invalidated_, ended_;
  bool busy_ = false;
  uint64_t done_ = 0, generation_ = 0;
};

}  // namespace gmmu::sim::twin
