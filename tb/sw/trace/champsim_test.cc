// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Record(uint64_t pointer, std::vector<uint64_t> writes, std::vector<uint64_t> reads) {
  std::string record;
  const auto word = [&](uint64_t value) {
    for (int i = 0; i < 8; ++i) record += static_cast<char>(value >> 8 * i);
  };
  word(pointer);
  record += std::string("\1\0\1\2\3\4\5\6", 8);
  for (size_t i = 0; i < 2; ++i) word(i < writes.size() ? writes[i] : 0);
  for (size_t i = 0; i < 4; ++i) word(i < reads.size() ? reads[i] : 0);
  return record;
}

class ChampSimTest : public TraceTest {
 protected:
  ChampSimTest() { options_.bytes = 8; }
  ImportOptions options_;
};

TEST_F(ChampSimTest, ReadsSourcesAndThenDestinations) {
  const std::string file = Record(0x400000, {}, {}) + Record(0x400004, {0x7000}, {0x5000, 0x6000});
  EXPECT_THAT(Imported("champsim", file, options_), ElementsAre(Read(0x5000, 8, 2), Read(0x6000, 8), Write(0x7000, 8)));
  options_.fetches = true;
  EXPECT_THAT(Imported("champsim", file, options_),
              ElementsAre(Access{0x400000, 8, Kind::kExecute, 0, 0}, Access{0x400004, 8, Kind::kExecute, 0, 0},
                          Read(0x5000, 8), Read(0x6000, 8), Write(0x7000, 8)));
}

TEST_F(ChampSimTest, NamesRecordAndOffsetOfWhatIsWrong) {
  const std::string one = Record(0x400000, {}, {0x5000});
  EXPECT_THAT(ImportRefusal("champsim", one + one.substr(0, 30), options_),
              HasSubstr("input: offset 64: ends in the middle of a record: 30 of 64 bytes"));
  std::string bad = one + one;
  bad[64 + 8] = 7;
  EXPECT_THAT(ImportRefusal("champsim", bad, options_), HasSubstr("input: record 1, offset 64: is_branch"));
  EXPECT_THAT(ImportRefusal("champsim", Record(1, {uint64_t{1} << 50}, {}), options_),
              HasSubstr(
                  "input: record 0, offset 0: 8 bytes at 0x4000000000000 end beyond the address space of 48 bits"));
}

}  // namespace
}  // namespace gmmu::trace
