// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "ddi/dispmprt.h"
#include "hw/platform.h"
#include "os/base/dma_policy.h"

namespace gmmu::os {

class LogicalAdapter;
class RemappingDomain;
struct RemappingFault;
class Kernel;
class PhysicalAdapter;
enum class IsolationScope;

/// How the GPUs of one logical adapter access host memory: the DMA mode, the IOMMU domain that they
/// share, and their hardware-reserved ranges. Errors throw OsError, or trigger a bug check if
/// `[os]` selects that.
class AdapterDomain {
 public:
  explicit AdapterDomain(LogicalAdapter& adapter);

  DmaMode mode() const { return mode_; }
  /// The IOMMU domain, or null if the GPUs use host physical addresses.
  RemappingDomain* domain() { return domain_; }
  bool reaches_all_memory() const { return reaches_all_memory_; }
  /// True if the driver meets all requirements of DMA remapping.
  bool can_remap() const;
  /// True if a 1:1 domain can map all of the driver's memory, because the driver allocates it as memory objects (WDDM
  /// 2.9) or through the GPU isolation callbacks.
  bool can_be_1to1() const;
  const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& reserved_ranges() const { return reserved_; }

  // The adapter's start and stop call these functions in this order. Decide needs the results of
  // the memory queries. It creates a domain in three cases: for remapping, for isolation that the
  // driver requires (IommuIsolationRequired), and for isolation that the driver supports if
  // isolation is already on in this machine. A driver older than WDDM 2.9 reports its GPU's address
  // limit (admission.h) and its requirements only after the start, so it starts without a domain.
  // `may_remap` is false if an earlier attempt found that the driver lacks MapAperture2Supported.
  void Decide(bool may_remap);
  void QueryReserved();
  /// Attaches the devices to the domain. No device may use the bus during this call.
  void AttachAll();
  /// Maps segments of system memory (PopulatedFromSystemMemory) into a 1:1 domain. The driver reports their addresses
  /// after the start.
  void MapSegments();
  void DetachAll();
  void Destroy();
  /// Restores the state before the start.
  void Reset();

  /// True if the running adapter's GPUs can access the byte of host memory: in a remapped domain always, otherwise if it
  /// is within the driver's HighestVisibleAddress.
  bool Reaches(uint64_t byte) const;
  /// Maps added memory in the domain that maps all memory, if there is one.
  void MapAdded(const hw::Range& bytes);

  // The steps of GpuIsolation. Call each once, in this order: create an empty 1:1 domain, map what the GPU may access,
  // and attach the device with exclusive access.
  void MakeIsolation();
  void MapIsolation(IsolationScope scope);
  void AttachIsolation();
  /// Undoes the completed steps after a later step has failed.
  void AbandonIsolation();
  // The steps of SwitchDma, performed with exclusive access.
  void EnterIdentity();
  void Leave();
  /// Returns a function that reports accesses and messages that the IOMMU blocked as faults of the
  /// run.
  static std::function<void(const RemappingFault&)> FaultReporter(Kernel& kernel);

 private:
  bool IsolatedFromTheStart() const;
  /// Enables the IOMMU if it is off. Each running adapter without a domain gets one that maps all
  /// memory 1:1, so that its host physical addresses stay valid.
  void SwitchIommuOn();
  /// Disables the IOMMU, unless another adapter has a domain.
  void SwitchIommuOff();
  /// Creates passing_, a domain that maps all memory 1:1, for an adapter that uses host physical
  /// addresses while another adapter needs the IOMMU.
  void MakePassing();
  void EndPassing();
  void MakeDomain(bool identity);
  void MapReservedRanges();
  void UnmapReservedRanges();
  void UnmapSegments();
  /// The domain to which the GPUs are attached, or null.
  RemappingDomain* Used() const { return domain_ != nullptr && passing_ == nullptr ? domain_ : passing_; }
  void Attach(PhysicalAdapter& gpu);
  void Detach(PhysicalAdapter& gpu);

  LogicalAdapter& adapter_;
  Kernel& kernel_;
  DmaMode mode_ = DmaMode::kPhysical;
  bool reaches_all_memory_ = true;
  RemappingDomain* domain_ = nullptr;
  // See MakePassing. passing_ is destroyed before the GPUs are attached to domain_.
  RemappingDomain* passing_ = nullptr;
  std::set<const PhysicalAdapter*> attached_;
  std::vector<DXGK_PHYSICAL_MEMORY_RANGE> reserved_;
  bool reserved_mapped_ = false;
  std::vector<uint64_t> segment_pages_;  // pages of memory segments that the domain maps 1:1
};

}  // namespace gmmu::os
