// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "os/base/text.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/va_calls.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {
using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

Operation Map(uint64_t base, uint64_t bytes, D3DKMT_HANDLE handle, uint64_t offset, uint64_t size) {
  Operation operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
  operation.Map = {base, bytes, handle, offset, size};
  return operation;
}
Operation Copy(uint64_t source, uint64_t target, uint64_t bytes) {
  Operation operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY;
  operation.Copy = {source, bytes, target};
  return operation;
}
Operation Unmap(uint64_t base, uint64_t bytes, bool zero) {
  Operation operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP;
  operation.Unmap = {base, bytes, {}};
  operation.Unmap.Protection.Zero = zero;
  operation.Unmap.Protection.NoAccess = !zero;
  return operation;
}

/// Moves tiles of one allocation within a reservation, like an application with tiled resources.
void RunVaCalls(Life& life, const ParameterValues& values) {
  NeedOneGpu(life, "mapping by applications");
  // A tile is one page of the segment: 4 KiB or 64 KiB.
  const uint64_t unit = life.gpu().facts().geometry.leaf_64k_bytes != 0 ? 16 : 1, tile = unit * kPage;
  const uint64_t tiles = values.at("pages"), half = tiles / 2;
  PageWords words(life);
  os::GpuProcess* process = nullptr;
  os::Allocation* data = nullptr;
  std::optional<os::VaCalls> calls;
  std::optional<os::MonitoredFence> fence;
  D3DKMT_HANDLE handle = 0;
  uint64_t va = 0, fixed = 0, edge = 0, batches = 0;
  const auto expect = [&](const std::string& what, NTSTATUS status) {
    life.Compare(what, NT_SUCCESS(status) ? "" : "status " + os::Hex(static_cast<uint32_t>(status)));
  };
  life.Work([&] {
    process = life.vidmm.CreateProcess("process");
    data = words.Make("tiles", tiles * unit, 0x7100);
    calls.emplace(life.vidmm);
    fence.emplace(life.vidmm, 0);
    handle = calls->Open(*data);
    const uint64_t leaf = life.gpu().facts().geometry.Coverage(0);
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve{};
    const uint64_t reach = unit == 1 ? 0 : half * tile;  // bytes reserved below `edge`; 4 KiB tiles fit in one table
    reserve.Size = (3 * leaf + 3 * reach + 0xFFFF) / 0x10000 * 0x10000;
    reserve.ReservationType = D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
    expect("addresses are reserved", calls->Reserve(*process, reserve));
    va = reserve.VirtualAddress;
    edge = ((va + reach) / leaf + 2) * leaf;  // the boundary between two leaf tables
    D3DDDI_MAPGPUVIRTUALADDRESS map{};
    map.hAllocation = handle;
    map.SizeInPages = tiles * unit;
    map.Protection.Execute = 1;
    expect("an allocation is mapped read-only", calls->Map(*process, map));
    fixed = map.VirtualAddress;
  });
  words.Read(process, "a reservation reads zero", va, {0, 0});
  words.Read(process, "mapped", fixed, PageWords::Words(0x7100, tiles * unit));
  if (life.gpu().CapOf("DXGK_GPUMMUCAPS.ReadOnlyMemorySupported") != 0)
    words.Fault(process, "read-only, written", fixed, regs::Fault::kWriteProtect, regs::Access::kWrite);

  const auto update = [&](const std::string& what, const std::vector<Operation>& operations) {
    life.Work([&] { expect(what, calls->Update(*process, operations, *fence, batches++)); });
  };
  update("tiles are mapped across leaf tables", {Map(edge - half * tile, tiles * tile, handle, 0, tiles * tile)});
  words.Read(process, "tiles", edge - half * tile, PageWords::Words(0x7100, tiles * unit));
  update("a copy upward over itself, and one downward",
         {Copy(edge - half * tile, edge - half * tile + tile, tiles * tile),
          Copy(edge - half * tile + 2 * tile, edge - half * tile, (tiles - 1) * tile)});
  std::vector<uint32_t> one = PageWords::Words(0x7100 + static_cast<uint32_t>(unit), unit), zeros(unit, 0);
  words.Read(process, "copied tiles", edge - half * tile,
             PageWords::Words(0x7100 + static_cast<uint32_t>(unit), (tiles - 1) * unit));
  update("one tile everywhere, then holes",
         {Map(va, 8 * tile, handle, tile, tile), Unmap(va + tile, tile, true), Unmap(va + 2 * tile, tile, false)});
  const auto two = [](std::vector<uint32_t> first, const std::vector<uint32_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  words.Read(process, "a tile and a zero page", va, two(one, zeros));
  words.Fault(process, "a hole", va + 2 * tile, regs::Fault::kEntryInvalid);
  words.Read(process, "the same tile again", va + 3 * tile, two(one, one));
  life.Compare("each batch signalled its fence", fence->Value() == batches ? "" : std::to_string(fence->Value()));
  life.Work([&] {
    calls->Forget(*process);
    fence->Release();
    life.vidmm.DestroyAllocation(data);
  });
  words.Fault(process, "after all is freed", fixed, regs::Fault::kEntryInvalid);
  life.Work([&] { life.vidmm.DestroyProcess(process); });
}

}  // namespace

Procedure VaCallsProcedure() {
  return {"va_calls",
          "An application reserves and maps addresses, then updates them in batches on its paging companion context: "
          "tiles across leaf tables, overlapping copies, zero pages and holes. A client reads each result.",
          {{"pages", 16, 8, 256, "Number of tiles mapped; each tile is one page of the segment."}},
          RunVaCalls};
}

}  // namespace gmmu::workload
