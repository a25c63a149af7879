// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/paging_trace.h"

#include <vector>

#include "os/base/text.h"
#include "os/miniport/mdl.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {
namespace {

/// Builds a JSON object whose members keep the order in which they were added.
class Line {
 public:
  Line& Number(const char* name, uint64_t value) { return Raw(name, std::to_string(value)); }
  Line& Address(const char* name, uint64_t value) { return Text(name, Hex(value)); }
  Line& Address(const char* name, const LARGE_INTEGER& value) {
    return Address(name, static_cast<uint64_t>(value.QuadPart));
  }
  Line& Flag(const char* name, bool value) { return Raw(name, value ? "true" : "false"); }
  Line& Text(const char* name, const std::string& value) { return Raw(name, "\"" + value + "\""); }
  /// `value` must be valid JSON.
  Line& Raw(const char* name, const std::string& value) {
    text_ += std::string(text_.size() == 1 ? "\"" : ", \"") + name + "\": " + value;
    return *this;
  }
  std::string Take() { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

void Append(std::string& list, const std::string& item) { list += (list.size() == 1 ? "" : ", ") + item; }

/// Writes entries as a list of runs. Within a run all flags are equal and the addresses have a constant step (possibly
/// 0).
std::string Entries(const DXGK_PTE* entries, size_t count) {
  std::string list = "[";
  for (size_t first = 0; first < count;) {
    const auto next = [&](size_t i) { return entries[i].Flags == entries[first].Flags; };
    const auto step = [&](size_t i) {
      return static_cast<int64_t>(entries[i].PageAddress - entries[i - 1].PageAddress);
    };
    size_t end = first + 1;
    const int64_t apart = end < count && next(end) ? step(end) : 0;
    while (end < count && next(end) && step(end) == apart) ++end;
    Line run;
    run.Number("count", end - first)
        .Address("Flags", entries[first].Flags)
        .Address("PageAddress", entries[first].PageAddress);
    if (end - first > 1) run.Raw("step", std::to_string(apart));
    Append(list, run.Take());
    first = end;
  }
  return list + "]";
}

/// Writes page numbers as a list of runs of consecutive pages.
template <typename Page>
std::string Pages(const Page* pages, size_t count) {
  std::string list = "[";
  for (size_t first = 0; first < count;) {
    size_t end = first + 1;
    while (end < count && pages[end] == pages[end - 1] + 1) ++end;
    Append(list, Line().Number("count", end - first).Address("PageNumber", pages[first]).Take());
    first = end;
  }
  return list + "]";
}

void List(Line& line, const char* name, PMDL mdl) {
  line.Flag(name, mdl != nullptr);
  if (mdl == nullptr) return;
  const std::vector<uint64_t> pages = Mdl::PagesOf(mdl);
  line.Raw((std::string(name) + ".Pages").c_str(), Pages(pages.data(), pages.size()));
}

void List(Line& line, const DXGK_ADL& adl) {
  line.Number("Adl.PageCount", adl.PageCount).Flag("Adl.Flags.Contiguous", adl.Flags.Contiguous);
  if (adl.Flags.Contiguous) {
    line.Address("Adl.BasePageNumber", adl.BasePageNumber);
  } else {
    line.Raw("Adl.Pages", Pages(adl.Pages, adl.PageCount));
  }
}

void Physical(Line& line, const std::string& name, const D3DGPU_PHYSICAL_ADDRESS& at) {
  line.Number((name + ".SegmentId").c_str(), at.SegmentId).Address((name + ".SegmentOffset").c_str(), at.SegmentOffset);
}

void UpdatePageTable(Line& line, const DXGKARG_BUILDPAGINGBUFFER& args) {
  const auto& op = args.UpdatePageTable;
  line.Number("PageTableLevel", op.PageTableLevel).Flag("hAllocation", op.hAllocation != nullptr);
  switch (op.UpdateMode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL: line.Text("UpdateMode", "CPU_VIRTUAL"); break;
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
      line.Text("UpdateMode", "GPU_VIRTUAL").Address("GpuVirtual", op.PageTableAddress.GpuVirtual);
      break;
    case DXGK_PAGETABLEUPDATE_GPU_PHYSICAL:
      line.Text("UpdateMode", "GPU_PHYSICAL");
      Physical(line, "GpuPhysical", op.PageTableAddress.GpuPhysical);
      break;
  }
  line.Number("StartIndex", op.StartIndex)
      .Number("NumPageTableEntries", op.NumPageTableEntries)
      .Flag("Flags.Repeat", op.Flags.Repeat)
      .Flag("Flags.InitialUpdate", op.Flags.InitialUpdate)
      .Flag("Flags.NotifyEviction", op.Flags.NotifyEviction)
      .Flag("Flags.Use64KBPages", op.Flags.Use64KBPages)
      .Number("DriverProtection", op.DriverProtection)
      .Number("AllocationOffsetInBytes", op.AllocationOffsetInBytes)
      .Address("FirstPteVirtualAddress", op.FirstPteVirtualAddress)
      .Flag("hProcess", op.hProcess != nullptr);
  const size_t given = op.Flags.Repeat ? 1 : op.NumPageTableEntries;
  if (op.pPageTableEntries != nullptr) line.Raw("pPageTableEntries", Entries(op.pPageTableEntries, given));
  if (op.pPageTableEntries64KB != nullptr) line.Raw("pPageTableEntries64KB", Entries(op.pPageTableEntries64KB, given));
}

void CopyPageTableEntries(Line& line, const DXGKARG_BUILDPAGINGBUFFER& args) {
  const auto& op = args.CopyPageTableEntries;
  std::string ranges = "[";
  for (UINT i = 0; i < op.NumRanges; ++i) {
    const auto& range = op.pRanges[i];
    Append(ranges, Line()
                       .Number("NumPageTableEntries", range.NumPageTableEntries)
                       .Address("SrcPageTableAddress", range.SrcPageTableAddress)
                       .Address("DstPageTableAddress", range.DstPageTableAddress)
                       .Number("SrcStartPteIndex", range.SrcStartPteIndex)
                       .Number("DstStartPteIndex", range.DstStartPteIndex)
                       .Take());
  }
  line.Number("NumRanges", op.NumRanges).Raw("pRanges", ranges + "]");
}

template <typename Side>
void SegmentSide(Line& line, const std::string& name, const Side& side) {
  line.Number((name + ".SegmentId").c_str(), side.SegmentId);
  if (side.SegmentId == 0) return List(line, (name + ".pMdl").c_str(), side.pMdl);
  line.Address((name + ".SegmentAddress").c_str(), side.SegmentAddress);
}

template <typename Operation>
void Allocation(Line& line, const Operation& op) {
  line.Flag("hAllocation", op.hAllocation != nullptr);
}

/// Writes the members that TRANSFER and SPECIAL_LOCK_TRANSFER have in common, which come first.
template <typename Operation>
void Move(Line& line, const Operation& op) {
  Allocation(line, op);
  line.Number("TransferOffset", op.TransferOffset).Number("TransferSize", op.TransferSize);
  SegmentSide(line, "Source", op.Source);
  SegmentSide(line, "Destination", op.Destination);
}

template <typename Operation>
void ApertureRange(Line& line, const Operation& op) {
  line.Number("SegmentId", op.SegmentId)
      .Number("OffsetInPages", op.OffsetInPages)
      .Number("NumberOfPages", op.NumberOfPages);
}

void Operand(Line& line, const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE: return UpdatePageTable(line, args);
    case DXGK_OPERATION_TRANSFER: {
      const auto& op = args.Transfer;
      Move(line, op);
      line.Number("MdlOffset", op.MdlOffset)
          .Flag("Flags.AllocationIsIdle", op.Flags.AllocationIsIdle)
          .Flag("Flags.TransferStart", op.Flags.TransferStart)
          .Flag("Flags.TransferEnd", op.Flags.TransferEnd);
      return;
    }
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: {
      const auto& op = args.SpecialLockTransfer;
      Move(line, op);
      line.Flag("Flags.AllocationIsIdle", op.Flags.AllocationIsIdle);
      return;
    }
    case DXGK_OPERATION_FILL: {
      const auto& op = args.Fill;
      Allocation(line, op);
      line.Number("FillSize", op.FillSize)
          .Address("FillPattern", op.FillPattern)
          .Number("Destination.SegmentId", op.Destination.SegmentId)
          .Address("Destination.SegmentAddress", op.Destination.SegmentAddress);
      return;
    }
    case DXGK_OPERATION_DISCARD_CONTENT: {
      const auto& op = args.DiscardContent;
      Allocation(line, op);
      line.Flag("Flags.AllocationIsIdle", op.Flags.AllocationIsIdle)
          .Number("SegmentId", op.SegmentId)
          .Address("SegmentAddress", op.SegmentAddress);
      return;
    }
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL: {
      const auto& op = args.ReadPhysical;  // READ_PHYSICAL and WRITE_PHYSICAL have the same members
      line.Number("SegmentId", op.SegmentId).Address("PhysicalAddress", op.PhysicalAddress);
      return;
    }
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE: {
      const auto& op = args.InitContextResource;
      Allocation(line, op);
      SegmentSide(line, "Destination", op.Destination);
      line.Flag("Destination.VirtualAddress", op.Destination.VirtualAddress != nullptr)
          .Address("Destination.GpuVirtualAddress", op.Destination.GpuVirtualAddress);
      return;
    }
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION: {
      const auto& op = args.UpdateContextAllocation;
      line.Address("ContextAllocation", op.ContextAllocation)
          .Number("ContextAllocationSize", op.ContextAllocationSize)
          .Flag("pDriverPrivateData", op.pDriverPrivateData != nullptr)
          .Number("DriverPrivateDataSize", op.DriverPrivateDataSize);
      return;
    }
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES: return CopyPageTableEntries(line, args);
    case DXGK_OPERATION_NOTIFY_RESIDENCY: {
      const auto& op = args.NotifyResidency;
      Allocation(line, op);
      Physical(line, "PhysicalAddress", op.PhysicalAddress);
      line.Flag("Resident", op.Resident);
      return;
    }
    case DXGK_OPERATION_VIRTUAL_TRANSFER: {
      const auto& op = args.TransferVirtual;
      Allocation(line, op);
      line.Number("AllocationOffsetInBytes", op.AllocationOffsetInBytes)
          .Number("TransferSizeInBytes", op.TransferSizeInBytes)
          .Address("SourceVirtualAddress", op.SourceVirtualAddress)
          .Address("DestinationVirtualAddress", op.DestinationVirtualAddress)
          .Number("TransferDirection", op.TransferDirection)
          .Address("SourcePageTable", op.SourcePageTable)
          .Address("DestinationPageTable", op.DestinationPageTable)
          .Flag("Flags.Src64KBPages", op.Flags.Src64KBPages)
          .Flag("Flags.Dst64KBPages", op.Flags.Dst64KBPages);
      return;
    }
    case DXGK_OPERATION_VIRTUAL_FILL: {
      const auto& op = args.FillVirtual;
      Allocation(line, op);
      line.Number("AllocationOffsetInBytes", op.AllocationOffsetInBytes)
          .Number("FillSizeInBytes", op.FillSizeInBytes)
          .Address("FillPattern", op.FillPattern)
          .Address("DestinationVirtualAddress", op.DestinationVirtualAddress);
      return;
    }
    case DXGK_OPERATION_FLUSH_TLB:
      Physical(line, "RootPageTableAddress", args.FlushTlb.RootPageTableAddress);
      line.Address("StartVirtualAddress", args.FlushTlb.StartVirtualAddress)
          .Address("EndVirtualAddress", args.FlushTlb.EndVirtualAddress)
          .Flag("hProcess", args.FlushTlb.hProcess != nullptr);
      return;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: {
      const auto& op = args.MapApertureSegment;
      ApertureRange(line, op);
      line.Number("MdlOffset", op.MdlOffset).Flag("Flags.CacheCoherent", op.Flags.CacheCoherent);
      List(line, "pMdl", op.pMdl);
      return;
    }
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2: {
      const auto& op = args.MapApertureSegment2;
      ApertureRange(line, op);
      line.Number("AdlOffset", op.AdlOffset)
          .Flag("Flags.CacheCoherent", op.Flags.CacheCoherent)
          .Flag("CpuVisibleAddress", op.CpuVisibleAddress != nullptr);
      List(line, op.Adl);
      return;
    }
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      ApertureRange(line, args.UnmapApertureSegment);
      line.Address("DummyPage", args.UnmapApertureSegment.DummyPage);
      return;
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      line.Address("MonitoredFenceGpuVa", args.SignalMonitoredFence.MonitoredFenceGpuVa)
          .Number("MonitoredFenceValue", args.SignalMonitoredFence.MonitoredFenceValue);
      return;
    default: return;  // the operation has no operand
  }
}

uint64_t Between(const void* from, const void* to) {
  return static_cast<uint64_t>(static_cast<const uint8_t*>(to) - static_cast<const uint8_t*>(from));
}

}  // namespace

std::string PagingTraceLine(uint64_t ns, const DXGKARG_BUILDPAGINGBUFFER& asked,
                            const DXGKARG_BUILDPAGINGBUFFER& answered, std::optional<NTSTATUS> status) {
  Line line;
  line.Number("ns", ns)
      .Text("operation", NameOf(asked.Operation))
      .Raw("status", status ? "\"" + Hex(static_cast<uint32_t>(*status)) + "\"" : "null")
      .Flag("pDmaBuffer", asked.pDmaBuffer != nullptr)
      .Number("DmaSize", asked.DmaSize)
      .Number("DmaBufferWriteOffset", asked.DmaBufferWriteOffset)
      .Number("written", Between(asked.pDmaBuffer, answered.pDmaBuffer))
      .Number("private_written", Between(asked.pDmaBufferPrivateData, answered.pDmaBufferPrivateData))
      .Number("MultipassOffset", asked.MultipassOffset)
      .Number("MultipassOffset_after", answered.MultipassOffset);
  Operand(line, asked);
  return line.Take();
}

}  // namespace gmmu::os
