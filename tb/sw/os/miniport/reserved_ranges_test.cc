// SPDX-License-Identifier: Apache-2.0
// Tests hardware-reserved ranges: the two query calls, and which reports are valid. The expected
// behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/miniport/reserved_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config.h"
#include "host/host_image.h"
#include "os/base/text.h"
#include "tb/sw/os/life_bench.h"
#include "twin/fast_engine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// State of AnswerQuery, which simulates a driver with two ranges.
std::vector<DXGK_HARDWARERESERVEDRANGES> calls;
UINT claimed = 2;
bool fewer = false;  ///< the second call reports one range fewer
NTSTATUS AnswerQuery(HANDLE, CONST DXGKARG_QUERYADAPTERINFO* args) {
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
    fewer = false;
    table.DxgkDdiQueryAdapterInfo = AnswerQuery;
  }
  DRIVER_INITIALIZATION_DATA table{};
  sim::twin::FastMachine platform{sim::MachineConfig::Default()};
  Kernel kernel{platform, {}};
};

/// The documentation does not specify the form of the first call. In either form, the call returns
/// only the count.
void ExpectTwoCalls(Kernel& kernel, const DRIVER_INITIALIZATION_DATA& table) {
  Miniport miniport(kernel, table);
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

TEST_F(Asking, TwiceInEitherFormOfTheFirstCall) {
  ExpectTwoCalls(kernel, table);
  Miniport miniport(kernel, table);
  fewer = true;
  EXPECT_THAT(QueryReservedRanges(miniport, ReservedQuery::kNullPointer), SizeIs(1)) << "as the second call says";
}
struct Rule11Ranges : Asking {};
TEST_F(Rule11Ranges, HardwareReservedRangesComeInTwoCalls) { ExpectTwoCalls(kernel, table); }

TEST_F(Asking, OnceWhenThereIsNone) {
  Miniport miniport(kernel, table);
  claimed = 0;
  EXPECT_THAT(QueryReservedRanges(miniport, ReservedQuery::kNullPointer), IsEmpty());
  EXPECT_THAT(calls, SizeIs(1));
}

/// A machine that reads the IOMMU's tables after each register write. It stores the first tables
/// that contain a context entry for the GPU, which show how the GPU was attached.
struct Watching : sim::twin::FastMachine {
  explicit Watching(const sim::MachineConfig& config) : FastMachine(config) {}
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override {
    Machine::MmioWrite(address, size, value);
    if (!attached.empty() || iommu() == nullptr) return;
    const std::string mappings = sim::MappingsAsJson(iommu(), ram());
    if (mappings.find("01:00.0") != std::string::npos) attached = mappings;
  }
  std::string attached;
};

/// The device may read its reserved memory as soon as it is attached.
TEST(ReservedRanges, AreMappedBeforeTheDeviceIsAttached) {
  for (const auto policy : {RemapPolicy::kIdentity, RemapPolicy::kWhenPossible, RemapPolicy::kNever}) {
    test::LifeBench bench;
    bench.config.host.gpu_reserved_kib = 64;
    bench.config.iommu.caching_mode = true;  // so that attaching invalidates the context cache
    bench.options.os.iommu = policy;
    bench.options.os.limit_bits = 33;
    bench.options.os.secure_vm_key = true;
    Watching platform(bench.config);
    uint64_t reserved = 0;
    workload::JobResult result;
    workload::RunLife(platform, bench.options, result, [&](workload::Life& life) {
      // If no domain exists at the start, activating isolation creates one.
      if (policy == RemapPolicy::kNever) life.worker.Call([&] { life.adapter.isolation().OnSecureVm(); });
      reserved = life.adapter.dma().reserved_ranges()[0].BaseAddress;
    });
    EXPECT_EQ(test::FaultsOf(result), "");
    EXPECT_THAT(platform.attached, HasSubstr("\"logical\": \"" + Hex(reserved) + "\"")) << static_cast<int>(policy);
  }
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
    bench.options.os.reserved_overlap_stops = stops;
    const auto result = bench.Run([](workload::Life&) { ADD_FAILURE() << "the adapter started"; });
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_EQ(result.faults[0].name, stops ? "bug_check" : "stopped");
    EXPECT_THAT(result.faults[0].text, HasSubstr("overlaps memory that the system manages"));
  }
}

}  // namespace
}  // namespace gmmu::os
