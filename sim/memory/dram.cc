// SPDX-License-Identifier: Apache-2.0
#include "memory/dram.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gmmu::sim {
namespace {

void Require(bool condition, const char* text) {
  if (!condition) throw std::invalid_argument(std::string("dram: ") + text);
}

const DramParameters& Checked(const DramParameters& p) {
  Require(p.channels >= 1, "channels must be at least 1");
  Require(p.banks >= 1, "banks must be at least 1");
  Require(p.burst_bytes >= 8 && (p.burst_bytes & (p.burst_bytes - 1)) == 0,
          "burst_bytes must be a power of two, at least 8");
  Require(p.row_bytes >= p.burst_bytes && p.row_bytes % p.burst_bytes == 0,
          "row_bytes must be a multiple of burst_bytes");
  Require(p.burst_ps >= 1, "burst_ps must be at least 1");
  Require(p.trefi_ps == 0 || p.trefi_ps > p.trfc_ps, "trefi_ps must be 0 or above trfc_ps");
  return p;
}

}  // namespace

DramTiming::DramTiming(const DramParameters& parameters)
    : parameters_(Checked(parameters)), channels_(parameters.channels) {
  for (Channel& channel : channels_) channel.banks.resize(parameters.banks);
}

double DramTiming::PeakBytesPerSecond() const {
  return 1e12 * parameters_.channels * parameters_.burst_bytes / static_cast<double>(parameters_.burst_ps);
}

uint64_t DramTiming::AfterRefresh(uint64_t time_ps) const {
  if (parameters_.trefi_ps == 0 || time_ps < parameters_.trefi_ps) return time_ps;
  const uint64_t refresh_start = time_ps / parameters_.trefi_ps * parameters_.trefi_ps;
  return std::max(time_ps, refresh_start + parameters_.trfc_ps);
}

uint64_t DramTiming::Burst(uint64_t time_ps, uint64_t address) {
  const DramParameters& p = parameters_;
  const uint64_t line = address / p.burst_bytes;
  Channel& channel = channels_[line % p.channels];
  const uint64_t column = line / p.channels;  // the burst's index within its channel
  const uint64_t page = column / (p.row_bytes / p.burst_bytes);
  Bank& bank = channel.banks[page % p.banks];
  const uint64_t row = page / p.banks;

  uint64_t start = AfterRefresh(std::max(time_ps, bank.ready_ps));
  const uint64_t interval = p.trefi_ps == 0 ? 0 : start / p.trefi_ps;
  if (bank.refresh != interval) {
    bank.refresh = interval;
    bank.open = false;
  }
  if (!bank.open) {
    ++row_empty_;
    start += p.trcd_ps;
  } else if (bank.row != row) {
    ++row_conflicts_;
    start += p.trp_ps + p.trcd_ps;
  } else {
    ++row_hits_;
  }
  bank.open = true;
  bank.row = row;
  // Column commands to an open row are issued at the data bus rate.
  const uint64_t data = std::max(start + p.tcas_ps, channel.bus_free_ps);
  bank.ready_ps = data - p.tcas_ps + p.burst_ps;
  channel.bus_free_ps = data + p.burst_ps;
  busy_ps_ += p.burst_ps;
  return channel.bus_free_ps;
}

uint64_t DramTiming::Access(uint64_t time_ps, uint64_t address, unsigned bytes, bool write) {
  (write ? writes_ : reads_) += 1;
  (write ? bytes_written_ : bytes_read_) += bytes;
  const uint64_t first = address / parameters_.burst_bytes;
  const uint64_t last = (address + bytes - 1) / parameters_.burst_bytes;
  uint64_t done = 0;
  for (uint64_t line = first; line <= last; ++line)
    done = std::max(done, Burst(time_ps, line * parameters_.burst_bytes));
  return done + parameters_.controller_ps;
}

std::vector<hw::Counter> DramTiming::Counters() const {
  return {
      {"dram", "reads", reads_, "accesses", "Read accesses"},
      {"dram", "writes", writes_, "accesses", "Write accesses"},
      {"dram", "bytes_read", bytes_read_, "bytes", "Bytes read"},
      {"dram", "bytes_written", bytes_written_, "bytes", "Bytes written"},
      {"dram", "row_hits", row_hits_, "bursts", "Bursts that found their row open"},
      {"dram", "row_empty", row_empty_, "bursts", "Bursts that found no row open"},
      {"dram", "row_conflicts", row_conflicts_, "bursts", "Bursts that found another row open"},
      {"dram", "bus_busy", busy_ps_, "ps", "Time that data buses moved data, all channels together"},
  };
}

}  // namespace gmmu::sim
