// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "hw/events.h"

namespace gmmu::sim {

/// Stores the events of a log.
struct EventKeeper : hw::EventSink {
  std::vector<hw::WalkEvent> walks;
  std::vector<hw::LookupEvent> lookups;
  std::vector<hw::AccessEvent> accesses;
  std::vector<hw::BufferEvent> buffers;
  std::vector<hw::CommandEvent> commands;
  std::vector<unsigned> depths;  ///< depths of the walks
  void Take(const hw::WalkEvent& event) override { walks.push_back(event); }
  void Take(const hw::LookupEvent& event) override { lookups.push_back(event); }
  void Take(const hw::AccessEvent& event) override { accesses.push_back(event); }
  void Take(const hw::BufferEvent& event) override { buffers.push_back(event); }
  void Take(const hw::CommandEvent& event) override { commands.push_back(event); }
  void Take(const hw::PointEvent&) override {}
  void Depth(unsigned, hw::Gauge gauge, uint64_t, unsigned depth) override {
    if (gauge == hw::Gauge::kWalks) depths.push_back(depth);
  }
};

inline uint64_t CyclesOf(const hw::Span& span, hw::Cause cause, int level = -1) {
  uint64_t cycles = 0;
  for (const hw::Step& step : span.steps)
    if (step.cause == cause && step.level == level) cycles += step.end - step.begin;
  return cycles;
}

}  // namespace gmmu::sim
