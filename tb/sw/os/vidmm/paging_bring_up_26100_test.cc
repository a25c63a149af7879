// SPDX-License-Identifier: Apache-2.0
// Tests the bring-up of the paging process as observed on Windows build 26100, on the scenario's
// machine and with other geometries. Updates that no rule explains (os/bring_up.h,
// Unexplained26100) are not counted here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tb/sw/os/life_bench.h"
#include "app/configuration.h"
#include "ddi/wdm.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/base/bring_up.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_process.h"
#include "workload/clients.h"
#include "workload/procedures/procedures.h"
#include "workload/scenario.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

/// A recorded call to DxgkDdiBuildPagingBuffer.
struct RecordedBuild {
  DXGK_BUILDPAGINGBUFFER_OPERATION operation;
  DXGKARG_BUILDPAGINGBUFFER args;
  std::vector<DXGK_PTE> entries;
  bool has_buffers;  // both buffer pointers are set
  unsigned flags() const {
    return static_cast<unsigned>(args.UpdatePageTable.Flags.Repeat | args.UpdatePageTable.Flags.InitialUpdate << 1);
  }
};
std::vector<RecordedBuild> stream;
size_t before_root = 0;
D3DGPU_PHYSICAL_ADDRESS root{};
ULONG process_pasids = 0;
DRIVER_INITIALIZATION_DATA real;

NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (args->MultipassOffset == 0) {
    RecordedBuild seen{
        args->Operation, *args, {}, args->pDmaBuffer != nullptr && args->pDmaBufferPrivateData != nullptr};
    const auto& op = args->UpdatePageTable;
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
      seen.entries.assign(op.pPageTableEntries, op.pPageTableEntries + (op.Flags.Repeat ? 1 : op.NumPageTableEntries));
    stream.push_back(std::move(seen));
  }
  return real.DxgkDdiBuildPagingBuffer(adapter, args);
}
void SetRoot(HANDLE adapter, CONST DXGKARG_SETROOTPAGETABLE* args) {
  if (before_root == 0) {
    before_root = stream.size();
    root = args->Address;
  }
  real.DxgkDdiSetRootPageTable(adapter, args);
}
NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
  if (args->Flags.SystemProcess) process_pasids += args->NumPasid;
  return real.DxgkDdiCreateProcess(adapter, args);
}
NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiBuildPagingBuffer = Build;
  table.DxgkDdiSetRootPageTable = SetRoot;
  table.DxgkDdiCreateProcess = CreateProcess;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

/// The machine of scenario "windows-26100", or the same machine with another page-table geometry.
struct Windows26100 : LifeBench {
  explicit Windows26100(std::vector<uint64_t> bits = {}) {
    stream.clear();
    before_root = 0;
    process_pasids = 0;
    auto scenario = app::Configuration::FromToml(workload::FindScenario("windows-26100").machine, "scenario", "machine",
                                                 {"os.variety=0"});
    scenario.machine.host.memory_gib = 4;
    if (!bits.empty()) {
      scenario.machine.gpu.page_table_bits = bits;
      scenario.driver.page_table_bytes.clear();
      scenario.driver.page_table_alignment = 0;
    }
    config = scenario.machine;
    options.driver = Entry;
    options.os = scenario.OsParameters(options.seed);
  }
};

/// Returns the CPU_VIRTUAL updates before the first root, except for those of 64 KiB entries.
std::vector<const RecordedBuild*> Updates() {
  std::vector<const RecordedBuild*> updates;
  for (size_t i = 0; i < before_root; ++i) {
    const auto& op = stream[i].args.UpdatePageTable;
    if (stream[i].operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
        !op.Flags.Use64KBPages)
      updates.push_back(&stream[i]);
  }
  return updates;
}

TEST(Windows26100, TheFirstTablesHaveTheFiguresThatWereSeen) {
  Windows26100 bench;
  uint64_t cpu = 0;
  const auto result =
      bench.Run([&](Life& life) { cpu = reinterpret_cast<uint64_t>(life.adapter.local_segment().cpu_view); });
  ASSERT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
  const auto updates = Updates();
  ASSERT_GE(updates.size(), 6u);
  for (const RecordedBuild* update : updates) {
    EXPECT_TRUE(update->has_buffers) << "CPU_VIRTUAL with DMA and private pointers";
    EXPECT_EQ(update->args.DmaSize, 4096u);
    EXPECT_EQ(update->args.UpdatePageTable.DriverProtection, 0u);
    EXPECT_EQ(update->args.UpdatePageTable.pPageTableEntries64KB, nullptr) << "no dual array";
  }
  const auto place = [&](size_t i) {
    return reinterpret_cast<uint64_t>(updates[i]->args.UpdatePageTable.PageTableAddress.CpuVirtual) - cpu;
  };
  const auto& clear = updates[0]->args.UpdatePageTable;
  EXPECT_EQ(clear.PageTableLevel, 0u);
  EXPECT_EQ(clear.StartIndex, 0u);
  EXPECT_EQ(clear.NumPageTableEntries, 8192u);
  EXPECT_EQ(updates[0]->flags(), 3u);
  EXPECT_EQ(clear.FirstPteVirtualAddress, 0x2000000u);
  EXPECT_EQ(place(0), 0xC000u);

  const auto& middle = updates[1]->args.UpdatePageTable;
  EXPECT_EQ(middle.PageTableLevel, 1u);
  EXPECT_EQ(middle.StartIndex, 0u);
  EXPECT_EQ(middle.NumPageTableEntries, 2048u);
  EXPECT_EQ(updates[1]->flags(), 2u);
  EXPECT_EQ(middle.Flags.Use64KBPages, 0u);
  EXPECT_EQ(place(1), 0x4000u);
  EXPECT_EQ(updates[1]->entries[0].Flags, 0u) << "the lowest 32 MiB stay unused";
  EXPECT_EQ(updates[1]->entries[1].Flags, 0x41u);
  EXPECT_EQ(updates[1]->entries[1].PageTableAddress, 0xCu);
  EXPECT_EQ(updates[1]->entries[2].Flags, 0x20041u);
  EXPECT_EQ(updates[1]->entries[2].PageTableAddress, 0x2Cu);
  EXPECT_EQ(updates[1]->entries[3].Flags, 0u);

  const auto& self = updates[2]->args.UpdatePageTable;
  EXPECT_EQ(self.PageTableLevel, 0u);
  EXPECT_EQ(self.StartIndex, 0u);
  EXPECT_EQ(self.NumPageTableEntries, 32u);
  EXPECT_EQ(updates[2]->flags(), 0u);
  EXPECT_EQ(self.FirstPteVirtualAddress, 0x2000000u);
  for (uint64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(updates[2]->entries[i].Flags, 0x41u);
    EXPECT_EQ(updates[2]->entries[i].PageAddress, 0xC + i);
  }

  // Paging buffers: read-only pages of system memory, each mapped by a separate update.
  for (size_t i = 0; i < 2; ++i) {
    const auto& buffer = updates[3 + i]->args.UpdatePageTable;
    EXPECT_EQ(buffer.PageTableLevel, 0u);
    EXPECT_EQ(buffer.NumPageTableEntries, 1u);
    EXPECT_EQ(buffer.FirstPteVirtualAddress, 0x2000000u + 0x1000 * buffer.StartIndex);
    DXGK_PTE entry = updates[3 + i]->entries[0];
    entry.CacheCoherent = 0;  // ignored: this driver declares CacheCoherentMemorySupported
    EXPECT_EQ(entry.Flags, 0x9u);
  }
  const auto& top = updates[5]->args.UpdatePageTable;
  EXPECT_EQ(top.PageTableLevel, 2u);
  EXPECT_EQ(top.StartIndex, 0u);
  EXPECT_EQ(top.NumPageTableEntries, 8u);
  EXPECT_EQ(place(5), 0u);
  EXPECT_EQ(root.SegmentId, 2u);
  EXPECT_EQ(root.SegmentOffset, 0u);

  ASSERT_EQ(stream[before_root - 1].operation, DXGK_OPERATION_FLUSH_TLB) << "of a root that is not told yet";
  const auto fill = std::find_if(stream.begin(), stream.end(), [](const RecordedBuild& seen) {
    return seen.operation == DXGK_OPERATION_VIRTUAL_FILL;
  });
  ASSERT_NE(fill, stream.end());
  EXPECT_GE(static_cast<size_t>(fill - stream.begin()), before_root);
  EXPECT_EQ(process_pasids, 1u) << "the system's process";
}

// Expects the updates that no rule explains at the addresses observed on Windows. This test checks
// recorded data, not a rule.
TEST(Windows26100, UnexplainedPlacesAreThoseThatWereSeen) {
  Windows26100 bench;
  const auto result = bench.Run([](Life&) {});
  ASSERT_EQ(FaultsOf(result), "");
  const auto updates = Updates();
  ASSERT_GE(updates.size(), 5u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(updates[3 + i]->args.UpdatePageTable.StartIndex, 64 + i);
  const auto& flush = stream[before_root - 1].args.FlushTlb;
  EXPECT_EQ(flush.StartVirtualAddress, 0x2030000u);
  EXPECT_EQ(flush.EndVirtualAddress, 0x25B0000u);
}

TEST(Windows26100, TheRuleHoldsForOtherGeometries) {
  struct Case {
    std::vector<uint64_t> bits;
    uint64_t leaf_entries, self_pages, large_tables;
  };
  for (const Case& geometry :
       {Case{{9, 9, 9, 9}, 512, 1, 8}, Case{{10, 9, 8}, 1024, 2, 4}, Case{{11, 12}, 2048, 4, 2}}) {
    Windows26100 bench(geometry.bits);
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 20'000); });
    ASSERT_EQ(FaultsOf(result), "") << geometry.bits.size();
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_TRUE(result.verified);
    const size_t levels = geometry.bits.size();
    const uint64_t low = geometry.leaf_entries * 4096;
    const auto updates = Updates();
    ASSERT_GE(updates.size(), 5u);
    EXPECT_EQ(updates[0]->args.UpdatePageTable.NumPageTableEntries, geometry.leaf_entries);
    EXPECT_EQ(updates[0]->args.UpdatePageTable.FirstPteVirtualAddress, low);
    EXPECT_EQ(updates[0]->flags(), 3u);
    size_t next = 1;
    const auto whole = [&](size_t level) {
      EXPECT_EQ(updates[next]->args.UpdatePageTable.PageTableLevel, level);
      EXPECT_EQ(updates[next]->args.UpdatePageTable.NumPageTableEntries, uint64_t{1} << geometry.bits[level]);
      EXPECT_EQ(updates[next]->flags(), 2u);
      if (level == 1) {
        uint64_t large = 0;
        for (const DXGK_PTE& entry : updates[next]->entries)
          large += entry.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
        EXPECT_EQ(large, geometry.large_tables) << "as many as four windows of 4 MiB need";
        EXPECT_EQ(updates[next]->entries[0].Valid, 0u);
        EXPECT_EQ(updates[next]->entries[1].PageTablePageSize, DXGK_PTE_PAGE_TABLE_PAGE_4KB);
      }
      ++next;
    };
    for (size_t level = 1; level + 1 < levels; ++level) whole(level);
    const auto& self = updates[next]->args.UpdatePageTable;
    EXPECT_EQ(self.NumPageTableEntries, geometry.self_pages);
    EXPECT_EQ(self.FirstPteVirtualAddress, low);
    next += 3;  // skips this update and the two that map paging buffers
    whole(levels - 1);
    EXPECT_EQ(stream[before_root - 1].operation, DXGK_OPERATION_FLUSH_TLB);
  }
}

// Observed on Windows build 26100: the transfer follows a separate page-table update (start 0x430,
// count 0x400, GPU_PHYSICAL).
TEST(Windows26100, EvictionGoesThroughWindowsOf1024EntriesThatTheGpuWrites) {
  for (const bool by_gpu : {true, false}) {
    Windows26100 bench;
    bench.options.os.window_updates = by_gpu ? WindowUpdates::kGpuPhysical : WindowUpdates::kCpuVirtual;
    bench.config.gpu.vram_mib = 16;
    const auto result = bench.RunOnWorker([&](Life& life) {
      Allocation* data = life.vidmm.CreateAllocation("data", 4 << 20);
      life.vidmm.MakeResident(*data);
      SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 4 << 20,
                          SystemBuffer::Shape::kScattered, "test");
      stream.clear();
      life.vidmm.transfers().PageOut(*data, memory, 4 << 20);
      ASSERT_GE(stream.size(), 3u);
      const auto& window = stream[0].args.UpdatePageTable;
      EXPECT_EQ(window.PageTableLevel, 0u);
      EXPECT_EQ(window.UpdateMode, by_gpu ? DXGK_PAGETABLEUPDATE_GPU_PHYSICAL : DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
      EXPECT_EQ(window.NumPageTableEntries, 0x400u);
      EXPECT_EQ(window.hProcess, life.vidmm.paging().process().handles.process);
      EXPECT_EQ(window.FirstPteVirtualAddress, 0x2000000u + 0x1000 * window.StartIndex);
      EXPECT_EQ(window.hAllocation, data->handle);
      DXGK_PTE entry = stream[0].entries[0];
      entry.CacheCoherent = 0;  // ignored: this driver declares CacheCoherentMemorySupported
      EXPECT_EQ(entry.Flags, 0x1u) << "the target: system memory";
      const auto transfer = std::find_if(stream.begin(), stream.end(), [](const RecordedBuild& seen) {
        return seen.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
      });
      ASSERT_NE(transfer, stream.end());
      EXPECT_EQ(transfer->args.TransferVirtual.DestinationVirtualAddress, window.FirstPteVirtualAddress);
      if (by_gpu) EXPECT_EQ(window.PageTableAddress.GpuPhysical.SegmentOffset, 0xC000u);
      memory.Release();
      life.vidmm.DestroyAllocation(data);
    });
    EXPECT_EQ(FaultsOf(result), "");
  }
}

// Observed on Windows build 22621: if there is an aperture segment, DmaBufferGpuVirtualAddress is
// not 0.
TEST(PagingBuffers, InTheApertureSegmentHaveAGpuVirtualAddressInEveryOrderOfTables) {
  for (const auto& [order, variety] :
       {std::pair(BringUp::kLinked, 0), std::pair(BringUp::kWindows22621, 0), std::pair(BringUp::kWindows26100, 0),
        std::pair(BringUp::kLinked, 500), std::pair(BringUp::kWindows22621, 500),
        std::pair(BringUp::kWindows26100, 500)}) {
    Windows26100 bench({9, 9, 9, 9});
    bench.options.os.variety = static_cast<uint64_t>(variety);
    bench.options.os.bring_up = order;
    bench.options.os.window_pages = 256;
    bench.options.os.driver["PageTableAlignment"] = 4096;
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 20'000); });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_TRUE(result.verified);
    size_t queued = 0, without = 0;
    for (const RecordedBuild& seen : stream) {
      const auto& op = seen.args.UpdatePageTable;
      if (seen.operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        continue;
      ++queued;
      without += seen.args.DmaBufferGpuVirtualAddress < 0x200000 || seen.args.DmaBufferGpuVirtualAddress >= uint64_t{1}
                                                                                                                << 30;
    }
    EXPECT_GT(queued, 10u);
    EXPECT_EQ(without, 0u) << "addresses of the paging process";
  }
}

// Observed on Windows build 26100: the page of a freed leaf table is reused as a level-1 table
// while the freed table above still points to it, and an InitialUpdate can receive a dirty page.
TEST(TablePages, ComeBackAtAnotherLevelWithAStaleParentLinkAndDirty) {
  LifeBench bench;
  bench.options.driver = Entry;
  bench.options.os.bring_up =
      BringUp::kWindows22621;  // allocates from the segment's end, so that freed pages are reused at once
  bench.config.gpu.vram_mib = 8;
  unsigned stale = 0, dirty = 0;
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t first = 0x10000000, second = uint64_t{3} << 40;
    uint64_t leaf = 0, upper = 0;
    const auto word = [&](uint64_t offset) {
      return READ_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(life.adapter.local_segment().cpu_view + offset));
    };
    life.worker.Call([&] {
      Allocation* junk = life.vidmm.CreateAllocation("junk", life.adapter.local_segment().space->free_bytes());
      life.vidmm.MakeResident(*junk);
      life.vidmm.transfers().Fill(*junk, 0, junk->bytes, 0xFFFFFFFF);
      life.vidmm.DestroyAllocation(junk);
      process = life.vidmm.CreateProcess("process");
      data = life.vidmm.CreateAllocation("data", 8 * hw::kPageSize);
      life.vidmm.MakeResident(*data);
      life.vidmm.transfers().Fill(*data, 0, data->bytes, 0x5A5A5A5A);
      stream.clear();
      const uint64_t end = life.adapter.local_segment().size;
      dirty += word(end - 0x4000) == ~uint64_t{0};  // the next page that becomes a table
      life.vidmm.Map(*process, first, *data, 0, 8);
      leaf = stream[0].args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset;
      upper = stream[1].args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset;
      ASSERT_EQ(stream[1].args.UpdatePageTable.PageTableLevel, 1u);
      EXPECT_EQ(leaf, end - 0x4000);
      // Keeps the level-2 table in use.
      life.vidmm.Map(*process, first + (uint64_t{5} << 30), *data, 0, 8);
      life.vidmm.mappings().UnmapAndFreeTables(*process, first, 512);
      const uint64_t link = word(upper + 8 * (first >> 21 & 511));
      EXPECT_EQ(link & 1, 1u);
      stale += (link >> 12 & 0xFFFFFF) == leaf / 4096;
      stream.clear();
      life.vidmm.Map(*process, second, *data, 0, 8);
    });
    bool reused = false;
    for (const RecordedBuild& seen : stream) {
      const auto& op = seen.args.UpdatePageTable;
      reused |= seen.operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.PageTableLevel == 1 &&
                op.Flags.InitialUpdate && op.PageTableAddress.GpuPhysical.SegmentOffset == leaf;
    }
    EXPECT_TRUE(reused) << "the leaf table's page as a table of level 1";
    std::vector<uint8_t> expected(8 * hw::kPageSize, 0x5A);
    workload::ClientRun run = workload::AllLines(process, second, expected.size());
    run.crc = workload::LineCrc(expected.data(), run.order);
    workload::ClientRun gone = run;
    gone.base = first;
    gone.fault = regs::Fault::kEntryInvalid;
    workload::ClientRun beside = gone;
    beside.base = second + 0x8000;
    for (const auto& each : {run, gone, beside}) RunClients(life.vidmm, {each}, "reused", life.result.checks);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  for (const auto& check : result.checks) EXPECT_TRUE(check.passed) << check.name;
  EXPECT_EQ(stale, 1u);
  EXPECT_EQ(dirty, 1u);
}

}  // namespace
}  // namespace gmmu::os::test
