// SPDX-License-Identifier: Apache-2.0
#include "events/export.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "events/store.h"
#include "sample.h"

namespace gmmu::events {
namespace {

struct Sample : TemporaryPath {
  Sample() {
    Store store(path);
    store.Note("period_ps", "2000");
    store.Add(SampleWalk(1, 1000));
    store.Add(SampleLookup(1, 995));
    store.Add(SampleAccess(1, 990));
    store.Add(SampleBuffer(1, 900));
    store.Add(SampleCommand(1, 950));
    store.Add(SampleFault(1200));
    store.Depth(0, hw::Gauge::kWalks, 1000, 1);
    store.Close();
  }
};

TEST(Export, PerfettoGetsPairsThatNestAndTimesInMicroseconds) {
  const Sample file;
  std::string text;
  Perfetto(Reader(file.path), [&](const std::string& more) { text += more; });
  const auto json = nlohmann::json::parse(text);
  std::map<std::string, std::vector<std::string>> open;
  double begin = 0, end = 0;
  unsigned instants = 0, counters = 0;
  for (const auto& event : json.at("traceEvents")) {
    const std::string ph = event.at("ph");
    if (ph == "i") ++instants;
    if (ph == "C") ++counters;
    if (ph != "b" && ph != "e") continue;
    auto& stack = open[event.at("id")];
    if (ph == "b") {
      stack.push_back(event.at("name"));
    } else {
      ASSERT_FALSE(stack.empty());
      EXPECT_EQ(stack.back(), event.at("name"));
      stack.pop_back();
    }
    if (event.at("name") == "walk 1") (ph == "b" ? begin : end) = event.at("ts");
  }
  for (const auto& [id, stack] : open) EXPECT_TRUE(stack.empty()) << id;
  EXPECT_EQ(open.size(), 5u);
  EXPECT_NEAR(begin, 2.0, 1e-9);
  EXPECT_NEAR(end, 2.12, 1e-9);
  EXPECT_EQ(instants, 1u);
  EXPECT_EQ(counters, 1u);
}

TEST(Export, KanataBeginsEveryRowAndStageOnceAndEndsItOnce) {
  const Sample file;
  std::string text;
  Kanata(Reader(file.path), [&](const std::string& more) { text += more; });
  std::istringstream in(text);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "Kanata\t0004");
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "C=\t950");
  std::map<std::string, int> rows;            // 1: started; 2: retired
  std::map<std::string, std::string> stages;  // name of the open stage, or ""
  uint64_t cycle = 950;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string command, id, lane, name;
    std::getline(fields, command, '\t');
    std::getline(fields, id, '\t');
    std::getline(fields, lane, '\t');
    std::getline(fields, name, '\t');
    if (command == "C") {
      cycle += std::stoull(id);
    } else if (command == "I") {
      EXPECT_EQ(rows[id]++, 0);
    } else if (command == "S") {
      EXPECT_EQ(rows[id], 1);
      EXPECT_EQ(stages[id], "") << line;
      stages[id] = name;
    } else if (command == "E") {
      EXPECT_EQ(stages[id], name);
      stages[id] = "";
    } else if (command == "R") {
      EXPECT_EQ(rows[id]++, 1);
      EXPECT_EQ(stages[id], "");
    }
  }
  EXPECT_EQ(rows.size(), 4u);
  for (const auto& [id, state] : rows) EXPECT_EQ(state, 2) << id;
  EXPECT_EQ(cycle, 1090u);
}

}  // namespace
}  // namespace gmmu::events
