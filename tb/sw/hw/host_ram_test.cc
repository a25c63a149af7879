// SPDX-License-Identifier: Apache-2.0
#include "hw/host_ram.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace gmmu::hw {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
using Pages = std::vector<uint64_t>;

std::vector<Range> PcWith(uint64_t gib) { return {{0, 2 * kGiB}, {4 * kGiB, (2 + gib) * kGiB}}; }

TEST(HostRam, ReadsZeroUntilWrittenAndReadingAllocatesNothing) {
  HostRam ram(PcWith(16));
  uint64_t word = ~uint64_t{0};
  ASSERT_TRUE(ram.Read(5 * kGiB, &word, sizeof word));
  EXPECT_EQ(word, 0u);
  EXPECT_TRUE(ram.PagesWithData().empty());
}

TEST(HostRam, ListsEveryPageWrittenInAscendingOrder) {
  HostRam ram(PcWith(16));
  const uint8_t byte = 7;
  ASSERT_TRUE(ram.Write(5 * kGiB + 0x1234, &byte, 1));
  ASSERT_TRUE(ram.Write(0, &byte, 1));
  std::vector<uint8_t> two_pages(2 * kPageSize, 9);
  ASSERT_TRUE(ram.Write(0x10800, two_pages.data(), two_pages.size()));
  EXPECT_EQ(ram.PagesWithData(), (Pages{0, 0x10, 0x11, 0x12, (5 * kGiB >> 12) + 1}));
}

TEST(HostRam, AnswersTwoTebibytesAtBothEnds) {
  HostRam ram(PcWith(2048));
  EXPECT_EQ(ram.end(), 2050 * kGiB);
  const uint64_t last = ram.end() - 8, value = 0x0123456789abcdef;
  ASSERT_TRUE(ram.Write(last, &value, 8));
  uint64_t got = 0;
  ASSERT_TRUE(ram.Read(last, &got, 8));
  EXPECT_EQ(got, value);
  EXPECT_EQ(ram.PagesWithData(), Pages{(ram.end() >> 12) - 1});
}

TEST(HostRam, RefusesWhatIsNotInstalledAndMovesNothing) {
  HostRam ram(PcWith(4));
  uint8_t bytes[16];
  std::memset(bytes, 0x5a, sizeof bytes);
  EXPECT_FALSE(ram.Write(2 * kGiB - 8, bytes, 16));  // reaches into the device hole
  EXPECT_FALSE(ram.Write(3 * kGiB, bytes, 1));
  EXPECT_FALSE(ram.Write(ram.end() - 8, bytes, 16));
  EXPECT_FALSE(ram.Write(~uint64_t{0} - 3, bytes, 16));
  EXPECT_FALSE(ram.Read(2 * kGiB - 8, bytes, 16));
  EXPECT_EQ(bytes[0], 0x5a);
  EXPECT_TRUE(ram.PagesWithData().empty());
  EXPECT_FALSE(ram.Installed(0, ~uint64_t{0}));
  EXPECT_TRUE(ram.Installed(2 * kGiB - 8, 8));
}

TEST(HostRam, TreatsTouchingRangesAsOne) {
  HostRam ram({{0, 0x2000}, {0x2000, 0x4000}});
  EXPECT_TRUE(ram.Installed(0x1ff8, 16));
  EXPECT_TRUE(ram.Installed(0, 0x4000));
  EXPECT_FALSE(ram.Installed(0, 0x4001));
}

TEST(HostRam, ShowsScatteredPagesAsOnePointerSharedWithDevices) {
  HostRam ram(PcWith(8));
  const Pages pfns = {5, 6, 7, (4 * kGiB >> 12) + 3, 2, 9};
  auto* view = static_cast<uint8_t*>(ram.MapPages(pfns.data(), pfns.size()));
  EXPECT_EQ(ram.views(), 1u);
  for (size_t i = 0; i < pfns.size(); ++i) view[i * kPageSize + 17] = static_cast<uint8_t>(40 + i);
  for (size_t i = 0; i < pfns.size(); ++i) {
    uint8_t byte = 0;
    ASSERT_TRUE(ram.Read(pfns[i] * kPageSize + 17, &byte, 1));
    EXPECT_EQ(byte, 40 + i);
  }
  const uint8_t device = 0x99;
  ASSERT_TRUE(ram.Write(pfns[3] * kPageSize, &device, 1));
  EXPECT_EQ(view[3 * kPageSize], 0x99);
  ram.UnmapPages(view, pfns.size());
  EXPECT_EQ(ram.views(), 0u);
  EXPECT_EQ(ram.PagesWithData(), (Pages{2, 5, 6, 7, 9, (4 * kGiB >> 12) + 3}));
}

TEST(HostRam, MapsTheSamePageTwiceInOneView) {
  HostRam ram(PcWith(4));
  const Pages pfns = {3, 3};
  auto* view = static_cast<uint8_t*>(ram.MapPages(pfns.data(), 2));
  view[8] = 1;
  EXPECT_EQ(view[kPageSize + 8], 1);
  ram.UnmapPages(view, 2);
}

TEST(HostRam, RefusesAViewOfPagesThatAreNotInstalled) {
  HostRam ram(PcWith(4));
  const Pages hole = {2 * kGiB >> 12}, beyond = {ram.end() >> 12}, absurd = {~uint64_t{0}};
  EXPECT_THROW(ram.MapPages(hole.data(), 1), std::runtime_error);
  EXPECT_THROW(ram.MapPages(beyond.data(), 1), std::runtime_error);
  EXPECT_THROW(ram.MapPages(absurd.data(), 1), std::runtime_error);
  EXPECT_EQ(ram.views(), 0u);
}

TEST(HostRam, MapsManyScatteredPages) {
  HostRam ram(PcWith(4));
  Pages pfns(8192);
  for (size_t i = 0; i < pfns.size(); ++i) pfns[i] = (i * 7919) % 16384 * 2;
  auto* view = static_cast<uint8_t*>(ram.MapPages(pfns.data(), pfns.size()));
  for (size_t i = 0; i < pfns.size(); ++i) std::memcpy(view + i * kPageSize, &i, sizeof i);
  for (size_t i = 0; i < pfns.size(); ++i) {
    size_t there = 0;
    ASSERT_TRUE(ram.Read(pfns[i] * kPageSize, &there, sizeof there));
    ASSERT_EQ(there, i);
  }
  ram.UnmapPages(view, pfns.size());
}

TEST(HostRam, RefusesBadRangesWithAReason) {
  const auto reason = [](const std::vector<Range>& ranges) -> std::string {
    try {
      HostRam ram(ranges);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(reason({{0, 0x1001}}), "host RAM: a range is not 4 KiB aligned");
  EXPECT_EQ(reason({{0x1000, 0x1000}}), "host RAM: ranges must ascend, hold bytes and not overlap");
  EXPECT_EQ(reason({{0, 0x2000}, {0x1000, 0x3000}}), "host RAM: ranges must ascend, hold bytes and not overlap");
  EXPECT_EQ(reason({{0, uint64_t{1} << 48}}), "host RAM: a range ends above 47 bits");
}

TEST(HostRam, TakesAddressSpaceForWhatIsUsedAndSaysWhyWhenThereIsNoMore) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer itself needs the address space";
#endif
  HostRam ram(PcWith(2048));
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  rlimit low = old;
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  low.rlim_cur = pages * kPageSize + (16u << 20);  // enough for a view, but not for 64 MiB of pages
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  std::string text;
  const Pages pfns = {7, 8};
  EXPECT_THROW(ram.MapPages(pfns.data(), pfns.size(), Caching::kCached), std::runtime_error);
  try {
    const uint8_t byte = 1;
    EXPECT_FALSE(ram.Write(5 * kGiB, &byte, 1));
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &old), 0);
  EXPECT_NE(text.find("host RAM: cannot have 64 MiB of pages in use"), std::string::npos) << text;
  const uint8_t byte = 1;
  EXPECT_TRUE(ram.Write(5 * kGiB, &byte, 1)) << "it is as it was";
  EXPECT_TRUE(ram.cache().empty()) << "nor is anything left of the view";
  EXPECT_EQ(ram.views(), 0u);
}

}  // namespace
}  // namespace gmmu::hw
