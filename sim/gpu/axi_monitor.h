// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/ring.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// Watches one AXI4 manager port at its handshakes, by the rules of rtl/pkg/gmmu_axi_pkg.sv.
///
/// Each broken rule is a Finding of probe "axi", at most kMost of them. Call in the order of the
/// cycles.
class AxiMonitor {
 public:
  AxiMonitor(std::string port, unsigned beat_bytes, unsigned id_bits);

  void Address(bool write, uint64_t cycle, unsigned id, uint64_t address, unsigned len,
               unsigned size, unsigned burst);
  /// A write beat; W follows the order of AW.
  void WriteBeat(uint64_t cycle, uint64_t strobe, bool last);
  void ReadEnd(unsigned id) { Leave(reads_, id); }
  void WriteEnd(unsigned id) { Leave(writes_, id); }

  const std::vector<hw::Finding>& findings() const { return findings_; }

 private:
  static constexpr size_t kMost = 16;
  struct Open {
    unsigned beats_left;
    uint64_t address;
    bool first;
  };
  void Leave(std::vector<bool>& open, unsigned id) { open[id & (open.size() - 1)] = false; }
  void Fail(uint64_t cycle, const std::string& text);

  const std::string port_;
  const unsigned beat_bytes_;
  std::vector<bool> reads_, writes_;  // by id
  Ring<Open> open_{64};
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim
