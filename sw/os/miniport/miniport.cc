// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/miniport.h"

#include <cstring>

#include "os/base/bug_check.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/miniport/device_life.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/driver_room.h"
#include "os/miniport/paging_trace.h"
#include "os/miniport/physical_calls.h"

namespace gmmu::os {
namespace {

// Number of stack bytes that the VidMm worker uses before it calls the driver (observed on Windows
// build 22621).
constexpr uint64_t kStackOfVidMm = 0x12D0;

uint64_t Code(NTSTATUS status) { return static_cast<uint32_t>(status); }

/// Returns the operation's AllocationIsIdle flag, or nullopt for an operation for which the driver
/// must not return STATUS_GRAPHICS_ALLOCATION_BUSY (DxgkDdiBuildPagingBuffer, return values).
std::optional<bool> SaidIdle(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER: return args.Transfer.Flags.AllocationIsIdle != 0;
    case DXGK_OPERATION_DISCARD_CONTENT: return args.DiscardContent.Flags.AllocationIsIdle != 0;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: return args.SpecialLockTransfer.Flags.AllocationIsIdle != 0;
    default: return std::nullopt;
  }
}

}  // namespace

Miniport::Miniport(Kernel& kernel, const DRIVER_INITIALIZATION_DATA& table)
    : kernel_(kernel),
      driver_(std::make_unique<DriverCalls>(kernel, table)),
      devices_(std::make_unique<DeviceLife>(*driver_)),
      physical_(std::make_unique<PhysicalCalls>(*driver_)) {}

Miniport::~Miniport() = default;

const DRIVER_INITIALIZATION_DATA& Miniport::table() const { return driver_->table(); }
bool Miniport::scheduler_class_free() const { return driver_->scheduler_class_free(); }
void Miniport::WaitForSchedulerClass(const char* entry) { driver_->WaitForSchedulerClass(entry); }
uint64_t Miniport::calls(const std::string& entry) const { return driver_->calls(entry); }
void Miniport::Require(NTSTATUS status, const std::string& what) { DriverCalls::Require(status, what); }

#define DRIVER(entry) GMMU_DRIVER(*driver_, entry)

NTSTATUS Miniport::QueryAdapterInfo(DXGK_QUERYADAPTERINFOTYPE type, void* input, size_t input_bytes, void* output,
                                    size_t output_bytes) {
  DXGKARG_QUERYADAPTERINFO args{};
  GuardedArguments guarded(driver_->copies());
  const std::string name = NameOf(type);
  args.Type = type;
  args.pInputData = guarded.Array(input, input_bytes, [&] { return "pInputData of " + name; }, false);
  args.InputDataSize = static_cast<UINT>(input_bytes);
  args.pOutputData = guarded.Array(output, output_bytes, [&] { return "pOutputData of " + name; }, true);
  args.OutputDataSize = static_cast<UINT>(output_bytes);
  return driver_->Call(DRIVER(QueryAdapterInfo), kPassive, driver_->lead(), &args);
}

NTSTATUS Miniport::GetNodeMetadata(UINT node, UINT physical_adapter, DXGKARG_GETNODEMETADATA& metadata) {
  return driver_->Call(DRIVER(GetNodeMetadata), kPassive, driver_->lead(), node | physical_adapter << 16, &metadata);
}

NTSTATUS Miniport::CreateProcess(DXGKARG_CREATEPROCESS& args) {
  return driver_->Call(DRIVER(CreateProcess), kPassive, driver_->lead(), &args);
}

void Miniport::DestroyProcess(HANDLE process) {
  Require(driver_->Call(DRIVER(DestroyProcess), kPassive, driver_->lead(), process), "DxgkDdiDestroyProcess");
}

NTSTATUS Miniport::CreateDevice(DXGKARG_CREATEDEVICE& args) {
  return driver_->Call(DRIVER(CreateDevice), kPassive, driver_->lead(), &args);
}

void Miniport::DestroyDevice(HANDLE device) {
  Require(driver_->Call(DRIVER(DestroyDevice), kPassive, device), "DxgkDdiDestroyDevice");
}

NTSTATUS Miniport::CreateContext(HANDLE device, DXGKARG_CREATECONTEXT& args) {
  GuardedArguments guarded(driver_->copies());
  PVOID const data = args.pPrivateDriverData;
  args.pPrivateDriverData = guarded.Array(
      data, args.PrivateDriverDataSize, [] { return "pPrivateDriverData of DXGKARG_CREATECONTEXT"; }, true);
  const NTSTATUS status = driver_->Call(DRIVER(CreateContext), kPassive, device, &args);
  args.pPrivateDriverData = data;
  return status;
}

void Miniport::DestroyContext(HANDLE context) {
  Require(driver_->Call(DRIVER(DestroyContext), kPassive, context), "DxgkDdiDestroyContext");
}

NTSTATUS Miniport::CreateAllocation(DXGKARG_CREATEALLOCATION& args) {
  DXGKARG_CREATEALLOCATION given = args;
  NTSTATUS status = STATUS_SUCCESS;
  {
    GuardedArguments guarded(driver_->copies());
    given.pAllocationInfo = static_cast<DXGK_ALLOCATIONINFO*>(guarded.Array(
        args.pAllocationInfo, args.NumAllocations * sizeof(DXGK_ALLOCATIONINFO),
        [] { return "pAllocationInfo of DXGKARG_CREATEALLOCATION"; }, true));
    status = driver_->Call(DRIVER(CreateAllocation), kPassive, driver_->lead(), &given);
  }
  args.hResource = given.hResource;
  return status;
}

void Miniport::DestroyAllocation(DXGKARG_DESTROYALLOCATION& args) {
  DXGKARG_DESTROYALLOCATION given = args;
  GuardedArguments guarded(driver_->copies());
  guarded.Guard(given.pAllocationList, given.NumAllocations, "pAllocationList of DXGKARG_DESTROYALLOCATION");
  const DXGKARG_DESTROYALLOCATION* constant = &given;
  Require(driver_->Call(DRIVER(DestroyAllocation), kPassive, driver_->lead(), constant), "DxgkDdiDestroyAllocation");
}

NTSTATUS Miniport::MapCpuHostAperture(DXGKARG_MAPCPUHOSTAPERTURE& args) {
  DXGKARG_MAPCPUHOSTAPERTURE given = args;
  GuardedArguments guarded(driver_->copies());
  guarded.Guard(given.pCpuHostAperturePages, given.NumberOfPages, "pCpuHostAperturePages");
  guarded.Guard(given.pMemorySegmentPages, given.NumberOfPages, "pMemorySegmentPages");
  const DXGKARG_MAPCPUHOSTAPERTURE* constant = &given;
  return driver_->Call(DRIVER(MapCpuHostAperture), kPassive, driver_->lead(), constant);
}

NTSTATUS Miniport::UnmapCpuHostAperture(DXGKARG_UNMAPCPUHOSTAPERTURE& args) {
  DXGKARG_UNMAPCPUHOSTAPERTURE given = args;
  GuardedArguments guarded(driver_->copies());
  guarded.Guard(given.pCpuHostAperturePages, given.NumberOfPages, "pCpuHostAperturePages");
  const DXGKARG_UNMAPCPUHOSTAPERTURE* constant = &given;
  return driver_->Call(DRIVER(UnmapCpuHostAperture), kPassive, driver_->lead(), constant);
}

uint64_t Miniport::GetRootPageTableSize(DXGKARG_GETROOTPAGETABLESIZE& args) {
  const UINT asked = args.NumberOfPte;
  const SIZE_T bytes = driver_->Call(DRIVER(GetRootPageTableSize), kPassive, driver_->lead(), &args);
  if (bytes == 0 || args.NumberOfPte < asked) {
    throw BugCheck("DxgkDdiGetRootPageTableSize answered " + std::to_string(bytes) + " bytes for " +
                   std::to_string(args.NumberOfPte) + " entries, " + std::to_string(asked) + " were asked for");
  }
  return bytes;
}

void Miniport::SetRootPageTable(DXGKARG_SETROOTPAGETABLE& args) {
  const DXGKARG_SETROOTPAGETABLE* constant = &args;
  driver_->Call(DRIVER(SetRootPageTable), kPassive, driver_->lead(), constant);
}

NTSTATUS Miniport::BuildPagingBuffer(DXGKARG_BUILDPAGINGBUFFER& args) {
  const uint64_t stack = kernel_.parameters().build_stack_bytes();
  const DXGKARG_BUILDPAGINGBUFFER asked = args;
  const auto& trace = kernel_.parameters().trace_paging;
  NTSTATUS status = STATUS_SUCCESS;
  GuardedArguments guarded(driver_->copies());
  if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
    auto& op = args.UpdatePageTable;
    const size_t given = op.Flags.Repeat ? 1 : op.NumPageTableEntries;
    const auto guard = [&](DXGK_PTE*& entries, const char* name) {
      entries = static_cast<DXGK_PTE*>(guarded.Array(
          entries, given * sizeof(DXGK_PTE),
          [&] { return std::string(name) + (op.Flags.Repeat ? " (Flags.Repeat is 1: one entry)" : ""); }, false));
    };
    guard(op.pPageTableEntries, "pPageTableEntries");
    guard(op.pPageTableEntries64KB, "pPageTableEntries64KB");
  } else if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2 && !args.MapApertureSegment2.Adl.Flags.Contiguous) {
    DXGK_ADL& adl = args.MapApertureSegment2.Adl;
    guarded.Guard(adl.Pages, adl.PageCount, "the page numbers of an ADL");
  } else if (args.Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
    auto& op = args.CopyPageTableEntries;
    guarded.Guard(op.pRanges, op.NumRanges, "pRanges of COPY_PAGE_TABLE_ENTRIES");
  }
  std::optional<DriverRoom> buffer, private_data;
  if (!buffers_stay_) {
    buffer.emplace(guarded, args.pDmaBuffer, args.DmaSize, "the free room of pDmaBuffer");
    private_data.emplace(guarded, args.pDmaBufferPrivateData, args.DmaBufferPrivateDataSize,
                         "the free room of pDmaBufferPrivateData");
  }
  try {
    status = driver_->Call(DRIVER(BuildPagingBuffer), kPassive, driver_->lead(), &args);
  } catch (const std::exception&) {  // the trace must contain the failed call
    if (trace) trace(PagingTraceLine(kernel_.hal().NowNs(), asked, asked, std::nullopt));
    throw;
  }
  if (status == STATUS_SUCCESS) kernel_.Happened(NameOf(args.Operation));
  if (asked.MultipassOffset != 0) kernel_.Happened("passes");
  if (buffer) buffer->Back();
  if (private_data) private_data->Back();
  if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
    args.UpdatePageTable.pPageTableEntries = asked.UpdatePageTable.pPageTableEntries;
    args.UpdatePageTable.pPageTableEntries64KB = asked.UpdatePageTable.pPageTableEntries64KB;
  } else if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
    args.MapApertureSegment2.Adl = asked.MapApertureSegment2.Adl;
  } else if (args.Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
    args.CopyPageTableEntries.pRanges = asked.CopyPageTableEntries.pRanges;
  }
  if (trace) trace(PagingTraceLine(kernel_.hal().NowNs(), asked, args, status));
  if (stack != 0 && driver_->build_stack_used() > stack - kStackOfVidMm) {
    throw BugCheck(StopCode::kPageFaultInNonpagedArea, {},
                   "DxgkDdiBuildPagingBuffer, operation " + NameOf(args.Operation) + ", used " +
                       std::to_string(driver_->build_stack_used()) + " bytes of stack; the worker of VidMm has " +
                       std::to_string(stack) + ", of which " + std::to_string(kStackOfVidMm) + " are used already");
  }
  if (status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
  std::string why;
  if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
    const std::optional<bool> idle = SaidIdle(args);
    if (idle && !*idle) return status;
    why = idle ? ", though the allocation is idle" : ", which this operation may not return";
  }
  throw BugCheck(StopCode::kVideoMemoryManagementInternal, {stop::kBuildPagingBuffer, 0, Code(status), 0},
                 "DxgkDdiBuildPagingBuffer, operation " + NameOf(args.Operation) + ", returned status " +
                     Hex(Code(status)) + why);
}

NTSTATUS Miniport::SubmitCommandVirtual(DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  DXGKARG_SUBMITCOMMANDVIRTUAL given = args;
  GuardedArguments guarded(driver_->copies());
  given.pDmaBufferPrivateData = guarded.Array(
      given.pDmaBufferPrivateData, given.DmaBufferPrivateDataSize, [] { return "pDmaBufferPrivateData"; }, true);
  const DXGKARG_SUBMITCOMMANDVIRTUAL* constant = &given;
  const NTSTATUS status = driver_->Call(DRIVER(SubmitCommandVirtual), kPassive, driver_->lead(), constant);
  if (status == STATUS_SUCCESS) return status;
  if (!args.Flags.Paging && status == STATUS_INVALID_PARAMETER) return status;
  throw BugCheck(StopCode::kVideoSchedulerInternalError, {stop::kSubmission, Code(status), 0, 0},
                 std::string("DxgkDdiSubmitCommandVirtual of a ") + (args.Flags.Paging ? "paging" : "render") +
                     " packet, fence " + std::to_string(args.SubmissionFenceId) + ", returned status " +
                     Hex(Code(status)));
}

void Miniport::SubmitCommand(const DXGKARG_SUBMITCOMMAND& args) {
  driver_->WaitForSchedulerClass("DxgkDdiSubmitCommand");  // a fibre cannot wait at the raised IRQL
  const DXGKARG_SUBMITCOMMAND* constant = &args;
  const Irql before = kernel_.scheduler().Raise(kDispatch);
  const NTSTATUS status = driver_->Call(DRIVER(SubmitCommand), kDispatch, driver_->lead(), constant);
  kernel_.scheduler().Lower(before);
  if (status == STATUS_SUCCESS) return;
  throw BugCheck(StopCode::kVideoSchedulerInternalError, {stop::kSubmission, Code(status), 0, 0},
                 std::string("DxgkDdiSubmitCommand of a ") + (args.Flags.Paging ? "paging" : "render") +
                     " packet, fence " + std::to_string(args.SubmissionFenceId) + ", returned status " +
                     Hex(Code(status)));
}

NTSTATUS Miniport::SignalMonitoredFence(HANDLE context, DXGKARG_SIGNALMONITOREDFENCE& args) {
  GuardedArguments guarded(driver_->copies());
  DriverRoom buffer(guarded, args.pDmaBuffer, args.DmaSize, "the free room of pDmaBuffer");
  const NTSTATUS status = driver_->Call(DRIVER(SignalMonitoredFence), kPassive, context, &args);
  buffer.Back();
  return status;
}

void Miniport::PreemptCommand(DXGKARG_PREEMPTCOMMAND& args) {
  const DXGKARG_PREEMPTCOMMAND* constant = &args;
  driver_->WaitForSchedulerClass("DxgkDdiPreemptCommand");  // a fibre cannot wait at the raised IRQL
  const Irql before = kernel_.scheduler().Raise(kDispatch);
  const NTSTATUS status = driver_->Call(DRIVER(PreemptCommand), kDispatch, driver_->lead(), constant);
  kernel_.scheduler().Lower(before);
  if (NT_SUCCESS(status)) return;
  throw BugCheck(StopCode::kVideoSchedulerInternalError, {stop::kSubmission, Code(status), 0, 0},
                 "DxgkDdiPreemptCommand of node " + std::to_string(args.NodeOrdinal) + " returned status " +
                     Hex(Code(status)));
}

void Miniport::QueryEngineStatus(DXGKARG_QUERYENGINESTATUS& args) {
  Require(driver_->Call(DRIVER(QueryEngineStatus), kPassive, driver_->lead(), &args), "DxgkDdiQueryEngineStatus");
}

std::optional<uint32_t> Miniport::QueryCurrentFence(UINT node, UINT engine) {
  if (driver_->table().DxgkDdiQueryCurrentFence == nullptr) return std::nullopt;
  DXGKARG_QUERYCURRENTFENCE args{};
  args.EngineOrdinal = engine;
  args.NodeOrdinal = node;
  if (!NT_SUCCESS(driver_->Call(DRIVER(QueryCurrentFence), kPassive, driver_->lead(), &args))) return std::nullopt;
  return args.CurrentFence;
}

uint64_t Miniport::QueryDependentEngineGroup(UINT node, UINT engine) {
  const uint64_t own = uint64_t{1} << node;
  if (driver_->table().DxgkDdiQueryDependentEngineGroup == nullptr) return own;
  DXGKARG_QUERYDEPENDENTENGINEGROUP args{};
  args.EngineOrdinal = engine;
  args.NodeOrdinal = node;
  Require(driver_->Call(DRIVER(QueryDependentEngineGroup), kPassive, driver_->lead(), &args),
          "DxgkDdiQueryDependentEngineGroup");
  if ((args.DependentNodeOrdinalMask & own) == 0) {
    throw BugCheck("DxgkDdiQueryDependentEngineGroup of node " + std::to_string(node) + " answered " +
                   Hex(args.DependentNodeOrdinalMask) + ", without the node itself");
  }
  return args.DependentNodeOrdinalMask;
}

NTSTATUS Miniport::ResetEngine(DXGKARG_RESETENGINE& args) {
  return driver_->Call(DRIVER(ResetEngine), kPassive, driver_->lead(), &args);
}

NTSTATUS Miniport::ResetFromTimeout() { return driver_->Call(DRIVER(ResetFromTimeout), kPassive, driver_->lead()); }

NTSTATUS Miniport::RestartFromTimeout() { return driver_->Call(DRIVER(RestartFromTimeout), kPassive, driver_->lead()); }

NTSTATUS Miniport::Escape(void* data, size_t bytes) {
  if (driver_->table().DxgkDdiEscape == nullptr) return STATUS_NOT_SUPPORTED;  // the entry point is optional
  DXGKARG_ESCAPE args{};
  GuardedArguments guarded(driver_->copies());
  args.pPrivateDriverData = guarded.Array(data, bytes, [] { return "pPrivateDriverData of DXGKARG_ESCAPE"; }, true);
  args.PrivateDriverDataSize = static_cast<UINT>(bytes);
  const DXGKARG_ESCAPE* constant = &args;
  return driver_->Call(DRIVER(Escape), kPassive, driver_->lead(), constant);
}

#undef DRIVER

}  // namespace gmmu::os
