// SPDX-License-Identifier: Apache-2.0
#include "kmd/link.h"

#include "kmd/adapter.h"
#include "kmd/entry_points.h"

namespace gmmu::kmd {
namespace {

constexpr ULONG kChainUid = 1;

/// The adapters of the chain by index. It needs no lock: AddDevice and RemoveDevice never run
/// concurrently.
struct Chain {
  Adapter* members[LinkPlace::kMost] = {};
  UINT added = 0;
} chain;

}  // namespace

void LinkPlace::Join(Adapter& self, UINT adapters, UINT lead) {
  if (chain.added >= adapters) return;
  index_ = chain.added++;
  adapters_ = adapters;
  lead_ = lead;
  chain.members[index_] = &self;
}

void LinkPlace::Leave() {
  if (adapters_ == 1) return;
  chain.members[index_] = nullptr;
  adapters_ = 1;
  bool left = false;
  for (const Adapter* member : chain.members) left = left || member != nullptr;
  if (!left) chain.added = 0;
}

void LinkPlace::ForgetChain() { chain = {}; }

Adapter* LinkPlace::Member(const Adapter& self, UINT number) const {
  if (adapters_ == 1) return number == 0 ? const_cast<Adapter*>(&self) : nullptr;
  return number < adapters_ ? chain.members[number] : nullptr;
}

NTSTATUS LinkDevice(PDEVICE_OBJECT, PVOID MiniportDeviceContext, PLINKED_DEVICE LinkedDevice) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  const Parameters& parameters = adapter.parameters;
  if (parameters.linked_adapters > 1) adapter.link.Join(adapter, parameters.linked_adapters, parameters.lead_adapter);
  if (adapter.link.adapters() > 1 && !adapter.parameters.Read(adapter.link.index())) return STATUS_INVALID_PARAMETER;
  *LinkedDevice = {};
  LinkedDevice->ChainUid = adapter.link.adapters() > 1 ? kChainUid : 0;
  LinkedDevice->NumberOfLinksInChain = adapter.link.adapters();
  LinkedDevice->LeadLink = adapter.link.index() == adapter.link.lead();
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
