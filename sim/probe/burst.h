// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/events.h"

namespace gmmu::sim {

/// A burst at a memory port of the GPU, and the cycles of its events.
struct Burst {
  unsigned requester = 0;  ///< AXI requester (rtl/top/README.md)
  unsigned id = 0;         ///< its own id of the burst
  bool host = false, peer = false, write = false, error = false;
  uint64_t address = 0;
  unsigned bytes = 0;
  uint64_t word = 0;  ///< of a read: the first aligned word received
  uint64_t offered = 0, accepted = 0;
  uint64_t first = 0, answered = 0;                                     ///< first and last beat of R; a write: both B
  uint64_t wire = 0, root = 0, translated = 0, memory = 0, device = 0;  ///< a read of the host: gpu/bus_extension.h
  bool begun = false, done = false;                                     ///< `first`, `answered` are valid
};

/// Builds a span's steps one after the other, starting at `begin`. A step that would end before it begins is stored
/// unchanged, so that hw::CheckSteps reports it.
class Steps {
 public:
  explicit Steps(uint64_t begin) : at_(begin) {}
  void Until(hw::Cause cause, uint64_t cycle, int level = -1);
  /// Adds the burst's steps from its offer at the edge to its last beat, or up to `now` if that beat has not come.
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
