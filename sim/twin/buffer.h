// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "twin/path.h"

namespace gmmu::sim::twin {

/// The words of a paging buffer. Want reads them from memory page by page.
class Buffer {
 public:
  /// Why Want stopped.
  struct Trouble {
    bool closed = false;  ///< the host port is closed: retry when it opens
    regs::Fault reason = regs::Fault::kNone;
    unsigned level = 0;
    Address address;
  };

  Buffer() = default;
  Buffer(const Address& from, uint64_t bytes) : from_(from), bytes_(bytes) {}

  uint64_t words() const { return bytes_ / 8; }
  const Address& from() const { return from_; }
  const uint64_t* at(uint64_t word) const { return &words_[word]; }

  /// Makes the words below `end` readable through at(). On success, returns nullopt and sets
  /// cost.done to the time at which the words have arrived. Otherwise returns the reason and sets
  /// cost.done to the time at which the failure is known.
  std::optional<Trouble> Want(Path& path, unsigned port, uint64_t end, Cost& cost);

 private:
  static constexpr unsigned kChunksInFlight = 16;
  Address from_;
  uint64_t bytes_ = 0;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> come_ps_;  ///< arrival time of each chunk of the words
  Window chunks_{kChunksInFlight};
  uint64_t asked_ps_ = 0;  ///< when the last chunk was requested
};

}  // namespace gmmu::sim::twin
