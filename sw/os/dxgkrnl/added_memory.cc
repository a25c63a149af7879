// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/added_memory.h"

#include "os/base/text.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

std::string AddMemory(Dxgkrnl& dxgkrnl, const hw::Range& bytes) {
  Kernel& kernel = dxgkrnl.kernel();
  for (LogicalAdapter* adapter : dxgkrnl.adapters()) {
    if (!adapter->running() || adapter->dma().Reaches(bytes.end - 1)) continue;
    return "adapter " + adapter->lead().name() + " is not remapped and reaches memory up to " +
           Hex(adapter->answers().highest_visible()) + ", the added memory ends at " + Hex(bytes.end - 1);
  }
  for (LogicalAdapter* adapter : dxgkrnl.adapters())
    if (adapter->running()) adapter->dma().MapAdded(bytes);
  kernel.pages().Add(bytes);
  return "";
}

}  // namespace gmmu::os
