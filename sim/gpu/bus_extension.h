// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <tlm>

namespace gmmu::sim {

/// The kind of address that a transaction carries. The first four values equal AxUSER.kind on the GPU's host port.
enum class AddressKind : uint8_t {
  kLogical,     ///< untranslated: the IOMMU, if present, translates it
  kTranslated,  ///< translated by the device itself
  kInterrupt,   ///< an interrupt message
  kPeer,        ///< VRAM of a linked GPU: {adapter[47:42], offset[41:0]}, sent over the GPU link
  kConfig,      ///< an offset in the configuration space of the accessed device
};

/// When a read passed the stages of its path, in picoseconds of simulated time. If a burst is split
/// into several requests, the times are those of the request whose data arrived last.
struct BusMarks {
  uint64_t wire_ps = 0;        ///< first byte sent on the link
  uint64_t root_ps = 0;        ///< last byte at the root complex
  uint64_t translated_ps = 0;  ///< host address known to the IOMMU
  uint64_t memory_ps = 0;      ///< data at the root complex
  uint64_t device_ps = 0;      ///< data at the device
};

/// Identifies the sender of a transaction. A target may ignore it. Without this extension, a
/// transaction counts as one from a plain bus master: logical address, requester 0.
class BusExtension : public tlm::tlm_extension<BusExtension> {
 public:
  tlm::tlm_extension_base* clone() const override { return new BusExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const BusExtension&>(other); }

  uint16_t requester = 0;  ///< bus, device and function, as encoded in PCIe requests
  AddressKind kind = AddressKind::kLogical;
  uint8_t client = 0;  ///< AXI requester inside the device
  uint32_t tag = 0;    ///< AXI id
  BusMarks marks;
  bool no_snoop = false;  ///< do not snoop the CPU's caches (AxUSER.no_snoop, PCIe No Snoop)
};

}  // namespace gmmu::sim
