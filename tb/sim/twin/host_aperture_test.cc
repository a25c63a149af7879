// SPDX-License-Identifier: Apache-2.0
#include "twin/host_aperture.h"

#include <gtest/gtest.h>

#include "tb/sim/twin/bench.h"

namespace gmmu::sim::twin {
namespace {

struct HostApertureOfBar2 : ::testing::Test {
  void Set(unsigned index, uint64_t vram) {
    b.bare.Write(regs::HostApertureEntry::kOffset,
                 regs::HostApertureEntry().set_valid(1).set_index(index).set_page(vram >> 12).raw);
  }
  void TurnOn(uint64_t first_page) {
    b.bare.Write(regs::HostAperture::kOffset, regs::HostAperture().set_enable(1).set_first(first_page).raw);
  }
  uint64_t Read(uint64_t offset) { return b.machine.MmioRead(b.bare.window() + offset, 8); }
  void Write(uint64_t offset, uint64_t value) { b.machine.MmioWrite(b.bare.window() + offset, 8, value); }

  Bench b;
};

TEST_F(HostApertureOfBar2, ShowsThePageOfEachEntry) {
  Write(0x5008, 0x1111);
  Write(0x9008, 0x2222);
  Set(0, 0x9000);
  Set(255, 0x5000);
  TurnOn(0x100);
  EXPECT_EQ(Read(0x100008), 0x2222u);
  EXPECT_EQ(Read(0x1FF008), 0x1111u);
  Write(0x1FF008, 0x3333);
  EXPECT_EQ(Read(0x5008), 0x3333u);
  Set(255, 0x9000);
  EXPECT_EQ(Read(0x1FF008), 0x2222u);
}

TEST_F(HostApertureOfBar2, LeavesTheRestOfBar2AtTheWindowBase) {
  Write(0x200008, 0x4444);
  Write(0x1FF008, 0x5555);
  Set(255, 0x9000);
  TurnOn(0x100);
  EXPECT_EQ(Read(0x200008), 0x4444u);
  b.bare.Write(regs::HostAperture::kOffset, 0);
  EXPECT_EQ(Read(0x1FF008), 0x5555u);
}

TEST_F(HostApertureOfBar2, AnEntryThatIsNotValidIsAnsweredWithAnError) {
  Set(1, 0x9000);
  TurnOn(0);
  b.bare.Write(regs::HostApertureEntry::kOffset, regs::HostApertureEntry().set_index(1).set_page(9).raw);
  EXPECT_EQ(Read(0x1008), ~uint64_t{0});
}

TEST_F(HostApertureOfBar2, EntriesAreWrittenOnly) {
  Set(3, 0x9000);
  TurnOn(0);
  EXPECT_EQ(regs::HostAperture{b.bare.Read(regs::HostAperture::kOffset)}.enable(), 1u);
  EXPECT_EQ(b.bare.Read(regs::HostApertureEntry::kOffset), 0u);
}

TEST(HostAperture, IsOffAfterAResetAndKeepsItsEntries) {
  HostAperture aperture;
  aperture.Set(regs::HostApertureEntry().set_valid(1).set_index(0x103).set_page(9));  // index 3 of 256
  aperture.set_range(regs::HostAperture().set_enable(1).set_first(0x200));
  EXPECT_TRUE(aperture.Maps(0x2FFFFF));
  EXPECT_FALSE(aperture.Maps(0x300000));
  aperture.Reset();
  EXPECT_EQ(aperture.range(), 0u);
  EXPECT_FALSE(aperture.Maps(0x2FFFFF));
  EXPECT_EQ(aperture.At(0x203010), 0x9010u);
}

}  // namespace
}  // namespace gmmu::sim::twin
