// SPDX-License-Identifier: Apache-2.0
// UPDATE_PAGE_TABLE and FLUSH_TLB operations.
#include <algorithm>
#include <utility>

#include "kmd/build/build.h"

#include "kmd/adapter.h"
#include "kmd/objects.h"
#include "kmd/build/entry_format.h"
#include "kmd/build/table_source.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

constexpr uint32_t kBlock = ContiguousBlocks::kEntries;
/// Flag in MultipassOffset: the contiguous bits of blocks are still being cleared, so no entry has
/// been written yet. Bits 30:0 then count the cleared blocks.
constexpr UINT kSettling = 1u << 31;
/// Minimum length of a run for which a repeat command with its header takes fewer words than inline
/// entries.
constexpr uint32_t kShortestRun = 4;

/// Writes the entries immediately, with the CPU. The VRAM window does not reorder writes, so a
/// later write of a doorbell or a root takes effect after them.
NTSTATUS WriteByCpu(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op, const TableSource& source) {
  if (op.PageTableAddress.CpuVirtual == nullptr) return STATUS_INVALID_PARAMETER;
  volatile ULONG64* at = static_cast<volatile ULONG64*>(op.PageTableAddress.CpuVirtual) + source.start();
  constexpr uint32_t kChunk = 64;
  ULONG64 chunk[kChunk];
  for (uint32_t done = 0; done < source.count(); done += kChunk) {
    const uint32_t count = std::min(kChunk, source.count() - done);
    for (uint32_t i = 0; i < count; ++i) chunk[i] = source.Entry(done + i);
    WRITE_REGISTER_BUFFER_ULONG64(at + done, chunk, count);
  }
  return STATUS_SUCCESS;
}

/// Clears the contiguous bit of a block that the call to BuildPagingBuffer overwrites only partly,
/// and increments the count in MultipassOffset. Returns false and changes nothing if the buffer has
/// no room.
bool Demote(Build& build, ContiguousBlocks::Block block) {
  ContiguousBlocks& blocks = build.adapter.contiguous_blocks;
  auto first = blocks.Find(block);
  if (!first) return true;
  const Place at = Place::Physical(block.target, block.address);
  if (!build.commands.TableRepeat(at, kBlock, first->set_contiguous(0).raw, kNextPage)) return false;
  build.commands.Wait();  // because the update overwrites some of these entries
  build.args.MultipassOffset = (build.args.MultipassOffset | kSettling) + 1;
  blocks.Forget(block);
  return true;
}

/// Call before the first entry of a leaf update is written. Clears the contiguous bit of each block
/// that the update covers only partly, and records the new bit of each block that it covers
/// completely. Returns false if the buffer has no room; the next call continues with the next
/// block.
bool SettleBlocks(Build& build, regs::Target target, uint64_t table, uint32_t start, const TableSource& source) {
  ContiguousBlocks& blocks = build.adapter.contiguous_blocks;
  const uint32_t end = start + source.count();
  const auto block_at = [&](uint32_t index) {
    return ContiguousBlocks::Block{target, table + uint64_t{index} * kEntryBytes};
  };
  for (uint32_t index = start / kBlock * kBlock; index < end; index += kBlock) {
    const bool whole = index >= start && index + kBlock <= end;
    if (!whole && !Demote(build, block_at(index))) return false;
  }
  for (uint32_t index = static_cast<uint32_t>(RoundUp(start, kBlock)); index + kBlock <= end; index += kBlock) {
    const uint32_t i = index - start;
    regs::PteEntry first;
    first.raw = source.Entry(i);
    if (first.contiguous()) blocks.Mark(block_at(index), first);
    else blocks.Forget(block_at(index));
  }
  return true;
}

/// Emits commands that write the words, beginning with word MultipassOffset, which counts the words
/// written so far.
NTSTATUS WriteByCommands(Build& build, Place table, const TableSource& source) {
  const uint32_t start = source.start();
  const auto place = [&](uint32_t i) { return table + (uint64_t{start} + i) * kEntryBytes; };
  uint32_t done = build.args.MultipassOffset;
  const auto no_room = [&] {
    build.args.MultipassOffset = done;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  while (done < source.count()) {
    uint64_t step = 0;
    const uint32_t run = source.Run(done, source.count() - done, &step);
    if (run >= kShortestRun) {
      if (!build.commands.TableRepeat(place(done), run, source.Entry(done), step)) return no_room();
      done += run;
      continue;
    }
    // Write entries inline up to the next run.
    const uint32_t room = std::min(build.commands.InlineRoom(), source.count() - done);
    if (room == 0) return no_room();
    uint32_t count = 1;
    while (count < room && source.Run(done + count, kShortestRun, &step) < kShortestRun) ++count;
    uint64_t* entries = build.commands.TableWrite(place(done), count);
    if (entries == nullptr) return no_room();
    for (uint32_t i = 0; i < count; ++i) entries[i] = source.Entry(done + i);
    done += count;
  }
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS BuildUpdatePageTable(Build& build) {
  const auto& op = build.args.UpdatePageTable;
  const Adapter& adapter = build.adapter;
  TableSource source(op, adapter.parameters, adapter.link.index(), adapter.hidden_pages(), adapter.system_page());
  if (!source.Legal()) return STATUS_INVALID_PARAMETER;

  // The update mode decides whether the CPU or the GPU writes. The presence of a buffer does not
  // decide this, because an immediate update may also have one.
  switch (op.UpdateMode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL: return WriteByCpu(op, source);

    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL: {
      uint32_t space = 0;
      if (!build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
      return WriteByCommands(build, Place::Virtual(space, op.PageTableAddress.GpuVirtual), source);
    }

    case DXGK_PAGETABLEUPDATE_GPU_PHYSICAL: {
      regs::Target target{};
      uint64_t offset = 0;
      const D3DGPU_PHYSICAL_ADDRESS table = op.PageTableAddress.GpuPhysical;
      if (!adapter.Locate(table.SegmentId, table.SegmentOffset, &target, &offset) ||
          target == regs::Target::kAperture || offset % kPage != 0) {
        return STATUS_INVALID_PARAMETER;
      }
      // The paging process's tables are never marked: the CPU also writes them, which could leave
      // wrong contiguous bits.
      const auto* process = static_cast<const Process*>(op.hProcess);
      if (adapter.parameters.contiguous_pages && process != nullptr && !process->system) source.MarkContiguous();
      const bool settled = build.args.MultipassOffset != 0 && (build.args.MultipassOffset & kSettling) == 0;
      if (source.has_pages_of_4k() && !settled && !SettleBlocks(build, target, offset, op.StartIndex, source))
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      const UINT settling = settled ? 0 : std::exchange(build.args.MultipassOffset, 0);
      const NTSTATUS status = WriteByCommands(build, Place::Physical(target, offset), source);
      if (!NT_SUCCESS(status) && build.args.MultipassOffset == 0) build.args.MultipassOffset = settling;
      return status;
    }
  }
  return STATUS_INVALID_PARAMETER;
}

// Flushes the process's space. Rejects a root that belongs to another process. If the process has
// no space, nothing is cached; the buffer then needs a command only to keep the operation's place
// in the stream. If both addresses are 0, the whole space is flushed. The page that contains the
// end address is flushed too, so it does not matter whether the end is inclusive.
NTSTATUS BuildFlushTlb(Build& build) {
  const auto& op = build.args.FlushTlb;
  const auto* process = static_cast<const Process*>(op.hProcess);
  if (process == nullptr) process = build.adapter.system_process;

  regs::Target target{};
  uint64_t root = 0;
  const bool named = build.adapter.Locate(op.RootPageTableAddress.SegmentId, op.RootPageTableAddress.SegmentOffset,
                                          &target, &root);
  uint32_t space = Spaces::kNone;
  const auto is_foreign = [&] {  // requires `objects`: another thread may change the contexts
    if (process != nullptr) space = process->space_on(build.adapter.link.index());
    const uint32_t owner = named ? build.adapter.spaces.WithRoot(target, root) : Spaces::kNone;
    return owner != Spaces::kNone && owner != space;
  };
  if (build.adapter.objects.With(is_foreign)) return STATUS_INVALID_PARAMETER;
  bool fits = false;
  if (space == Spaces::kNone) {
    fits = build.commands.Nop();
  } else if (op.StartVirtualAddress == 0 && op.EndVirtualAddress == 0) {
    fits = build.commands.FlushSpace(space);
  } else {
    if (op.EndVirtualAddress < op.StartVirtualAddress) return STATUS_INVALID_PARAMETER;
    const uint64_t last = std::min<uint64_t>(op.EndVirtualAddress, ~uint64_t{0} - kPage) /
                          kPage;  // clamped, so that the addition below cannot overflow
    fits = build.commands.FlushRange(space, op.StartVirtualAddress / kPage * kPage, (last + 1) * kPage);
  }
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

}  // namespace gmmu::kmd
