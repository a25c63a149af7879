// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "os/base/ledger.h"

namespace gmmu::os {

class Kernel;

/// Work items that a driver queues. Each runs on its own system thread at PASSIVE_LEVEL. The ledger
/// lists an item (work_item) until its routine returns. Queuing or freeing an item that is queued
/// triggers a bug check.
class WorkItems {
 public:
  explicit WorkItems(Kernel& kernel) : kernel_(kernel) {}

  /// Once `routine` has begun, `item` may be queued again or freed. Call at DISPATCH_LEVEL or
  /// below.
  void Queue(const void* item, const char* call, const void* routine, const std::function<void()>& work);
  /// Triggers a bug check if the item is queued. The message begins with `call`.
  void RequireIdle(const void* item, const char* call) const;
  /// Call when [begin, begin + bytes) is freed. Triggers a bug check if an item there is queued.
  void Forget(const void* begin, size_t bytes) const;

 private:
  std::string Name(const void* item) const;

  Kernel& kernel_;
  std::map<const void*, Ledger::Ticket> queued_;
};

}  // namespace gmmu::os
