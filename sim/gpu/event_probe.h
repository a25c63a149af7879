// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "Vgmmu_gpu_axi.h"
#include "hw/platform.h"
#include "probe/engine_log.h"
#include "probe/lookup_log.h"
#include "probe/walk_log.h"

namespace gmmu::sim {

class HostPort;

/// Records the GPU's activity (hw/events.h) from the event port, the memory ports, the client ports
/// and the signals listed in rtl/observe.vlt. It only observes the GPU.
class EventProbe {
 public:
  EventProbe(hw::EventSink& sink, unsigned unit, uint64_t period_ps);

  /// Call it before the clock edge of `cycle`, when the inputs are stable and the ports have not
  /// sampled them yet.
  void Sample(const Vgmmu_gpu_axi& top, uint64_t cycle, const HostPort& host);
  /// Returns the findings of probe "events": the number of spans that are not covered exactly by
  /// their steps.
  const std::vector<hw::Finding>& findings();

 private:
  void Walks(const Vgmmu_gpu_axi& top, uint64_t cycle);
  void Bursts(const Vgmmu_gpu_axi& top, uint64_t cycle, const HostPort& host);
  void Lookups(const Vgmmu_gpu_axi& top, uint64_t cycle);
  void Pins(const Vgmmu_gpu_axi& top, uint64_t cycle);
  void Engine(const Vgmmu_gpu_axi& top, uint64_t cycle);
  void Points(const Vgmmu_gpu_axi& top, uint64_t cycle);
  void Reset(uint64_t cycle);

  Burst& Offer(uint64_t& since, bool write, unsigned id, uint64_t cycle);
  void Accepted(Burst& burst, bool write, bool host, uint64_t address, unsigned length, unsigned kind, uint64_t cycle);
  void Ended(bool write, unsigned id, bool error, uint64_t cycle);
  unsigned* LoadOf(const Burst& burst);

  hw::EventSink& sink_;
  const unsigned unit_;
  const uint64_t period_ps_;
  WalkLog walks_;
  LookupLog lookups_;
  AccessLog accesses_;
  EngineLog engine_;
  EngineLoad load_;
  std::unordered_map<unsigned, Burst> bursts_[2];  // in flight, by id; [0]: reads, [1]: writes
  uint64_t offered_[4];                            // when valid rose: VRAM AR, AW, host AR, AW
  bool resetting_ = false;
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim
