// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/base/dma_policy.h"

namespace gmmu::os {

class LogicalAdapter;
class IommuDomain;
class Kernel;
class PhysicalAdapter;
enum class IsolationScope;

/// How the GPUs of one logical adapter reach host memory: the mode of DMA, the IOMMU's domain for all of them, and the
/// hardware-reserved ranges in it. Errors are OsError, or a bug check where `[os]` chooses one.
class AdapterDomain {
 public:
  explicit AdapterDomain(LogicalAdapter& adapter);

  DmaMode mode() const { return mode_; }
  /// Null: the GPUs use host physical addresses.
  IommuDomain* domain() { return domain_; }
  bool reaches_all_memory() const { return reaches_all_memory_; }
  /// The driver has all that DMA remapping needs.
  bool can_remap() const;
  /// All of the driver's memory is known here, so a 1:1 domain has it: it comes from memory objects (WDDM 2.9), or from
  /// the callbacks of GPU isolation.
  bool can_be_1to1() const;
  const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& reserved_ranges() const { return reserved_; }

  // Start and stop of the adapter, in this order. Decide wants the answers to the queries for memory; it makes the
  // domain where there is one: of remapping, or of isolation for a driver that needs it (IommuIsolationRequired), and
  // for one that supports it once isolation is on in this machine. A driver before WDDM 2.9 says only after the start
  // what its GPU reaches (admission.h) and what it needs, so it starts without a domain. `may_remap`: false when its
  // driver turned out to lack MapAperture2Supported.
  void Decide(bool may_remap);
  void QueryReserved();
  /// The devices get behind the domain. No device may be on the bus meanwhile.
  void AttachAll();
  /// Segments of system memory (PopulatedFromSystemMemory) get within reach of a 1:1 domain, at the addresses that the
  /// driver states; it does so after the start.
  void MapSegments();
  void DetachAll();
  void Destroy();
  /// Back to the state before the start.
  void Reset();

  // What GpuIsolation does, in this order, each once: an empty 1:1 domain; what the GPU may reach in it; the device
  // behind it, in exclusive access.
  void MakeIsolation();
  void MapIsolation(IsolationScope scope);
  void AttachIsolation();
  /// Undoes what was done of it, wherever it failed.
  void AbandonIsolation();
  // What SwitchDma does in exclusive access.
  void EnterIdentity();
  void Leave();

 private:
  bool IsolatedFromTheStart() const;
  void SwitchIommuOn();
  void MakeDomain(bool identity);
  void MapReservedRanges();
  void UnmapReservedRanges();
  void UnmapSegments();
  void Attach(PhysicalAdapter& gpu);
  void Detach(PhysicalAdapter& gpu);

  LogicalAdapter& adapter_;
  Kernel& kernel_;
  DmaMode mode_ = DmaMode::kPhysical;
  bool reaches_all_memory_ = true;
  IommuDomain* domain_ = nullptr;
  std::set<const PhysicalAdapter*> attached_;
  std::vector<DXGK_PHYSICAL_MEMORY_RANGE> reserved_;
  bool reserved_mapped_ = false;
  std::vector<uint64_t> segment_pages_;  // in the domain
};

}  // namespace gmmu::os
