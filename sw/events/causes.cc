// SPDX-License-Identifier: Apache-2.0
#include "events/causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "events/histogram_json.h"

namespace gmmu::events {

namespace {

const char* NameOf(hw::Gauge gauge) { return gauge == hw::Gauge::kWalks ? "walks" : "lookups"; }

}  // namespace

std::string PageOf(const hw::WalkEvent& walk) {
  if (walk.reads.empty()) return "none";
  const hw::TableRead& last = walk.reads.back();
  if (last.leaf_64k) return "64k";
  return last.level == 0 ? "4k" : "level " + std::to_string(last.level);
}

void Causes::SetPhase(const std::string& name) {
  const auto found = std::find(phases_.begin(), phases_.end(), name);
  phase_ = static_cast<size_t>(found - phases_.begin());
  if (found == phases_.end()) phases_.push_back(name);
}

void Causes::AddTo(Sum& sum, const hw::Span& span) {
  sum.latency.Add(span.end - span.begin);
  sum.cycles += span.end - span.begin;
  for (const hw::Step& step : span.steps) sum.causes[{step.cause, step.level}] += step.end - step.begin;
}

void Causes::AddTo(Sum& sum, const hw::EngineSpan& span) {
  sum.latency.Add(span.end - span.begin);
  sum.cycles += span.end - span.begin;
  for (size_t i = 0; i < hw::kCauses; ++i)
    if (span.spent[i] != 0) sum.causes[{static_cast<hw::Cause>(i), -1}] += span.spent[i];
}

template <typename Event>
void Causes::AddAs(const Event& event, const char* kind,
                   const std::vector<std::pair<const char*, std::string>>& groups) {
  AddTo(sums_[{phase_, kind, "all", ""}], event);
  for (const auto& [by, of] : groups) AddTo(sums_[{phase_, kind, by, of}], event);
}

void Causes::Count(const hw::WalkEvent& event) {
  if (!CheckSteps(event)) ++mismatches_;
  AddAs(event, "walk", {{"port", std::to_string(event.port)}, {"page", PageOf(event)}});
}

void Causes::Count(const hw::LookupEvent& event) {
  if (!CheckSteps(event)) ++mismatches_;
  AddAs(event, "lookup", {{"port", std::to_string(event.port)}, {"ending", hw::EndingName(event.ending)}});
}

void Causes::Count(const hw::AccessEvent& event) {
  if (!CheckSteps(event)) ++mismatches_;
  AddAs(event, "access", {{"port", std::to_string(event.client)}});
}

void Causes::Count(const hw::BufferEvent& event) {
  if (!CheckSpent(event)) ++mismatches_;
  AddAs(event, "buffer", {});
}

void Causes::Count(const hw::CommandEvent& event) {
  if (!CheckSpent(event)) ++mismatches_;
  AddAs(event, "command", {{"opcode", regs::NameOf(regs::CommandHeaderWord{event.header}.opcode())}});
}

void Causes::Add(const Record& record) {
  std::visit([&](const auto& event) { Count(event); }, record);
}

void Causes::Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) {
  Level& level = levels_[{unit, gauge}];
  if (cycle > level.since) depths_[{level.phase, gauge}].Add(level.depth, cycle - level.since);
  level = {cycle, depth, phase_};
}

nlohmann::ordered_json Causes::Json() const {
  nlohmann::ordered_json json = {{"schema", 1}, {"mismatches", mismatches_}, {"sums", nlohmann::ordered_json::array()}};
  for (const auto& [key, sum] : sums_) {
    const auto& [phase, kind, by, of] = key;
    nlohmann::ordered_json row = {{"phase", phases_[phase]},
                                  {"kind", kind},
                                  {"by", by},
                                  {"of", of},
                                  {"cycles", sum.cycles},
                                  {"latency", JsonOf(sum.latency, by == "all")}};
    row["causes"] = nlohmann::ordered_json::array();
    for (const auto& [cause, cycles] : sum.causes) {
      nlohmann::ordered_json level;  // stays null if the cause has no page-table level
      if (cause.second >= 0) level = cause.second;
      row["causes"].push_back({{"cause", hw::CauseName(cause.first)}, {"level", level}, {"cycles", cycles}});
    }
    json["sums"].push_back(std::move(row));
  }
  json["depths"] = nlohmann::ordered_json::array();
  for (const auto& [key, depth] : depths_) {
    json["depths"].push_back(
        {{"phase", phases_[key.first]}, {"of", NameOf(key.second)}, {"depth", JsonOf(depth, true)}});
  }
  return json;
}

std::string Causes::Text() const {
  std::string text = fmt::format("  causes                {}\n",
                                 mismatches_ == 0 ? "every cycle has one"
                                                  : fmt::format("{} events do not add up", mismatches_));
  for (const auto& [key, sum] : sums_) {
    const auto& [phase, kind, by, of] = key;
    if (by != "all") continue;
    std::map<hw::Cause, uint64_t> causes;
    for (const auto& [cause, cycles] : sum.causes) causes[cause.first] += cycles;
    std::vector<std::pair<uint64_t, hw::Cause>> most;
    for (const auto& [cause, cycles] : causes) most.emplace_back(cycles, cause);
    std::sort(most.rbegin(), most.rend());
    std::string parts;
    for (size_t i = 0; i < most.size() && i < 4; ++i) {
      parts += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", hw::CauseName(most[i].second),
                           100.0 * static_cast<double>(most[i].first) /
                               std::max<double>(1, static_cast<double>(sum.cycles)));
    }
    text += fmt::format("    {:<24}{:<8}{:>8}  mean {:.1f}  p99 {}  {}\n", phases_[phase], kind, sum.latency.count(),
                        sum.latency.mean(), sum.latency.Quantile(9'900), parts);
  }
  return text;
}

}  // namespace gmmu::events
