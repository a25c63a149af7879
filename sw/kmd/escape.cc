// SPDX-License-Identifier: Apache-2.0
#include "kmd/escape.h"

#include "kmd/adapter.h"
#include "kmd/entry_points.h"
#include "kmd/objects.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

/// Returns a process's address space on an adapter, or kNone. The caller holds Adapter::objects.
uint32_t SpaceOf(const Adapter& adapter, uint64_t process) {
  const auto* at = reinterpret_cast<const Process*>(process);
  return at == nullptr ? Spaces::kNone : at->space_on(adapter.link.index());
}

NTSTATUS Run(Adapter& adapter, EscapeQueryCaps& escape) {
  escape.clients = adapter.traffic_engines;
  escape.spaces = adapter.spaces.count();
  escape.vram_bytes = adapter.vram_bytes;
  return STATUS_SUCCESS;
}

// The caller holds Adapter::objects, so that no other thread programs the client and the process
// keeps its space.
NTSTATUS StartClient(Adapter& adapter, const EscapeRunClient& escape) {
  const uint32_t space = SpaceOf(adapter, escape.process);
  if (escape.client >= adapter.traffic_engines || space == Spaces::kNone) return STATUS_INVALID_PARAMETER;
  if (escape.base % 64 != 0 || escape.count == 0 || escape.access > 2 || escape.depth > 0xff) {
    return STATUS_INVALID_PARAMETER;
  }
  const auto pattern = static_cast<regs::Pattern>(escape.pattern);
  if (escape.pattern > 2 || escape.verify > 1 || escape.footprint_lg2 > 32) return STATUS_INVALID_PARAMETER;
  if (pattern == regs::Pattern::kOrder && escape.step >= escape.count && escape.step != 1)
    return STATUS_INVALID_PARAMETER;
  if ((pattern != regs::Pattern::kOrder || escape.verify != 0 || escape.footprint_lg2 != 0) &&
      ((adapter.client_patterns >> escape.pattern & 1) == 0 || (escape.verify != 0 && !adapter.client_verify))) {
    return STATUS_NOT_SUPPORTED;
  }
  const Registers& registers = adapter.registers;
  const uint32_t block = Registers::ClientBlock(escape.client);
  if (registers.Read<regs::ClientStatus>(block).busy()) return STATUS_DEVICE_NOT_READY;
  registers.Write(regs::ClientBase{}.set_va(escape.base), block);
  registers.Write(regs::ClientLines{}.set_first(escape.first).set_stride(escape.stride), block);
  registers.Write(regs::ClientOrder{}.set_count(escape.count).set_step(escape.step), block);
  registers.Write(regs::ClientSeed{}.set_value(escape.seed), block);
  registers.Write(regs::ClientCtrl{}
                      .set_start(1)
                      .set_verify(escape.verify)
                      .set_access(static_cast<regs::Access>(escape.access))
                      .set_pattern(pattern)
                      .set_footprint_lg2(escape.footprint_lg2)
                      .set_space(space)
                      .set_depth(escape.depth),
                  block);
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter& adapter, EscapeRunClient& escape) {
  return adapter.objects.With([&] { return StartClient(adapter, escape); });
}

NTSTATUS Run(Adapter& adapter, EscapeQueryClient& escape) {
  if (escape.client >= adapter.traffic_engines) return STATUS_INVALID_PARAMETER;
  const uint32_t block = Registers::ClientBlock(escape.client);
  const auto status = adapter.registers.Read<regs::ClientStatus>(block);
  escape.busy = static_cast<uint32_t>(status.busy());
  escape.fault = static_cast<uint32_t>(status.fault());
  escape.reason = static_cast<uint32_t>(status.reason());
  escape.level = static_cast<uint32_t>(status.level());
  escape.count = static_cast<uint32_t>(status.count());
  escape.crc = 0;
  escape.mismatches = 0;
  escape.fault_address = 0;
  if (!escape.busy) {
    const auto result = adapter.registers.Read<regs::ClientResult>(block);
    escape.crc = static_cast<uint32_t>(result.crc());
    escape.mismatches = static_cast<uint32_t>(result.mismatches());
    escape.fault_address = adapter.registers.Read<regs::ClientFaultAddress>(block).va();
  }
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter& adapter, EscapeQuerySpace& escape) {
  const uint32_t space = adapter.objects.With([&] { return SpaceOf(adapter, escape.process); });
  if (space == Spaces::kNone) return STATUS_INVALID_PARAMETER;
  escape.space = space;
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter& adapter, EscapeReadFaults& escape) {
  adapter.fault_log.Drain();
  escape.count = adapter.fault_log.Take(escape.faults, EscapeReadFaults::kMost, &escape.dropped);
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter& adapter, EscapeQueryRing& escape) {
  const Engine* engine = adapter.EngineOf(escape.node);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  const auto of_one_moment = [&] {
    const auto status = engine->ring.Status();
    const auto command = engine->ring.ErrorCommand();
    escape.busy = static_cast<uint32_t>(status.busy());
    escape.error = static_cast<uint32_t>(status.error());
    escape.reason = static_cast<uint32_t>(status.reason());
    escape.access = static_cast<uint32_t>(status.access());
    escape.level = static_cast<uint32_t>(status.level());
    escape.fence = static_cast<uint32_t>(status.fence());
    escape.command_offset = static_cast<uint32_t>(command.offset());
    escape.command_header = static_cast<uint32_t>(command.header());
    escape.address = engine->ring.ErrorAddress().address();
    escape.last_fence = engine->ring.CompletedFence();
  };
  return adapter.AtDeviceLevel(of_one_moment);
}

NTSTATUS Run(Adapter& adapter, EscapeQuerySaveArea& escape) {
  escape.offset = adapter.save_area.offset();
  escape.bytes = adapter.save_area.bytes();
  escape.state = static_cast<uint32_t>(adapter.save_area.state());
  escape.windows = adapter.save_area.windows();
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter& adapter, EscapeQueryResidency& escape) {
  const auto* allocation = reinterpret_cast<const Allocation*>(escape.allocation);
  if (allocation == nullptr || allocation->residency_slot == ResidencyRecord::kNone) return STATUS_INVALID_PARAMETER;
  const uint64_t word = adapter.residency.word(allocation->residency_slot);
  escape.resident = word & 1;
  escape.segment = word >> 1 & 31;
  escape.address = word & ~(kPage - 1);
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter& adapter, EscapeQueryContext& escape) {
  const auto* context = reinterpret_cast<const Context*>(escape.context);
  const ContextMemory* memory = context == nullptr ? nullptr : context->memory();
  if (memory == nullptr) return STATUS_INVALID_PARAMETER;
  escape.va = memory->va;
  escape.bytes = adapter.parameters.context_bytes;
  escape.sequence = memory->sequence;
  return STATUS_SUCCESS;
}

NTSTATUS Run(Adapter&, EscapeQueryProcess& escape) {
  const auto* process = reinterpret_cast<const Process*>(escape.process);
  if (process == nullptr) return STATUS_INVALID_PARAMETER;
  escape.va = process->driver_va;
  escape.bytes = process->driver_va_bytes;
  return STATUS_SUCCESS;
}

template <typename T>
NTSTATUS Checked(Adapter& adapter, const DXGKARG_ESCAPE& args) {
  auto* escape = static_cast<T*>(args.pPrivateDriverData);
  if (args.PrivateDriverDataSize < sizeof(T) || escape->header.bytes != sizeof(T)) {
    return STATUS_INVALID_PARAMETER;
  }
  return Run(adapter, *escape);
}

}  // namespace

NTSTATUS Escape(HANDLE hAdapter, const DXGKARG_ESCAPE* pArgs) {
  if (pArgs->pPrivateDriverData == nullptr || pArgs->PrivateDriverDataSize < sizeof(EscapeHeader)) {
    return STATUS_INVALID_PARAMETER;
  }
  const auto& header = *static_cast<const EscapeHeader*>(pArgs->pPrivateDriverData);
  Adapter* member = Adapter::From(hAdapter).Member(header.adapter);
  if (member == nullptr) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = *member;
  if (!adapter.started) return STATUS_DEVICE_NOT_READY;
  switch (header.code) {
    case EscapeCode::kQueryCaps: return Checked<EscapeQueryCaps>(adapter, *pArgs);
    case EscapeCode::kRunClient: return Checked<EscapeRunClient>(adapter, *pArgs);
    case EscapeCode::kQueryClient: return Checked<EscapeQueryClient>(adapter, *pArgs);
    case EscapeCode::kQuerySpace: return Checked<EscapeQuerySpace>(adapter, *pArgs);
    case EscapeCode::kReadFaults: return Checked<EscapeReadFaults>(adapter, *pArgs);
    case EscapeCode::kQueryRing: return Checked<EscapeQueryRing>(adapter, *pArgs);
    case EscapeCode::kQuerySaveArea: return Checked<EscapeQuerySaveArea>(adapter, *pArgs);
    case EscapeCode::kQueryResidency: return Checked<EscapeQueryResidency>(adapter, *pArgs);
    case EscapeCode::kQueryContext: return Checked<EscapeQueryContext>(adapter, *pArgs);
    case EscapeCode::kQueryProcess: return Checked<EscapeQueryProcess>(adapter, *pArgs);
  }
  return STATUS_INVALID_PARAMETER;
}

}  // namespace gmmu::kmd
