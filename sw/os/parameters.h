// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/bring_up.h"
#include "os/dma_policy.h"

namespace gmmu::os {

/// Deliberate faults of the operating system's side, by the names of the configuration's [inject]
/// table.
struct Inject {
  bool unmapped_page = false;  ///< one logical page of the page-in source is not mapped
  bool wrong_pte = false;      ///< one leaf entry names another page
  bool wrong_adl = false;      ///< one page of an ADL's page array is another one (physical mode)
  bool missing_flush = false;  ///< FLUSH_TLB operations are not executed but believed
  std::string leak;            ///< kind of object that is not given back

  /// Kinds that `leak` knows.
  static const std::vector<std::string>& LeakKinds();
};

/// What the operating system is told about machine and policy.
struct Parameters {
  RemapPolicy remap = RemapPolicy::kWhenPossible;
  uint64_t aperture_bytes = 0;  ///< handed to the driver
  uint64_t limit_bits = 33;     ///< handed to the driver: HighestVisibleAddress = 2^limit_bits - 1
  std::map<std::string, uint64_t> driver;  ///< further parameters of the driver, by its own names
  std::vector<uint64_t> page_table_bits;  ///< handed to the driver: index bits by level, leaf first
  /// CPU_VIRTUAL updates come with a DMA buffer and private data that they must not use (seen on build 26100), or with
  /// null pointers (documents).
  bool immediate_updates_have_a_buffer = false;
  /// The system's process brings NumPasid = 1 and its device a Pasid, whatever the IOMMU model (seen on build 26100).
  bool system_process_has_pasid = false;
  BringUp bring_up = BringUp::kLinked;
  uint64_t quantum_ns = 1'000'000;        ///< a packet may run so long while others wait for its node
  uint64_t tdr_delay_ns = 2'000'000'000;  ///< TdrDelay: until a packet is preempted, and until that is answered
  /// DxgkDdiSubmitCommandVirtual is called while the report of a preemption is on the driver's stack
  /// (seen on build 26100).
  bool submit_while_preemption_is_told = false;
  uint64_t seed = 0;
  Inject inject;
};

}  // namespace gmmu::os
