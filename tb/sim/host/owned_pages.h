// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "host/bare_machine.h"
#include "hw/gmmu_regs.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// Checks, for any engine with an IOMMU, that a device access to a page without an owner is
/// reported with the page's host address. Accesses to owned pages and the IOMMU's own reads are not
/// reported.
inline void AccessesToPagesThatNobodyHasAreFound(hw::Platform& p, BareMachine& m) {
  constexpr uint64_t kPage = hw::kPageSize, kOwned = 0x400000, kGone = 0x1'2345'6000;
  using ::testing::ElementsAre;
  using ::testing::Field;
  using ::testing::HasSubstr;
  hw::Instruments& instruments = *p.instruments();
  m.PowerOn();
  m.TranslateDma({{BareMachine::kRing, BareMachine::kRing},
                  {BareMachine::kBuffer, BareMachine::kBuffer},
                  {BareMachine::kFence, BareMachine::kFence},
                  {0x7000, kOwned},
                  {0x8000, kGone}});
  for (const uint64_t own : {BareMachine::kRing, BareMachine::kBuffer, BareMachine::kFence, kOwned})
    instruments.NotePages(own / kPage, 1, true);
  m.StartRing();
  const auto copy = [](uint64_t logical) {
    return BareMachine::Copy(regs::Target::kSystem, logical, regs::Target::kVram, 0x8000, 64);
  };
  ASSERT_TRUE(m.Execute(copy(0x7000)));
  EXPECT_THAT(instruments.Findings(), ::testing::IsEmpty());
  instruments.NotePages(kGone / kPage, 1, true);
  ASSERT_TRUE(m.Execute(copy(0x8000)));
  EXPECT_THAT(instruments.Findings(), ::testing::IsEmpty());
  instruments.NotePages(kGone / kPage, 1, false);  // the IOMMU still maps the page
  ASSERT_TRUE(m.Execute(copy(0x8000)));
  EXPECT_THAT(instruments.Findings(),
              ElementsAre(::testing::AllOf(Field(&hw::Finding::probe, "host_pages"),
                                           Field(&hw::Finding::text, HasSubstr("read host memory at 0x123456000")))));
}

}  // namespace gmmu::sim
