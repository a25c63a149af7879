// SPDX-License-Identifier: Apache-2.0
#include "app/explain.h"

#include <nlohmann/json.hpp>

#include "cli_bench.h"
#include "events/store.h"
#include "tb/sw/events/sample.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;

struct Explained : Cli {
  Explained() {
    events::Store store(Path("run.ev"));
    store.Note("period_ps", "1000");
    for (uint64_t number = 3; number <= 5; ++number) store.Add(events::SampleWalk(number, 100 * number));
    store.Add(events::SampleLookup(3, 295));
    store.Add(events::SampleBuffer(1, 40));
    store.Add(events::SampleCommand(1, 50));
    store.Close();
  }
};

TEST_F(Explained, TellsWhatIsAskedFor) {
  const std::string file = Path("run.ev");
  ASSERT_EQ(Run({"explain", file, "--walk", "3"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("walk 3: cycle 300 to 360, 60 cycles"));
  EXPECT_THAT(out_, HasSubstr("lookup 3 of port 2"));
  ASSERT_EQ(Run({"explain", file, "--slowest", "walks", "--count", "2"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("walk 3: "));
  EXPECT_THAT(out_, HasSubstr("walk 4: "));
  ASSERT_EQ(Run({"explain", file, "--buffer", "1"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("command 1: copy of 4096 bytes"));
}

TEST_F(Explained, ExportsForViewers) {
  ASSERT_EQ(Run({"explain", Path("run.ev"), "--perfetto", Path("p.json"), "--kanata", Path("k.log")}), 0) << err_;
  std::ifstream json(Path("p.json"));
  EXPECT_GT(nlohmann::json::parse(json).at("traceEvents").size(), 10u);
  std::ifstream log(Path("k.log"));
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(line, "Kanata\t0004");
}

TEST_F(Explained, RefusesWhatIsNotThere) {
  const std::string file = Path("run.ev");
  ExpectRefusal({"explain", file, "--walk", "17"}, "3, numbers 3 to 5");
  ExpectRefusal({"explain", file, "--walk", "3", "--unit", "1"}, "it has none");
  ExpectRefusal({"explain", file, "--slowest", "accesses"}, "no accesses");
  ExpectRefusal({"explain", file, "--slowest", "clouds"}, "walks");
  ExpectRefusal({"explain", file}, "--slowest walks");
  ExpectRefusal({"explain", Path("missing.ev"), "--walk", "1"}, "missing.ev");
  ExpectRefusal({"explain", file, "--perfetto", file}, "FILE");
  ExpectRefusal({"explain", file, "--perfetto", "/dev/full"}, "/dev/full");
}

}  // namespace
}  // namespace gmmu::app
