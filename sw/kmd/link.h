// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "ddi/dispmprt.h"

namespace gmmu::kmd {

class Adapter;

/// Where an adapter stands in the chain of linked adapters. The driver knows one chain: the first
/// `LinkedAdapters` adapters that were added. They are added in the order of their ports at the link, so that number
/// is the index of an adapter; the one with index `LeadAdapter` leads.
///
/// Dxgkrnl calls for all of them with the lead's handle; EngineOrdinal or PhysicalAdapterIndex says which one is
/// meant. Interrupts, power and what belongs to a device object come with the handle of the adapter itself.
class LinkPlace {
 public:
  static constexpr UINT kMost = 4;

  UINT index() const { return index_; }
  /// Adapters of the chain, this one among them; 1: it stands alone.
  UINT adapters() const { return adapters_; }
  UINT lead() const { return lead_; }

  /// DxgkDdiLinkDevice: takes the next place of a chain of `adapters`. It stays alone when they are all taken.
  void Join(Adapter& self, UINT adapters, UINT lead);
  void Leave();
  /// For DriverEntry, when no adapter has been added yet.
  static void ForgetChain();
  /// The adapter with an index; null when there is none, or it has not been added yet.
  Adapter* Member(const Adapter& self, UINT number) const;

 private:
  UINT index_ = 0;
  UINT adapters_ = 1;
  UINT lead_ = 0;
};

/// Where in the VRAM of each linked adapter its hidden segment begins, a page number; 0: it has none.
using HiddenPages = std::array<uint64_t, LinkPlace::kMost>;

}  // namespace gmmu::kmd
