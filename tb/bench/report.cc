// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace gmmu::bench {
namespace {

/// Prints whole numbers without a fraction, and others with enough digits to distinguish a ratio just below 1 from 1.
std::string Number(double value) {
  if (std::abs(value - std::round(value)) < 5e-10 && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, std::abs(value) < 2 ? 4 : 3);
}

std::string TargetText(const Row& row) {
  if (!row.target) return "";
  return fmt::format("{}{} {}{}", row.target_of == Row::TargetOf::kRatio ? "ratio " : "",
                     row.better == Row::Better::kMore ? ">=" : "<=", *row.target,
                     row.goal ? fmt::format(", goal {}", *row.goal) : "");
}

constexpr size_t kColumns = 7;
using Line = std::array<std::string, kColumns>;

Line LineOf(const Row& row) {
  Line line;
  line[0] = row.name;
  if (row.state == Row::State::kMeasured) line[1] = Number(row.figure) + " " + row.unit;
  else line[1] = row.state == Row::State::kMissing ? "-" : "failed";
  if (row.limit) line[2] = Number(*row.limit) + " " + row.limit_text;
  if (const auto ratio = row.Ratio()) line[3] = fmt::format("{:.4f}", *ratio);
  line[4] = TargetText(row);
  if (const auto met = row.Met()) line[5] = *met ? "met" : "not met";
  line[6] = row.state == Row::State::kMissing ? row.note : row.config;
  return line;
}

template <typename T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string TextTable(const std::vector<Row>& rows) {
  std::vector<Line> lines = {{"what", "figure", "limit", "ratio", "target", "", ""}};
  for (const Row& row : rows) lines.push_back(LineOf(row));
  std::array<size_t, kColumns> width{};
  for (const Line& line : lines)
    for (size_t i = 0; i + 1 < kColumns; ++i) width[i] = std::max(width[i], line[i].size());
  std::string text;
  for (size_t n = 0; n < lines.size(); ++n) {
    if (n > 0 && (n == 1 || rows[n - 1].machine != rows[n - 2].machine)) text += rows[n - 1].machine + "\n";
    std::string out = "  ";
    for (size_t i = 0; i + 1 < kColumns; ++i)
      fmt::format_to(std::back_inserter(out), "{:<{}}  ", lines[n][i], width[i]);
    out += lines[n].back();
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
    if (n > 0 && rows[n - 1].state != Row::State::kMissing && !rows[n - 1].note.empty())
      text += "      " + rows[n - 1].note + "\n";
  }
  return text;
}

std::string Json(const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const bool measured = row.state == Row::State::kMeasured;
    nlohmann::ordered_json entry;
    entry["name"] = row.name;
    entry["figure"] = OrNull(measured ? std::optional(row.figure) : std::nullopt);
    entry["unit"] = row.unit;
    entry["limit"] = OrNull(row.limit);
    entry["limit_text"] = row.limit_text;
    entry["ratio"] = OrNull(row.Ratio());
    entry["better"] = row.better == Row::Better::kMore ? "more" : "less";
    entry["target"] = OrNull(row.target);
    entry["target_of"] = row.target_of == Row::TargetOf::kRatio ? "ratio" : "figure";
    entry["goal"] = OrNull(row.goal);
    entry["met"] = OrNull(row.Met());
    entry["config"] = row.Config();
    entry["state"] = measured ? "measured" : row.state == Row::State::kMissing ? "missing" : "failed";
    entry["note"] = row.note;
    list.push_back(std::move(entry));
  }
  nlohmann::ordered_json all;
  all["rows"] = std::move(list);
  return all.dump(2) + "\n";
}

}  // namespace gmmu::bench
