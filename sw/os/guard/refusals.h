// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "os/guard/driver_guard.h"

namespace gmmu::os {

/// A callback or an allocation that an injected fault made fail.
struct Refused {
  std::string what;    ///< "DxgkCbAllocateAdl", "pool block gmmu of 64 bytes"
  std::string inside;  ///< the driver's entry point that made the request
};

/// Counts callbacks that are allowed to fail, or allocations, and makes the n-th fail
/// (inject.fail_callback, inject.fail_allocation).
class Refusals {
 public:
  /// The ordinal of the callback or of the allocation that fails; 0: none fails. If both are 0,
  /// nothing is counted.
  Refusals(uint64_t callback, uint64_t allocation) : callback_(callback), allocation_(allocation) {}

  bool asked() const { return callback_ != 0 || allocation_ != 0; }
  bool Callback(const std::string& name) { return callback_ != 0 && Count(callback_, name); }
  /// `name` is called only if the allocation must fail.
  template <typename Name>
  bool Allocation(const Name& name) {
    return allocation_ != 0 && Count(allocation_, name());
  }
  /// The number of callbacks or allocations counted so far.
  uint64_t seen() const { return seen_; }
  const std::optional<Refused>& refused() const { return refused_; }

 private:
  bool Count(uint64_t number, const std::string& name) {
    if (++seen_ != number) return false;
    refused_ = Refused{name, DriverGuard::entry()};
    return true;
  }

  const uint64_t callback_, allocation_;
  uint64_t seen_ = 0;
  std::optional<Refused> refused_;
};

}  // namespace gmmu::os
