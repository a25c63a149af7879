// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "host/servers.h"
#include "host/time_model.h"

namespace gmmu::sim {

/// ESTIMATED times behind the root complex: the IOMMU's lookups and walks, and a DRAM with open
/// rows that returns data in access order. A request for a page whose walk is in progress waits for
/// that walk.
class HostTime {
 public:
  explicit HostTime(const TimeParameters& parameters);
  const TimeParameters& parameters() const { return p_; }

  /// Records a table read at `hpa` by the walk of the next access.
  void WalkRead(uint64_t hpa);
  /// Records that an access's page has been translated. The page's walk consists of the reads
  /// recorded since the previous call; if `below_top` is true, it started below the top table. If
  /// no reads were recorded, `hit` tells whether the access hit the IOTLB.
  void Translated(uint16_t requester, uint64_t logical, uint64_t hpa, bool hit = false, bool below_top = false);
  /// See HostAccess::Serve.
  uint64_t Serve(uint16_t requester, uint64_t logical, size_t size, bool write, uint64_t at_ps);
  /// joined: whether the most recently served request hit the IOTLB when it was performed, although
  /// its arrival time lies before the end of the walk for its page. joined_below_top: whether that
  /// walk started below the top table.
  bool joined() const { return joined_; }
  bool joined_below_top() const { return joined_below_top_; }
  /// Returns the duration of a one-word access to idle DRAM.
  uint64_t WordPs() const;

 private:
  struct Page {
    bool valid = false, walks = false, below_top = false;
    unsigned hits = 0;  ///< IOTLB hits whose requests have not been served yet
    uint16_t requester = 0;
    uint64_t page = 0, hpa = 0;
    unsigned reads = 0;
    std::array<uint64_t, 6> read;
    uint64_t ready_ps = 0;  ///< end of the page's last walk
  };
  /// The most recent accesses to a bank or a channel, sorted by time. They are kept because calls
  /// are not made in time order.
  struct Recent {
    struct Use {
      uint64_t ps = 0, row = 0;
      uint64_t ready_ps = 0;  ///< next command to the bank, or end of the channel's data
    };
    std::array<Use, 8> uses{};
    unsigned count = 0;
    /// Inserts an access to `row` at `ps`. Sets `before` to the recorded access that precedes it in
    /// time, or to null if there is none.
    Use& Note(uint64_t ps, uint64_t row, const Use*& before);
  };
  struct Channel {
    explicit Channel(unsigned banks) : bank(banks) {}
    Calendar bus;
    Recent order;  ///< accesses to all banks; data return in access order
    std::vector<Recent> bank;
  };

  Page& PageOf(uint16_t requester, uint64_t logical);
  uint64_t Dram(uint64_t at_ps, uint64_t hpa, uint64_t size);
  uint64_t Burst(uint64_t at_ps, uint64_t line);

  const TimeParameters p_;
  const Divisor channel_count_, row_bursts_, banks_;
  std::vector<Page> pages_;  ///< the most recently accessed pages, indexed by a hash
  std::vector<uint64_t> noted_;
  Places walkers_;
  std::vector<Channel> channels_;
  bool joined_ = false, joined_below_top_ = false;
  uint64_t refresh_ps_ = 0;  ///< start of the refresh interval of the last burst
};

}  // namespace gmmu::sim
