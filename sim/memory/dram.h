// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// Timing of host memory. The defaults are two channels of DDR4-2400 (19.2 GB/s each). Times are in picoseconds.
struct DramParameters {
  unsigned channels = 2;            ///< interleaved every `burst_bytes`; at least 1
  unsigned banks = 16;              ///< per channel; at least 1
  unsigned row_bytes = 8192;        ///< row of a bank, a multiple of burst_bytes
  unsigned burst_bytes = 64;        ///< bytes per column command; a power of two
  uint64_t burst_ps = 3'333;        ///< a burst on the channel's data bus
  uint64_t trcd_ps = 13'750;        ///< activate to column command
  uint64_t trp_ps = 13'750;         ///< precharge to activate of the same bank
  uint64_t tcas_ps = 13'750;        ///< column command to the first data
  uint64_t controller_ps = 20'000;  ///< delay of queues and fabric, added once per access
  uint64_t trefi_ps = 7'800'000;    ///< interval between refreshes; 0: no refresh
  uint64_t trfc_ps = 350'000;       ///< time for which a refresh occupies a channel
};

/// Computes when accesses to DRAM finish. Each bank has a row buffer, each channel has one data
/// bus, and all banks of a channel are refreshed together at fixed times.
///
/// Accesses are served in call order and are never reordered. The times passed to successive calls
/// need not ascend: an access starts at its own time or, if later, when its bank and bus are free.
/// The class stores no data, and the same sequence of calls always returns the same times.
class DramTiming {
 public:
  /// Throws std::invalid_argument if a parameter is out of range.
  explicit DramTiming(const DramParameters& parameters);

  /// Performs an access to [address, address + bytes), bytes > 0, that arrives at the controller at
  /// `time_ps`. Returns the time at which its last byte has been transferred (for a write, into the
  /// row buffer).
  uint64_t Access(uint64_t time_ps, uint64_t address, unsigned bytes, bool write);

  const DramParameters& parameters() const { return parameters_; }
  /// Returns the combined peak rate of all data buses.
  double PeakBytesPerSecond() const;
  /// Returns the counters of block "dram".
  std::vector<hw::Counter> Counters() const;

 private:
  struct Bank {
    bool open = false;
    uint64_t row = 0;
    uint64_t ready_ps = 0;  ///< earliest next column command to the open row
    uint64_t refresh = 0;   ///< number of refreshes applied so far; each one closes the row
  };
  struct Channel {
    std::vector<Bank> banks;
    uint64_t bus_free_ps = 0;
  };

  uint64_t Burst(uint64_t time_ps, uint64_t address);
  uint64_t AfterRefresh(uint64_t time_ps) const;

  const DramParameters parameters_;
  std::vector<Channel> channels_;
  uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
  uint64_t row_hits_ = 0, row_empty_ = 0, row_conflicts_ = 0, busy_ps_ = 0;
};

}  // namespace gmmu::sim
