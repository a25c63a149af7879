// SPDX-License-Identifier: Apache-2.0
// Tests the bench's command line: options, exit status, table and JSON, with artificial rows.
#include "tb/bench/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace gmmu::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Result {
  int status;
  std::string out, err;
};

std::string Take(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

Result Call(const Measurements& rows, std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "gmmu-bench");
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  Result result;
  result.status = Main(rows, static_cast<int>(arguments.size()), arguments.data(), out, err);
  result.out = Take(out);
  result.err = Take(err);
  return result;
}

Measurement Of(Row row, double figure) {
  return {row, [figure](Row& to) { to.figure = figure; }};
}

Row Named(const std::string& name, double limit) {
  Row row;
  row.name = name;
  row.unit = "cycles";
  row.limit = limit;
  row.machine = "8 walkers";
  row.config = "L = 50";
  return row;
}

Measurements Good() {
  return {Of(Named("walk", 150).Less(156), 154), Of(Named("copy", 1).More(0.9), 0.95),
          Of(Named("copy through the ring", 0.5), 0.4)};
}

std::string TemporaryFile(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / (std::to_string(getpid()) + name)).string();
}

TEST(BenchCli, PrintsEachRowWithItsLimitRatioTargetAndConfiguration) {
  const Result result = Call(Good(), {});
  EXPECT_EQ(result.status, kExitGood);
  EXPECT_THAT(result.out, HasSubstr("154 cycles"));
  EXPECT_THAT(result.out, HasSubstr("0.9740"));  // 150 / 154
  EXPECT_THAT(result.out, HasSubstr("<= 156"));
  EXPECT_THAT(result.out, HasSubstr("\n8 walkers\n  walk"));
  EXPECT_THAT(result.out, HasSubstr("met  L = 50"));
  EXPECT_THAT(result.out, HasSubstr("2 of 2 targets met"));
  EXPECT_THAT(result.err, HasSubstr("bench 1 of 3: walk"));
}

TEST(BenchCli, WritesEveryRowAsJson) {
  const std::string path = TemporaryFile("rows.json");
  const Result result = Call(Good(), {"--json", path.c_str()});
  ASSERT_EQ(result.status, kExitGood) << result.err;
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  ASSERT_EQ(json.at("rows").size(), 3u);
  const auto& walk = json.at("rows")[0];
  for (const char* key : {"name", "figure", "unit", "limit", "ratio", "target", "met", "config"})
    EXPECT_TRUE(walk.contains(key)) << key;
  EXPECT_EQ(walk.at("name"), "walk");
  EXPECT_EQ(walk.at("figure"), 154);
  EXPECT_EQ(walk.at("limit"), 150);
  EXPECT_NEAR(walk.at("ratio").get<double>(), 150.0 / 154, 1e-9);
  EXPECT_EQ(walk.at("target"), 156);
  EXPECT_EQ(walk.at("met"), true);
  EXPECT_EQ(walk.at("config"), "8 walkers, L = 50");
  EXPECT_TRUE(json.at("rows")[2].at("target").is_null());
  EXPECT_TRUE(json.at("rows")[2].at("met").is_null());
  std::filesystem::remove(path);
}

TEST(BenchCli, ListsNamesAndMeasuresNothing) {
  const Measurements rows = {{Named("walk", 1), [](Row&) { FAIL() << "measured"; }},
                             {Named("copy", 1), [](Row&) { FAIL() << "measured"; }}};
  const Result result = Call(rows, {"--list"});
  EXPECT_EQ(result.status, kExitGood);
  EXPECT_EQ(result.out, "walk\ncopy\n");
}

TEST(BenchCli, FiltersByARegularExpressionInAnyCase) {
  const Result result = Call(Good(), {"--list", "--filter", "^COPY"});
  EXPECT_EQ(result.out, "copy\ncopy through the ring\n");
}

TEST(BenchCli, RefusesAFilterThatMatchesNothing) {
  const Result result = Call(Good(), {"--filter", "fmax"});
  EXPECT_EQ(result.status, kExitUsage);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("--filter \"fmax\" matches no row; gmmu bench --list"));
}

TEST(BenchCli, RefusesABrokenExpressionAnUnknownOptionAndAFolderForJson) {
  EXPECT_EQ(Call(Good(), {"--filter", "("}).status, kExitUsage);
  EXPECT_THAT(Call(Good(), {"--filter", "("}).err, HasSubstr("no regular expression"));
  EXPECT_EQ(Call(Good(), {"--fliter", "x"}).status, kExitUsage);
  const std::string folder = testing::TempDir();
  const Result result = Call(Good(), {"--json", folder.c_str()});
  EXPECT_EQ(result.status, kExitUsage);
  EXPECT_THAT(result.err, Not(HasSubstr("bench 1 of")));
}

TEST(BenchCli, ShowsAMissedTargetAndFailsForItOnlyWhenAsked) {
  const Measurements rows = {Of(Named("walk", 150).Less(156), 160)};
  const Result lenient = Call(rows, {});
  EXPECT_EQ(lenient.status, kExitGood);
  EXPECT_THAT(lenient.out, HasSubstr("not met"));
  EXPECT_EQ(Call(rows, {"--strict"}).status, kExitFailed);
}

TEST(BenchCli, FailsWithTheReasonWhenARowCannotBeMeasuredAndGoesOn) {
  Measurements rows = Good();
  rows.insert(rows.begin(), {Named("broken", 1), [](Row&) { throw RowError("bytes differ"); }});
  const Result result = Call(rows, {});
  EXPECT_EQ(result.status, kExitFailed);
  EXPECT_THAT(result.out, HasSubstr("bytes differ"));
  EXPECT_THAT(result.out, HasSubstr("154 cycles"));
}

TEST(BenchCli, DoesNotFailForWhatIsMeasuredElsewhere) {
  const Measurements rows = {{Named("area", 1).Less(100), [](Row& row) {
                                row.state = Row::State::kMissing;
                                row.note = "run make synth";
                              }}};
  const Result result = Call(rows, {"--strict"});
  EXPECT_EQ(result.status, kExitGood);
  EXPECT_THAT(result.out, HasSubstr("run make synth"));
}

TEST(BenchRow, ATargetOfTheRatioComparesTheRatio) {
  Row row = Named("link", 6.6).OfLimit(0.95);
  row.figure = 6.3;
  EXPECT_TRUE(*row.Met());
  row.figure = 6.2;
  EXPECT_FALSE(*row.Met());
}

}  // namespace
}  // namespace gmmu::bench
