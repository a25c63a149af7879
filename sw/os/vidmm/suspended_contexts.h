// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "ddi/ntdef.h"

namespace gmmu::os {

class VidSch;
struct Allocation;

/// RAII guard: contexts that might use the allocation are suspended during its lifetime.
class SuspendedContexts {
 public:
  explicit SuspendedContexts(const Allocation& allocation);
  ~SuspendedContexts();
  SuspendedContexts(const SuspendedContexts&) = delete;
  SuspendedContexts& operator=(const SuspendedContexts&) = delete;

 private:
  std::vector<std::pair<VidSch*, HANDLE>> contexts_;
};

}  // namespace gmmu::os
