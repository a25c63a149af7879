// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/one_gpu.h"

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/errors.h"

namespace gmmu::os {

void RefuseOnLink(PhysicalAdapter& gpu, const std::string& what) {
  if (const unsigned gpus = gpu.logical().adapters(); gpus > 1)
    throw OsError(what + " is for one GPU, not for " + std::to_string(gpus) + " that are linked (LinkedAdapters)");
}

}  // namespace gmmu::os
