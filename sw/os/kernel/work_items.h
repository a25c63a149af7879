// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "os/base/ledger.h"

namespace gmmu::os {

class Kernel;

/// Work that a driver queues for system threads. Each item runs on its own thread at PASSIVE_LEVEL. The ledger lists
/// the item (work_item) until its routine returns. Queuing a queued item, or freeing it, triggers a bug check.
class WorkItems {
 public:
  explicit WorkItems(Kernel& kernel) : kernel_(kernel) {}

  /// `item` may be queued again, or freed, once its `routine` has been called. Call at DISPATCH_LEVEL or below.
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
