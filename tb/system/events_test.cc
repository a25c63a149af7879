// SPDX-License-Identifier: Apache-2.0
// Tests the RTL's events (docs/events.md): their sums equal the hardware counters, and recording them changes no cycle.
// Also tests windows and triggers.
#include <sqlite3.h>

#include "program.h"

namespace gmmu {
namespace {

class Events : public Program {
 protected:
  int64_t Ask(const std::string& sql, const std::string& file = "run.ev") const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open_v2(Path(file).c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << sql;
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
  }
  int64_t Ended(const std::string& how) const {
    return Ask("SELECT count(*) FROM lookups l JOIN endings e ON e.id = l.ending WHERE e.name = '" + how + "'");
  }
  static int64_t Counter(const nlohmann::json& report, const std::string& block, const std::string& name) {
    int64_t sum = 0;
    for (const auto& [title, counters] : report["counters"].items())
      if (title.rfind(block, 0) == 0 && counters.contains(name)) sum += counters[name].get<int64_t>();
    return sum;
  }
  void RunRecorded(const std::string& arguments) {
    ASSERT_EQ(Run(arguments + " --events " + Path("run.ev") + " --json " + Path("report.json")), 0) << Get("log");
  }
};

TEST_F(Events, AgreeWithTheCountersAndAddUp) {
  const std::string input = WriteInput(64 << 10);
  ASSERT_EQ(Run("run " + input + " --json " + Path("plain.json")), 0) << Get("log");
  RunRecorded("run " + input);
  const auto report = Report();
  EXPECT_EQ(report["cycles"], Report("plain.json")["cycles"]);
  EXPECT_EQ(report["causes"]["mismatches"], 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM lookups"), Counter(report, "port_", "lookups"));
  EXPECT_EQ(Ended("l1"), Counter(report, "port_", "hits"));
  EXPECT_EQ(Ended("l2"), Counter(report, "gpu_l2", "l2_hits"));
  EXPECT_EQ(Ended("merged"), Counter(report, "port_", "merged"));
  EXPECT_EQ(Ask("SELECT count(*) FROM walks"), Counter(report, "gpu_walker", "walks"));
  EXPECT_EQ(Ask("SELECT count(*) FROM reads"), Counter(report, "gpu_walker", "table_reads"));
  EXPECT_EQ(Ask("SELECT count(*) FROM buffers"), Counter(report, "gpu_engine", "ring_entries"));
  EXPECT_EQ(Ask("SELECT count(*) FROM commands"), Counter(report, "gpu_engine", "commands"));
  EXPECT_EQ(Ask("SELECT sum(end - begin) FROM walks"), Ask("SELECT sum(end - begin) FROM steps WHERE kind = 'walk'"));
  EXPECT_EQ(Ask("SELECT sum(end - begin) FROM buffers"), Ask("SELECT sum(cycles) FROM spent WHERE kind = 'buffer'"));
}

TEST_F(Events, TablesInHostMemoryAreToldByPlacesOnTheWay) {
  RunRecorded("run --scenario tables-in-system-memory");
  EXPECT_EQ(Report()["causes"]["mismatches"], 0);
  EXPECT_GT(Ask("SELECT count(*) FROM reads WHERE host"), 0);
  for (const char* cause : {"link_up", "iommu", "dram", "link_down"}) {
    EXPECT_GT(Ask("SELECT sum(s.end - s.begin) FROM steps s JOIN causes c ON c.id = s.cause WHERE kind = 'walk' AND "
                  "c.name = '" +
                  std::string(cause) + "'"),
              0)
        << cause;
  }
}

TEST_F(Events, AccessesAtThePinsHaveTheLatencyThatTheReplayMeasures) {
  RunRecorded("replay gen:random,footprint=256KiB,count=600 --fragmented 100 --seed 5");
  const auto report = Report();
  const auto& latency = report["replay"]["phases"].back()["port_latency"];
  EXPECT_EQ(Ask("SELECT count(*) FROM accesses"), latency["count"].get<int64_t>());
  EXPECT_EQ(report["causes"]["mismatches"], 0);
  EXPECT_NEAR(static_cast<double>(Ask("SELECT sum(end - begin) FROM accesses")) / 600, latency["mean"].get<double>(),
              2);
}

TEST_F(Events, AWindowAndATriggerKeepAPart) {
  const std::string input = WriteInput(64 << 10);
  RunRecorded("run " + input + " --events-from 150000 --events-to 160000");
  EXPECT_GT(Ask("SELECT count(*) FROM lookups"), 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM lookups WHERE end < 150000 OR begin >= 160000"), 0);
  const int64_t slowest = 2000;
  RunRecorded("run " + input + " --events-on stall:" + std::to_string(slowest) + " --events-around 500");
  EXPECT_GT(Ask("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'triggers'"), 0);
  EXPECT_GT(
      Ask("SELECT max(end - begin) FROM (SELECT begin, end FROM commands UNION SELECT begin, end FROM buffers UNION "
          "SELECT begin, end FROM accesses)"),
      slowest);
}

TEST_F(Events, AFaultTriggers) {
  ASSERT_EQ(Run("run --scenario render-page-fault --events " + Path("run.ev") + " --events-on fault --json " +
                Path("report.json")) &
                ~1,
            0)
      << Get("log");
  EXPECT_GT(Ask("SELECT count(*) FROM points p JOIN points_kinds k ON k.id = p.kind WHERE k.name = 'fault'"), 0);
  EXPECT_EQ(Report()["causes"]["mismatches"], 0);
}

}  // namespace
}  // namespace gmmu
