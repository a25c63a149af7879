// SPDX-License-Identifier: Apache-2.0
#include "os/paging_trace.h"

#include "os/miniport.h"
#include "os/text.h"

namespace gmmu::os {
namespace {

/// Members in the order in which they are added.
class Line {
 public:
  Line& Number(const char* name, uint64_t value) { return Raw(name, std::to_string(value)); }
  Line& Address(const char* name, uint64_t value) { return Text(name, Hex(value)); }
  Line& Flag(const char* name, bool value) { return Raw(name, value ? "true" : "false"); }
  Line& Text(const char* name, const std::string& value) { return Raw(name, "\"" + value + "\""); }
  std::string Take() { return text_ + "}"; }

 private:
  Line& Raw(const char* name, const std::string& value) {
    text_ += std::string(text_.size() == 1 ? "\"" : ", \"") + name + "\": " + value;
    return *this;
  }
  std::string text_ = "{";
};

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
  line.Number("StartIndex", op.StartIndex).Number("NumPageTableEntries", op.NumPageTableEntries)
      .Flag("Flags.Repeat", op.Flags.Repeat).Flag("Flags.InitialUpdate", op.Flags.InitialUpdate)
      .Flag("Flags.NotifyEviction", op.Flags.NotifyEviction).Flag("Flags.Use64KBPages", op.Flags.Use64KBPages)
      .Number("DriverProtection", op.DriverProtection).Number("AllocationOffsetInBytes", op.AllocationOffsetInBytes)
      .Address("FirstPteVirtualAddress", op.FirstPteVirtualAddress);
}

template <typename Side>
void SegmentSide(Line& line, const std::string& name, const Side& side) {
  line.Number((name + ".SegmentId").c_str(), side.SegmentId);
  if (side.SegmentId == 0) return;  // an MDL
  line.Address((name + ".SegmentAddress").c_str(), static_cast<uint64_t>(side.SegmentAddress.QuadPart));
}

void Operand(Line& line, const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE: return UpdatePageTable(line, args);
    case DXGK_OPERATION_TRANSFER: {
      const auto& op = args.Transfer;
      line.Flag("hAllocation", op.hAllocation != nullptr).Number("TransferOffset", op.TransferOffset)
          .Number("TransferSize", op.TransferSize);
      SegmentSide(line, "Source", op.Source);
      SegmentSide(line, "Destination", op.Destination);
      line.Number("MdlOffset", op.MdlOffset).Flag("Flags.AllocationIsIdle", op.Flags.AllocationIsIdle)
          .Flag("Flags.TransferStart", op.Flags.TransferStart).Flag("Flags.TransferEnd", op.Flags.TransferEnd);
      return;
    }
    case DXGK_OPERATION_VIRTUAL_TRANSFER: {
      const auto& op = args.TransferVirtual;
      line.Flag("hAllocation", op.hAllocation != nullptr).Number("AllocationOffsetInBytes", op.AllocationOffsetInBytes)
          .Number("TransferSizeInBytes", op.TransferSizeInBytes)
          .Address("SourceVirtualAddress", op.SourceVirtualAddress)
          .Address("DestinationVirtualAddress", op.DestinationVirtualAddress)
          .Number("TransferDirection", op.TransferDirection);
      return;
    }
    case DXGK_OPERATION_VIRTUAL_FILL: {
      const auto& op = args.FillVirtual;
      line.Flag("hAllocation", op.hAllocation != nullptr).Number("AllocationOffsetInBytes", op.AllocationOffsetInBytes)
          .Number("FillSizeInBytes", op.FillSizeInBytes).Address("FillPattern", op.FillPattern)
          .Address("DestinationVirtualAddress", op.DestinationVirtualAddress);
      return;
    }
    case DXGK_OPERATION_FLUSH_TLB:
      Physical(line, "RootPageTableAddress", args.FlushTlb.RootPageTableAddress);
      line.Address("StartVirtualAddress", args.FlushTlb.StartVirtualAddress)
          .Address("EndVirtualAddress", args.FlushTlb.EndVirtualAddress);
      return;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: {
      const auto& op = args.MapApertureSegment;
      line.Number("SegmentId", op.SegmentId).Number("OffsetInPages", op.OffsetInPages)
          .Number("NumberOfPages", op.NumberOfPages).Number("MdlOffset", op.MdlOffset)
          .Flag("Flags.CacheCoherent", op.Flags.CacheCoherent);
      return;
    }
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2: {
      const auto& op = args.MapApertureSegment2;
      line.Number("SegmentId", op.SegmentId).Number("OffsetInPages", op.OffsetInPages)
          .Number("NumberOfPages", op.NumberOfPages).Number("Adl.PageCount", op.Adl.PageCount)
          .Flag("Adl.Flags.Contiguous", op.Adl.Flags.Contiguous).Number("AdlOffset", op.AdlOffset)
          .Flag("Flags.CacheCoherent", op.Flags.CacheCoherent)
          .Flag("CpuVisibleAddress", op.CpuVisibleAddress != nullptr);
      return;
    }
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: {
      const auto& op = args.UnmapApertureSegment;
      line.Number("SegmentId", op.SegmentId).Number("OffsetInPages", op.OffsetInPages)
          .Number("NumberOfPages", op.NumberOfPages)
          .Address("DummyPage", static_cast<uint64_t>(op.DummyPage.QuadPart));
      return;
    }
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      line.Address("MonitoredFenceGpuVa", args.SignalMonitoredFence.MonitoredFenceGpuVa)
          .Number("MonitoredFenceValue", args.SignalMonitoredFence.MonitoredFenceValue);
      return;
    default: return;  // its name says it
  }
}

uint64_t Between(const void* from, const void* to) {
  return static_cast<uint64_t>(static_cast<const uint8_t*>(to) - static_cast<const uint8_t*>(from));
}

}  // namespace

std::string PagingTraceLine(uint64_t ns, const DXGKARG_BUILDPAGINGBUFFER& asked,
                            const DXGKARG_BUILDPAGINGBUFFER& answered, NTSTATUS status) {
  Line line;
  line.Number("ns", ns).Text("operation", NameOf(asked.Operation))
      .Text("status", Hex(static_cast<uint32_t>(status)))
      .Flag("pDmaBuffer", asked.pDmaBuffer != nullptr).Number("DmaSize", asked.DmaSize)
      .Number("DmaBufferWriteOffset", asked.DmaBufferWriteOffset)
      .Number("written", Between(asked.pDmaBuffer, answered.pDmaBuffer))
      .Number("private_written", Between(asked.pDmaBufferPrivateData, answered.pDmaBufferPrivateData))
      .Number("MultipassOffset", asked.MultipassOffset).Number("MultipassOffset_after", answered.MultipassOffset);
  Operand(line, asked);
  return line.Take();
}

}  // namespace gmmu::os
