// SPDX-License-Identifier: Apache-2.0
// Tests drivers that crash, loop or wait forever. The run must end with a report that contains the
// location.
#include "os/guard/driver_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tb/sw/os/between.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class DriverGuardTest : public DriverWithAFront {
 protected:
  DriverGuardTest() { DriverGuard::Install(nullptr, 1); }
  ~DriverGuardTest() override { DriverGuard::Remove(); }

  /// Makes the driver call `harm` in FLUSH_TLB, and returns the run's only fault.
  Fault FaultOf(const std::function<void()>& harm) {
    between.build = [harm](DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation == DXGK_OPERATION_FLUSH_TLB) harm();
      return RealBuild(args);
    };
    const auto result = Run();
    EXPECT_THAT(result.faults, SizeIs(1));
    EXPECT_FALSE(result.verified);
    const Fault fault = result.faults.empty() ? Fault{} : result.faults[0];
    EXPECT_THAT(fault.text, HasSubstr("DxgkDdiBuildPagingBuffer"));
    return fault;
  }
  static void ExpectException(const Fault& fault, uint32_t status, const std::string& text) {
    EXPECT_EQ(fault.name, "bug_check");
    EXPECT_EQ(fault.stop_code, static_cast<uint32_t>(StopCode::kSystemThreadException)) << fault.text;
    EXPECT_EQ(fault.stop_parameters[0], status);
    EXPECT_THAT(fault.text, HasSubstr(text));
  }
};

volatile uint64_t* volatile nowhere = reinterpret_cast<volatile uint64_t*>(0x18);
volatile int zero = 0;

TEST_F(DriverGuardTest, ABadPointerIsABugCheckThatNamesTheCallAndTheAddress) {
  ExpectException(FaultOf([] { *nowhere = 1; }), 0xC0000005, " accessed 0x18,");
}

TEST_F(DriverGuardTest, TheCallThatDidNotReturnIsTheLastOfTheTrace) {
  between.build = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB) *nowhere = 1;
    return RealBuild(args);
  };
  std::vector<std::string> lines;
  Parameters os = Defaults();
  os.trace_paging = [&](const std::string& line) { lines.push_back(line); };
  Run(os);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines.back(), AllOf(HasSubstr("\"FLUSH_TLB\""), HasSubstr("\"status\": null, ")));
}

TEST_F(DriverGuardTest, ADivisionByZeroIsABugCheck) {
  ExpectException(FaultOf([] { zero = 1000 / zero; }), 0xC0000094, " divided by zero");
}

uint64_t Deeper(volatile uint64_t* above, uint64_t level) {
  volatile uint64_t here[512];
  here[level % 512] = *above + level;
  return level == ~uint64_t{0} ? 0 : Deeper(here, level + 1) + here[0];
}

TEST_F(DriverGuardTest, AStackThatRunsOutIsABugCheck) {
  ExpectException(FaultOf([] {
                    volatile uint64_t first = 1;
                    static_cast<void>(Deeper(&first, 0));
                  }),
                  0xC0000005, " accessed ");
}

TEST_F(DriverGuardTest, AnAbortIsABugCheck) {
  const Fault fault = FaultOf([] { std::abort(); });
  EXPECT_EQ(fault.name, "bug_check");
  EXPECT_THAT(fault.text, HasSubstr(" called abort"));
}

TEST_F(DriverGuardTest, ALoopInTheDriverEndsAfterItsSeconds) {
  const Fault fault = FaultOf([] {
    while (zero == 0) {}
  });
  EXPECT_EQ(fault.name, "timeout");
  EXPECT_THAT(fault.text,
              AllOf(HasSubstr("waited 1000000000 ns"), HasSubstr("spends its time in the driver's own code")));
}

TEST_F(DriverGuardTest, AWaitInTheDriverEndsAtItsBound) {
  DriverGuard::Remove();  // the limit of a wait works without the guard's signals
  const Fault fault = FaultOf([] {
    LARGE_INTEGER millisecond{};
    millisecond.QuadPart = -10'000;
    for (;;) KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  });
  EXPECT_EQ(fault.name, "timeout");
  EXPECT_THAT(fault.text, HasSubstr("waited 500000000 ns for DxgkDdiBuildPagingBuffer to return"));
}

TEST_F(DriverGuardTest, AnEntryBehindThoseOfAnUpdateCannotBeRead) {
  unsigned looked = 0;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const auto& op = args.UpdatePageTable;
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.Flags.Repeat && op.pPageTableEntries != nullptr) {
      ++looked;
      zero = static_cast<int>(op.pPageTableEntries[1].Valid);
    }
    return RealBuild(args);
  };
  const auto result = Run();
  EXPECT_EQ(looked, 1u);
  ASSERT_THAT(result.faults, SizeIs(1));
  ExpectException(result.faults[0], 0xC0000005,
                  "read byte 16 of pPageTableEntries (Flags.Repeat is 1: one entry), which has 16 bytes");
}

// The machine copies register data on another stack, where a fault would be attributed to the
// machine. The driver's words must therefore be read during the driver's call.
TEST_F(DriverGuardTest, WordsForTheDeviceAreReadWhileTheCallIsStillToBlame) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const auto& op = args.UpdatePageTable;
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.Flags.Repeat && op.pPageTableEntries != nullptr) {
      void* const view = Kernel::Current().mmio().Map(0xC0000000, 4096, "test", "test");
      WRITE_REGISTER_BUFFER_ULONG64(static_cast<ULONG64*>(view), reinterpret_cast<ULONG64*>(op.pPageTableEntries), 512);
    }
    return RealBuild(args);
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  ExpectException(result.faults[0], 0xC0000005, "of pPageTableEntries (Flags.Repeat is 1: one entry)");
}

NTSTATUS PastNodeMetadata(const HANDLE, UINT, DXGKARG_GETNODEMETADATA* metadata) {
  reinterpret_cast<volatile uint8_t*>(metadata)[sizeof *metadata + 4] = 1;
  return STATUS_SUCCESS;
}

TEST_F(DriverGuardTest, AWriteBehindAnOutputStructureNamesCallStructureSizeAndByte) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiGetNodeMetadata = PastNodeMetadata; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  const std::string size = std::to_string(sizeof(DXGKARG_GETNODEMETADATA));
  ExpectException(result.faults[0], 0xC0000005,
                  "wrote byte " + std::to_string(sizeof(DXGKARG_GETNODEMETADATA) + 4) +
                      " of DXGK_NODEMETADATA, which has " + size + " bytes");
  EXPECT_THAT(result.faults[0].text, HasSubstr("DxgkDdiGetNodeMetadata"));
}

TEST_F(DriverGuardTest, AWriteBehindAnArrayThatAnOutputNamesIsFoundToo) {
  between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    const NTSTATUS status = between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
    if (args.Type == DXGKQAITYPE_QUERYSEGMENT4 && out->pSegmentDescriptor != nullptr)
      reinterpret_cast<volatile BYTE*>(out->pSegmentDescriptor)[out->NbSegment * out->SegmentDescriptorStride] = 1;
    return status;
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  ExpectException(result.faults[0], 0xC0000005, "of pSegmentDescriptor of 2 segments, which has ");
}

TEST_F(DriverGuardTest, ExitInTheDriverIsNoGoodEnd) {
  EXPECT_EXIT(
      {
        between.build = [](DXGKARG_BUILDPAGINGBUFFER&) -> NTSTATUS { std::exit(0); };
        Run();
      },
      ::testing::ExitedWithCode(1), "the driver called exit inside of DxgkDdiBuildPagingBuffer");
}

BOOLEAN CrashingInterrupt(const PVOID, ULONG) {
  *nowhere = 1;
  return TRUE;
}

TEST_F(DriverGuardTest, ABadPointerInAnInterruptRoutineHasItsIrql) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiInterruptRoutine = CrashingInterrupt; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].stop_code, static_cast<uint32_t>(StopCode::kDriverIrqlNotLessOrEqual));
  EXPECT_EQ(result.faults[0].stop_parameters[0], 0x18u);
  EXPECT_EQ(result.faults[0].stop_parameters[1], DEVICE_LEVEL);
  EXPECT_THAT(result.faults[0].text, HasSubstr("DxgkDdiInterruptRoutine"));
}

// DriverEntry also counts as a driver call, although the driver's table does not exist yet.
TEST_F(DriverGuardTest, ABadPointerInDriverEntryIsABugCheck) {
  between.table = [](DRIVER_INITIALIZATION_DATA&) { *nowhere = 1; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].stop_code, static_cast<uint32_t>(StopCode::kSystemThreadException));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DriverEntry"));
}

TEST(DriverGuard, ACrashThatIsNotTheDriversStaysACrash) {
  EXPECT_DEATH(
      {
        DriverGuard::Install(nullptr);
        *nowhere = 1;
      },
      "");
}

}  // namespace
}  // namespace gmmu::os
