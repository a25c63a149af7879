// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "host/servers.h"
#include "host/time_model.h"

namespace gmmu::sim {

/// ESTIMATED times behind the root complex: the IOMMU's lookups and walks, and DRAM with its open rows, which returns
/// data in the order of the accesses. Requests for a page whose walk is in progress wait for that walk.
class HostTime {
 public:
  explicit HostTime(const TimeParameters& parameters);
  const TimeParameters& parameters() const { return p_; }

  /// Notes that the next access's walk reads a table word at `hpa`.
  void WalkRead(uint64_t hpa);
  /// Notes that the access's page has been translated. The reads noted since the previous call were its walk, begun
  /// below the top table if `below_top`. Without such reads, `hit` says whether the access hit the IOTLB.
  void Translated(uint16_t requester, uint64_t logical, uint64_t hpa, bool hit = false, bool below_top = false);
  /// See HostAccess::Serve.
  uint64_t Serve(uint16_t requester, uint64_t logical, size_t size, bool write, uint64_t at_ps);
  /// True if the most recently served request hit the IOTLB when it was performed but arrives while the walk for its
  /// page is still in progress. joined_below_top: that walk began below the top table.
  bool joined() const { return joined_; }
  bool joined_below_top() const { return joined_below_top_; }
  /// Returns the duration of a one-word access to an idle memory.
  uint64_t WordPs() const;

 private:
  struct Page {
    bool valid = false, walks = false, below_top = false;
    unsigned hits = 0;  ///< IOTLB hits whose requests are not served yet
    uint16_t requester = 0;
    uint64_t page = 0, hpa = 0;
    unsigned reads = 0;
    std::array<uint64_t, 6> read;
    uint64_t ready_ps = 0;  ///< end of the page's last walk
  };
  /// The most recent accesses to a bank or a channel, sorted by time. Calls are not in the order of their times.
  struct Recent {
    struct Use {
      uint64_t ps = 0, row = 0;
      uint64_t ready_ps = 0;  ///< the bank takes the next command; the channel's data have come
    };
    std::array<Use, 8> uses{};
    unsigned count = 0;
    /// Inserts an access to `row` at `ps` and sets `before` to its predecessor in time, or to null if none is known.
    Use& Note(uint64_t ps, uint64_t row, const Use*& before);
  };
  struct Channel {
    explicit Channel(unsigned banks) : bank(banks) {}
    Calendar bus;
    Recent order;  ///< accesses of all banks: data return in the order of the accesses
    std::vector<Recent> bank;
  };

  Page& PageOf(uint16_t requester, uint64_t logical);
  uint64_t Dram(uint64_t at_ps, uint64_t hpa, uint64_t size);
  uint64_t Burst(uint64_t at_ps, uint64_t line);

  const TimeParameters p_;
  const Divisor channel_count_, row_bursts_, banks_;
  std::vector<Page> pages_;  ///< pages of the last accesses, indexed by a hash
  std::vector<uint64_t> noted_;
  Places walkers_;
  std::vector<Channel> channels_;
  bool joined_ = false, joined_below_top_ = false;
  uint64_t refresh_ps_ = 0;  ///< start of the refresh interval of the last burst
};

}  // namespace gmmu::sim
