// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/mdl_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ddi/wdm.h"
#include "tb/sw/os/machine.h"
#include "os/base/bug_check.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

struct MdlViewsTest : ::testing::Test {
  static void ExpectStop(const std::function<void()>& call, const std::string& text) {
    try {
      call();
      ADD_FAILURE() << "let pass: " << text;
    } catch (const BugCheck& stop) {
      EXPECT_THAT(stop.cause(), HasSubstr(text));
    }
  }
  Machine machine;
  std::vector<uint64_t> pfns = *machine.kernel.pages().AllocateScattered(3, 0, ~uint64_t{0}, "driver", "test");
};

TEST_F(MdlViewsTest, AListOfMemoryThatStaysHasItsPagesAndItsAddress) {
  auto& ram = machine.platform.ram();
  uint8_t* const view = static_cast<uint8_t*>(ram.MapPages(pfns.data(), 3, hw::Caching::kCached));
  PMDL const list = IoAllocateMdl(view + 100, 2 * PAGE_SIZE, FALSE, FALSE, nullptr);
  ASSERT_NE(list, nullptr);
  MmBuildMdlForNonPagedPool(list);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(MmGetMdlPfnArray(list)[i], pfns[i]);
  EXPECT_EQ(MmGetMdlByteCount(list), 2u * PAGE_SIZE);
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(list, NormalPagePriority), view + 100) << "it needs no other view";
  IoFreeMdl(list);
  ram.UnmapPages(view, 3);
}

TEST_F(MdlViewsTest, AViewShowsThePagesInTheirOrderUntilItEnds) {
  PMDL const list = IoAllocateMdl(nullptr, 3 * PAGE_SIZE, FALSE, FALSE, nullptr);
  std::copy(pfns.begin(), pfns.end(), MmGetMdlPfnArray(list));
  auto* const view = static_cast<uint8_t*>(MmGetSystemAddressForMdlSafe(list, NormalPagePriority));
  for (int i = 0; i < 3; ++i) std::memset(view + i * PAGE_SIZE, i + 1, PAGE_SIZE);
  for (size_t i = 0; i < 3; ++i) {
    uint8_t byte = 0;
    ASSERT_TRUE(machine.platform.ram().Read(pfns[i] * PAGE_SIZE + 7, &byte, 1));
    EXPECT_EQ(byte, i + 1);
  }
  ExpectStop([&] { MmMapLockedPagesSpecifyCache(list, KernelMode, MmCached, nullptr, FALSE, 0); }, "that has a view");
  ExpectStop([&] { IoFreeMdl(list); }, "IoFreeMdl of pages that have a view");
  EXPECT_EQ(MmMapLockedPagesSpecifyCache(list, UserMode, MmCached, nullptr, FALSE, 0), nullptr);
  ExpectStop([&] { MmUnmapLockedPages(view + 1, list); }, "MmUnmapLockedPages of a view that the MDL does not have");
  EXPECT_EQ(machine.kernel.ledger().Leaks().back().kind, "cpu_view");
  MmUnmapLockedPages(view, list);
  ExpectStop([&] { MmUnmapLockedPages(view, list); }, "MmUnmapLockedPages of a view that the MDL does not have");
  IoFreeMdl(list);
}

TEST_F(MdlViewsTest, AListOfMemoryThatIsNoSystemMemoryIsABugCheck) {
  uint8_t elsewhere = 0;
  PMDL const list = IoAllocateMdl(&elsewhere, 1, FALSE, FALSE, nullptr);
  ExpectStop([&] { MmBuildMdlForNonPagedPool(list); }, "memory that is no view of system memory, page 0 of 1");
  IoFreeMdl(list);
}

}  // namespace
}  // namespace gmmu::os
