// SPDX-License-Identifier: Apache-2.0
// Tests the reservation of frame buffer save memory: commit charge, sections, pins and windows. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/memory/frame_buffer.h"

#include "os/base/page_math.h"
#include "os/kernel/kernel.h"
#include "os/memory/memory_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/ram_of_iommu.h"
#include "os/base/bug_check.h"
#include "os/hal/remapping.h"
#include "tb/sim/iommu/translate.h"
#include "twin/fast_engine.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Machine {
  explicit Machine(bool identity = true, Parameters parameters = {}) : kernel(platform, parameters) {
    kernel.iommu()->Enable([](const RemappingFault&) {});
    domain = kernel.iommu()->CreateDomain(uint64_t{1} << 40, identity, "test");
    kernel.iommu()->Attach({1, 0, 0}, *domain);
    objects.AddAdapter(adapter, {domain, "test"});
  }
  bool Reaches(uint64_t page) { return sim::TranslateAtOnce(*platform.iommu(), ram, {0x100, page * kPage, true}).ok(); }
  size_t LeaksOf(const std::string& kind) {
    size_t count = 0;
    for (const Leak& leak : kernel.ledger().Leaks()) count += leak.kind == kind;
    return count;
  }
  sim::twin::FastMachine platform{sim::MachineConfig::Default()};
  Kernel kernel;
  sim::RamOfIommu ram{platform.ram()};
  RemappingDomain* domain = nullptr;
  MemoryObjects objects{kernel};
  FrameBuffer frame_buffer{kernel, objects};
  int token = 0;
  HANDLE adapter = &token;
};

TEST(FrameBuffer, IsChargedOnceForEveryPhysicalAdapterWithASize) {
  Machine machine;
  machine.frame_buffer.Reserve(machine.adapter, false, {8 * kPage, 0, 3 * kPage});
  EXPECT_EQ(machine.frame_buffer.charged(), 11u);
  EXPECT_EQ(machine.LeaksOf("commit_charge"), 2u);
  DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{1, kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, pin), STATUS_INVALID_PARAMETER) << "adapter 1 has none";
  pin = {2, 3 * kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, pin), STATUS_SUCCESS);
  machine.frame_buffer.Unpin(machine.adapter, {2});
  machine.frame_buffer.Release(machine.adapter);
  EXPECT_EQ(machine.frame_buffer.charged(), 0u);
  EXPECT_EQ(machine.LeaksOf("commit_charge"), 0u);
}

TEST(FrameBuffer, AboveApcLevelEveryOneOfTheFiveStops) {
  Machine machine;
  FrameBuffer& frame_buffer = machine.frame_buffer;
  frame_buffer.Reserve(machine.adapter, false, {4 * kPage, 4 * kPage});
  machine.kernel.scheduler().Raise(kApc);  // APC_LEVEL is still permitted
  DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, kPage, nullptr};
  ASSERT_EQ(frame_buffer.Pin(machine.adapter, pin), STATUS_SUCCESS);
  DXGKARGCB_MAPFRAMEBUFFERPOINTER window{1, kPage, 0, nullptr};
  ASSERT_EQ(frame_buffer.MapWindow(machine.adapter, window), STATUS_SUCCESS);
  DXGKARGCB_PINFRAMEBUFFERFORSAVE more_pins{1, kPage, nullptr};
  DXGKARGCB_PINFRAMEBUFFERFORSAVE2 pin2{};
  DXGKARGCB_MAPFRAMEBUFFERPOINTER more_windows{0, kPage, 0, nullptr};
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"DxgkCbPinFrameBufferForSave", [&] { frame_buffer.Pin(machine.adapter, more_pins); }},
      {"DxgkCbPinFrameBufferForSave2", [&] { frame_buffer.Pin2(machine.adapter, pin2); }},
      {"DxgkCbUnpinFrameBufferForSave", [&] { frame_buffer.Unpin(machine.adapter, {0}); }},
      {"DxgkCbMapFrameBufferPointer", [&] { frame_buffer.MapWindow(machine.adapter, more_windows); }},
      {"DxgkCbUnmapFrameBufferPointer", [&] { frame_buffer.UnmapWindow(machine.adapter, {1, window.pBaseAddress}); }}};
  machine.kernel.scheduler().Raise(kDispatch);
  for (const auto& [name, call] : calls) {
    try {
      call();
      ADD_FAILURE() << name << " was let pass";
    } catch (const BugCheck& stop) {
      EXPECT_EQ(stop.cause(), std::string(name) + " above APC_LEVEL (IRQL 1): called at IRQL 2");
    }
  }
}

TEST(FrameBuffer, WantsWholePagesThatMemoryHas) {
  Machine machine;
  const auto refusal = [&](uint64_t bytes) -> std::string {
    try {
      machine.frame_buffer.Reserve(machine.adapter, false, {bytes});
    } catch (const OsError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(4097), HasSubstr("DXGK_FRAMEBUFFERSAVEAREA.MaximumSize of physical adapter 0 is 4097"));
  EXPECT_THAT(refusal(uint64_t{1} << 40), HasSubstr("no commit charge for the frame buffer of physical adapter 0"));
  EXPECT_EQ(machine.frame_buffer.charged(), 0u);
  // Sections count against the commit limit even while they are not resident.
  const uint64_t left = machine.kernel.pages().installed_pages() - machine.kernel.pages().allocated();
  machine.frame_buffer.Reserve(machine.adapter, false, {kPage});
  EXPECT_THAT(refusal(left * kPage), HasSubstr("no commit charge"));
}

TEST(FrameBuffer, PinnedPagesAreLockedAndReachableUntilTheUnpin) {
  Machine machine;
  machine.frame_buffer.Reserve(machine.adapter, false, {4 * kPage});
  DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, 3 * kPage, nullptr};
  ASSERT_EQ(machine.frame_buffer.Pin(machine.adapter, pin), STATUS_SUCCESS);
  const auto pages = Mdl::PagesOf(pin.pMdl);
  ASSERT_EQ(pages.size(), 3u) << "as much as was asked for, not all";
  for (uint64_t pfn : pages) EXPECT_TRUE(machine.Reaches(pfn));
  EXPECT_THROW(machine.kernel.pages().Free(pages[0]), BugCheck);
  EXPECT_EQ(machine.LeaksOf("pinned_frame_buffer"), 1u);
  machine.frame_buffer.Unpin(machine.adapter, {0});
  for (uint64_t pfn : pages) EXPECT_FALSE(machine.Reaches(pfn));
  EXPECT_THROW(machine.frame_buffer.Unpin(machine.adapter, {0}), BugCheck);
}

TEST(FrameBuffer, CommitSizeIsWholePagesUpToTheMaximum) {
  Machine machine;
  machine.frame_buffer.Reserve(machine.adapter, false, {4 * kPage});
  for (uint64_t bytes : {uint64_t{0}, kPage - 1, 5 * kPage}) {
    DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, bytes, nullptr};
    EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, pin), STATUS_INVALID_PARAMETER) << bytes;
  }
}

TEST(FrameBuffer, ThePinWithAnAdlServesARemappedDomainAndTheMdlFormDoesNot) {
  Machine machine(false);
  machine.frame_buffer.Reserve(machine.adapter, true, {4 * kPage});
  DXGKARGCB_PINFRAMEBUFFERFORSAVE old{0, 4 * kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, old), STATUS_NOT_SUPPORTED);
  DXGKARGCB_PINFRAMEBUFFERFORSAVE2 pin{};
  pin.CommitSize = 4 * kPage;
  pin.Flags.PreferContiguous = 1;
  ASSERT_EQ(machine.frame_buffer.Pin2(machine.adapter, pin), STATUS_SUCCESS);
  ASSERT_TRUE(pin.pAdl->Flags.Contiguous);
  EXPECT_EQ(pin.pAdl->PageCount, 4u);
  for (uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(machine.Reaches(pin.pAdl->BasePageNumber + i));
  machine.frame_buffer.Unpin(machine.adapter, {0});  // Unpin releases the pins of both Pin and Pin2
}

TEST(FrameBuffer, AWindowShowsTheSectionAtTheOffsetThatComesOut) {
  Machine machine;
  machine.frame_buffer.Reserve(machine.adapter, false, {40 * kPage});
  for (uint64_t page = 0; page < 40; ++page) {
    DXGKARGCB_MAPFRAMEBUFFERPOINTER map{0, kPage, page * kPage, nullptr};
    ASSERT_EQ(machine.frame_buffer.MapWindow(machine.adapter, map), STATUS_SUCCESS);
    EXPECT_EQ(map.Offset, page % 16 * kPage) << "from the view's start, not the section's";
    std::memset(static_cast<uint8_t*>(map.pBaseAddress) + map.Offset, static_cast<int>(page + 1), kPage);
    machine.frame_buffer.UnmapWindow(machine.adapter, {0, map.pBaseAddress});
  }
  DXGKARGCB_MAPFRAMEBUFFERPOINTER all{0, 40 * kPage, 0, nullptr};
  ASSERT_EQ(machine.frame_buffer.MapWindow(machine.adapter, all), STATUS_SUCCESS);
  for (uint64_t page = 0; page < 40; ++page)
    EXPECT_EQ(static_cast<uint8_t*>(all.pBaseAddress)[page * kPage + 7], page + 1);
  machine.frame_buffer.UnmapWindow(machine.adapter, {0, all.pBaseAddress});
  EXPECT_EQ(machine.platform.ram().views(), 0u);
}

TEST(FrameBuffer, OneSectionForAllIsPinnedWholeAndReadAtPageOffsets) {
  // Adapter 0 reports the sum of all save areas; the other adapters report none. A pin always
  // begins at the start of the section, so the second adapter's pages can only be pinned together
  // with the first adapter's.
  Machine machine;
  machine.frame_buffer.Reserve(machine.adapter, false, {2 * kPage + 3 * kPage, 0});
  const auto write = [&](uint64_t page, const std::string& text) {
    DXGKARGCB_MAPFRAMEBUFFERPOINTER map{0, kPage, page * kPage, nullptr};
    ASSERT_EQ(machine.frame_buffer.MapWindow(machine.adapter, map), STATUS_SUCCESS);
    std::memcpy(static_cast<uint8_t*>(map.pBaseAddress) + map.Offset, text.data(), text.size());
    machine.frame_buffer.UnmapWindow(machine.adapter, {0, map.pBaseAddress});
  };
  /// Pins `bytes` bytes and returns the text at the start of each pinned page.
  const auto pinned = [&](uint64_t bytes) {
    std::vector<std::string> texts;
    DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, bytes, nullptr};
    EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, pin), STATUS_SUCCESS);
    if (pin.pMdl == nullptr) return texts;
    for (const uint64_t page : Mdl::PagesOf(pin.pMdl)) {
      char text[7] = {};
      EXPECT_TRUE(machine.platform.ram().Read(page * kPage, text, 6));
      texts.push_back(text);
    }
    return texts;
  };
  for (uint64_t page = 0; page < 5; ++page) write(page, "page " + std::to_string(page));
  DXGKARGCB_PINFRAMEBUFFERFORSAVE second{1, 3 * kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, second), STATUS_INVALID_PARAMETER) << "it has no section";
  EXPECT_THAT(pinned(2 * kPage), ElementsAre("page 0", "page 1")) << "a part begins with the section";
  EXPECT_THROW(pinned(5 * kPage), BugCheck) << "beside a part of it";
  machine.frame_buffer.Unpin(machine.adapter, {0});
  EXPECT_THAT(pinned(5 * kPage), ElementsAre("page 0", "page 1", "page 2", "page 3", "page 4"));
  machine.frame_buffer.Unpin(machine.adapter, {0});
}

/// The frame buffer callbacks take the lead adapter's handle and an index. A window must be
/// unmapped before the next one is mapped. A failing pin is not a driver error.
TEST(Rule11, FrameBufferWindowsGoBeforeTheNextChunkAndAFailingPinIsNormal) {
  Parameters parameters;
  parameters.inject.pin_failures = 1;
  parameters.inject.window_failures = 1;
  Machine machine(true, parameters);
  machine.frame_buffer.Reserve(machine.adapter, false, {2 * kPage, 4 * kPage});

  DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, 2 * kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.Pin(machine.adapter, pin), STATUS_NO_MEMORY);
  EXPECT_EQ(pin.pMdl, nullptr);
  EXPECT_EQ(machine.LeaksOf("pinned_frame_buffer"), 0u);
  DXGKARGCB_MAPFRAMEBUFFERPOINTER map{0, kPage, 0, nullptr};
  EXPECT_EQ(machine.frame_buffer.MapWindow(machine.adapter, map), STATUS_NO_MEMORY) << "not even a page";

  // Always pass the lead adapter's handle; the index selects the section.
  map = {0, kPage, kPage, nullptr};
  ASSERT_EQ(machine.frame_buffer.MapWindow(machine.adapter, map), STATUS_SUCCESS);
  DXGKARGCB_MAPFRAMEBUFFERPOINTER other{1, kPage, 3 * kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.MapWindow(machine.adapter, other), STATUS_NO_MEMORY) << "attempts of each section";
  ASSERT_EQ(machine.frame_buffer.MapWindow(machine.adapter, other), STATUS_SUCCESS);
  DXGKARGCB_MAPFRAMEBUFFERPOINTER beyond{0, kPage, 2 * kPage, nullptr};
  EXPECT_EQ(machine.frame_buffer.MapWindow(machine.adapter, beyond), STATUS_INVALID_PARAMETER);
  DXGKARGCB_MAPFRAMEBUFFERPOINTER stranger{0, kPage, 0, nullptr};
  EXPECT_EQ(machine.frame_buffer.MapWindow(&stranger, stranger), STATUS_INVALID_PARAMETER);

  DXGKARGCB_MAPFRAMEBUFFERPOINTER next{0, kPage, 0, nullptr};
  try {
    machine.frame_buffer.MapWindow(machine.adapter, next);
    ADD_FAILURE() << "two windows at once went unnoticed";
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.cause(), HasSubstr("while the window before is still mapped"));
  }
  machine.frame_buffer.UnmapWindow(machine.adapter, {0, map.pBaseAddress});
  EXPECT_THROW(machine.frame_buffer.UnmapWindow(machine.adapter, {0, map.pBaseAddress}), BugCheck);
  EXPECT_EQ(machine.frame_buffer.MapWindow(machine.adapter, next), STATUS_SUCCESS);
}

}  // namespace
}  // namespace gmmu::os
