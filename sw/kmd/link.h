// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "ddi/dispmprt.h"

namespace gmmu::kmd {

class Adapter;

/// An adapter's place in the chain of linked adapters. The driver supports one chain, which
/// consists of the first `LinkedAdapters` adapters to be added. They are added in the order of
/// their link ports, so an adapter's index is its port number. The adapter with index `LeadAdapter`
/// is the lead.
///
/// Dxgkrnl passes the lead's handle in calls that concern the chain; EngineOrdinal or
/// PhysicalAdapterIndex selects the adapter. Calls for interrupts, power and device objects pass
/// the adapter's own handle.
class LinkPlace {
 public:
  static constexpr UINT kMost = 4;

  UINT index() const { return index_; }
  /// Number of adapters in the chain, including this adapter; 1 if this adapter is not linked.
  UINT adapters() const { return adapters_; }
  UINT lead() const { return lead_; }

  /// Gives the adapter the next free index in a chain of `adapters` (DxgkDdiLinkDevice). If no
  /// index is free, the adapter stays unlinked.
  void Join(Adapter& self, UINT adapters, UINT lead);
  void Leave();
  /// Call from DriverEntry, before any adapter has been added.
  static void ForgetChain();
  /// Returns the adapter with index `number`, or null if it does not exist or has not been added
  /// yet.
  Adapter* Member(const Adapter& self, UINT number) const;

 private:
  UINT index_ = 0;
  UINT adapters_ = 1;
  UINT lead_ = 0;
};

/// The first VRAM page of each linked adapter's hidden segment, or 0 if the adapter has none.
using HiddenPages = std::array<uint64_t, LinkPlace::kMost>;

}  // namespace gmmu::kmd
