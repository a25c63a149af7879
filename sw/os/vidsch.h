// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/kernel.h"

namespace gmmu::os {

/// Fences of an adapter's nodes, as the GPU scheduler keeps them.
///
/// A submission gets the next fence id of its node. The driver reports completion at interrupt
/// level; it counts from the deferred procedure call on. Faults that the driver reports go to the
/// kernel's list and end every wait. Ids have 32 bits and wrap (open: no source says how); 0 is
/// never given out, and of two ids the one less than 2^31 ahead is the later one.
class VidSch {
 public:
  /// `last`: the id that the first one of each node follows.
  explicit VidSch(Kernel& kernel, uint32_t last = 0) : kernel_(kernel), first_(last) {}

  /// The id for a new submission to `node`; `on_retire` runs once, at dispatch level, when it has
  /// completed.
  uint32_t NewFence(uint32_t node, const std::string& what, std::function<void()> on_retire);
  bool Completed(uint32_t node, uint32_t fence) const;
  /// Throws OsTimeout or DeviceFault.
  void WaitFence(uint32_t node, uint32_t fence, uint64_t bound_ns);

  /// DxgkCbNotifyInterrupt: at device level.
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// DxgkCbNotifyDpc: at dispatch level.
  void OnDpc();

  uint64_t interrupts() const { return interrupts_; }
  uint64_t monitored_signals() const { return monitored_; }

 private:
  struct Pending {
    uint32_t fence;
    std::string what;
    Ledger::Ticket ticket;
    std::function<void()> on_retire;
  };
  struct Node {
    uint32_t last_given = 0;
    uint32_t last_completed = 0;
    std::deque<Pending> pending;
  };
  Node& At(uint32_t node) { return nodes_.try_emplace(node, Node{first_, first_, {}}).first->second; }
  void Retire(uint32_t node, uint32_t fence);

  Kernel& kernel_;
  const uint32_t first_;
  std::map<uint32_t, Node> nodes_;
  std::deque<DXGKARGCB_NOTIFY_INTERRUPT_DATA> reported_;
  uint64_t interrupts_ = 0;
  uint64_t monitored_ = 0;
};

}  // namespace gmmu::os
