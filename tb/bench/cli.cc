// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <regex>
#include <sstream>
#include <string>

#include "app/cli.h"
#include "app/outputs.h"
#include "app/process.h"
#include "app/progress.h"
#include "tb/bench/paging_machine.h"
#include "tb/bench/report.h"

namespace gmmu::bench {
namespace {

struct Arguments {
  std::string json;
  std::string filter;
  bool list = false;
  bool strict = false;
  unsigned loaded_copy = 0;  ///< number of pages
};

/// Returns the rows whose names match `filter`, in table order. Throws std::regex_error.
std::vector<const Measurement*> Chosen(const Measurements& rows, const std::string& filter) {
  const std::regex pattern(filter, std::regex::ECMAScript | std::regex::icase);
  std::vector<const Measurement*> chosen;
  for (const Measurement& each : rows)
    if (std::regex_search(each.row.name, pattern)) chosen.push_back(&each);
  return chosen;
}

Row Measure(const Measurement& measurement) {
  Row row = measurement.row;
  try {
    measurement.measure(row);
  } catch (const std::exception& error) {
    row.state = Row::State::kFailed;
    row.note = error.what();
  }
  return row;
}

std::vector<Row> MeasureAll(const std::vector<const Measurement*>& chosen, std::FILE* err) {
  app::Progress progress(err);
  std::vector<Row> rows;
  for (const Measurement* each : chosen) {
    progress.Update(fmt::format("bench {} of {}: {}", rows.size() + 1, chosen.size(), each->row.name), 0, 0);
    rows.push_back(Measure(*each));
  }
  progress.Finish();
  return rows;
}

std::string Summary(const std::vector<Row>& rows, double seconds) {
  size_t targets = 0, met = 0, missing = 0, failed = 0;
  for (const Row& row : rows) {
    const auto verdict = row.Met();
    targets += verdict.has_value();
    met += verdict.value_or(false);
    missing += row.state == Row::State::kMissing;
    failed += row.state == Row::State::kFailed;
  }
  return fmt::format("{} rows in {:.0f} s: {} of {} targets met, {} not measured here, {} failed\n", rows.size(),
                     seconds, met, targets, missing, failed);
}

int Status(const std::vector<Row>& rows, bool strict) {
  const bool bad = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.state == Row::State::kFailed || (strict && !row.Met().value_or(true));
  });
  return bad ? kExitFailed : kExitGood;
}

int Run(const Measurements& rows, const Arguments& arguments, std::FILE* out, std::FILE* err) {
  std::vector<const Measurement*> chosen;
  try {
    chosen = Chosen(rows, arguments.filter);
  } catch (const std::regex_error& error) {
    app::Say(err, "gmmu: --filter \"{}\" is no regular expression: {}\n", arguments.filter, error.what());
    return kExitUsage;
  }
  if (chosen.empty()) {
    app::Say(err, "gmmu: --filter \"{}\" matches no row; gmmu bench --list names them\n", arguments.filter);
    return kExitUsage;
  }
  if (arguments.list) {
    for (const Measurement* each : chosen) fmt::print(out, "{}\n", each->row.name);
    return kExitGood;
  }
  std::unique_ptr<app::OutputFile> json;  // opened before the measurements, so that a bad path fails immediately
  if (!arguments.json.empty()) json = std::make_unique<app::OutputFile>(arguments.json);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Row> measured = MeasureAll(chosen, err);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (json) {
    const std::string text = Json(measured);
    json->Write(text.data(), text.size());
    json->Commit();
  }
  fmt::print(out, "{}{}", TextTable(measured), Summary(measured, spent.count()));
  return Status(measured, arguments.strict);
}

int Dispatch(const Measurements& rows, int argc, const char* const* argv, std::FILE* out, std::FILE* err) {
  Arguments arguments;
  CLI::App app("Measure the hardware and its simulation, each figure beside its limit.", "gmmu bench");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("gmmu: {}\nSee gmmu bench --help.\n", error.what());
  });
  app.add_option("--json", arguments.json, "Write the rows as JSON")->type_name("FILE");
  app.add_option("--filter", arguments.filter, "Only rows whose name matches, upper and lower case alike")
      ->type_name("REGEX");
  app.add_flag("--list", arguments.list, "Print the names of the rows, measure nothing");
  app.add_option("--loaded-copy", arguments.loaded_copy,
                 "Measure nothing: copy PAGES pages through the whole machine and print its cycles, for a profiler")
      ->type_name("PAGES")
      ->check(CLI::Range(1, 256));
  app.add_flag("--strict", arguments.strict, "Exit status 1 also when a target is not met");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream good, bad;
    const int status = app.exit(error, good, bad);
    fmt::print(out, "{}", good.str());
    app::Say(err, "{}", bad.str());
    return status == 0 ? kExitGood : kExitUsage;
  }
  if (arguments.loaded_copy != 0) {
    PagingMachine::Load load;
    load.pages = arguments.loaded_copy;
    fmt::print(out, "{}\n", PagingMachine::MeasureSpeed(load).cycles);
    return kExitGood;
  }
  return Run(rows, arguments, out, err);
}

}  // namespace

int Main(const Measurements& rows, int argc, const char* const* argv, std::FILE* out, std::FILE* err) {
  return app::Caught([&] { return Dispatch(rows, argc, argv, out, err); }, out, err);
}

}  // namespace gmmu::bench
