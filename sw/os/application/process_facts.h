// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "ddi/ntddk.h"

namespace gmmu::os {

struct GpuProcess;

// What a run may ask about a process.

const std::string& NameOf(const GpuProcess& process);
/// Its device was lost: nothing new of it reaches the GPU.
bool DeviceLost(const GpuProcess& process);
/// The driver's handles.
HANDLE HandleOf(const GpuProcess& process);
HANDLE ContextOf(const GpuProcess& process);
/// Where its root table lies in its segment, bytes, and how many entries it has.
uint64_t RootOffset(const GpuProcess& process);
uint64_t RootEntries(const GpuProcess& process);
/// Page tables that it has.
uint64_t TablesOf(const GpuProcess& process);
/// A page of 64 KiB is at the address.
bool Is64k(const GpuProcess& process, uint64_t va);

}  // namespace gmmu::os
