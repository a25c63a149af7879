// SPDX-License-Identifier: Apache-2.0
// Points of the driver interface that implementers get wrong, one test for each that concerns paging and page
// tables; the others stand beside their subjects, in suites of the same name. Documents only, unless a comment says
// otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "ddi/wdm.h"
#include "tb/sw/os/driver_front.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/process_tables.h"
#include "workload/clients.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::ClientRun;
using workload::Life;

class Rule11Paging : public DriverFront {
 protected:
  void MainJobIsVerified(uint64_t bytes = 100'000) {
    const auto result = bench.Run([&](Life& life) { workload::RunSeededMainJob(life, bytes); });
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_TRUE(result.verified);
  }
};

TEST_F(Rule11Paging, MultipassGoesOnWithAnUnchangedOperandInAFreshBuffer) {
  bench.options.os.driver["PagingBufferBytes"] = 64;
  std::vector<uint8_t> operand;
  UINT cookie = 0;
  unsigned passes = 0, submissions = 0, before = 0;
  seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL&) { ++submissions; };
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&args.Transfer);
    const std::vector<uint8_t> now(bytes, bytes + 256);
    const bool continued = !operand.empty();
    if (continued) {
      ++passes;
      EXPECT_EQ(now, operand) << "the operand does not change between passes";
      EXPECT_EQ(args.MultipassOffset, cookie) << "the driver's cookie comes back";
      EXPECT_EQ(reinterpret_cast<uint64_t>(args.pDmaBuffer) % 4096, 0u);
      EXPECT_EQ(args.DmaBufferWriteOffset, 0u) << "a new buffer";
      EXPECT_EQ(submissions, before + 1) << "each pass is a submission of its own";
    } else {
      EXPECT_EQ(args.MultipassOffset, 0u);
    }
    const NTSTATUS status = call(args);
    cookie = args.MultipassOffset;
    before = submissions;
    operand = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? now : std::vector<uint8_t>();
    return status;
  });
  MainJobIsVerified(20'000);
  EXPECT_GT(passes, 20u);
}

TEST_F(Rule11Paging, ImmediateUpdatesWithNullBuffersAreDoneInsideTheCall) {
  unsigned immediate = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
        args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
      EXPECT_EQ(args.pDmaBuffer, nullptr);
      ++immediate;
    }
    return call(args);
  });
  MainJobIsVerified();
  EXPECT_GT(immediate, 0u);
}

// Seen on build 26100: the update mode decides, not the pointers.
TEST_F(Rule11Paging, ImmediateUpdatesWithBuffersAreDoneInsideTheCallAndLeaveThemAlone) {
  bench.options.os.immediate_updates_have_a_buffer = true;
  unsigned immediate = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    const bool now = args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                     args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    const DXGKARG_BUILDPAGINGBUFFER before = args;
    const NTSTATUS status = call(args);
    if (now) {
      ++immediate;
      EXPECT_NE(before.pDmaBuffer, nullptr);
      EXPECT_NE(before.pDmaBufferPrivateData, nullptr);
      EXPECT_EQ(args.pDmaBuffer, before.pDmaBuffer);
      for (size_t i = 0; i < 4096; ++i) EXPECT_EQ(static_cast<uint8_t*>(before.pDmaBuffer)[i], 0) << i;
    }
    return status;
  });
  MainJobIsVerified();
  EXPECT_GT(immediate, 0u);
}

TEST_F(Rule11Paging, AllocationOffsetInBytesNeverShiftsVirtualAddresses) {
  unsigned changed = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    DXGKARG_BUILDPAGINGBUFFER shifted = args;
    if (args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) shifted.TransferVirtual.AllocationOffsetInBytes += 0x3000;
    if (args.Operation == DXGK_OPERATION_VIRTUAL_FILL) shifted.FillVirtual.AllocationOffsetInBytes += 0x3000;
    changed += std::memcmp(&shifted, &args, sizeof args) != 0;
    const NTSTATUS status = call(shifted);
    args.pDmaBuffer = shifted.pDmaBuffer;
    args.DmaSize = shifted.DmaSize;
    args.MultipassOffset = shifted.MultipassOffset;
    return status;
  });
  MainJobIsVerified();
  EXPECT_GE(changed, 3u);
}

TEST_F(Rule11Paging, AFlushOfZeroToZeroIsOfEverything) {
  unsigned flushes = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB) {
      args.FlushTlb.StartVirtualAddress = args.FlushTlb.EndVirtualAddress = 0;
      ++flushes;
    }
    return call(args);
  });
  MainJobIsVerified();  // the same addresses name other pages again and again
  EXPECT_GT(flushes, 5u);
}

TEST_F(Rule11Paging, ARootIsNamedByItsPhysicalAddressWhichChangesWhenItMoves) {
  bench.options.os.driver["InvalidNotCached"] = 0;  // every update is flushed
  std::set<uint64_t> named;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB) named.insert(args.FlushTlb.RootPageTableAddress.SegmentOffset);
    return call(args);
  });
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      const uint64_t va = life.vidmm.ReserveVa(*process, hw::kPageSize);
      for (int move = 0; move < 3; ++move) {
        named.clear();
        life.vidmm.Unmap(*process, va, 1);
        EXPECT_EQ(named.count(process->space->root().SegmentOffset), 1u);
        const uint64_t old = process->space->root().SegmentOffset;
        life.vidmm.tables().ReplaceRoot(*process, 0);
        EXPECT_NE(process->space->root().SegmentOffset, old);
      }
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

/// A client's run over one page, and how it must end.
workload::Check RunOnePage(Life& life, GpuProcess* process, uint64_t va, std::optional<regs::Fault> fault,
                           const std::vector<uint8_t>& expected) {
  ClientRun run = workload::AllLines(process, va, hw::kPageSize);
  run.fault = fault;
  run.crc = workload::LineCrc(expected.data(), run.order);
  std::vector<workload::Check> checks;
  RunClients(life.vidmm, {run}, "one page", checks);
  return checks.at(0);
}

TEST_F(Rule11Paging, ARootIndexAtOrAboveNumEntriesFaultsThoughTheMemoryBehindIsValid) {
  bench.options.os.page_table_bits = {9, 13};
  bench.config.gpu.page_table_bits = {9, 13};
  const std::vector<uint8_t> zeros(hw::kPageSize);
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* page = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1), va = 600 * unit;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1024);
      page = life.vidmm.CreateAllocation("page", hw::kPageSize);
      life.vidmm.MakeResident(*page);
      life.vidmm.Fill(*page, 0, hw::kPageSize, 0);
      life.vidmm.Map(*process, va, *page, 0, 1);
    });
    EXPECT_TRUE(RunOnePage(life, process, va, std::nullopt, zeros).passed) << "entry 600 of 1024";
    const auto told = [&](uint64_t entries) {
      life.worker.Call(
          [&] { life.adapter.SetRootPageTable(process->handles.context, process->space->root(), entries); });
    };
    told(512);  // the same table
    EXPECT_TRUE(RunOnePage(life, process, va, regs::Fault::kRootBound, zeros).passed);
    told(600);
    EXPECT_TRUE(RunOnePage(life, process, va, regs::Fault::kRootBound, zeros).passed) << "at NumEntries";
    told(601);
    EXPECT_TRUE(RunOnePage(life, process, va, std::nullopt, zeros).passed);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(page);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

// Zero comes with Valid = 1 (seen on build 22621); the other encoding is open.
TEST_F(Rule11Paging, ZeroEntriesReadZeroAtAnyLevelAndLargePagesAreEveryWhereButAtTheLeaf) {
  bench.config.gpu.vram_mib = 64;
  const std::vector<uint8_t> zeros(hw::kPageSize);
  std::vector<uint8_t> filled(hw::kPageSize, 0x5A);
  const auto result = bench.Run([&](Life& life) {
    const Geometry& geometry = life.adapter.caps().geometry;
    for (unsigned level = 0; level < geometry.count(); ++level) {
      for (const bool valid : {true, false}) {
        Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
          if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
            for (UINT i = 0; i < (args.UpdatePageTable.Flags.Repeat ? 1 : args.UpdatePageTable.NumPageTableEntries);
                 ++i) {
              DXGK_PTE& entry = args.UpdatePageTable.pPageTableEntries[i];
              if (entry.Zero) entry.Valid = valid;
            }
          }
          return call(args);
        });
        GpuProcess* process = nullptr;
        const uint64_t size = uint64_t{1} << geometry.Shift(level), va = size * 3;
        life.worker.Call([&] {
          process = life.vidmm.CreateProcess("process");
          life.vidmm.mappings().MapZero(*process, va, size / hw::kPageSize);
        });
        EXPECT_EQ(process->space->tables(), geometry.count() - 1 - level) << "no table below the entry";
        EXPECT_TRUE(RunOnePage(life, process, va + size - hw::kPageSize, std::nullopt, zeros).passed) << level << valid;
        EXPECT_TRUE(RunOnePage(life, process, va + size, regs::Fault::kEntryInvalid, zeros).passed) << level << valid;
        life.worker.Call([&] { life.vidmm.DestroyProcess(process); });
      }
    }
    Instead(nullptr);
    life.worker.Call([&] {  // level 1: the hardware above has addresses for more than this VRAM
      const uint64_t size = uint64_t{1} << geometry.Shift(1);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = life.vidmm.CreateAllocation("data", size);
      data->contiguous = size;
      life.vidmm.MakeResident(*data);
      life.vidmm.Fill(*data, 0, size, 0x5A5A5A5A);
      life.vidmm.mappings().MapLarge(*process, 5 * size, 1, *data);
      EXPECT_TRUE(RunOnePage(life, process, 6 * size - hw::kPageSize, std::nullopt, filled).passed);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

/// The driver takes a flush by its process, and holds the root against the space that walks from it.
TEST_F(Rule11Paging, AFlushThatNamesTheRootOfAnotherProcessStopsTheSystem) {
  HANDLE flushed = nullptr;
  D3DGPU_PHYSICAL_ADDRESS other{};
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB && flushed != nullptr && args.FlushTlb.hProcess == flushed)
      args.FlushTlb.RootPageTableAddress = other;
    return call(args);
  });
  const auto result = bench.Run([&](Life& life) {
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      other = life.vidmm.CreateProcess("other")->space->root();
      const uint64_t va = life.vidmm.ReserveVa(*process, hw::kPageSize);
      life.vidmm.mappings().MapZero(*process, va, 1);
      flushed = process->handles.process;
      life.vidmm.Unmap(*process, va, 1);
    });
  });
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].stop_code, 0x10Eu) << result.faults[0].text;
}

/// Large pages at each level above the leaf: the documents allow them at all, the driver's levels are small enough here
/// for VRAM to hold one of the root's.
TEST_F(Rule11Paging, LargePagesAreAtEveryLevelAboveTheLeaf) {
  bench.config.gpu.vram_mib = 64;
  bench.options.os.page_table_bits = {5, 2, 2, 9};
  bench.options.os.window_pages = 16;  // few tables, so that there is a place for the largest one
  const std::vector<uint8_t> page(hw::kPageSize);
  const auto result = bench.Run([&](Life& life) {
    const Geometry& geometry = life.adapter.caps().geometry;
    for (unsigned level = 1; level < geometry.count(); ++level) {
      const uint64_t size = uint64_t{1} << geometry.Shift(level), va = 5 * size, quarter = size / 4;
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        data = life.vidmm.CreateAllocation("data", size);
        data->contiguous = size;
        life.vidmm.MakeResident(*data);
        for (uint64_t part = 0; part < 4; ++part)
          life.vidmm.Fill(*data, part * quarter, quarter, 0x01010101 * static_cast<uint32_t>(0x10 * level + part));
        life.vidmm.mappings().MapLarge(*process, va, level, *data);
      });
      const auto reads = [&](uint64_t offset) {
        const std::vector<uint8_t> bytes(hw::kPageSize, static_cast<uint8_t>(0x10 * level + offset / quarter));
        return RunOnePage(life, process, va + offset, std::nullopt, bytes).passed;
      };
      EXPECT_EQ(process->space->tables(), geometry.count() - 1 - level) << "no table below the entry";
      for (uint64_t part = 0; part < 4; ++part) {
        EXPECT_TRUE(reads(part * quarter)) << level << " " << part;
        EXPECT_TRUE(reads((part + 1) * quarter - hw::kPageSize)) << level << " " << part;
      }
      EXPECT_TRUE(RunOnePage(life, process, va + size, regs::Fault::kEntryInvalid, page).passed) << level;
      // A page of it goes: smaller pages stand for the rest, down to the leaf.
      life.worker.Call([&] { life.vidmm.Unmap(*process, va + quarter, 1); });
      EXPECT_EQ(process->space->tables(), geometry.count() - 1) << level;
      EXPECT_TRUE(RunOnePage(life, process, va + quarter, regs::Fault::kEntryInvalid, page).passed) << level;
      for (const uint64_t offset :
           {uint64_t{0}, quarter - hw::kPageSize, quarter + hw::kPageSize, 3 * quarter, size - hw::kPageSize})
        EXPECT_TRUE(reads(offset)) << level << " " << offset;
      life.worker.Call([&] {
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    }
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Rule11Paging, ResidentAndReservedOfNotifyResidencyShareBit0) {
  DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY operand{};
  operand.Resident = 1;
  EXPECT_EQ(operand.Reserved, 1u);
  operand.Reserved = 0x7FFFFFFE;
  EXPECT_EQ(operand.Resident, 0u);
}

}  // namespace
}  // namespace gmmu::os::test
