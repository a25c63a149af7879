// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/suspended_contexts.h"

#include "os/dxgkrnl/physical_adapter.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

SuspendedContexts::SuspendedContexts(const Allocation& allocation) {
  for (const Mapping& mapping : allocation.mappings) {
    VidSch& vidsch = mapping.process->vidmm->gpu().vidsch();
    const HANDLE context = mapping.process->handles.context;
    if (context == nullptr || vidsch.Suspended(context)) continue;
    vidsch.SuspendContext(context, VidSch::kBoundNs);
    contexts_.emplace_back(&vidsch, context);
  }
}

SuspendedContexts::~SuspendedContexts() {
  for (const auto& [vidsch, context] : contexts_) vidsch->ResumeContext(context);
}

}  // namespace gmmu::os
