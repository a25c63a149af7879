// SPDX-License-Identifier: Apache-2.0
// Tests operations that are repeated because their allocation is busy or the buffer is full. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <algorithm>
#include <map>
#include <vector>

#include "tb/sw/os/driver_front.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/mdl.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_queue.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

class PagingPasses : public DriverFront {};

bool Idle(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER: return args.Transfer.Flags.AllocationIsIdle;
    case DXGK_OPERATION_DISCARD_CONTENT: return args.DiscardContent.Flags.AllocationIsIdle;
    default: return args.SpecialLockTransfer.Flags.AllocationIsIdle;
  }
}

class Busy : public PagingPasses, public ::testing::WithParamInterface<DXGK_BUILDPAGINGBUFFER_OPERATION> {
 protected:
  /// Tests an operation that is repeated because its allocation is busy. With `built`, another
  /// operation precedes it in the paging buffer.
  void ComesAgain(bool built);

  /// Makes `operand` transfer one page from VRAM to the MDL.
  template <typename Operand>
  static void MoveOut(Life& life, const Allocation& data, PMDL list, Operand& operand) {
    operand.hAllocation = data.handle;
    operand.TransferSize = kPage;
    operand.Source.SegmentId = life.adapter.local_segment().id;
    operand.Source.SegmentAddress.QuadPart = static_cast<LONGLONG>(data.local->page(0) * kPage);
    operand.Destination.pMdl = list;
    operand.Flags.TransferStart = operand.Flags.TransferEnd = 1;
  }
  static DXGKARG_BUILDPAGINGBUFFER Operation(Life& life, const Allocation& data, PMDL list) {
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = GetParam();
    if (GetParam() == DXGK_OPERATION_TRANSFER) MoveOut(life, data, list, operation.Transfer);
    if (GetParam() == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) MoveOut(life, data, list, operation.SpecialLockTransfer);
    if (GetParam() == DXGK_OPERATION_DISCARD_CONTENT) {
      operation.DiscardContent.hAllocation = data.handle;
      operation.DiscardContent.SegmentId = life.adapter.local_segment().id;
      operation.DiscardContent.SegmentAddress.QuadPart = static_cast<LONGLONG>(data.local->page(0) * kPage);
    }
    return operation;
  }
};

// After STATUS_GRAPHICS_ALLOCATION_BUSY, the system waits for all earlier GPU work on every node,
// including operations built earlier in the same buffer. Then it repeats the call, and only that
// call has AllocationIsIdle set.
TEST_P(Busy, IsAskedAgainWhenAllNodesHaveEndedWhatTheyHadAndOnlyThenWithTheAllocationIdle) {
  ComesAgain(false);
  ComesAgain(true);
}

void Busy::ComesAgain(bool built) {
  unsigned calls = 0;
  Run([&](Life& life) {
    VidSch& vidsch = life.adapter.vidsch();
    const uint32_t paging = life.adapter.caps().paging_node;
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    uint64_t va = 0;
    constexpr uint64_t kPages = 1024;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      data = Filled(life, 1, 0x40, kPage);
      va = life.vidmm.ReserveVa(*process, kPages * kPage);
      life.vidmm.mappings().MapOnePage(*process, va, *data, 0, kPages);
    });
    const uint32_t render = process->handles.node;
    ASSERT_NE(render, paging);
    workload::RenderBuffer commands(life, process, kPage);
    commands.Fill(va, kPages * kPage, 0x40);
    uint32_t given = 0, built_before = 0;
    Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& real) {
      if (args.Operation != GetParam()) return real(args);
      switch (++calls) {
        case 1:
          EXPECT_FALSE(Idle(args));
          EXPECT_EQ(args.DmaBufferWriteOffset > 0, built);
          built_before = vidsch.last_submitted(paging);
          given = vidsch.last_submitted(render);
          EXPECT_NE(vidsch.last_completed(render), given) << "the render node is at work";
          return STATUS_GRAPHICS_ALLOCATION_BUSY;
        case 2:
          EXPECT_TRUE(Idle(args));
          EXPECT_EQ(vidsch.last_completed(render), given) << "a packet of another node may use the allocation";
          EXPECT_EQ(vidsch.last_submitted(paging), built_before + built) << "what was built before was submitted";
          EXPECT_EQ(vidsch.last_completed(paging), built_before + built);
          args.MultipassOffset = 1;
          return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        default:
          EXPECT_FALSE(Idle(args)) << "it was said for one call";
          EXPECT_EQ(args.MultipassOffset, 1u);
          args.MultipassOffset = 0;
          return real(args);
      }
    });
    life.worker.Call([&] {
      SystemBuffer target(life.kernel, life.adapter.objects(), life.adapter.handle(), kPage,
                          SystemBuffer::Shape::kScattered, "test");
      Mdl list({target.page(0)});
      PagingQueue queue(life.adapter.lead());
      queue.Start(process->handles.context, 2);
      const PacketId packet = commands.Submit("a long fill");
      DXGKARG_BUILDPAGINGBUFFER before{};
      before.Operation = DXGK_OPERATION_READ_PHYSICAL;
      if (built) queue.Add(before);
      DXGKARG_BUILDPAGINGBUFFER operation = Operation(life, *data, list.get());
      queue.Add(operation);
      queue.Drain();
      if (GetParam() != DXGK_OPERATION_DISCARD_CONTENT) {
        EXPECT_EQ(*target.Map(0, kPage), 0x40) << "it was done";
      }
      EXPECT_TRUE(vidsch.Ended(packet));
      queue.Stop();
      target.Release();
    });
    seen.instead = nullptr;
    commands.Release();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_EQ(calls, 3u);
}

INSTANTIATE_TEST_SUITE_P(Operations, Busy,
                         ::testing::Values(DXGK_OPERATION_TRANSFER, DXGK_OPERATION_DISCARD_CONTENT,
                                           DXGK_OPERATION_SPECIAL_LOCK_TRANSFER),
                         [](const auto& info) {
                           return info.param == DXGK_OPERATION_TRANSFER          ? "Transfer"
                                  : info.param == DXGK_OPERATION_DISCARD_CONTENT ? "DiscardContent"
                                                                                 : "SpecialLockTransfer";
                         });

/// Paging buffers of 64 bytes, which hold one command or two small ones.
class TinyBuffers : public PagingPasses {
 protected:
  TinyBuffers() {
    bench.options.os.driver["PagingBufferBytes"] = 64;
    Instead([this](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& real) {
      const NTSTATUS status = real(args);
      if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        ++again[args.Operation];
        furthest[args.Operation] = std::max(furthest[args.Operation], args.MultipassOffset);
      }
      return status;
    });
  }
  void RunProcedure(const char* name, const workload::ParameterValues& values) {
    const auto result = Run([&](Life& life) { workload::FindProcedure(name)->run(life, values); });
    for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
  }
  std::map<int, unsigned> again;  ///< by operation: calls that requested another buffer
  std::map<int, UINT> furthest;   ///< by operation: highest MultipassOffset of these calls
};

TEST_F(TinyBuffers, InitAndUpdateOfContextAllocationsComeInSeveralPasses) {
  bench.options.os.driver["ContextBytes"] = 2 * kPage;
  RunProcedure("context_allocations", {{"processes", 2}, {"rounds", 1}, {"gpus", 1}});
  EXPECT_GT(again[DXGK_OPERATION_INIT_CONTEXT_RESOURCE], 0u);
  // The driver's own record of three words would fit into one buffer, so this update has 100 words.
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation* memory = life.vidmm.context_allocations().Of(*process);
    std::vector<uint64_t> words(100);
    for (size_t i = 0; i < words.size(); ++i) words[i] = 0x1000 + i;
    const DXGKARGCB_UPDATECONTEXTALLOCATION update{memory, words.data(), static_cast<UINT>(8 * words.size())};
    EXPECT_EQ(seen.interface.DxgkCbUpdateContextAllocation(seen.interface.DeviceHandle, &update), STATUS_SUCCESS);
    SystemBuffer target(life.kernel, life.adapter.objects(), life.adapter.handle(), 2 * kPage,
                        SystemBuffer::Shape::kScattered, "test");
    life.vidmm.transfers().PageOut(*memory, target, 2 * kPage);
    const auto* view = reinterpret_cast<const uint64_t*>(target.Map(0, 2 * kPage));
    EXPECT_EQ(std::vector<uint64_t>(view, view + words.size()), words);
    target.Release();
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_GT(again[DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION], 0u);
  EXPECT_GT(furthest[DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION], 0u) << "goes on where it stopped";
}

TEST_F(TinyBuffers, CopiesOfPageTableEntriesComeInSeveralPasses) {
  bench.options.os.driver["ContiguousPages"] = 0;
  bench.options.os.copies_entries = true;
  RunProcedure("va_calls", {{"pages", 16}, {"gpus", 1}});
  EXPECT_GT(again[DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES], 0u);
  EXPECT_GT(furthest[DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES], 0u) << "goes on where it stopped";
}

}  // namespace
}  // namespace gmmu::os::test
