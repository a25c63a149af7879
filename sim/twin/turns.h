// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>

#include "host/agenda.h"
#include "host/time_model.h"

namespace gmmu::sim::twin {

/// Arbitrates the clients' access to VRAM's read port like the arbiter in the RTL
/// (rtl/axi/gmmu_axi_mux.sv). A client queues if VRAM cannot accept its burst or other clients are
/// waiting. Each grant is for one line.
class Turns {
 public:
  Turns(const TimeModel& time, Agenda& agenda) : time_(time), agenda_(agenda) {}

  /// Whether a line requested at `at` must wait. The buffers between arbiter and VRAM hold the
  /// lines of kRoomCycles cycles.
  bool Busy(uint64_t at) const { return !waiting_.empty() || time_.VramReadFree(at) > at + time_.Cycles(kRoomCycles); }
  /// Calls `turn` when the port is granted to the caller.
  void Wait(std::function<void()> turn) {
    waiting_.push_back(std::move(turn));
    if (waiting_.size() == 1 && !running_) Plan();
  }
  void Reset() {
    ++generation_;
    waiting_.clear();
  }

 private:
  static constexpr uint64_t kRoomCycles = 48, kAheadCycles = 32;
  bool Full() const { return time_.VramReadFree(agenda_.now()) > agenda_.now() + time_.Cycles(kAheadCycles); }
  void Plan() {
    agenda_.At(time_.VramReadFree(agenda_.now()), [this, generation = generation_] {
      if (generation == generation_) Run();
    });
  }
  void Run() {
    running_ = true;
    while (!waiting_.empty() && !Full()) {
      const std::function<void()> turn = std::move(waiting_.front());
      waiting_.pop_front();
      turn();
    }
    running_ = false;
    if (!waiting_.empty()) Plan();
  }

  const TimeModel& time_;
  Agenda& agenda_;
  std::deque<std::function<void()>> waiting_;
  bool running_ = false;
  uint64_t generation_ = 0;
};

}  // namespace gmmu::sim::twin
