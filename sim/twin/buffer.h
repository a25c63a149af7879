// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "twin/path.h"

namespace gmmu::sim::twin {

/// The words of a paging buffer, read from memory as they are wanted, a page at a time.
class Buffer {
 public:
  /// What stops the reading.
  struct Trouble {
    bool closed = false;  ///< wait for the host port
    regs::Fault reason = regs::Fault::kNone;
    unsigned level = 0;
    Address address;
  };

  Buffer() = default;
  Buffer(const Address& from, uint64_t bytes) : from_(from), bytes_(bytes) {}

  uint64_t words() const { return bytes_ / 8; }
  const Address& from() const { return from_; }
  const uint64_t* at(uint64_t word) const { return &words_[word]; }

  /// Makes the words below `end` readable; nothing if they are.
  std::optional<Trouble> Want(Path& path, unsigned port, uint64_t end, Cost& cost);

 private:
  Address from_;
  uint64_t bytes_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace gmmu::sim::twin
