// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "trace/access.h"

namespace gmmu::trace {

/// Characteristics of a workload: counts, and the pages that it touches. Needs about 100 bytes of
/// memory per 2 MiB touched.
class Summary {
 public:
  void Add(const Access& access);

  uint64_t count() const { return count_; }
  uint64_t count(Kind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  uint64_t bytes() const { return bytes_; }
  uint64_t cycles() const { return cycles_; }  ///< largest `cycles` of an access
  uint64_t first() const { return first_; }    ///< address of the lowest byte accessed
  uint64_t last() const { return last_; }      ///< address of the highest byte accessed
  size_t streams() const { return streams_.size(); }
  /// Return the number of pages (of 4 KiB, 64 KiB or 2 MiB) in which at least one byte is accessed.
  uint64_t pages_4k() const;
  uint64_t pages_64k() const;
  uint64_t pages_2m() const { return regions_.size(); }

 private:
  std::array<uint64_t, 3> kinds_{};
  uint64_t count_ = 0, bytes_ = 0, cycles_ = 0, first_ = ~uint64_t{0}, last_ = 0;
  std::set<uint32_t> streams_;
  std::map<uint64_t, std::array<uint64_t, 8>> regions_;  // by 2 MiB region; a bit per 4 KiB page
};

}  // namespace gmmu::trace
