// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "os/application/memory_calls.h"
#include "os/base/text.h"
#include "workload/life.h"
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

/// Tiles of one allocation in a reservation, as an application of tiled resources moves them about.
void RunVaCalls(Life& life, const ParameterValues& values) {
  const uint64_t pages = values.at("pages"), half = pages / 2;
  PageWords words(life);
  os::GpuProcess* process = nullptr;
  os::Allocation* data = nullptr;
  std::optional<os::AddressCalls> calls;
  D3DKMT_HANDLE handle = 0;
  uint64_t va = 0, fixed = 0, edge = 0, batches = 0;
  const auto expect = [&](const std::string& what, NTSTATUS status) {
    life.Compare(what, NT_SUCCESS(status) ? "" : "status " + os::Hex(static_cast<uint32_t>(status)));
  };
  life.Work([&] {
    process = life.memory.CreateProcess("process");
    data = words.Make("tiles", pages, 0x7100);
    calls.emplace(life.memory);
    handle = calls->Open(*data);
    const uint64_t leaf = life.gpu().facts().geometry.Coverage(0);
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve{};
    reserve.Size = (3 * leaf + 0xFFFF) / 0x10000 * 0x10000;
    reserve.ReservationType = D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
    expect("addresses are reserved", calls->Reserve(*process, reserve));
    va = reserve.VirtualAddress;
    edge = (va / leaf + 2) * leaf;  // between two leaf tables
    D3DDDI_MAPGPUVIRTUALADDRESS map{};
    map.hAllocation = handle;
    map.SizeInPages = pages;
    map.Protection.Execute = 1;
    expect("an allocation is mapped read-only", calls->Map(*process, map));
    fixed = map.VirtualAddress;
  });
  words.Read(process, "a reservation reads zero", va, {0, 0});
  words.Read(process, "mapped", fixed, PageWords::Words(0x7100, pages));
  if (life.gpu().CapOf("DXGK_GPUMMUCAPS.ReadOnlyMemorySupported") != 0)
    words.Fault(process, "read-only, written", fixed, regs::Fault::kWriteProtect, regs::Access::kWrite);

  const auto update = [&](const std::string& what, const std::vector<Operation>& operations) {
    life.Work([&] { expect(what, calls->Update(*process, operations, batches++)); });
  };
  update("tiles are mapped across leaf tables", {Map(edge - half * kPage, pages * kPage, handle, 0, pages * kPage)});
  words.Read(process, "tiles", edge - half * kPage, PageWords::Words(0x7100, pages));
  update("a copy upward over itself, and one downward",
         {Copy(edge - half * kPage, edge - half * kPage + kPage, pages * kPage),
          Copy(edge - half * kPage + 2 * kPage, edge - half * kPage, (pages - 1) * kPage)});
  std::vector<uint32_t> moved = PageWords::Words(0x7101, pages - 1);
  words.Read(process, "copied tiles", edge - half * kPage, moved);
  update("one tile everywhere, then holes", {Map(va, 8 * kPage, handle, kPage, kPage), Unmap(va + kPage, kPage, true),
                                             Unmap(va + 2 * kPage, kPage, false)});
  words.Read(process, "a tile and a zero page", va, {0x7101, 0});
  words.Fault(process, "a hole", va + 2 * kPage, regs::Fault::kEntryInvalid);
  words.Read(process, "the same tile again", va + 3 * kPage, {0x7101, 0x7101});
  life.Compare("each batch signalled its fence", calls->fence() == batches ? "" : std::to_string(calls->fence()));
  life.Work([&] {
    calls->End(*process);
    life.memory.DestroyAllocation(data);
  });
  words.Fault(process, "after all is freed", fixed, regs::Fault::kEntryInvalid);
  life.Work([&] { life.memory.DestroyProcess(process); });
}

}  // namespace

Procedure VaCallsProcedure() {
  return {"va_calls",
          "An application reserves and maps addresses, then updates them in batches on its paging companion context: "
          "tiles across leaf tables, copies that overlap, zero pages and holes, each read by a client.",
          {{"pages", 16, 8, 256, "Pages of the allocation whose tiles are mapped."}},
          RunVaCalls};
}

}  // namespace gmmu::workload
