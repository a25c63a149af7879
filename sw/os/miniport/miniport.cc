// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/miniport.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/miniport/call_levels.h"
#include "os/kernel/driver_guard.h"
#include "os/miniport/paging_trace.h"
#include "os/kernel/text.h"

namespace gmmu::os {
namespace {

constexpr uint64_t kStackOfVidMm = 0x12D0;  // of its worker's stack, before the driver is called (build 22621)
constexpr uint64_t kExclusiveNs = 1'000'000'000;  // exclusive access never takes so long

uint64_t Code(NTSTATUS status) { return static_cast<uint32_t>(status); }

/// Null for an operation that must never find its allocation busy; else whether the caller has said
/// that it is idle (DxgkDdiBuildPagingBuffer, return values).
std::optional<bool> SaidIdle(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER: return args.Transfer.Flags.AllocationIsIdle != 0;
    case DXGK_OPERATION_DISCARD_CONTENT: return args.DiscardContent.Flags.AllocationIsIdle != 0;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
      return args.SpecialLockTransfer.Flags.AllocationIsIdle != 0;
    default: return std::nullopt;
  }
}

}  // namespace

void Miniport::Require(NTSTATUS status, const std::string& what) {
  if (!NT_SUCCESS(status))
    throw OsError("the driver refused " + what + " with status " + Hex(Code(status)));
}

template <typename Function, typename... Args>
auto Miniport::Call(const char* entry, Function* function, Irql level, Args... args) {
  if (function == nullptr) throw OsError(std::string("the driver's table has no ") + entry);
  const Irql before = kernel_.scheduler().irql();
  if (before != level) {
    throw BugCheck(std::string(entry) + " is called at IRQL " + std::to_string(before) +
                   ", its level is " + std::to_string(level));
  }
  if (owner_ != nullptr && !at_gate_) PassGate(entry, level);
  PassLevel(entry);
  ++calls_[entry];
  struct InClass {
    InClass(bool& flag, bool set) : flag_(flag), set_(set) { flag_ = flag_ || set_; }
    ~InClass() { if (set_) flag_ = false; }
    bool& flag_;
    const bool set_;
  } const in_class(in_scheduler_class_, LevelOf(entry) == CallLevel::kOne);
  struct Inside {
    explicit Inside(unsigned* count) : count_(count) { if (count_ != nullptr) ++*count_; }
    ~Inside() { if (count_ != nullptr) --*count_; }
    unsigned* count_;
  } const inside(level == kPassive ? &inside_ : nullptr);
  const auto check = [&] {
    if (kernel_.scheduler().irql() == before) return;
    throw BugCheck(std::string(entry) + " was entered at IRQL " + std::to_string(before) +
                   " and returned at " + std::to_string(kernel_.scheduler().irql()));
  };
  const uint64_t now = kernel_.hal().NowNs();
  if constexpr (std::is_void_v<decltype(function(args...))>) {
    DriverGuard::Run(entry, before, now, [&] { function(args...); });
    check();
  } else {
    decltype(function(args...)) result{};
    const auto guarded = [&] { DriverGuard::Run(entry, before, now, [&] { result = function(args...); }); };
    if (kernel_.parameters().build_stack_bytes() != 0 && std::string_view(entry) == "DxgkDdiBuildPagingBuffer") {
      build_stack_used_ = std::max(build_stack_used_, stack_.Run(guarded));
    } else {
      guarded();
    }
    check();
    return result;
  }
}

#define DRIVER(entry) "DxgkDdi" #entry, table_.DxgkDdi##entry

uint64_t Miniport::calls(const std::string& entry) const {
  const auto found = calls_.find(entry);
  return found == calls_.end() ? 0 : found->second;
}

void Miniport::AddDevice(PDEVICE_OBJECT device) {
  life_.push_back({"DxgkDdiAddDevice", static_cast<unsigned>(contexts_.size())});
  PVOID context = nullptr;
  Require(Call(DRIVER(AddDevice), kPassive, device, &context), "DxgkDdiAddDevice");
  contexts_.push_back(context);
}

LINKED_DEVICE Miniport::LinkDevice(PDEVICE_OBJECT device, unsigned unit) {
  LINKED_DEVICE link{0, 1, TRUE};
  if (table_.DxgkDdiLinkDevice == nullptr) return link;
  life_.push_back({"DxgkDdiLinkDevice", unit});
  Require(Call(DRIVER(LinkDevice), kPassive, device, context(unit), &link), "DxgkDdiLinkDevice");
  return link;
}

void Miniport::StartDevice(DXGK_START_INFO& start, DXGKRNL_INTERFACE& interface, unsigned unit) {
  life_.push_back({"DxgkDdiStartDevice", unit});
  ULONG sources = 0, children = 0;
  Require(Call(DRIVER(StartDevice), kPassive, context(unit), &start, &interface, &sources, &children),
          "DxgkDdiStartDevice");
  if (unit == lead_) started_ = true;
}

void Miniport::StopDevice(unsigned unit) {
  life_.push_back({"DxgkDdiStopDevice", unit});
  if (unit == lead_) started_ = false;
  Require(Call(DRIVER(StopDevice), kPassive, context(unit)), "DxgkDdiStopDevice");
}

void Miniport::RemoveDevice(unsigned unit) {
  life_.push_back({"DxgkDdiRemoveDevice", unit});
  Require(Call(DRIVER(RemoveDevice), kPassive, context(unit)), "DxgkDdiRemoveDevice");
  contexts_[unit] = nullptr;
}

void Miniport::SetPowerState(DEVICE_POWER_STATE state, POWER_ACTION action, unsigned unit) {
  life_.push_back({"DxgkDdiSetPowerState", unit, state});
  Require(Call(DRIVER(SetPowerState), kPassive, context(unit), ULONG{0}, state, action),
          "DxgkDdiSetPowerState");
}

void Miniport::PassGate(const char* entry, Irql level) {
  if (level != kPassive || owner_ == kernel_.scheduler().fibre()) {
    throw BugCheck(std::string(entry) +
                   " is called between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess");
  }
  kernel_.scheduler().Wait([this] { return owner_ == nullptr; }, kExclusiveNs,
                           std::string("the end of exclusive access, to call ") + entry);
}

void Miniport::PassLevel(const char* entry) {
  Scheduler& scheduler = kernel_.scheduler();
  switch (LevelOf(entry)) {
    case CallLevel::kZero: return;
    case CallLevel::kOne:
      if (!in_scheduler_class_) return;
      if (!scheduler.may_wait())
        throw BugCheck(std::string(entry) + " is called while another call of the GPU scheduler's class is under way");
      return WaitForSchedulerClass(entry);
    case CallLevel::kThree: break;
  }
  scheduler.Wait([this] { return inside_ == 0; }, kExclusiveNs,
                 std::string("the calls that are in the driver, before ") + entry);
  if (ComesWithABusyGpu(entry) || !not_idle_) return;
  const std::string busy = not_idle_();
  if (!busy.empty()) throw BugCheck(std::string(entry) + ", a call of level three, is made while " + busy);
}

void Miniport::WaitForSchedulerClass(const char* entry) {
  kernel_.scheduler().Wait([this] { return !in_scheduler_class_; }, kExclusiveNs,
                           std::string("the GPU scheduler's calls that are in the driver, before ") + entry);
}

void Miniport::Open() {
  owner_ = nullptr;
  at_gate_ = false;
  for (const unsigned unit : std::exchange(held_interrupts_, {})) {
    const Irql old = kernel_.scheduler().Raise(kDevice);
    InterruptRoutine(0, unit);
    kernel_.scheduler().Lower(old);
  }
  for (const unsigned unit : std::exchange(held_dpcs_, {})) {
    const Irql old = kernel_.scheduler().Raise(kDispatch);
    DpcRoutine(unit);
    kernel_.scheduler().Lower(old);
  }
}

void Miniport::BeginExclusiveAccess(const std::function<void()>& drain) {
  Scheduler& scheduler = kernel_.scheduler();
  scheduler.Wait([this] { return !claimed_; }, kExclusiveNs, "the end of another exclusive access");
  claimed_ = true;
  try {
    do {  // what was inside may have asked for something
      scheduler.Wait([this] { return inside_ == 0; }, kExclusiveNs,
                     "the calls that are in the driver, before exclusive access");
      drain();
    } while (inside_ != 0);
    DXGKARG_BEGINEXCLUSIVEACCESS args{};
    owner_ = scheduler.fibre();
    at_gate_ = true;
    const NTSTATUS status = Call(DRIVER(BeginExclusiveAccess), kPassive, lead(), &args);
    at_gate_ = false;
    Require(status, "DxgkDdiBeginExclusiveAccess");
  } catch (const std::exception&) {
    claimed_ = false;
    if (owner_ != nullptr) Open();
    throw;
  }
}

void Miniport::EndExclusiveAccess() {
  DXGKARG_ENDEXCLUSIVEACCESS args{};
  at_gate_ = true;
  const NTSTATUS status = Call(DRIVER(EndExclusiveAccess), kPassive, lead(), &args);
  claimed_ = false;
  Open();
  Require(status, "DxgkDdiEndExclusiveAccess");
}

bool Miniport::InterruptRoutine(ULONG message, unsigned unit) {
  if (owner_ != nullptr) {
    ++held_;
    held_interrupts_.insert(unit);
    return true;
  }
  return Call(DRIVER(InterruptRoutine), kDevice, context(unit), message) != FALSE;
}

void Miniport::DpcRoutine(unsigned unit) {
  if (owner_ != nullptr) {
    ++held_;
    held_dpcs_.insert(unit);
    return;
  }
  Call(DRIVER(DpcRoutine), kDispatch, context(unit));
}

NTSTATUS Miniport::QueryAdapterInfo(DXGK_QUERYADAPTERINFOTYPE type, void* input, size_t input_bytes,
                                    void* output, size_t output_bytes) {
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = type;
  args.pInputData = input;
  args.InputDataSize = static_cast<UINT>(input_bytes);
  args.pOutputData = output;
  args.OutputDataSize = static_cast<UINT>(output_bytes);
  return Call(DRIVER(QueryAdapterInfo), kPassive, lead(), &args);
}

NTSTATUS Miniport::GetNodeMetadata(UINT node, UINT physical_adapter, DXGKARG_GETNODEMETADATA& metadata) {
  return Call(DRIVER(GetNodeMetadata), kPassive, lead(), node | physical_adapter << 16, &metadata);
}

NTSTATUS Miniport::CreateProcess(DXGKARG_CREATEPROCESS& args) {
  return Call(DRIVER(CreateProcess), kPassive, lead(), &args);
}

void Miniport::DestroyProcess(HANDLE process) {
  Require(Call(DRIVER(DestroyProcess), kPassive, lead(), process), "DxgkDdiDestroyProcess");
}

NTSTATUS Miniport::CreateDevice(DXGKARG_CREATEDEVICE& args) {
  return Call(DRIVER(CreateDevice), kPassive, lead(), &args);
}

void Miniport::DestroyDevice(HANDLE device) {
  Require(Call(DRIVER(DestroyDevice), kPassive, device), "DxgkDdiDestroyDevice");
}

NTSTATUS Miniport::CreateContext(HANDLE device, DXGKARG_CREATECONTEXT& args) {
  return Call(DRIVER(CreateContext), kPassive, device, &args);
}

void Miniport::DestroyContext(HANDLE context) {
  Require(Call(DRIVER(DestroyContext), kPassive, context), "DxgkDdiDestroyContext");
}

NTSTATUS Miniport::CreateAllocation(DXGKARG_CREATEALLOCATION& args) {
  return Call(DRIVER(CreateAllocation), kPassive, lead(), &args);
}

void Miniport::DestroyAllocation(DXGKARG_DESTROYALLOCATION& args) {
  const DXGKARG_DESTROYALLOCATION* constant = &args;
  Require(Call(DRIVER(DestroyAllocation), kPassive, lead(), constant), "DxgkDdiDestroyAllocation");
}

NTSTATUS Miniport::MapCpuHostAperture(DXGKARG_MAPCPUHOSTAPERTURE& args) {
  const DXGKARG_MAPCPUHOSTAPERTURE* constant = &args;
  return Call(DRIVER(MapCpuHostAperture), kPassive, lead(), constant);
}

NTSTATUS Miniport::UnmapCpuHostAperture(DXGKARG_UNMAPCPUHOSTAPERTURE& args) {
  const DXGKARG_UNMAPCPUHOSTAPERTURE* constant = &args;
  return Call(DRIVER(UnmapCpuHostAperture), kPassive, lead(), constant);
}

uint64_t Miniport::GetRootPageTableSize(DXGKARG_GETROOTPAGETABLESIZE& args) {
  const UINT asked = args.NumberOfPte;
  const SIZE_T bytes = Call(DRIVER(GetRootPageTableSize), kPassive, lead(), &args);
  if (bytes == 0 || args.NumberOfPte < asked) {
    throw BugCheck("DxgkDdiGetRootPageTableSize answered " + std::to_string(bytes) + " bytes for " +
                   std::to_string(args.NumberOfPte) + " entries, " + std::to_string(asked) +
                   " were asked for");
  }
  return bytes;
}

void Miniport::SetRootPageTable(DXGKARG_SETROOTPAGETABLE& args) {
  const DXGKARG_SETROOTPAGETABLE* constant = &args;
  Call(DRIVER(SetRootPageTable), kPassive, lead(), constant);
}

NTSTATUS Miniport::BuildPagingBuffer(DXGKARG_BUILDPAGINGBUFFER& args) {
  const uint64_t stack = kernel_.parameters().build_stack_bytes();
  const DXGKARG_BUILDPAGINGBUFFER asked = args;
  const auto& trace = kernel_.parameters().trace_paging;
  NTSTATUS status = STATUS_SUCCESS;
  if (DriverGuard::installed() && args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
    auto& op = args.UpdatePageTable;
    const size_t given = op.Flags.Repeat ? 1 : op.NumPageTableEntries;
    const auto guard = [given](DXGK_PTE*& entries, GuardedCopy& copy) {
      if (entries != nullptr) entries = copy.Of(entries, given);
    };
    guard(op.pPageTableEntries, entries_);
    guard(op.pPageTableEntries64KB, entries_64k_);
  }
  try {
    status = Call(DRIVER(BuildPagingBuffer), kPassive, lead(), &args);
  } catch (const std::exception&) {  // whoever looks for the reason wants this call most
    if (trace) trace(PagingTraceLine(kernel_.hal().NowNs(), asked, asked, std::nullopt));
    throw;
  }
  if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
    args.UpdatePageTable.pPageTableEntries = asked.UpdatePageTable.pPageTableEntries;
    args.UpdatePageTable.pPageTableEntries64KB = asked.UpdatePageTable.pPageTableEntries64KB;
  }
  if (trace) trace(PagingTraceLine(kernel_.hal().NowNs(), asked, args, status));
  if (stack != 0 && build_stack_used_ > stack - kStackOfVidMm) {
    throw BugCheck(StopCode::kPageFaultInNonpagedArea, {},
                   "DxgkDdiBuildPagingBuffer, operation " + NameOf(args.Operation) + ", used " +
                       std::to_string(build_stack_used_) + " bytes of stack; the worker of VidMm has " +
                       std::to_string(stack) + ", of which " + std::to_string(kStackOfVidMm) + " are used already");
  }
  if (status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
  std::string why;
  if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
    const std::optional<bool> idle = SaidIdle(args);
    if (idle && !*idle) return status;
    why = idle ? ", though the allocation is idle" : ", which this operation may not return";
  }
  throw BugCheck(StopCode::kVideoMemoryManagementInternal,
                 {stop::kBuildPagingBuffer, 0, Code(status), 0},
                 "DxgkDdiBuildPagingBuffer, operation " + NameOf(args.Operation) +
                     ", returned status " + Hex(Code(status)) + why);
}

NTSTATUS Miniport::SubmitCommandVirtual(DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  const DXGKARG_SUBMITCOMMANDVIRTUAL* constant = &args;
  const NTSTATUS status = Call(DRIVER(SubmitCommandVirtual), kPassive, lead(), constant);
  if (status == STATUS_SUCCESS) return status;
  if (!args.Flags.Paging && status == STATUS_INVALID_PARAMETER) return status;
  throw BugCheck(StopCode::kVideoSchedulerInternalError, {stop::kSubmission, Code(status), 0, 0},
                 std::string("DxgkDdiSubmitCommandVirtual of a ") +
                     (args.Flags.Paging ? "paging" : "render") + " packet, fence " +
                     std::to_string(args.SubmissionFenceId) + ", returned status " +
                     Hex(Code(status)));
}

NTSTATUS Miniport::SignalMonitoredFence(HANDLE context, DXGKARG_SIGNALMONITOREDFENCE& args) {
  return Call(DRIVER(SignalMonitoredFence), kPassive, context, &args);
}

void Miniport::PreemptCommand(DXGKARG_PREEMPTCOMMAND& args) {
  const DXGKARG_PREEMPTCOMMAND* constant = &args;
  WaitForSchedulerClass("DxgkDdiPreemptCommand");  // at dispatch level nobody can
  const Irql before = kernel_.scheduler().Raise(kDispatch);
  const NTSTATUS status = Call(DRIVER(PreemptCommand), kDispatch, lead(), constant);
  kernel_.scheduler().Lower(before);
  if (NT_SUCCESS(status)) return;
  throw BugCheck(StopCode::kVideoSchedulerInternalError, {stop::kSubmission, Code(status), 0, 0},
                 "DxgkDdiPreemptCommand of node " + std::to_string(args.NodeOrdinal) + " returned status " +
                     Hex(Code(status)));
}

void Miniport::QueryEngineStatus(DXGKARG_QUERYENGINESTATUS& args) {
  Require(Call(DRIVER(QueryEngineStatus), kPassive, lead(), &args), "DxgkDdiQueryEngineStatus");
}

std::optional<uint32_t> Miniport::QueryCurrentFence(UINT node, UINT engine) {
  if (table_.DxgkDdiQueryCurrentFence == nullptr) return std::nullopt;
  DXGKARG_QUERYCURRENTFENCE args{};
  args.EngineOrdinal = engine;
  args.NodeOrdinal = node;
  if (!NT_SUCCESS(Call(DRIVER(QueryCurrentFence), kPassive, lead(), &args))) return std::nullopt;
  return args.CurrentFence;
}

uint64_t Miniport::QueryDependentEngineGroup(UINT node, UINT engine) {
  const uint64_t own = uint64_t{1} << node;
  if (table_.DxgkDdiQueryDependentEngineGroup == nullptr) return own;
  DXGKARG_QUERYDEPENDENTENGINEGROUP args{};
  args.EngineOrdinal = engine;
  args.NodeOrdinal = node;
  Require(Call(DRIVER(QueryDependentEngineGroup), kPassive, lead(), &args), "DxgkDdiQueryDependentEngineGroup");
  if ((args.DependentNodeOrdinalMask & own) == 0) {
    throw BugCheck("DxgkDdiQueryDependentEngineGroup of node " + std::to_string(node) + " answered " +
                   Hex(args.DependentNodeOrdinalMask) + ", without the node itself");
  }
  return args.DependentNodeOrdinalMask;
}

NTSTATUS Miniport::ResetEngine(DXGKARG_RESETENGINE& args) {
  return Call(DRIVER(ResetEngine), kPassive, lead(), &args);
}

NTSTATUS Miniport::ResetFromTimeout() { return Call(DRIVER(ResetFromTimeout), kPassive, lead()); }

NTSTATUS Miniport::RestartFromTimeout() { return Call(DRIVER(RestartFromTimeout), kPassive, lead()); }

NTSTATUS Miniport::Escape(void* data, size_t bytes) {
  if (table_.DxgkDdiEscape == nullptr) return STATUS_NOT_SUPPORTED;  // a driver need not have it
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = data;
  args.PrivateDriverDataSize = static_cast<UINT>(bytes);
  const DXGKARG_ESCAPE* constant = &args;
  return Call(DRIVER(Escape), kPassive, lead(), constant);
}

#undef DRIVER

std::string NameOf(DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
  switch (operation) {
#define NAMED(name) \
  case DXGK_OPERATION_##name: return #name;
    NAMED(TRANSFER)
    NAMED(FILL)
    NAMED(DISCARD_CONTENT)
    NAMED(READ_PHYSICAL)
    NAMED(WRITE_PHYSICAL)
    NAMED(MAP_APERTURE_SEGMENT)
    NAMED(UNMAP_APERTURE_SEGMENT)
    NAMED(SPECIAL_LOCK_TRANSFER)
    NAMED(VIRTUAL_TRANSFER)
    NAMED(VIRTUAL_FILL)
    NAMED(INIT_CONTEXT_RESOURCE)
    NAMED(UPDATE_PAGE_TABLE)
    NAMED(FLUSH_TLB)
    NAMED(UPDATE_CONTEXT_ALLOCATION)
    NAMED(COPY_PAGE_TABLE_ENTRIES)
    NAMED(NOTIFY_RESIDENCY)
    NAMED(SIGNAL_MONITORED_FENCE)
    NAMED(MAP_APERTURE_SEGMENT2)
#undef NAMED
    default: return std::to_string(operation);
  }
}

}  // namespace gmmu::os
