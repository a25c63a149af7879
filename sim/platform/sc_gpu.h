// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>

#include "host/config.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// The Verilated GPU for use in another SystemC platform (docs/library.md): an sc_module with
/// TLM-2.0 sockets. It contains VRAM and PCI configuration space, but no link, root complex or
/// IOMMU.
///
/// The address of a transaction is a bus address; its length is 1, 2, 4 or a multiple of 8 bytes.
/// The time resolution must be 1 ps. Clock edges are at multiples of the period of gpu.clock_mhz. A
/// transaction exactly at a clock edge is sampled at the next edge; to be independent of the order
/// of processes, a platform should use other times. Debug transport and DMI are not supported.
class TlmGpu {
 public:
  using Target = tlm::tlm_target_socket<>;
  using Initiator = tlm::tlm_initiator_socket<>;

  /// Constructs the module during elaboration of the platform. Throws ConfigError if the
  /// configuration has other sizes than this build, a policy is set, or the time resolution is not
  /// 1 ps.
  static std::unique_ptr<TlmGpu> Create(const char* name, const MachineConfig& config = MachineConfig::Default(),
                                        uint64_t seed = 0);
  virtual ~TlmGpu() = default;

  /// CPU accesses to BAR0 and BAR2, blocking or non-blocking, performed in order. An access outside
  /// both BARs gets TLM_ADDRESS_ERROR_RESPONSE. With a BusExtension (gpu/bus_extension.h) of kind
  /// kConfig, the address is an offset in configuration space, through which the platform must
  /// first program the BARs.
  virtual Target& registers() = 0;
  /// The GPU's accesses to host memory: one transaction per burst of up to 4 KiB, many of them in
  /// flight, and interrupt messages, which are 4-byte writes to 0xFEExxxxx. The target may
  /// implement b_transport or nb_transport and may respond in any order. Writes and messages must
  /// take effect in order of arrival, because the GPU's fences rely on it. A BusExtension contains
  /// the kind of the address and the requester; the target may ignore it.
  virtual Initiator& dma() = 0;

  /// Returns the number of clock edges so far.
  virtual uint64_t cycles() const = 0;
  /// Returns the counters of blocks "vram" and "host_port"; the GPU's own counters are registers.
  virtual std::vector<hw::Counter> Counters() const = 0;
  /// Returns the AXI rule violations; a correct run has none.
  virtual std::vector<hw::Finding> Findings() const = 0;
};

}  // namespace gmmu::sim
