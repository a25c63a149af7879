// SPDX-License-Identifier: Apache-2.0
#include "os/application/process_facts.h"

#include "os/miniport/gpu_packet.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"

namespace gmmu::os {

const std::string& NameOf(const GpuProcess& process) { return process.name; }
bool DeviceLost(const GpuProcess& process) { return process.handles.state->lost; }
HANDLE HandleOf(const GpuProcess& process) { return process.handles.process; }
HANDLE ContextOf(const GpuProcess& process) { return process.handles.context; }
uint64_t RootOffset(const GpuProcess& process) { return process.space->root().SegmentOffset; }
uint64_t RootEntries(const GpuProcess& process) { return process.space->root_entries(); }
uint64_t TablesOf(const GpuProcess& process) { return process.space->tables(); }
bool Is64k(const GpuProcess& process, uint64_t va) { return process.space->Is64k(va); }

}  // namespace gmmu::os
