// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <set>
#include <vector>

#include "hw/platform.h"

namespace gmmu::os {

class Hal;

/// A memory BAR with its assigned address. Its size is 0 if the BAR is not implemented.
struct Bar {
  uint64_t address = 0;
  uint64_t size = 0;
  bool is_64 = false;
  bool prefetchable = false;
};

struct PciFunction {
  hw::Bdf bdf;
  uint16_t vendor = 0;
  uint16_t device = 0;
  uint16_t subsystem_vendor = 0;
  uint16_t subsystem = 0;
  uint8_t revision = 0;
  uint32_t class_code = 0;
  std::array<Bar, 6> bars;
  uint16_t msi_offset = 0;                               ///< offset of the MSI capability; 0: none
  bool has_messages() const { return msi_offset != 0; }  ///< false: it uses INTx
};

/// The PCI bus driver. It finds functions, assigns addresses between `window.start` and `window.end` (below 4 GiB) to
/// their BARs, and enables and disables bus mastering and message-signalled interrupts.
class Pci {
 public:
  Pci(Hal& hal, hw::Range window) : hal_(hal), window_(window), next_(window.start) {}

  /// Finds every function on buses 0 to `last_bus`. Sizes and assigns its BARs, enables memory
  /// decoding and disables bus mastering. A BAR that was assigned before keeps its address.
  /// Functions with the requester ids `in_use` are skipped and not accessed.
  std::vector<PciFunction> Enumerate(uint8_t last_bus = 8, const std::set<uint16_t>& in_use = {});
  /// Enables the function's interrupt. A function without MSI raises the message's vector through
  /// its interrupt pin.
  void EnableInterrupt(const PciFunction& function, const hw::Message& message);
  void DisableInterrupt(const PciFunction& function);
  void SetBusMaster(const PciFunction& function, bool on);
  /// Whether a single assigned BAR contains all of [start, start + size).
  bool Decodes(uint64_t start, uint64_t size) const;
  /// Sets D0 or D3 through the power management capability, if the function has one. In D3, the
  /// function's memory loses its contents.
  void SetPower(const PciFunction& function, bool on);
  /// Disables memory decoding and bus mastering.
  void PowerOff(const PciFunction& function);

 private:
  void RouteLine(const PciFunction& function, const hw::Message& message);
  void AssignBars(PciFunction& function);
  /// Returns the address for a BAR: its previous address, or a new one above all BARs assigned so
  /// far.
  uint64_t PlaceOf(hw::Bdf bdf, unsigned index, uint64_t size);
  uint16_t FindCapability(hw::Bdf bdf, uint8_t id);

  Hal& hal_;
  hw::Range window_;
  uint64_t next_;
  std::map<std::pair<uint16_t, unsigned>, hw::Range> places_;  // keyed by requester id and BAR
};

}  // namespace gmmu::os
