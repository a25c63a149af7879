// SPDX-License-Identifier: Apache-2.0
// Hardware-reserved ranges: both query calls, and what a driver may report. Documents only.
#include "os/reserved_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "life_bench.h"
#include "platform/config.h"
#include "twin/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Answers as a driver with two ranges would.
std::vector<DXGK_HARDWARERESERVEDRANGES> calls;
UINT claimed = 2;
bool fewer = false;  ///< in the second call
NTSTATUS Query(HANDLE, CONST DXGKARG_QUERYADAPTERINFO* args) {
  if (args->Type != DXGKQAITYPE_HARDWARERESERVEDRANGES) return STATUS_NOT_SUPPORTED;
  auto& out = *static_cast<DXGK_HARDWARERESERVEDRANGES*>(args->pOutputData);
  calls.push_back(out);
  const bool room = out.pPhysicalRanges != nullptr && out.NumRanges >= 2;
  out.NumRanges = room && fewer ? claimed - 1 : claimed;
  if (room) {
    out.pPhysicalRanges[0] = {0x7FFC0000, 0x20000};
    out.pPhysicalRanges[1] = {0x7FFE0000, 0x1000};
  }
  return STATUS_SUCCESS;
}

struct Asking : ::testing::Test {
  Asking() {
    calls.clear();
    claimed = 2;
    table.DxgkDdiQueryAdapterInfo = Query;
  }
  DRIVER_INITIALIZATION_DATA table{};
  sim::twin::Machine platform{sim::twin::MachineParameters::From(sim::MachineConfig::Default())};
  Kernel kernel{platform, {}};
};

/// What the first call looks like is open; either form gets the count and nothing else.
TEST_F(Asking, TwiceInEitherFormOfTheFirstCall) {
  Miniport miniport(kernel, table);
  fewer = true;
  EXPECT_THAT(QueryReservedRanges(miniport, ReservedQuery::kNullPointer), SizeIs(1)) << "as the second call says";
  fewer = false;
  for (const ReservedQuery form : {ReservedQuery::kNullPointer, ReservedQuery::kZeroCount}) {
    calls.clear();
    const auto ranges = QueryReservedRanges(miniport, form);
    ASSERT_THAT(ranges, SizeIs(2));
    EXPECT_EQ(ranges[1].BaseAddress, 0x7FFE0000u);
    ASSERT_THAT(calls, SizeIs(2));
    EXPECT_EQ(calls[0].NumRanges, 0u);
    EXPECT_EQ(calls[0].pPhysicalRanges == nullptr, form == ReservedQuery::kNullPointer);
    EXPECT_EQ(calls[1].NumRanges, 2u);
    EXPECT_NE(calls[1].pPhysicalRanges, nullptr);
  }
}

TEST_F(Asking, OnceWhenThereIsNone) {
  Miniport miniport(kernel, table);
  claimed = 0;
  EXPECT_THAT(QueryReservedRanges(miniport, ReservedQuery::kNullPointer), IsEmpty());
  EXPECT_THAT(calls, SizeIs(1));
}

TEST(ReservedRanges, MustNotOverlapTheSystemsMemoryOrOneAnother) {
  const std::vector<hw::Range> managed = {{0x100, 0x7FFC0}, {0x100000, 0x180000}};  // pages
  EXPECT_EQ(CheckReservedRanges({}, managed), "");
  EXPECT_EQ(CheckReservedRanges({{0x7FFC0000, 0x40000}, {0xA0000, 0x1000}}, managed), "");
  EXPECT_THAT(CheckReservedRanges({{0x7FFBF000, 0x2000}}, managed),
              HasSubstr("overlaps memory that the system manages, [0x7ffbf000, 0x7ffc0000)"));
  EXPECT_THAT(CheckReservedRanges({{0xC0000000, 0x80000000}}, managed), HasSubstr("[0x100000000, 0x140000000)"));
  EXPECT_THAT(CheckReservedRanges({{0x7FFC0000, 0x2000}, {0x7FFC1000, 0x1000}}, managed),
              HasSubstr("overlaps another one"));
  EXPECT_THAT(CheckReservedRanges({{0x7FFC0800, 0x1000}}, managed), HasSubstr("not whole pages"));
  EXPECT_THAT(CheckReservedRanges({{~uint64_t{0xFFF}, 0x2000}}, managed), HasSubstr("not whole pages"));
  EXPECT_THAT(CheckReservedRanges({{0x7FFC0000, 0}}, managed), HasSubstr("not whole pages"));
}

TEST(ReservedRanges, ThatOverlapRefuseTheStartOrStopTheSystemByASwitch) {
  for (const bool stops : {false, true}) {
    test::LifeBench bench;
    bench.config.host.gpu_reserved_kib = 64;
    bench.options.os.inject.reserved_overlap = true;
    bench.options.os.open.reserved_overlap_stops = stops;
    const auto result = bench.Run([](workload::Life&) { ADD_FAILURE() << "the adapter started"; });
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_EQ(result.faults[0].name, stops ? "bug_check" : "stopped");
    EXPECT_THAT(result.faults[0].text, HasSubstr("overlaps memory that the system manages"));
  }
}

}  // namespace
}  // namespace gmmu::os
