// SPDX-License-Identifier: Apache-2.0
#include "kmd/context_memory.h"

#include "kmd/adapter.h"
#include "kmd/escape.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

DXGKARGCB_CREATECONTEXTALLOCATION Wanted(Adapter& adapter, const Device& device, ContextMemory& memory) {
  DXGKARGCB_CREATECONTEXTALLOCATION args{};
  args.ContextAllocationFlags.SharedAcrossContexts = adapter.parameters.context_shared;
  args.ContextAllocationFlags.MapGpuVirtualAddress = 1;
  args.hAdapter = adapter.dxgkrnl_handle();
  args.hDevice = device.dxgk_device;
  args.hDriverAllocation = &memory.allocation;
  args.PhysicalAdapterIndex = adapter.link.index();
  args.Size = memory.allocation.bytes;
  args.Alignment = kPage;
  args.SupportedSegmentSet = SegmentBit(kVramSegment);
  args.EvictionSegmentSet = SegmentBit(kApertureSegment);
  args.PreferredSegment.SegmentId0 = kVramSegment;
  return args;
}

NTSTATUS Make(Adapter& adapter, Device& device, Context& context, HANDLE dxgk_context) {
  const bool shared = adapter.parameters.context_shared;
  ContextMemory& memory = shared ? device.shared[adapter.link.index()] : context.own;
  if (memory.handle != nullptr) return STATUS_SUCCESS;  // allocated by an earlier context
  memory.allocation.bytes = adapter.parameters.context_bytes;
  memory.sequence = adapter.objects.With([&] { return ++adapter.context_sequence; });
  DXGKARGCB_CREATECONTEXTALLOCATION create = Wanted(adapter, device, memory);
  if (!shared) create.hContext = dxgk_context;
  NTSTATUS status = adapter.dxgkrnl.DxgkCbCreateContextAllocation(&create);
  if (!NT_SUCCESS(status)) return status;
  memory.handle = create.hAllocation;

  DXGKARGCB_MAPCONTEXTALLOCATION map{};
  map.hAllocation = memory.handle;
  map.SizeInPages = memory.allocation.bytes / kPage;
  map.Protection.Write = 1;
  memory.va = adapter.dxgkrnl.DxgkCbMapContextAllocation(adapter.dxgkrnl_handle(), &map);
  status = memory.va == 0 ? STATUS_INSUFFICIENT_RESOURCES : STATUS_SUCCESS;
  if (NT_SUCCESS(status)) {
    ContextRecord record;
    record.sequence = memory.sequence;
    record.va = memory.va;
    DXGKARGCB_UPDATECONTEXTALLOCATION update{memory.handle, &record, sizeof record};
    status = adapter.dxgkrnl.DxgkCbUpdateContextAllocation(adapter.dxgkrnl_handle(), &update);
  }
  if (!NT_SUCCESS(status)) DestroyContextMemory(adapter, memory);
  return status;
}

}  // namespace

NTSTATUS CreateContextMemory(Adapter& adapter, Device& device, Context& context, HANDLE dxgk_context) {
  if (!adapter.parameters.context_shared) return Make(adapter, device, context, dxgk_context);
  const auto make = [&] { return Make(adapter, device, context, dxgk_context); };
  return device.making_shared.With(make);
}

void DestroyContextMemory(Adapter& adapter, ContextMemory& memory) {
  if (memory.handle == nullptr) return;
  adapter.dxgkrnl.DxgkCbDestroyContextAllocation(adapter.dxgkrnl_handle(), memory.handle);
  memory = {};
}

}  // namespace gmmu::kmd
