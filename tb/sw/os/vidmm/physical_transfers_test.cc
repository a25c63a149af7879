// SPDX-License-Identifier: Apache-2.0
// Tests WDDM 1 operations that VidMm sends: residency notices, order of moves, sizes of fills, and
// private data of paging buffers. Unless a comment names a Windows build, the expected behaviour
// follows Microsoft's documentation; it has not been observed on Windows.

#include "tb/sw/os/driver_front.h"
#include "kmd/escape.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/allocation.h"
#include "os/miniport/mdl.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/transfer_order.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;

class PhysicalPaging : public DriverFront {
 protected:
  std::map<int, unsigned> counts;
  unsigned by_mdl = 0;
  void Count() {
    Watch([this](const DXGKARG_BUILDPAGINGBUFFER& args) {
      ++counts[args.Operation];
      by_mdl += args.Operation == DXGK_OPERATION_TRANSFER &&
                (args.Transfer.Source.SegmentId == 0 || args.Transfer.Destination.SegmentId == 0);
    });
  }
  void MainJobIsVerified() {
    const auto result = Run([&](Life& life) { workload::RunSeededMainJob(life, 100'000); });
    EXPECT_TRUE(result.verified);
  }
};

// The documentation does not say whether WDDM 2 drivers still receive FILL, or TRANSFER with an
// MDL. Open-source drivers handle these operations.
TEST_F(PhysicalPaging, TransferByMdlAndFillMoveTheSameAsVirtualOnesWhenTheSystemUsesThem) {
  for (const bool physical : {false, true}) {
    counts.clear();
    by_mdl = 0;
    Count();
    bench.options.os.physical_paging = physical;
    MainJobIsVerified();
    EXPECT_EQ(by_mdl > 2, physical);
    EXPECT_EQ(counts[DXGK_OPERATION_FILL] > 0, physical);
    EXPECT_EQ(counts[DXGK_OPERATION_VIRTUAL_TRANSFER] > 0, !physical);
    EXPECT_EQ(counts[DXGK_OPERATION_READ_PHYSICAL] > 0, physical) << "before the CPU reads what the GPU wrote";
    EXPECT_EQ(counts[DXGK_OPERATION_WRITE_PHYSICAL] > 0, physical);
  }
}

// The documentation does not say which entry point receives paging buffers. Windows was observed to
// call the virtual one.
TEST_F(PhysicalPaging, PagingBuffersGoByDxgkDdiSubmitCommandWhenTheSystemSubmitsThemSo) {
  for (const bool physical : {false, true}) {
    bench.options.os.physical_submission = physical;
    uint64_t by_physical = 0, paging_by_virtual = 0;
    seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) { paging_by_virtual += args.Flags.Paging; };
    const auto result = Run([&](Life& life) {
      workload::RunSeededMainJob(life, 100'000);
      by_physical = life.adapter.miniport().calls("DxgkDdiSubmitCommand");
    });
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(by_physical > 0, physical);
    EXPECT_EQ(paging_by_virtual > 0, !physical);
  }
}

TEST_F(PhysicalPaging, BaseAddressesAreAddedToSegmentAddressesOnTheWholeMachine) {
  bench.options.os.physical_paging = true;
  bench.options.os.driver["VramBase"] = uint64_t{3} << 32;
  bench.options.os.driver["ApertureBase"] = 0x10000000;
  uint64_t lowest = ~uint64_t{0}, aperture = 0;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation != DXGK_OPERATION_TRANSFER) return;
    if (args.Transfer.Destination.SegmentId == 2)
      lowest = std::min(lowest, static_cast<uint64_t>(args.Transfer.Destination.SegmentAddress.QuadPart));
    if (args.Transfer.Source.SegmentId == 1)
      aperture = static_cast<uint64_t>(args.Transfer.Source.SegmentAddress.QuadPart);
  });
  MainJobIsVerified();
  EXPECT_GE(lowest, uint64_t{3} << 32);
  EXPECT_GE(aperture, 0x10000000u) << "the copy from the aperture";
}

TEST_F(PhysicalPaging, EvictionWithoutWriteBackIsADiscard) {
  bench.options.os.physical_paging = true;
  Count();
  RunOnWorker([&](Life& life) {
    Allocation* data = Filled(life, 3, 1);
    EXPECT_EQ(counts[DXGK_OPERATION_DISCARD_CONTENT], 0u);
    life.vidmm.DestroyAllocation(data);
    EXPECT_GT(counts[DXGK_OPERATION_DISCARD_CONTENT], 0u);
  });
}

TEST_F(PhysicalPaging, ASpecialLockTransferMovesTheBytesToTheMdl) {
  RunOnWorker([&](Life& life) {
    Allocation* data = Filled(life, 2, 0x40, kPage);
    SystemBuffer target(life.kernel, life.adapter.objects(), life.adapter.handle(), 2 * kPage,
                        SystemBuffer::Shape::kScattered, "test");
    Mdl mdl({target.page(0), target.page(1)});
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    auto& args = operation.SpecialLockTransfer;
    args.hAllocation = data->handle;
    args.TransferSize = 2 * kPage;
    args.Source.SegmentId = life.adapter.local_segment().id;
    args.Source.SegmentAddress.QuadPart = static_cast<LONGLONG>(data->local->page(0) * kPage);
    args.Destination.pMdl = mdl.get();
    args.Flags.TransferStart = args.Flags.TransferEnd = 1;
    life.vidmm.work().Operate(operation);
    const uint8_t* bytes = target.Map(0, 2 * kPage);
    EXPECT_EQ(bytes[0], 0x40);
    EXPECT_EQ(bytes[kPage], 0x41);
    target.Release();
    life.vidmm.DestroyAllocation(data);
  });
}

// According to the documentation of DXGK_TRANSFERFLAGS, a move ends before the next one starts.
TEST(MoveOrder, PiecesOfOneMoveComeTogetherBetweenStartAndEnd) {
  const auto piece = [](int allocation, bool start, bool end) {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_TRANSFER;
    args.Transfer.hAllocation = reinterpret_cast<HANDLE>(uint64_t{1} << 16 | static_cast<unsigned>(allocation));
    args.Transfer.Flags.TransferStart = start;
    args.Transfer.Flags.TransferEnd = end;
    return args;
  };
  TransferOrder order;
  order.Note(piece(1, true, false));
  order.Note(piece(1, false, false));
  order.Note(piece(1, false, true));
  order.Note(piece(2, true, true));
  EXPECT_THROW(order.Note(piece(2, false, true)), BugCheck) << "no start";
  order.Note(piece(1, true, false));
  EXPECT_THROW(order.Note(piece(2, true, true)), BugCheck) << "another one is open";
  order = {};
  order.Note(piece(1, true, false));
  EXPECT_THROW(order.Note(piece(2, false, false)), BugCheck) << "a piece of another";
}

TEST_F(PhysicalPaging, MovesOnTheMachineAreInOrder) {
  bench.options.os.physical_paging = true;
  TransferOrder order;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.MultipassOffset == 0) {
      EXPECT_NO_THROW(order.Note(args));
    }
  });
  MainJobIsVerified();
}

TEST_F(PhysicalPaging, NoticesOfResidencyComeOnceBehindTheLastFillAndBeforeTheFirstTransferOut) {
  std::vector<int> order;
  RunOnWorker([&](Life& life) {
    AllocationRequest request;
    request.name = "told";
    request.bytes = 3 * kPage;
    request.explicit_residency = true;
    Allocation* told = life.vidmm.CreateAllocation(request);
    Allocation* other = life.vidmm.CreateAllocation("not told", kPage);
    Residency& residency = life.vidmm.residency();
    const auto query = [&] {
      kmd::EscapeQueryResidency answer;
      answer.allocation = reinterpret_cast<uint64_t>(told->handle);
      life.adapter.lead().Escape(answer, "the query of a residency");
      return answer;
    };
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) {
        EXPECT_EQ(args.NotifyResidency.hAllocation, told->handle);
        if (!args.NotifyResidency.Resident) {
          EXPECT_EQ(args.NotifyResidency.PhysicalAddress.SegmentId, 0u);
          EXPECT_EQ(args.NotifyResidency.PhysicalAddress.SegmentOffset, 0u);
        }
      }
      if (args.Operation == DXGK_OPERATION_NOTIFY_RESIDENCY || args.Operation == DXGK_OPERATION_VIRTUAL_FILL ||
          args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER || args.Operation == DXGK_OPERATION_TRANSFER)
        order.push_back(args.Operation);
    });
    EXPECT_EQ(query().resident, 0u);
    for (int round = 0; round < 2; ++round) {
      residency.MakeResident({told, other});
      EXPECT_EQ(query().resident, 1u);
      EXPECT_EQ(query().address, told->local->page(0) * kPage);
      EXPECT_EQ(query().segment, life.adapter.local_segment().id);
      residency.MakeResident({told});
      residency.Evict(*told);
      EXPECT_EQ(query().resident, 0u);
    }
    residency.MakeResident({told});
    seen.operation = nullptr;
    for (Allocation* each : {told, other}) {
      life.vidmm.DestroyAllocation(each);
    }
  });
  constexpr int kNotice = DXGK_OPERATION_NOTIFY_RESIDENCY, kFill = DXGK_OPERATION_VIRTUAL_FILL,
                kOut = DXGK_OPERATION_TRANSFER, kIn = DXGK_OPERATION_VIRTUAL_TRANSFER;
  // The eviction goes through the aperture, so it is a TRANSFER instead of a VIRTUAL_TRANSFER.
  EXPECT_THAT(order, ElementsAre(kFill, kNotice, kFill, kNotice, kOut, kIn, kNotice, kNotice, kOut, kIn, kNotice));
}

TEST_F(PhysicalPaging, AnAllocationThatIsToldOfIsContiguous) {
  RunOnWorker([&](Life& life) {
    AllocationRequest request;
    request.name = "told";
    request.bytes = 40 * kPage;
    request.explicit_residency = true;
    Allocation* told = life.vidmm.CreateAllocation(request);
    life.vidmm.MakeResident(*told);
    for (uint64_t page = 1; page < 40; ++page) EXPECT_EQ(told->local->page(page), told->local->page(0) + page);
    life.vidmm.DestroyAllocation(told);
  });
}

// Observed on Windows build 22621: a fill of 512 MiB is split into two operations of 256 MiB.
// Smaller sizes are used here.
TEST_F(PhysicalPaging, ALargeFillIsSeveralOperationsOfTheLargestSize) {
  for (const uint64_t largest : {uint64_t{64} << 10, uint64_t{2} << 20}) {
    bench.options.os.fill_kib = largest >> 10;
    bench.config.gpu.vram_mib = 16;
    std::vector<uint64_t> sizes;
    RunOnWorker([&](Life& life) {
      Allocation* data = life.vidmm.CreateAllocation("data", 2 * largest);
      life.vidmm.MakeResident(*data);
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation == DXGK_OPERATION_VIRTUAL_FILL) sizes.push_back(args.FillVirtual.FillSizeInBytes);
      });
      life.vidmm.transfers().Fill(*data, 0, 2 * largest, 0xABCDEF01);
      seen.operation = nullptr;
      GpuProcess* process = life.vidmm.CreateProcess("process");
      const uint64_t va = life.vidmm.ReserveVa(*process, 2 * largest);
      life.vidmm.Map(*process, va, *data, 0, 2 * largest / kPage);
      Reads(life, process, va + largest - kPage, {0xABCDEF01, 0xABCDEF01});
      Reads(life, process, va + 2 * largest - kPage, {0xABCDEF01});
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
    EXPECT_THAT(sizes, ElementsAre(largest, largest));
  }
}

// Windows was observed to fill with zeros only, so the width of the fill pattern is unknown.
TEST_F(PhysicalPaging, AFillByByteRepeatsItsLowByteOnTheMachine) {
  for (const bool by_byte : {false, true}) {
    bench.options.os.driver["FillByByte"] = by_byte;
    RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = Filled(life, 1, 0x11223344);
      const uint64_t va = life.vidmm.ReserveVa(*process, kPage);
      life.vidmm.Map(*process, va, *data, 0, 1);
      Reads(life, process, va, {by_byte ? 0x44444444u : 0x11223344u});
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  }
}

TEST_F(PhysicalPaging, PrivateDataHasTheSizeOfTheCapsAndGoesWithItsSubmission) {
  bench.options.os.driver["PagingPrivateBytes"] = 160;
  unsigned submissions = 0;
  seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    if (!args.Flags.Paging) return;
    ++submissions;
    EXPECT_NE(args.pDmaBufferPrivateData, nullptr);
    EXPECT_GT(args.DmaBufferPrivateDataSize, 0u);
    EXPECT_LE(args.DmaBufferPrivateDataSize, 160u + 16u) << "and where the buffer begins";
    EXPECT_EQ(args.DmaBufferPrivateDataSize % 16, 0u);
  };
  MainJobIsVerified();
  EXPECT_GT(submissions, 5u);
}

TEST_F(PhysicalPaging, ADriverThatWritesPastItsPrivateDataIsABugCheck) {
  for (const bool advance : {false, true}) {
    bench.options.os.driver["PagingPrivateBytes"] = 64;
    Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
      auto* data = static_cast<uint8_t*>(args.pDmaBufferPrivateData);
      const UINT size = args.DmaBufferPrivateDataSize;
      const NTSTATUS status = call(args);
      if (args.Operation == DXGK_OPERATION_FLUSH_TLB && data != nullptr) {
        if (advance) args.pDmaBufferPrivateData = data + size + 1;
        else data[size] = 1;
      }
      return status;
    });
    const auto result = bench.Run([&](Life& life) { workload::RunSeededMainJob(life, 5000); });
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_THAT(result.faults[0].text, HasSubstr("private data"));
    EXPECT_THAT(result.faults[0].text, HasSubstr("FLUSH_TLB"));
  }
}

// After an adapter reset, the system notifies the driver of the loss of each allocation, without a
// buffer or GPU work.
TEST_F(PhysicalPaging, AfterAResetMovesOfNothingAndUnmapsComeWithoutABuffer) {
  std::map<int, unsigned> lost;
  Run([&](Life& life) {
    Allocation *first = nullptr, *second = nullptr, *shown = nullptr;
    GpuProcess* process = nullptr;
    SystemBuffer memory;
    uint64_t aperture = 0;
    life.worker.Call([&] {
      first = Filled(life, 2, 1);
      second = Filled(life, 3, 2);
      AllocationRequest request;
      request.name = "shown";
      request.bytes = 4 * kPage;
      process = life.vidmm.CreateProcess("owner");
      shown = life.vidmm.CreateAllocation(request, process);
      memory = SystemBuffer(life.kernel, life.adapter.objects(), life.adapter.handle(), 4 * kPage,
                            SystemBuffer::Shape::kScattered, "test");
      aperture = life.vidmm.aperture().Reserve(4);
      life.vidmm.aperture().Bind(aperture, 4, *shown, memory, 0);
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.pDmaBuffer != nullptr || args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) return;
        ++lost[args.Operation];
        if (args.Operation == DXGK_OPERATION_TRANSFER) {
          EXPECT_EQ(args.Transfer.TransferSize, 0u);
          EXPECT_TRUE(args.Transfer.hAllocation == first->handle || args.Transfer.hAllocation == second->handle);
        }
        if (args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
          EXPECT_EQ(args.UnmapApertureSegment.NumberOfPages, 4u);
          EXPECT_EQ(args.UnmapApertureSegment.hAllocation, shown->handle);
          EXPECT_EQ(args.UnmapApertureSegment.hDevice, process->handles.device);
        }
      });
      ASSERT_TRUE(NT_SUCCESS(life.adapter.miniport().ResetFromTimeout()));
      life.link.Rebuild();
      seen.operation = nullptr;
      EXPECT_FALSE(life.vidmm.aperture().mapped(aperture));
      life.vidmm.aperture().Free(aperture);
      memory.Release();
      for (Allocation* each : {first, second, shown}) life.vidmm.DestroyAllocation(each);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(lost[DXGK_OPERATION_TRANSFER], 2u);
  EXPECT_EQ(lost[DXGK_OPERATION_UNMAP_APERTURE_SEGMENT], 1u);
}

}  // namespace
}  // namespace gmmu::os::test
