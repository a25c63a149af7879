// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/application/adapter.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::workload {

class RenderBuffer;
struct Life;

/// A process whose packets show whether the hardware executes each command exactly once and in
/// order.
///
/// The process has one source and one destination per round. The packet of a round copies the
/// source to the round's destination and then overwrites the source, page by page. No later round
/// writes that destination. If the hardware skips, reorders or repeats commands, a destination
/// therefore still contains wrong bytes at the end. (A command that is repeated immediately has the
/// same result, so that case is not detected.)
class Copier {
 public:
  Copier(Life& life, const std::string& name, uint64_t pages, uint32_t rounds);
  ~Copier();

  /// Builds the command buffer of a round. Rounds must be built in order, from 1.
  void BuildRound(uint32_t round);
  /// Submits the packet of a round, and builds its command buffer first unless BuildRound already
  /// has. Rounds must be submitted in order, from 1.
  void SubmitRound(uint32_t round);
  /// Waits for all packets; returns kLost if one was lost.
  os::PacketEnd Finish();
  /// Makes client `client` read all bytes and checks them.
  void Check(unsigned client = 0);
  uint64_t bytes() const;
  void End();

  bool lost() const;
  const std::string& name() const;

 private:
  uint64_t PlaceOf(uint32_t round, uint64_t page) const;

  Life& life_;
  const uint64_t pages_;
  const uint32_t rounds_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* allocation_ = nullptr;
  uint64_t va_ = 0;  ///< GPU VA of the source; the destinations of rounds 1, 2, ... follow it
  std::vector<std::unique_ptr<RenderBuffer>> buffers_;
  std::vector<os::PacketId> packets_;
};

}  // namespace gmmu::workload
