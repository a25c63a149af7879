// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "events/histogram.h"
#include "events/record.h"

namespace gmmu::events {

/// Sums cycles by cause, for each phase of the run and kind of event: over all events, and by port,
/// outcome, page size and command. The cycles by cause of an event must add up to its duration;
/// violations are counted.
class Causes : public RecordSink {
 public:
  Causes() { SetPhase("start"); }
  /// Starts a phase with this name, or continues an earlier phase of the same name. Later events
  /// belong to it.
  void SetPhase(const std::string& name);
  void Add(const Record& record) override;
  void Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) override;

  uint64_t mismatches() const { return mismatches_; }
  /// Returns the member `causes` of a report, which docs/events.md describes.
  nlohmann::ordered_json Json() const;
  /// Returns the text report: for each phase and kind, the number of events, their durations and causes.
  std::string Text() const;

 private:
  struct Sum {
    Histogram latency;
    uint64_t cycles = 0;
    std::map<std::pair<hw::Cause, int>, uint64_t> causes;  // keyed by cause and page-table level
  };
  /// Index of the phase, kind of event, criterion, and the criterion's value.
  using Key = std::tuple<size_t, std::string, std::string, std::string>;
  struct Level {
    uint64_t since = 0;
    unsigned depth = 0;
    size_t phase = 0;
  };

  void AddTo(Sum& sum, const hw::Span& span);
  void AddTo(Sum& sum, const hw::EngineSpan& span);
  template <typename Event>
  void AddAs(const Event& event, const char* kind, const std::vector<std::pair<const char*, std::string>>& groups);
  void Count(const hw::WalkEvent& event);
  void Count(const hw::LookupEvent& event);
  void Count(const hw::AccessEvent& event);
  void Count(const hw::BufferEvent& event);
  void Count(const hw::CommandEvent& event);
  void Count(const hw::PointEvent&) {}

  std::vector<std::string> phases_;
  size_t phase_ = 0;
  std::map<Key, Sum> sums_;
  std::map<std::pair<unsigned, hw::Gauge>, Level> levels_;
  std::map<std::pair<size_t, hw::Gauge>, Histogram> depths_;  // depths, weighted by cycles
  uint64_t mismatches_ = 0;
};

/// Returns the page size: "4k", "64k", or "level N" for a large page of that level; "none" if the
/// walk read no table.
std::string PageOf(const hw::WalkEvent& walk);

}  // namespace gmmu::events
