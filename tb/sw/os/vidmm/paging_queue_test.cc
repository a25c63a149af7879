// SPDX-License-Identifier: Apache-2.0
// Tests paging buffers on their way from VidMm through the driver to the GPU. An operation is
// queued when it is built, and is executed later.
#include "os/vidmm/paging_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "ddi/wdm.h"
#include "tb/sw/os/driver_front.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using workload::Life;

using Paging = DriverFront;

// Observed on Windows build 22621: a page walk at build time still finds the old entries, because
// updates are only queued.
TEST_F(Paging, UpdatesAreQueuedAndAWalkAtBuildTimeSeesTheOldTables) {
  bench.options.os.driver["InvalidNotCached"] = 0;  // so that a flush is sent too
  unsigned operations = 0;
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* page = nullptr;
    uint64_t va = 0;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      page = life.vidmm.CreateAllocation("page", hw::kPageSize);
      life.vidmm.MakeResident(*page);
      va = life.vidmm.ReserveVa(*process, hw::kPageSize);
      life.vidmm.Unmap(*process, va, 1);  // creates page tables without valid entries
      std::optional<uint64_t> offset;
      const auto entry = [&] {
        return READ_REGISTER_ULONG64(
            reinterpret_cast<volatile ULONG64*>(life.adapter.local_segment().cpu_view + *offset));
      };
      Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
        const auto& op = args.UpdatePageTable;
        const bool leaf = args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.PageTableLevel == 0 &&
                          op.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
        if (leaf) offset = op.PageTableAddress.GpuPhysical.SegmentOffset + 8 * op.StartIndex;
        const NTSTATUS status = call(args);
        if (!offset) return status;
        EXPECT_EQ(entry(), 0u) << "operation " << args.Operation << " came before the submission";
        ++operations;
        return status;
      });
      seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL&) { seen.instead = nullptr; };
      life.vidmm.Map(*process, va, *page, 0, 1);
      ASSERT_TRUE(offset);
      EXPECT_NE(entry(), 0u) << "behind its fence it is there";
      Instead(nullptr);
      seen.submission = nullptr;
      life.vidmm.Unmap(*process, va, 1);
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(page);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_GE(operations, 3u) << "update, flush, fence";
}

// Observed on Windows build 22621: operations are packed back to back, DmaSize is the number of
// bytes left, and several operations share a submission.
TEST_F(Paging, OperationsArePackedAtUnevenOffsetsAndSubmittedTogether) {
  struct Place {
    UINT offset, room, used;
  };
  std::vector<Place> places;
  std::vector<UINT> sizes;
  const auto result = bench.RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    const uint64_t va = life.vidmm.ReserveVa(*process, 8 * hw::kPageSize);
    Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
      const UINT room = args.DmaSize;
      const auto* begin = static_cast<uint8_t*>(args.pDmaBuffer);
      const NTSTATUS status = call(args);
      places.push_back(
          {args.DmaBufferWriteOffset, room, static_cast<UINT>(static_cast<uint8_t*>(args.pDmaBuffer) - begin)});
      return status;
    });
    seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) { sizes.push_back(args.DmaBufferSize); };
    life.vidmm.Unmap(*process, va, 8);
    Instead(nullptr);
    seen.submission = nullptr;
    life.vidmm.FreeVa(*process, va);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  ASSERT_GE(places.size(), 6u) << "three tables, their links, the entries, a fence";
  const UINT size = places[0].offset + places[0].room;
  UINT next = 0;
  for (const Place& place : places) {
    EXPECT_EQ(place.offset, next);
    EXPECT_EQ(place.room, size - place.offset);
    next += place.used;
  }
  EXPECT_THAT(sizes, ElementsAre(next)) << "one submission";
}

/// Lets the GPU read a page, changes the page's entry, and lets `flush` queue a flush that never
/// reaches the hardware. Returns the number of findings: the checker reports uses of the old
/// translation only after it has seen the flush.
size_t FindingsOf(LifeBench& bench, const std::function<void(PagingQueue&, const std::function<void()>&)>& flush) {
  bench.options.os.inject.missing_flush = true;
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* pages = nullptr;
    uint64_t va = 0;
    std::optional<uint64_t> offset;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      pages = life.vidmm.CreateAllocation("pages", 2 * hw::kPageSize);
      life.vidmm.MakeResident(*pages);
      life.vidmm.transfers().Fill(*pages, 0, 2 * hw::kPageSize, 7);
      va = life.vidmm.ReserveVa(*process, 2 * hw::kPageSize);
      seen.operation = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        const auto& op = args.UpdatePageTable;
        if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.PageTableLevel == 0 && op.NumPageTableEntries == 2)
          offset = op.PageTableAddress.GpuPhysical.SegmentOffset + 8 * op.StartIndex;
      };
      life.vidmm.Map(*process, va, *pages, 0, 2);
      seen.operation = nullptr;
    });
    ASSERT_TRUE(offset);
    const auto read = [&] {
      std::vector<workload::Check> checks;
      workload::ClientRun run = workload::AllLines(process, va, hw::kPageSize);
      RunClients(life.vidmm, {run}, "run", checks);
    };
    read();
    life.worker.Call([&] {
      auto* entry = reinterpret_cast<volatile ULONG64*>(life.adapter.local_segment().cpu_view + *offset);
      WRITE_REGISTER_ULONG64(entry, READ_REGISTER_ULONG64(entry + 1));
      PagingQueue queue(life.adapter.lead());
      queue.Start(process->handles.context, 4);
      flush(queue, [&] {
        queue.FlushTlb(process->handles.process, {}, va, va + hw::kPageSize);
        queue.NoteFlush(*life.adapter.lead().SpaceOf(process->handles.process), va, va + hw::kPageSize);
      });
      queue.Drain();
      queue.Stop();
    });
    read();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(pages);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
  return result.findings.size();
}

// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
TEST_F(Paging, ObserversLearnOfAFlushWhateverIsInItsBuffer) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_READ_PHYSICAL;
  using Flush = std::function<void()>;
  EXPECT_EQ(FindingsOf(bench, [](PagingQueue&, const Flush&) {}), 0u) << "without a flush the old translation is legal";
  EXPECT_GT(FindingsOf(bench, [&](PagingQueue& queue, const Flush& flush) { queue.Add(operation), flush(); }), 0u)
      << "behind an operation";
  EXPECT_GT(FindingsOf(bench,
                       [&](PagingQueue& queue, const Flush& flush) {
                         queue.Add(operation);
                         queue.Drain();
                         flush();
                       }),
            0u)
      << "by itself, behind a packet that has ended";
  EXPECT_GT(FindingsOf(bench,
                       [&](PagingQueue& queue, const Flush& flush) {
                         queue.Add(operation);
                         queue.Submit();
                         flush();
                       }),
            0u)
      << "by itself, behind a packet that is under way";
}

// Observed on Windows build 22621: if the driver does not advance pDmaBuffer for an operation, no
// fence follows.
TEST_F(Paging, AnOperationThatEmitsNothingIsNeverSubmitted) {
  unsigned submissions = 0;
  const auto result = bench.RunOnWorker([&](Life& life) {
    Allocation* page = life.vidmm.CreateAllocation("page", hw::kPageSize);
    PagingQueue queue(life.adapter.lead());
    GpuProcess* process = life.vidmm.CreateProcess("process");
    queue.Start(process->handles.context, 4);
    seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL&) { ++submissions; };
    DXGKARG_BUILDPAGINGBUFFER discard{};
    discard.Operation = DXGK_OPERATION_DISCARD_CONTENT;
    discard.DiscardContent.hAllocation = page->handle;
    queue.Add(discard);
    queue.Drain();
    EXPECT_EQ(submissions, 0u);
    DXGKARG_BUILDPAGINGBUFFER barrier{};
    barrier.Operation = DXGK_OPERATION_READ_PHYSICAL;
    queue.Add(barrier);
    queue.Drain();
    EXPECT_EQ(submissions, 1u);
    Instead(nullptr);
    seen.submission = nullptr;
    queue.Stop();
    life.vidmm.DestroyAllocation(page);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os::test
