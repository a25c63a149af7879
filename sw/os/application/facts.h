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
/// True if the process's device was lost: no new packet of the process reaches the GPU.
bool DeviceLost(const GpuProcess& process);
/// The reason why the process's device was lost, or "" if it was not.
const std::string& WhyLost(const GpuProcess& process);
/// Return the driver's handles.
HANDLE HandleOf(const GpuProcess& process);
HANDLE ContextOf(const GpuProcess& process);
/// The segment of the process's root table (0: system memory), the root's byte offset in the
/// segment, and its number of entries.
unsigned RootSegment(const GpuProcess& process);
uint64_t RootOffset(const GpuProcess& process);
uint64_t RootEntries(const GpuProcess& process);
/// The number of the process's page tables.
uint64_t TablesOf(const GpuProcess& process);
/// True if the address is mapped with a 64 KiB page.
bool Is64k(const GpuProcess& process, uint64_t va);
/// Number of bytes that the process occupies in the memory segments of its GPU.
uint64_t LocalBytesOf(const GpuProcess& process);
/// Size in bytes of a level-1 large page of the process's GPU, or 0 if VidMm maps none.
uint64_t LargePageBytes(const GpuProcess& process);
/// Number of large pages that are mapped in the process, not counting zero ranges.
uint64_t LargePagesOf(const GpuProcess& process);
/// True if the debugger's view (DebugView) of `pages` pages at `va` shows exactly the entries that
/// map the first pages of `allocation`, which is resident, with `protection`.
bool DebuggerShows(const GpuProcess& process, uint64_t va, const Allocation& allocation, uint64_t pages,
                   const Protection& protection);

// Queries about an allocation.

const std::string& NameOf(const Allocation& allocation);
/// The allocation's size in bytes, a multiple of the page size.
uint64_t BytesOf(const Allocation& allocation);
/// Returns the driver's handle.
HANDLE HandleOf(const Allocation& allocation);
/// The driver's handle for the device that owns the allocation (Allocation::device).
HANDLE DeviceOf(const Allocation& allocation);
/// Byte offset of a page of the allocation in its memory segment, or nullopt if the allocation is
/// not in a memory segment.
std::optional<uint64_t> VramOffset(const Allocation& allocation, uint64_t page = 0);
/// Number of whole 64 KiB blocks (sixteen consecutive, aligned pages) of the allocation in a memory segment.
uint64_t WholeBlocks(const Allocation& allocation);
/// True if the allocation may be mapped in the aperture segment: it is accessed physically and the
/// driver permits this segment.
bool MayLiveInAperture(const Allocation& allocation);
/// True if the driver has requested notifications of the allocation's address.
bool HasNotice(const Allocation& allocation);
/// ResidenceOf returns where the allocation is resident. SegmentOf returns its segment, or 0 if it
/// is in system memory or not resident.
Residence ResidenceOf(const Allocation& allocation);
unsigned SegmentOf(const Allocation& allocation);
/// InSystemMemory returns the allocation's contents in its backing store in system memory, or
/// nothing if the allocation has no backing store because it has never left VRAM. HostPages returns
/// the host physical pages of the backing store. Both can be called on any fibre.
std::vector<uint8_t> InSystemMemory(const Allocation& allocation);
std::vector<uint64_t> HostPages(const Allocation& allocation);

}  // namespace gmmu::os
