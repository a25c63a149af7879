// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gmmu::bench {

/// Thrown if a row cannot be measured; what() returns the reason.
class RowError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One measured row.
///
/// `ratio` is figure / limit if more is better, and limit / figure if less is better; 1 means that
/// the figure is at its limit. A target is a bound on the figure or on the ratio that must be met.
/// A goal is a more ambitious bound of the same kind.
struct Row {
  enum class Better { kMore, kLess };
  enum class TargetOf { kFigure, kRatio };
  enum class State {
    kMeasured,
    kMissing,  ///< the result of a separate measurement is missing; `note` names its command
    kFailed,   ///< could not be measured; `note` contains the reason
  };

  std::string name;
  double figure = 0;
  std::string unit;
  std::optional<double> limit;
  std::string limit_text;  ///< where the limit comes from
  Better better = Better::kMore;
  std::optional<double> target;
  TargetOf target_of = TargetOf::kFigure;
  std::optional<double> goal;
  std::string machine;  ///< the measured machine and its sizes, the same for all rows of a group
  std::string config;   ///< specific to the row: L, ports
  State state = State::kMeasured;
  std::string note;

  /// Returns the configuration of the machine and of the row.
  std::string Config() const;
  std::optional<double> Ratio() const;
  /// Returns whether the target is met, or nullopt if the row has no target or no figure.
  std::optional<bool> Met() const;

  Row& More(double at_least) { return Target(Better::kMore, TargetOf::kFigure, at_least); }
  Row& Less(double at_most) { return Target(Better::kLess, TargetOf::kFigure, at_most); }
  Row& OfLimit(double at_least) { return Target(better, TargetOf::kRatio, at_least); }
  Row& Goal(double value) {
    goal = value;
    return *this;
  }

 private:
  Row& Target(Better which, TargetOf of, double value) {
    better = which;
    target_of = of;
    target = value;
    return *this;
  }
};

/// A row to measure: `measure` sets the missing members of `row` and may throw anything.
struct Measurement {
  Row row;
  std::function<void(Row&)> measure;
};

/// Rows that are measured together, in this order.
using Measurements = std::vector<Measurement>;

/// Add the bench's rows, in table order. Each function is in its own file.
void AddMmuRows(Measurements& to);
void AddGpuRows(Measurements& to);
void AddCopyRows(Measurements& to);
void AddRingRows(Measurements& to);
void AddLinkRows(Measurements& to);
void AddBoardRows(Measurements& to);
void AddSpeedRows(Measurements& to);
void AddGrowthRows(Measurements& to);
void AddFpgaRows(Measurements& to);
Measurements AllRows();

}  // namespace gmmu::bench
