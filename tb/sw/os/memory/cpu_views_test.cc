// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ddi/wdm.h"
#include "os/base/bug_check.h"
#include "os/guard/driver_guard.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

TEST(MemoryCaching, TheTypeOfTheObjectDecidesWhatDevicesSee) {
  for (const auto& [type, no_snoop, snoop] :
       std::vector<std::tuple<DXGK_MEMORY_CACHING_TYPE, char, char>>{{DXGK_MEMORY_CACHING_TYPE_NON_CACHED, 'n', 'n'},
                                                                     {DXGK_MEMORY_CACHING_TYPE_CACHED, 0, 'n'},
                                                                     {DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED, 0, 0}}) {
    Objects test;
    auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
    args.CacheType = type;
    ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
    const uint64_t at = test.objects.PagesOf(args.hPhysicalMemoryObject)[0] * 4096;
    const auto view = test.Map(args.hPhysicalMemoryObject, 0, 4096);
    static_cast<char*>(view.pMappedAddress)[0] = 'n';
    char seen = 0;
    ASSERT_TRUE(test.platform.ram().DeviceRead(at, &seen, 1, false));
    EXPECT_EQ(seen, no_snoop) << type;
    ASSERT_TRUE(test.platform.ram().DeviceRead(at, &seen, 1, true));
    EXPECT_EQ(seen, snoop) << type;
    test.Unmap(view);
  }
}

TEST(MemoryCaching, AnUncachedStoreDrainsWriteCombiningAndAWbinvdWritesAllBack) {
  Objects test;
  const uint64_t doorbell = test.kernel.pci().Enumerate().front().bars[0].address;
  auto args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  const auto byte_without_snoop = [&] {
    char seen = 0;
    EXPECT_TRUE(
        test.platform.ram().DeviceRead(test.objects.PagesOf(args.hPhysicalMemoryObject)[0] * 4096, &seen, 1, false));
    return seen;
  };
  args.CacheType = DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  static_cast<char*>(test.Map(args.hPhysicalMemoryObject, 0, 4096).pMappedAddress)[0] = 'w';
  EXPECT_EQ(byte_without_snoop(), 0);
  test.kernel.hal().Write(doorbell, 4, 0);
  EXPECT_EQ(byte_without_snoop(), 'w');

  args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  ASSERT_EQ(test.objects.Create(args, "test"), STATUS_SUCCESS);
  static_cast<char*>(test.Map(args.hPhysicalMemoryObject, 0, 4096).pMappedAddress)[0] = 'c';
  test.kernel.hal().Write(doorbell, 4, 0);
  EXPECT_EQ(byte_without_snoop(), 0) << "a cached line stays";
  EXPECT_TRUE(KeInvalidateAllCaches());
  EXPECT_EQ(byte_without_snoop(), 'c');
}

TEST(MemoryViews, BeginAtOrBeforeWhatIsAskedForAndCoverIt) {
  Objects test;
  const auto object = test.Create(40 * 4096, test.adapter);
  std::set<uint64_t> cuts;
  for (int i = 0; i < 32; ++i) {
    const auto view = test.Map(object.hPhysicalMemoryObject, 20 * 4096 + 100, 5000);
    EXPECT_EQ(view.Offset % 4096, 100u);
    EXPECT_GE(view.Size, view.Offset + 5000);
    EXPECT_EQ(view.Size % 4096, 0u);
    cuts.insert(view.Offset - 100);
    test.Unmap(view);
  }
  EXPECT_EQ(cuts, (std::set<uint64_t>{0, 4 * 4096})) << "4 KiB and 64 KiB, drawn by seed";
}

TEST(MemoryViews, AUserViewBelongsToItsProcess) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  bool refused = false;
  test.kernel.scheduler().Spawn("driver", [&] {
    test.kernel.scheduler().AttachProcess(7);
    const auto user = test.Map(object.hPhysicalMemoryObject, 0, 4096, DXGK_ACCESS_MODE_USER_MODE);
    const auto kernel = test.Map(object.hPhysicalMemoryObject, 0, 4096);
    EXPECT_EQ(test.kernel.scheduler().AttachProcess(8), 7u);
    test.Unmap(kernel);  // any process may unmap a kernel view
    try {
      test.Unmap(user);
    } catch (const BugCheck& stop) {
      refused = true;
      EXPECT_THAT(stop.cause(), HasSubstr("of a user view of process 7 in process 8"));
    }
    test.kernel.scheduler().AttachProcess(7);
    test.Unmap(user);
  });
  test.kernel.scheduler().Run();
  EXPECT_TRUE(refused);
}

// The documentation says that a user view belongs to a process, but not what another process reads
// at the view's address. In this model, the access is a page fault.
TEST(MemoryViews, AnAccessToAUserViewFromAnotherProcessIsAFaultThatNamesBoth) {
  DriverGuard::Install(nullptr);
  {
    Objects test;
    Scheduler& scheduler = test.kernel.scheduler();
    const auto object = test.Create(4096, test.adapter);
    std::vector<std::string> faults;
    const auto reads = [&](const DXGKARGCB_MAP_PHYSICAL_MEMORY& view) {
      char seen = 0;
      try {
        DriverGuard::Run("DxgkDdiEscape", scheduler.irql(), 0,
                         [&] { seen = static_cast<const volatile char*>(view.pMappedAddress)[view.Offset]; });
      } catch (const BugCheck& stop) {
        faults.push_back(stop.cause());
        return '!';
      }
      return seen;
    };
    scheduler.Spawn("driver", [&] {
      scheduler.AttachProcess(7);
      const auto user = test.Map(object.hPhysicalMemoryObject, 0, 4096, DXGK_ACCESS_MODE_USER_MODE);
      const auto kernel = test.Map(object.hPhysicalMemoryObject, 0, 4096);
      static_cast<char*>(user.pMappedAddress)[user.Offset] = 'u';
      EXPECT_EQ(reads(user), 'u');
      scheduler.AttachProcess(8);
      EXPECT_EQ(reads(kernel), 'u') << "a kernel view serves every process";
      EXPECT_EQ(reads(user), '!');
      scheduler.AttachProcess(0);  // process 0 is the system process
      EXPECT_EQ(reads(user), '!');
      scheduler.AttachProcess(7);
      EXPECT_EQ(reads(user), 'u') << "it is there again in its own";
      scheduler.Spawn("another", [&] { EXPECT_EQ(reads(user), '!'); });
      for (int i = 0; i < 100; ++i) scheduler.Yield();
      EXPECT_EQ(reads(user), 'u');
      test.Unmap(user);
      test.Unmap(kernel);
    });
    scheduler.Run();
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_THAT(faults[0], HasSubstr("DxgkDdiEscape"));
    EXPECT_THAT(faults[0], HasSubstr("in a user view of process 7, from process 8: attach to the process"));
    EXPECT_THAT(faults[1], HasSubstr("in a user view of process 7, from process 0 (the system's)"));
    EXPECT_THAT(faults[2], HasSubstr("from process 0 (the system's)"));
  }
  DriverGuard::Remove();
}

// Observed on Windows build 26100: the data is at pMappedAddress + Offset (an output), and the view
// is unmapped with the Size that was returned.
TEST(Rule11, MapResultsAreRelativeToTheReturnedBaseAndUnmapTakesTheOutputSize) {
  Objects test;
  const auto object = test.Create(40 * 4096, test.adapter);
  const auto& pfns = test.objects.PagesOf(object.hPhysicalMemoryObject);
  const uint64_t offset = 21 * 4096 + 8;
  ASSERT_TRUE(test.platform.ram().Write(pfns[21] * 4096 + 8, "here", 4));
  for (int i = 0; i < 8; ++i) {
    const auto view = test.Map(object.hPhysicalMemoryObject, offset, 4);
    EXPECT_LT(view.Offset, offset) << "a distance in the view, not in the object";
    EXPECT_EQ(std::memcmp(static_cast<char*>(view.pMappedAddress) + view.Offset, "here", 4), 0);
    EXPECT_THROW(test.objects.Unmap({view.hPhysicalMemoryObject, view.pMappedAddress, 4}), BugCheck)
        << "the size that was asked for";
    EXPECT_THROW(test.objects.Unmap(
                     {view.hPhysicalMemoryObject, static_cast<char*>(view.pMappedAddress) + view.Offset, view.Size}),
                 BugCheck)
        << "the data's address";
    test.Unmap(view);
  }
}

}  // namespace
}  // namespace gmmu::os
