// SPDX-License-Identifier: Apache-2.0
#include "hw/cpu_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "hw/host_ram.h"

namespace gmmu::hw {
namespace {

/// A CPU view of three pages with the given cache type. Device accesses go to the first page by
/// default.
struct Viewed {
  explicit Viewed(Caching caching) {
    EXPECT_TRUE(ram.Write(kAt, "old", 3));
    view = static_cast<char*>(ram.MapPages(pfns.data(), pfns.size(), caching));
  }
  ~Viewed() {
    if (view != nullptr) End();
  }
  void End() {
    ram.UnmapPages(view, pfns.size());
    view = nullptr;
  }
  std::string Device(bool snoop, uint64_t at = kAt) {
    char text[4] = {};
    EXPECT_TRUE(ram.DeviceRead(at, text, 3, snoop));
    return text;
  }
  void DeviceWrites(uint64_t at, const char* text, bool snoop) {
    EXPECT_TRUE(ram.DeviceWrite(at, text, std::strlen(text), snoop));
  }

  static constexpr uint64_t kAt = 0x40 * kPageSize + 128;
  HostRam ram{{{0, uint64_t{1} << 30}}};
  std::vector<uint64_t> pfns = {0x40, 0x99, 0x41};
  char* view = nullptr;
};

TEST(CpuCache, ADeviceThatDoesNotSnoopSeesOldBytesUntilTheLineIsWrittenBack) {
  Viewed test(Caching::kCached);
  std::memcpy(test.view + 128, "new", 3);
  EXPECT_EQ(test.Device(false), "old");
  EXPECT_EQ(test.Device(true), "new");
  EXPECT_EQ(test.Device(false), "old") << "a snoop gives bytes and writes none back";
  test.ram.cache().WriteBack(Viewed::kAt + 64, 64);
  EXPECT_EQ(test.Device(false), "old") << "another line";
  test.ram.cache().WriteBack(Viewed::kAt + 2, 1);
  EXPECT_EQ(test.Device(false), "new");
  EXPECT_EQ(test.ram.cache().dirty_bytes(), 0u);
}

TEST(CpuCache, ADirtyLineOutlivesItsView) {
  Viewed test(Caching::kCached);
  std::memcpy(test.view + 128, "new", 3);
  test.End();
  EXPECT_EQ(test.Device(false), "old");
  test.ram.cache().WriteBackAll();
  EXPECT_EQ(test.Device(false), "new");
  EXPECT_TRUE(test.ram.cache().empty());
}

TEST(CpuCache, ANonCachedViewHidesNothing) {
  Viewed test(Caching::kNonCached);
  std::memcpy(test.view + 128, "new", 3);
  EXPECT_EQ(test.Device(false), "new");
  EXPECT_TRUE(test.ram.cache().empty());
}

TEST(CpuCache, WriteCombinedBytesWaitForADrainAndAreNotSnooped) {
  Viewed test(Caching::kWriteCombined);
  std::memcpy(test.view + 129, "E", 1);
  EXPECT_EQ(test.Device(true), "old");
  EXPECT_EQ(test.Device(false), "old");
  test.DeviceWrites(Viewed::kAt, "O", true);
  EXPECT_EQ(test.Device(true), "Old") << "its neighbour waits on";
  test.ram.cache().DrainWriteCombining();
  EXPECT_EQ(test.Device(true), "OEd");
  EXPECT_EQ(std::string(test.view + 128, 3), "OEd");
}

TEST(CpuCache, TheEndOfAWriteCombinedViewDrainsIt) {
  Viewed test(Caching::kWriteCombined);
  std::memcpy(test.view + 128, "new", 3);
  test.End();
  EXPECT_EQ(test.Device(false), "new");
}

TEST(CpuCache, ASnoopedWriteOfADeviceTakesTheLineWithIt) {
  Viewed test(Caching::kCached);
  std::memcpy(test.view + 128, "new", 3);
  test.DeviceWrites(Viewed::kAt + 3, "er", true);
  EXPECT_EQ(test.Device(false), "new") << "the line was written back first";
  EXPECT_EQ(std::string(test.view + 128, 5), "newer");
}

TEST(CpuCache, AWriteBehindADirtyLineIsLostWhenTheLineIsWrittenBack) {
  Viewed test(Caching::kCached);
  std::memcpy(test.view + 128, "new", 3);
  test.DeviceWrites(Viewed::kAt + 4, "dev", false);
  EXPECT_EQ(test.Device(false, Viewed::kAt + 4), "dev");
  EXPECT_EQ(test.view[132], 0) << "the CPU has the line, and not this";
  test.ram.cache().WriteBackAll();
  EXPECT_EQ(test.Device(false, Viewed::kAt + 4), "");
  test.DeviceWrites(Viewed::kAt + 64, "dev", false);
  EXPECT_EQ(std::string(test.view + 192, 3), "dev") << "a clean line hides nothing";
}

TEST(CpuCache, UncachedStoresAreSeenByAll) {
  Viewed test(Caching::kCached);
  ASSERT_TRUE(test.ram.Write(Viewed::kAt, "now", 3));
  EXPECT_EQ(test.Device(false), "now");
  EXPECT_EQ(std::string(test.view + 128, 3), "now");
}

TEST(CpuCache, AccessesMayCrossPagesOfBothKinds) {
  Viewed test(Caching::kCached);
  test.view[4095] = 'x';  // last byte of page 0x40; page 0x41 is the view's third page
  test.view[2 * 4096] = 'y';
  char text[5] = {};
  ASSERT_TRUE(test.ram.DeviceRead(0x41 * kPageSize - 2, text, 4, false));
  EXPECT_EQ(std::string(text, 4), std::string(4, 0));
  test.ram.cache().WriteBack(0x41 * kPageSize - 1, 2);
  ASSERT_TRUE(test.ram.DeviceRead(0x41 * kPageSize - 2, text, 4, false));
  EXPECT_EQ(std::string(text + 1, 2), "xy");
  ASSERT_TRUE(test.ram.Write(0x42 * kPageSize, "z", 1));  // not a page of the view
  ASSERT_TRUE(test.ram.DeviceRead(0x42 * kPageSize - 2, text, 4, false));
  EXPECT_EQ(text[2], 'z');
}

TEST(CpuCache, TheOldestPageGoesToMemoryWhenTheCacheIsFull) {
  HostRam ram({{0, uint64_t{1} << 30}});
  for (uint64_t pfn = 0x100; pfn <= 0x100 + CpuCache::kPages; ++pfn) {
    auto* view = static_cast<char*>(ram.MapPages(&pfn, 1, Caching::kCached));
    view[0] = 'n';
    ram.UnmapPages(view, 1);
  }
  char first = 0, second = 0;
  ASSERT_TRUE(ram.DeviceRead(0x100 * kPageSize, &first, 1, false));
  ASSERT_TRUE(ram.DeviceRead(0x101 * kPageSize, &second, 1, false));
  EXPECT_EQ(first, 'n');
  EXPECT_EQ(second, 0);
  EXPECT_EQ(ram.cache().dirty_bytes(), CpuCache::kPages);
}

TEST(HostRam, AReadOnlyViewTakesNoStore) {
  HostRam ram({{0, uint64_t{1} << 30}});
  const uint64_t pfn = 0x100;
  auto* view = static_cast<volatile char*>(ram.MapPages(&pfn, 1, Caching::kCached, ViewAccess::kReadOnly));
  EXPECT_EQ(view[0], 0);
  EXPECT_DEATH(view[0] = 1, "");
  ram.UnmapPages(const_cast<char*>(view), 1);
}

TEST(HostRam, AStoreThroughACopyOnWriteViewIsSeenThereOnly) {
  HostRam ram({{0, uint64_t{1} << 30}});
  const uint64_t pfn = 0x100;
  ASSERT_TRUE(ram.Write(pfn * kPageSize, "old", 3));
  auto* view = static_cast<char*>(ram.MapPages(&pfn, 1, Caching::kCached, ViewAccess::kCopyOnWrite));
  std::memcpy(view, "new", 3);
  char text[4] = {};
  ASSERT_TRUE(ram.DeviceRead(pfn * kPageSize, text, 3, true));
  EXPECT_STREQ(text, "old");
  ram.UnmapPages(view, 1);
  EXPECT_TRUE(ram.cache().empty());
}

}  // namespace
}  // namespace gmmu::hw
