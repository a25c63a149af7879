// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/events.h"

namespace gmmu::sim {

/// A burst at a memory port of the GPU, with the cycles in which its events occurred.
struct Burst {
  unsigned requester = 0;  ///< AXI requester (rtl/top/README.md)
  unsigned id = 0;         ///< id that the requester gave the burst
  bool host = false, peer = false, write = false, error = false;
  uint64_t address = 0;
  unsigned bytes = 0;
  uint64_t word = 0;  ///< reads: first aligned word received
  uint64_t offered = 0, accepted = 0;
  uint64_t first = 0, answered = 0;                                     ///< reads: first and last R; writes: both B
  uint64_t wire = 0, root = 0, translated = 0, memory = 0, device = 0;  ///< host reads: see gpu/bus_extension.h
  bool begun = false, done = false;                                     ///< `first` and `answered` are valid
};

/// Builds the consecutive steps of a span that starts at `begin`. A step that ends before it starts
/// is stored unchanged, so that hw::CheckSteps reports it.
class Steps {
 public:
  explicit Steps(uint64_t begin) : at_(begin) {}
  void Until(hw::Cause cause, uint64_t cycle, int level = -1);
  /// Adds the burst's steps, from the edge at which its valid rises to its last beat, or to `now`
  /// if the last beat has not arrived.
  void Burst(const sim::Burst& burst, uint64_t now, int level = -1);
  uint64_t at() const { return at_; }
  std::vector<hw::Step> Take() { return std::move(steps_); }

 private:
  uint64_t at_;
  std::vector<hw::Step> steps_;
};

/// Returns the parts of `steps` that lie inside [begin, end).
std::vector<hw::Step> Clip(const std::vector<hw::Step>& steps, uint64_t begin, uint64_t end);

}  // namespace gmmu::sim
