// SPDX-License-Identifier: Apache-2.0
#include "gpu/axi_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/ring.h"

namespace gmmu::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr unsigned kSize = 3, kIncr = 1;

class AxiMonitorTest : public ::testing::Test {
 protected:
  void ExpectFinding(const std::string& text) {
    ASSERT_THAT(monitor_.findings(), SizeIs(1));
    EXPECT_EQ(monitor_.findings()[0].probe, "axi");
    EXPECT_THAT(monitor_.findings()[0].text, HasSubstr(text));
  }
  AxiMonitor monitor_{"m_test", 8, 8};
};

TEST_F(AxiMonitorTest, AcceptsBurstsUpToTheEndOfAPage) {
  monitor_.Address(false, 1, 5, 0xFC0, 7, kSize, kIncr);
  monitor_.Address(true, 2, 5, 0xFFF, 0, kSize, kIncr);
  monitor_.WriteBeat(3, 0x80, true);
  monitor_.ReadEnd(5);
  monitor_.WriteEnd(5);
  monitor_.Address(false, 4, 5, 0x1000, 255, kSize, kIncr);
  EXPECT_THAT(monitor_.findings(), IsEmpty());
}

TEST_F(AxiMonitorTest, FindsABurstAcrossFourKilobytes) {
  monitor_.Address(false, 1, 5, 0xFC1, 8, kSize, kIncr);
  ExpectFinding("crosses 4 KiB");
}

TEST_F(AxiMonitorTest, FindsAnIdThatIsOutstanding) {
  monitor_.Address(true, 1, 5, 0, 0, kSize, kIncr);
  monitor_.Address(true, 2, 5, 0, 0, kSize, kIncr);
  ExpectFinding("AW id 0x5 is outstanding");
}

TEST_F(AxiMonitorTest, FindsNarrowAndWrappingBursts) {
  monitor_.Address(false, 1, 5, 0, 0, 2, kIncr);
  ExpectFinding("not the bus width");
  monitor_.Address(false, 1, 6, 0, 0, kSize, 2);
  EXPECT_THAT(monitor_.findings(), SizeIs(2));
}

TEST_F(AxiMonitorTest, FindsAMisplacedLast) {
  monitor_.Address(true, 1, 5, 0, 1, kSize, kIncr);
  monitor_.WriteBeat(2, 0xFF, true);
  ExpectFinding("W last is 1 with 1 beats to come");
}

TEST_F(AxiMonitorTest, FindsAMissingLast) {
  monitor_.Address(true, 1, 5, 0, 0, kSize, kIncr);
  monitor_.WriteBeat(2, 0xFF, false);
  ExpectFinding("W last is 0");
}

TEST_F(AxiMonitorTest, FindsDataWithoutAnAddressAndStrobesBelowIt) {
  monitor_.WriteBeat(2, 0xFF, true);
  ExpectFinding("without an AW");
  monitor_.Address(true, 3, 5, 4, 0, kSize, kIncr);
  monitor_.WriteBeat(4, 0xFF, true);
  EXPECT_THAT(monitor_.findings(), SizeIs(2));
}

TEST(Ring, KeepsItsOrderWhenItGrows) {
  Ring<int> ring(2);
  for (int i = 0; i < 3; ++i) ring.push(i);
  ring.pop();
  for (int i = 3; i < 20; ++i) ring.push(i);
  for (int i = 1; i < 20; ++i) {
    EXPECT_EQ(ring.front(), i);
    ring.pop();
  }
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace gmmu::sim
