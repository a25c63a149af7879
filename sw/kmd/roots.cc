// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kmd/adapter.h"
#include "kmd/entry_points.h"
#include "kmd/objects.h"
#include "kmd/segments.h"

namespace gmmu::kmd {

// All contexts of a process share its space, so the system makes this call once per context with
// the same root. Only a changed root is written to the hardware, which then flushes the space. The
// DDI returns no status: if the hardware does not support the root, the space is left unchanged and
// a debug message is printed.
void SetRootPageTable(HANDLE, const DXGKARG_SETROOTPAGETABLE* pArgs) {
  const auto& context = *static_cast<const Context*>(pArgs->hContext);
  Adapter& adapter = *context.adapter;
  const uint32_t most = 1u << adapter.parameters.page_table_bits[adapter.parameters.page_table_levels - 1];

  regs::Target target{};
  uint64_t root = 0;
  const bool legal = adapter.Locate(pArgs->Address.SegmentId, pArgs->Address.SegmentOffset, &target, &root) &&
                     target != regs::Target::kAperture && pArgs->Address.SegmentOffset % kPage == 0 &&
                     pArgs->NumEntries <= most;
  const auto set = [&] { return adapter.spaces.SetRoot(context.space(), target, root, pArgs->NumEntries); };
  const NTSTATUS status = legal ? adapter.objects.With(set) : STATUS_INVALID_PARAMETER;
  if (!NT_SUCCESS(status)) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: root table at segment %u offset 0x%llx with %u entries was not set (0x%08x)",
               pArgs->Address.SegmentId, static_cast<unsigned long long>(pArgs->Address.SegmentOffset),
               pArgs->NumEntries, static_cast<unsigned>(status));
  }
}

// The system calls this only if there are two levels, because only then may the root grow and
// shrink.
SIZE_T GetRootPageTableSize(HANDLE hAdapter, DXGKARG_GETROOTPAGETABLESIZE* pArgs) {
  const Adapter* member = Adapter::From(hAdapter).Member(pArgs->PhysicalAdapterIndex);
  if (member == nullptr) return 0;
  const Parameters& parameters = member->parameters;
  const uint32_t root = parameters.page_table_levels - 1;
  const uint64_t entry = uint64_t{8} * parameters.EntryWords(root);
  const uint64_t most = RoundUp(parameters.TableBytes(root), parameters.TablePage());
  const uint64_t wanted = RoundUp(std::max<uint64_t>(pArgs->NumberOfPte, 1) * entry, parameters.TablePage());
  const uint64_t bytes = std::min(most, wanted);
  pArgs->NumberOfPte =
      static_cast<UINT>(std::min<uint64_t>(bytes / entry, uint64_t{1} << parameters.page_table_bits[root]));
  return bytes;
}

}  // namespace gmmu::kmd
