// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <typeindex>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// What an interface version has (DXGKDDI_INTERFACE_VERSION_*, from a driver's table): the sizes of the structures that
/// grew, and the other features of the version. A version between two of the kit's has what the lower one has. Sources:
/// the kit's headers; sizes of build 22621 where they were seen.

/// Returns "WDDM 2.4" for 0x9006; the number if the version has no name.
std::string NameOfVersion(ULONG version);

/// Bytes of DRIVER_INITIALIZATION_DATA in a driver's table. Memory beyond them is not the driver's table.
size_t DriverTableBytes(ULONG version);
/// Bytes of DXGKRNL_INTERFACE that the driver is offered in its member Size. Build 22621 was seen to offer 0x100 to
/// drivers of Windows 8, 0x138 at 2.0, and 0x240 from 2.8 on.
size_t KernelTableBytes(ULONG version);
/// Bytes of DXGKRNL_INTERFACE that the version defines; a callback beyond them is absent even if Size is larger.
size_t KernelTableKnown(ULONG version);
/// Bytes that a DXGKQAITYPE_DRIVERCAPS query requests.
size_t DriverCapsBytes(ULONG version);
/// Number of bytes that DXGKQAITYPE_PHYSICALADAPTERCAPS requests, up to the last member of the version (seen by driver
/// authors: 20 at 2.0, 24 at 2.4).
size_t PhysicalAdapterCapsBytes(ULONG version);

/// True if it has DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, DXGKQAITYPE_IOMMU_CAPS, memory objects, ADLs and operation 17.
constexpr bool HasMemoryCaps(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9; }
/// True if it has DMA remapping, "introduced in WDDM 3.0". The structures that remapping needs are older.
constexpr bool HasDmaRemapping(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM3_0; }
/// GPU isolation: DXGK_VIDMMCAPS.IoMmuSecureModeSupported, exclusive access, reserved ranges, frame buffer save.
constexpr bool HasIsolation(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_4; }
/// DXGK_OPERATION_SIGNAL_MONITORED_FENCE.
constexpr bool HasSignalOperation(ULONG version) { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_2; }

/// Clears the members that `version` lacks (since.def) and adds the names of those that were set to `cleared`. `where`:
/// " of segment 1". No source says what Windows does with them; a driver's own headers call them reserved.
void ClearNewer(ULONG version, std::type_index structure, void* object, const std::string& where,
                std::vector<std::string>& cleared);
template <typename Structure>
void ClearNewer(ULONG version, Structure& object, std::vector<std::string>& cleared, const std::string& where = "") {
  ClearNewer(version, typeid(Structure), &object, where, cleared);
}

}  // namespace gmmu::os
