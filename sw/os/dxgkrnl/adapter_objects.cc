// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/adapter_objects.h"

#include "os/dxgkrnl/allocation_handles.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/miniport/admission.h"
#include "os/miniport/interface_version.h"
#include "os/miniport/miniport.h"
#include "os/miniport/physical_calls.h"
#include "os/miniport/unmodelled.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
constexpr ULONG kPasid = 1;

/// In the physical model, a context must have buffers and lists. Only a system context may lack
/// them.
void RequireLists(const DXGK_CONTEXTINFO& info, UINT apertures, const std::string& name) {
  const auto refuse = [&](const char* member, const std::string& text) {
    throw OsError(std::string("DXGK_CONTEXTINFO.") + member + " of the context of " + name + " is " + text);
  };
  if (info.DmaBufferSize == 0) refuse("DmaBufferSize", "0");
  if (info.AllocationListSize == 0) refuse("AllocationListSize", "0");
  if (info.PatchLocationListSize == 0) refuse("PatchLocationListSize", "0");
  if ((info.DmaBufferSegmentSet & ~apertures) != 0)
    refuse("DmaBufferSegmentSet",
           Hex(info.DmaBufferSegmentSet) + "; DMA buffers lie in system memory (0) or in an aperture segment");
}
}  // namespace

AdapterObjects::AdapterObjects(LogicalAdapter& adapter) : adapter_(adapter), kernel_(adapter.kernel()) {}

Miniport& AdapterObjects::miniport() { return adapter_.miniport(); }

void AdapterObjects::OpenProcess(ProcessHandles& handles, const std::string& name, bool system) {
  handles.dxgk_process = NewHandle(0);
  // DxgkDdiCreateProcess is new in WDDM 2, so a driver of the physical model may lack it.
  if (adapter_.caps().physical_model && miniport().table().DxgkDdiCreateProcess == nullptr) return;
  DXGKARG_CREATEPROCESS process{};
  process.hDxgkProcess = handles.dxgk_process;
  process.Flags.SystemProcess = system;
  std::vector<ULONG> pasids(adapter_.adapters(), kPasid);  // one PASID for each GPU
  if (system && kernel_.parameters().system_process_has_pasid) {
    process.NumPasid = adapter_.adapters();
    process.pPasid = pasids.data();
  }
  Miniport::Require(miniport().CreateProcess(process), "DxgkDdiCreateProcess for " + name);
  handles.process = process.hKmdProcess;
  handles.process_ticket = kernel_.ledger().Open("process", name, "dxgkrnl", "DxgkDdiCreateProcess");
}

void AdapterObjects::OpenDevice(ProcessHandles& handles, const std::string& name, bool system) {
  const auto open = [&] {
    DXGKARG_CREATEDEVICE device{};
    device.hDevice = handles.dxgk_device = NewHandle(1);
    device.pInfo = nullptr;  // clears the whole union before its flags are set
    device.Flags.SystemDevice = system;
    device.hKmdProcess = handles.process;
    if (system && kernel_.parameters().system_process_has_pasid) device.Pasid = kPasid;
    const DXGKARG_CREATEDEVICE given = device;
    Miniport::Require(miniport().CreateDevice(device), "DxgkDdiCreateDevice for " + name);
    adapter_.dxgkrnl().NoteUnmodelled(UnmodelledOf(given, device));
    return device.hDevice;
  };
  if (system && kernel_.parameters().bring_up == BringUp::kWindows22621) handles.second_device = open();
  handles.device = open();
  handles.device_ticket = kernel_.ledger().Open("device", name, "dxgkrnl", "DxgkDdiCreateDevice");
}

void AdapterObjects::OpenContext(ProcessHandles& handles, const std::string& name, bool system, PhysicalAdapter& gpu) {
  DXGKARG_CREATECONTEXT context{};
  context.hContext = handles.dxgk_context = NewHandle(2);
  handles.node = system ? gpu.caps().paging_node : gpu.caps().render_node;
  if (!system && !handles.joined) {
    handles.state = adapter_.vidsch().CreateDevice(name);
    handles.state->process = handles.dxgk_process;
  }
  context.NodeOrdinal = handles.node;
  context.EngineAffinity = 1u << gpu.index();
  context.Flags.SystemContext = system;
  context.Flags.VirtualAddressing = !gpu.caps().physical_model;
  const NTSTATUS status = miniport().CreateContext(handles.device, context);
  if (!NT_SUCCESS(status) && !system && !handles.joined) {
    adapter_.vidsch().DestroyDevice(handles.state);
    handles.state = nullptr;
  }
  Miniport::Require(status, "DxgkDdiCreateContext for " + name);
  if (!system && gpu.caps().physical_model) {
    const unsigned aperture = gpu.aperture_segment().id;  // 0: there is no aperture segment
    RequireLists(context.ContextInfo, aperture == 0 ? 0 : 1u << (aperture - 1), name);
  } else if (!system && context.ContextInfo.DmaBufferSize != 0 && context.ContextInfo.DmaBufferSegmentSet == 0) {
    throw BugCheck(
        StopCode::kSystemServiceException, {},
        "DXGK_CONTEXTINFO.DmaBufferSegmentSet of the context of " + name +
            " is 0 with virtual addressing: "
            "its DMA buffers have no segment (only the paging context may have none, and a context without DMA "
            "buffers, whose DmaBufferSize is 0)");
  }
  adapter_.dxgkrnl().NoteUnmodelled(UnmodelledOf(context.ContextInfo.Caps));
  handles.context = context.hContext;
  handles.context_info = context.ContextInfo;
  handles.companion_node = context.ContextInfo.PagingCompanionNodeId;
  handles.context_ticket = kernel_.ledger().Open("context", name, "dxgkrnl", "DxgkDdiCreateContext");
}

HANDLE AdapterObjects::OpenCompanion(const ProcessHandles& handles, const std::string& name, PhysicalAdapter& gpu) {
  DXGKARG_CREATECONTEXT context{};
  context.hContext = NewHandle(2);
  context.NodeOrdinal = handles.companion_node;
  context.EngineAffinity = 1u << gpu.index();
  context.Flags.SystemContext = 1;
  context.Flags.VirtualAddressing = 1;
  Miniport::Require(miniport().CreateContext(handles.device, context),
                    "DxgkDdiCreateContext for the paging companion of " + name);
  return context.hContext;
}

void AdapterObjects::CloseCompanion(HANDLE context) {
  adapter_.vidsch().ForgetContext(context);
  miniport().DestroyContext(context);
}

void AdapterObjects::DestroyProcess(ProcessHandles& handles) {
  // A context that an injected leak keeps open also keeps its device and its process open.
  if (kernel_.LeakNow("context")) return;
  if (handles.state != nullptr && !handles.joined) adapter_.vidsch().DestroyDevice(handles.state);
  if (handles.context != nullptr) {
    adapter_.vidsch().ForgetContext(handles.context);
    miniport().DestroyContext(handles.context);
    kernel_.ledger().Close(handles.context_ticket);
  }
  if (handles.joined) {
    handles = {};
    return;
  }
  if (handles.device != nullptr) {
    if (kernel_.LeakNow("device")) return;
    if (handles.second_device != nullptr) miniport().DestroyDevice(handles.second_device);
    miniport().DestroyDevice(handles.device);
    kernel_.ledger().Close(handles.device_ticket);
  }
  if (handles.process != nullptr) {
    if (kernel_.LeakNow("process")) return;
    miniport().DestroyProcess(handles.process);
    kernel_.ledger().Close(handles.process_ticket);
  }
  handles = {};
}

DriverAllocation AdapterObjects::CreateAllocation(const AllocationRequest& request) {
  const auto& data_of = adapter_.dxgkrnl().user_mode_driver().allocation_data;
  std::vector<uint8_t> data = data_of ? data_of(request) : std::vector<uint8_t>();
  DXGK_ALLOCATIONINFO info{};
  info.pPrivateDriverData = data.data();
  info.PrivateDriverDataSize = static_cast<UINT>(data.size());
  DXGKARG_CREATEALLOCATION args{};
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  Miniport::Require(miniport().CreateAllocation(args), "DxgkDdiCreateAllocation of " + request.name);
  std::vector<std::string> unmodelled;
  ClearNewer(adapter_.answers().version, info.FlagsWddm2, unmodelled);
  ClearNewer(adapter_.answers().version, info.Flags2, unmodelled);
  const std::vector<Refusal> refusals = AdmitAllocation(request, info,
                                                        adapter_.physical(request.physical_adapter).answers());
  if (!refusals.empty()) {
    DXGKARG_DESTROYALLOCATION destroy{};
    destroy.NumAllocations = 1;
    destroy.pAllocationList = &info.hAllocation;
    if (info.hAllocation != nullptr) miniport().DestroyAllocation(destroy);
    throw OsError("allocation " + request.name + " is refused: " + refusals.front().field + " " +
                  refusals.front().text);
  }
  adapter_.dxgkrnl().NoteUnmodelled(unmodelled);
  adapter_.dxgkrnl().NoteUnmodelled(UnmodelledOf(args, info));
  // In WDDM 1, the member at this offset is MaximumRenamingListLength, not PhysicalAdapterIndex.
  const UINT index = adapter_.caps().physical_model ? 0 : info.PhysicalAdapterIndex;
  return {info.hAllocation,
          info.Size,
          info.FlagsWddm2,
          HomesOf(info, adapter_.physical(index).answers()),
          index,
          kernel_.ledger().Open("allocation", request.name, "application", "DxgkDdiCreateAllocation")};
}

void AdapterObjects::DestroyAllocation(HANDLE allocation, Ledger::Ticket ticket) {
  if (kernel_.LeakNow("allocation")) return;
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = 1;
  args.pAllocationList = &allocation;
  miniport().DestroyAllocation(args);
  kernel_.ledger().Close(ticket);
}

AdapterObjects::Opened AdapterObjects::OpenAllocation(HANDLE device, HANDLE allocation, bool create,
                                                      const std::string& name) {
  AllocationHandles& handles = adapter_.dxgkrnl().allocation_handles();
  Opened opened;
  opened.handle = handles.Open(allocation);
  DXGK_OPENALLOCATIONINFO info{};
  info.hAllocation = opened.handle;
  DXGKARG_OPENALLOCATION args{};
  args.NumAllocations = 1;
  args.pOpenAllocation = &info;
  args.Flags.Create = create;
  const NTSTATUS status = miniport().physical().OpenAllocation(device, args);
  if (!NT_SUCCESS(status)) handles.Close(opened.handle);
  Miniport::Require(status, "DxgkDdiOpenAllocation of " + name);
  adapter_.dxgkrnl().NoteUnmodelled(UnmodelledOf(args));
  opened.device_specific = info.hDeviceSpecificAllocation;
  handles.SetDeviceSpecific(opened.handle, opened.device_specific);
  return opened;
}

void AdapterObjects::CloseAllocation(HANDLE device, const Opened& opened) {
  DXGKARG_CLOSEALLOCATION args{};
  args.NumAllocations = 1;
  args.pOpenHandleList = &opened.device_specific;
  miniport().physical().CloseAllocation(device, args);
  adapter_.dxgkrnl().allocation_handles().Close(opened.handle);
}

}  // namespace gmmu::os
