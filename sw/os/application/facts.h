// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ddi/ntdef.h"
#include "os/miniport/allocation.h"
#include "os/tables/protection.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct GpuProcess;

// Queries about a process.

const std::string& NameOf(const GpuProcess& process);
/// The VidMm of the GPU that uses the process's page tables.
VidMm& VidMmOf(const GpuProcess& process);
/// True if the process's device was lost, so that none of its new packets reaches the GPU.
bool DeviceLost(const GpuProcess& process);
/// Why the process's device was lost, or "" if it was not.
const std::string& WhyLost(const GpuProcess& process);
/// The driver's handles.
HANDLE HandleOf(const GpuProcess& process);
HANDLE ContextOf(const GpuProcess& process);
/// The segment of the process's root table (0: system memory), the root's byte offset in it, and its number of entries.
unsigned RootSegment(const GpuProcess& process);
uint64_t RootOffset(const GpuProcess& process);
uint64_t RootEntries(const GpuProcess& process);
/// The number of the process's page tables.
uint64_t TablesOf(const GpuProcess& process);
/// True if the address is mapped with a 64 KiB page.
bool Is64k(const GpuProcess& process, uint64_t va);
/// Bytes in memory segments of the process's GPU that belong to the process.
uint64_t LocalBytesOf(const GpuProcess& process);
/// The size of a level-1 large page of the process's GPU in bytes, or 0 if VidMm maps none.
uint64_t LargePageBytes(const GpuProcess& process);
/// The number of large pages that are mapped in the process. Zero ranges are not counted.
uint64_t LargePagesOf(const GpuProcess& process);
/// True if the debugger's view (DebugView) of `pages` pages at `va` shows entries for the first pages of the resident
/// allocation, with this protection.
bool DebuggerShows(const GpuProcess& process, uint64_t va, const Allocation& allocation, uint64_t pages,
                   const Protection& protection);

// Queries about an allocation.

const std::string& NameOf(const Allocation& allocation);
/// The allocation's size in bytes, a multiple of the page size.
uint64_t BytesOf(const Allocation& allocation);
/// The driver's handle.
HANDLE HandleOf(const Allocation& allocation);
/// The driver's handle for the device that owns the allocation (Allocation::device).
HANDLE DeviceOf(const Allocation& allocation);
/// Byte offset of a page of the allocation in its memory segment; nullopt if the allocation is in no memory segment.
std::optional<uint64_t> VramOffset(const Allocation& allocation, uint64_t page = 0);
/// Number of whole 64 KiB blocks (sixteen consecutive, aligned pages) of the allocation in a memory segment.
uint64_t WholeBlocks(const Allocation& allocation);
/// True if the allocation is accessed physically and the driver permits the aperture segment, so it may be mapped
/// there.
bool MayLiveInAperture(const Allocation& allocation);
/// True if the driver wants to be notified of the allocation's address.
bool HasNotice(const Allocation& allocation);
/// ResidenceOf returns where the allocation is resident now. SegmentOf returns the segment, or 0 if the allocation is
/// in system memory or not resident.
Residence ResidenceOf(const Allocation& allocation);
unsigned SegmentOf(const Allocation& allocation);
/// The allocation's bytes in system memory: all of them if the allocation lives there or was evicted, none if it never
/// left VRAM. HostPages returns their host physical pages. Call on any fibre.
std::vector<uint8_t> InSystemMemory(const Allocation& allocation);
std::vector<uint64_t> HostPages(const Allocation& allocation);

}  // namespace gmmu::os
