// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

/// The free part of an address space. All ranges are half open.
class FreeSpace {
 public:
  /// A search for `size` bytes at a multiple of `alignment` (a power of two) within [from, to).
  struct Wanted {
    uint64_t size;
    uint64_t alignment;
    uint64_t from = 0;
    uint64_t to = ~uint64_t{0};
  };

  virtual ~FreeSpace() = default;

  /// Marks [start, end) as free. No part of it may be free already.
  virtual void Add(uint64_t start, uint64_t end) = 0;
  /// Marks [start, end) as not free, and returns how many bytes of it were free.
  virtual uint64_t Remove(uint64_t start, uint64_t end) = 0;
  /// Returns whether all of [start, end) is free. The range must not be empty.
  virtual bool Has(uint64_t start, uint64_t end) const = 0;
  /// Returns the number of addresses at which the wanted range could start.
  virtual uint64_t Places(const Wanted& wanted) const = 0;
  /// Returns the possible start with index `place`, counted from 0 in ascending order. `place` must be below
  /// Places(wanted).
  virtual uint64_t Start(const Wanted& wanted, uint64_t place) const = 0;
  /// Returns the start of the free range that ends at `end`, or `end` itself if the byte before it
  /// is not free.
  virtual uint64_t StartBefore(uint64_t end) const = 0;
};

}  // namespace gmmu::os
