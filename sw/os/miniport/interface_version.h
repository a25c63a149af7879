// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <typeindex>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// What an interface version (DXGKDDI_INTERFACE_VERSION_*, from a driver's table) defines: the
/// sizes of the structures that grew, and other features. A number between two defined versions
/// counts as the lower one. Sources: the headers of the Windows Driver Kit (WDK), and sizes
/// observed on Windows build 22621.

/// Returns a name such as "WDDM 2.4" for 0x9006, or the number if the version has no name.
std::string NameOfVersion(ULONG version);

/// Size in bytes of DRIVER_INITIALIZATION_DATA in a driver's table. Memory beyond it does not belong to the table.
size_t DriverTableBytes(ULONG version);
/// Size in bytes of DXGKRNL_INTERFACE as passed to the driver in the member Size. Build 22621 was observed to pass
/// 0x100 to drivers of Windows 8, 0x138 at 2.0, and 0x240 at 2.8 and later.
size_t KernelTableBytes(ULONG version);
/// Size in bytes of DXGKRNL_INTERFACE as the version defines it. Callbacks beyond this size are
/// absent even if the member Size is larger.
size_t KernelTableKnown(ULONG version);
/// Number of bytes that DXGKQAITYPE_DRIVERCAPS requests.
size_t DriverCapsBytes(ULONG version);
/// Number of bytes that DXGKQAITYPE_PHYSICALADAPTERCAPS requests: everything up to the last member
/// that the version defines (driver authors observed 20 at 2.0 and 24 at 2.4).
size_t PhysicalAdapterCapsBytes(ULONG version);

/// True if the version defines DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, DXGKQAITYPE_IOMMU_CAPS, memory
/// objects, ADLs and operation 17 (MAP_APERTURE_SEGMENT2).
constexpr bool HasMemoryCaps(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9; }
/// True if the version defines DMA remapping, "introduced in WDDM 3.0". Older versions already
/// define the structures that remapping uses.
constexpr bool HasDmaRemapping(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM3_0; }
/// True if the version defines GPU isolation: DXGK_VIDMMCAPS.IoMmuSecureModeSupported, exclusive access, reserved
/// ranges, frame buffer save.
constexpr bool HasIsolation(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_4; }
/// True if the version defines DXGK_OPERATION_SIGNAL_MONITORED_FENCE.
constexpr bool HasSignalOperation(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_2; }

/// Clears the members that `version` does not define (since.def), and appends the names of those
/// that were set to `cleared`. `where` is a suffix such as " of segment 1". The documentation does
/// not say what Windows does with such members; the headers of the older version call them
/// reserved.
void ClearNewer(ULONG version, std::type_index structure, void* object, const std::string& where,
                std::vector<std::string>& cleared);
template <typename Structure>
void ClearNewer(ULONG version, Structure& object, std::vector<std::string>& cleared, const std::string& where = "") {
  ClearNewer(version, typeid(Structure), &object, where, cleared);
}

}  // namespace gmmu::os
