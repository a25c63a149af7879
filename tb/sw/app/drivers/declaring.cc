// SPDX-License-Identifier: Apache-2.0
// The built-in driver, except that segment 2 declares three unmodelled flags. The build renames the
// driver's call to DxgkInitialize, so that it reaches DeclareMore below.
#undef DxgkInitialize
#include "ddi/dispmprt.h"

namespace {

DXGKDDI_QUERYADAPTERINFO* real = nullptr;

NTSTATUS Query(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* args) {
  const NTSTATUS status = real(adapter, args);
  if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
  const auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args->pOutputData);
  if (out->pSegmentDescriptor == nullptr) return status;
  auto* second = reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor + out->SegmentDescriptorStride);
  second->Flags.Agp = second->Flags.UseBanking = second->Flags.VprSupported = 1;
  return status;
}

}  // namespace

extern "C" NTSTATUS DeclareMore(PDRIVER_OBJECT object, PUNICODE_STRING path, PDRIVER_INITIALIZATION_DATA table) {
  real = table->DxgkDdiQueryAdapterInfo;
  table->DxgkDdiQueryAdapterInfo = Query;
  return DxgkInitialize(object, path, table);
}
