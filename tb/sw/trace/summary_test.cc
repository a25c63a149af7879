// SPDX-License-Identifier: Apache-2.0
#include "trace/summary.h"

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

TEST(Summary, CountsPagesOfEachSizeOnce) {
  Summary summary;
  summary.Add(Read(0x1ffc, 8, 0, 3));   // touches two 4 KiB pages
  summary.Add(Write(0xfffc, 8, 9, 5));  // 4 KiB pages 15 and 16, in two 64 KiB pages
  summary.Add(Read(0x1ffffc, 8));       // 4 KiB pages 511 and 512, in two 2 MiB pages
  summary.Add(Read(0x1ffff0, 4));       // touches nothing new
  summary.Add(Read(uint64_t{1} << 47, 65536));
  EXPECT_EQ(summary.count(), 5u);
  EXPECT_EQ(summary.count(Kind::kRead), 4u);
  EXPECT_EQ(summary.count(Kind::kWrite), 1u);
  EXPECT_EQ(summary.count(Kind::kExecute), 0u);
  EXPECT_EQ(summary.bytes(), 65564u);
  EXPECT_EQ(summary.cycles(), 9u);
  EXPECT_EQ(summary.streams(), 3u);
  EXPECT_EQ(summary.first(), 0x1ffcu);
  EXPECT_EQ(summary.last(), (uint64_t{1} << 47) + 65535);
  EXPECT_EQ(summary.pages_4k(), 2u + 2 + 2 + 16);
  EXPECT_EQ(summary.pages_64k(), 2u + 2 + 1);
  EXPECT_EQ(summary.pages_2m(), 2u + 1);
}

}  // namespace
}  // namespace gmmu::trace
