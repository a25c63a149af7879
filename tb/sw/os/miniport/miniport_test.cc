// SPDX-License-Identifier: Apache-2.0
// Tests drivers that violate the interface. A function between Dxgkrnl and the built-in driver
// responds incorrectly, and the run must end as it does on Windows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "tb/sw/os/between.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using BadDriver = DriverWithAFront;

MATCHER_P4(StoppedWith, code, p1, p2, p3, "") {
  *result_listener << arg.text;
  return arg.stop_code == static_cast<uint32_t>(code) && arg.stop_parameters[0] == p1 && arg.stop_parameters[1] == p2 &&
         arg.stop_parameters[2] == p3;
}

TEST_F(BadDriver, TheRealOnePasses) {
  between.build = RealBuild;
  const auto result = Run();
  EXPECT_TRUE(result.Passed());
}

// Observed on Windows build 26100: any status other than three triggers bug check 0x10E with that
// status as parameter 3.
TEST_F(BadDriver, AnyOtherStatusOfBuildPagingBufferIsBugCheck0x10E) {
  for (NTSTATUS status : {STATUS_INVALID_PARAMETER, STATUS_NOT_SUPPORTED, STATUS_DEVICE_HARDWARE_ERROR}) {
    unsigned calls = 0;
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      return args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER && ++calls == 2 ? status : RealBuild(args);
    };
    const auto result = Run();
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_THAT(result.faults[0],
                StoppedWith(StopCode::kVideoMemoryManagementInternal, 0xBu, 0u, static_cast<uint32_t>(status)));
    EXPECT_THAT(result.faults[0].text, HasSubstr("operation VIRTUAL_TRANSFER"));
    EXPECT_EQ(result.faults[0].name, "bug_check");
  }
}

TEST_F(BadDriver, BusyFromFlushTlbIsABugCheckToo) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    return args.Operation == DXGK_OPERATION_FLUSH_TLB ? STATUS_GRAPHICS_ALLOCATION_BUSY : RealBuild(args);
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0], StoppedWith(StopCode::kVideoMemoryManagementInternal, 0xBu, 0u,
                                            static_cast<uint32_t>(STATUS_GRAPHICS_ALLOCATION_BUSY)));
}

TEST_F(BadDriver, BusyFromTransferIsAskedAgainWithTheAllocationIdle) {
  std::vector<unsigned> idle;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation != DXGK_OPERATION_TRANSFER || idle.size() >= 2) return RealBuild(args);
    idle.push_back(args.Transfer.Flags.AllocationIsIdle);
    return idle.size() == 1 ? STATUS_GRAPHICS_ALLOCATION_BUSY : RealBuild(args);
  };
  EXPECT_TRUE(Run().Passed());
  EXPECT_THAT(idle, ElementsAre(0u, 1u));
}

TEST_F(BadDriver, BusyAgainThoughTheAllocationIsIdleIsABugCheck) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    return args.Operation == DXGK_OPERATION_TRANSFER ? STATUS_GRAPHICS_ALLOCATION_BUSY : RealBuild(args);
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("though the allocation is idle"));
}

// This driver requests another paging buffer even when the current one is empty.
TEST_F(BadDriver, AnOperationThatFitsIntoNoBufferIsABugCheck) {
  unsigned refused = 0;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return RealBuild(args);
    ++refused;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("does not fit into an empty paging buffer"));
  EXPECT_LE(refused, 2u) << "in what is left of one, and in an empty one";
}

TEST_F(BadDriver, AnOperationThatFillsBufferAfterBufferWithoutProgressIsABugCheck) {
  unsigned refused = 0;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const NTSTATUS status = RealBuild(args);
    if (args.Operation != DXGK_OPERATION_FLUSH_TLB) return status;
    ++refused;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("operation FLUSH_TLB does not fit into an empty paging buffer"));
  EXPECT_THAT(result.faults[0].text, HasSubstr("and left MultipassOffset at 0"));
  EXPECT_LE(refused, 2u);
}

TEST_F(BadDriver, ThatAdvancesAPagingBufferPastItsEndIsABugCheck) {
  for (const bool backwards : {false, true}) {
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return RealBuild(args);
      auto*& at = reinterpret_cast<uint8_t*&>(args.pDmaBuffer);
      at = backwards ? at - 8 : at + args.DmaSize + 8;
      return STATUS_SUCCESS;
    };
    const auto result = Run();
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_THAT(result.faults[0].text, HasSubstr("wrote past the end of a paging buffer"));
  }
}

/// Returns true if the operation updates the paging process's tables. Such an update must be
/// complete when the call returns.
bool IsImmediate(const DXGKARG_BUILDPAGINGBUFFER& args) {
  return args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
         args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
}

TEST_F(BadDriver, ThatAsksForRoomForAnImmediateUpdateIsABugCheck) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    return IsImmediate(args) ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : RealBuild(args);
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("asks for room for the immediate operation UPDATE_PAGE_TABLE"));
}

TEST_F(BadDriver, ThatWritesCommandsForAnImmediateUpdateIsABugCheck) {
  Parameters os = Defaults();
  os.immediate_updates_have_a_buffer = true;
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const NTSTATUS status = RealBuild(args);
    if (IsImmediate(args)) args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 8;
    return status;
  };
  const auto result = Run(os);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("writes commands for the immediate operation UPDATE_PAGE_TABLE"));
}

// Observed on Windows build 26100: the result is bug check 0x119 with parameter 1 = 2.
TEST_F(BadDriver, ARefusedPagingPacketIsBugCheck0x119) {
  unsigned calls = 0;
  between.submit = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    return ++calls == 4 ? STATUS_INVALID_PARAMETER : between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0], StoppedWith(StopCode::kVideoSchedulerInternalError, 2u,
                                            static_cast<uint32_t>(STATUS_INVALID_PARAMETER), 0u));
  EXPECT_THAT(result.faults[0].text, HasSubstr("paging packet, fence 4"));
}

TEST_F(BadDriver, AnEntryThatIsMissingIsNamed) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSubmitCommandVirtual = nullptr; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].stop_code, 0u);
  EXPECT_THAT(result.faults[0].text, HasSubstr("no DxgkDdiSubmitCommandVirtual"));
}

TEST_F(BadDriver, WithoutEscapesItIsToldThatAnApplicationGotNone) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiEscape = nullptr; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].stop_code, 0u);
  EXPECT_THAT(result.faults[0].text, HasSubstr("with status 0xc00000bb"));
  EXPECT_THAT(result.leaks, ::testing::IsEmpty());
}

// Windows was observed to reject a render-only adapter whose driver table has version WDDM 1.3.
TEST_F(BadDriver, WithATableOlderThanWddm20IsRefusedByItsVersion) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text,
              ::testing::AllOf(HasSubstr("0x4002 is older than WDDM 2.0"), HasSubstr("C01E0004")));
}

TEST_F(BadDriver, AReturnAtAnotherIrqlIsABugCheck) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const NTSTATUS status = RealBuild(args);
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB) Kernel::Current().scheduler().Raise(kDispatch);
    return status;
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DxgkDdiBuildPagingBuffer was entered at IRQL 0 and returned at 2"));
}

/// A misuse of the memory callbacks, called after the driver's own StartDevice.
using Misuse = void (*)(DXGKRNL_INTERFACE& table, DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT& object, DXGK_ADL* adl);
Misuse misuse = nullptr;

NTSTATUS StartAndMisuse(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                        PULONG children) {
  const NTSTATUS status = between.real.DxgkDdiStartDevice(context, start, interface, sources, children);
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object{};
  object.hAdapter = interface->DeviceHandle;
  object.Size = 4096;
  object.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  object.Mdl.HighAddress.QuadPart = -1;
  EXPECT_EQ(interface->DxgkCbCreatePhysicalMemoryObject(&object), STATUS_SUCCESS);
  DXGKARGCB_ALLOCATE_ADL adl{};
  adl.hAdapterMemoryObject = object.hAdapterMemoryObject;
  adl.Size = 4096;
  EXPECT_EQ(interface->DxgkCbAllocateAdl(&adl), STATUS_SUCCESS);
  misuse(*interface, object, adl.pAdl);
  return status;
}

TEST_F(BadDriver, MisuseOfEachOfTheEightMemoryCallbacksStopsTheMachineAndNamesTheCallback) {
  using Table = DXGKRNL_INTERFACE;
  using Object = DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;
  const std::pair<Misuse, const char*> cases[] = {
      {[](Table& table, Object& object, DXGK_ADL*) {
         Kernel::Current().scheduler().Raise(kDispatch);
         table.DxgkCbCreatePhysicalMemoryObject(&object);
       },
       "DxgkCbCreatePhysicalMemoryObject above APC_LEVEL (IRQL 1): called at IRQL 2 inside of DxgkDdiStartDevice"},
      {[](Table& table, Object& object, DXGK_ADL*) {
         const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT args{object.hPhysicalMemoryObject, object.hAdapterMemoryObject};
         table.DxgkCbDestroyPhysicalMemoryObject(&args);
       },
       "DxgkCbDestroyPhysicalMemoryObject while an ADL of the object exists"},
      {[](Table& table, Object& object, DXGK_ADL*) {
         DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT args{object.hAdapterMemoryObject, table.DeviceHandle, nullptr};
         table.DxgkCbOpenPhysicalMemoryObject(&args);
       },
       "DxgkCbOpenPhysicalMemoryObject of an unknown physical memory object"},
      {[](Table& table, Object& object, DXGK_ADL*) {
         const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT args{object.hAdapterMemoryObject};
         table.DxgkCbClosePhysicalMemoryObject(&args);
       },
       "DxgkCbClosePhysicalMemoryObject while an ADL of the object exists"},
      {[](Table& table, Object& object, DXGK_ADL*) {
         DXGKARGCB_ALLOCATE_ADL args{};
         args.hAdapterMemoryObject = object.hPhysicalMemoryObject;
         table.DxgkCbAllocateAdl(&args);
       },
       "DxgkCbAllocateAdl of an adapter memory object that is unknown"},
      {[](Table& table, Object& object, DXGK_ADL* adl) {
         const DXGKARGCB_FREE_ADL args{object.hAdapterMemoryObject, adl};
         table.DxgkCbFreeAdl(&args);
         table.DxgkCbFreeAdl(&args);
       },
       "DxgkCbFreeAdl of an unknown ADL"},
      {[](Table& table, Object& object, DXGK_ADL*) {
         DXGKARGCB_MAP_PHYSICAL_MEMORY args{};
         args.hPhysicalMemoryObject = object.hAdapterMemoryObject;
         table.DxgkCbMapPhysicalMemory(&args);
       },
       "DxgkCbMapPhysicalMemory of an unknown physical memory object"},
      {[](Table& table, Object& object, DXGK_ADL*) {
         DXGKARGCB_MAP_PHYSICAL_MEMORY args{};
         args.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
         args.Size = 4096;
         EXPECT_EQ(table.DxgkCbMapPhysicalMemory(&args), STATUS_SUCCESS);
         const DXGKARGCB_UNMAP_PHYSICAL_MEMORY unmap{args.hPhysicalMemoryObject, args.pMappedAddress, 1};
         table.DxgkCbUnmapPhysicalMemory(&unmap);
       },
       "DxgkCbUnmapPhysicalMemory"}};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartAndMisuse; };
  for (const auto& [what, text] : cases) {
    misuse = what;
    const auto result = Run();
    ASSERT_THAT(result.faults, SizeIs(1)) << text;
    EXPECT_EQ(result.faults[0].name, "bug_check");
    EXPECT_THAT(result.faults[0].text, HasSubstr(text));
    EXPECT_FALSE(result.Passed());
  }
}

TEST_F(BadDriver, ARefusalAtTheStartNamesTheFieldOfTheCaps) {
  between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    const NTSTATUS status = between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    if (args.Type == DXGKQAITYPE_QUERYSEGMENT4)
      static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData)->PagingBufferSegmentId = 2;
    return status;
  };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId is 2"));
}

// Observed on Windows build 22621: the query for PHYSICALADAPTERCAPS may fail.
TEST_F(BadDriver, ARefusedQueryForPhysicalAdapterCapsIsTolerated) {
  between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    return args.Type == DXGKQAITYPE_PHYSICALADAPTERCAPS ? STATUS_NOT_SUPPORTED
                                                        : between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
  };
  const auto result = Run();
  EXPECT_TRUE(result.Passed());
  EXPECT_THAT(result.faults, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os
