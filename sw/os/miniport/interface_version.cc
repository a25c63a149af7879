// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/interface_version.h"

#include <algorithm>
#include <iterator>

#include "os/base/text.h"

namespace gmmu::os {
namespace {

/// The sizes of the structures in one interface version. Each size is the offset of the first
/// member that the next version adds.
struct Version {
  ULONG number;
  const char* name;
  size_t driver_table, kernel_table, driver_caps, physical_caps;
};

#define DRIVER_TO(entry) offsetof(DRIVER_INITIALIZATION_DATA, entry)
#define KERNEL_TO(callback) offsetof(DXGKRNL_INTERFACE, callback)
constexpr size_t kDriverAll = sizeof(DRIVER_INITIALIZATION_DATA), kKernelAll = sizeof(DXGKRNL_INTERFACE);
constexpr size_t kCaps20 = offsetof(DXGK_DRIVERCAPS, MiscCaps);
constexpr size_t kCaps24 = offsetof(DXGK_DRIVERCAPS, HwQueuedFlipCaps);
constexpr size_t kCaps29 = sizeof(DXGK_DRIVERCAPS);
constexpr size_t kPhysical20 = offsetof(DXGK_PHYSICALADAPTERCAPS, VPRPagingNode);
constexpr size_t kPhysical21 = offsetof(DXGK_PHYSICALADAPTERCAPS, VirtualCopyNodeIndex);
constexpr size_t kPhysical27 = sizeof(DXGK_PHYSICALADAPTERCAPS);

constexpr Version kVersions[] = {
    {DXGKDDI_INTERFACE_VERSION_WIN8, "WDDM 1.2", 0, 0x100, 0, 0},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3, "WDDM 1.3", 0, KERNEL_TO(DxgkCbMapContextAllocation), 0, 0},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0, "WDDM 2.0", DRIVER_TO(DxgkDdiCheckMultiPlaneOverlaySupport3),
     KERNEL_TO(DxgkCbMultiPlaneOverlayDisabled), kCaps20, kPhysical20},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_1, "WDDM 2.1", DRIVER_TO(DxgkDdiCreateHwContext),
     KERNEL_TO(DxgkCbInvalidateHwContext), kCaps20, kPhysical21},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_2, "WDDM 2.2", DRIVER_TO(DxgkDdiUpdateHwContextState),
     KERNEL_TO(DxgkCbSetProtectedSessionStatus), kCaps20, kPhysical21},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_3, "WDDM 2.3", DRIVER_TO(DxgkDdiSetSchedulingLogBuffer),
     KERNEL_TO(DxgkCbAllocateContiguousMemory), kCaps20, kPhysical21},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_4, "WDDM 2.4", DRIVER_TO(DxgkDdiSignalMonitoredFence),
     KERNEL_TO(DxgkCbSignalEvent), kCaps24, kPhysical21},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_5, "WDDM 2.5", DRIVER_TO(DxgkDdiSaveMemoryForHotUpdate),
     KERNEL_TO(DxgkCbIsFeatureEnabled), kCaps24, kPhysical21},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_6, "WDDM 2.6", DRIVER_TO(DxgkDdiControlInterrupt3),
     KERNEL_TO(DxgkCbNotifyCursorSupportChange), kCaps24, kPhysical21},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_7, "WDDM 2.7", DRIVER_TO(DxgkDdiSetFlipQueueLogBuffer),
     KERNEL_TO(DxgkCbNotifyCursorSupportChange), kCaps24, kPhysical27},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_8, "WDDM 2.8", DRIVER_TO(DxgkDdiSetFlipQueueLogBuffer),
     KERNEL_TO(DxgkCbQueryFeatureSupport), kCaps24, kPhysical27},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_9, "WDDM 2.9", DRIVER_TO(DxgkDdiSetAllocationBackingStore),
     KERNEL_TO(DxgkCbDisconnectDoorbell), kCaps29, kPhysical27},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_0, "WDDM 3.0", DRIVER_TO(DxgkDdiCreateNativeFence),
     KERNEL_TO(DxgkCbDisconnectDoorbell), kCaps29, kPhysical27},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_1, "WDDM 3.1", kDriverAll, kKernelAll, kCaps29, kPhysical27},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_2, "WDDM 3.2", kDriverAll, kKernelAll, kCaps29, kPhysical27},
};
#undef DRIVER_TO
#undef KERNEL_TO

struct Newer {
  std::type_index structure;
  const char* name;
  ULONG since;
  bool (*clear)(void* object);  ///< true: the member was set
};

const Newer kNewer[] = {
#define SINCE(structure, member, version)                                                             \
  {typeid(structure), #structure "." #member, DXGKDDI_INTERFACE_VERSION_##version, [](void* object) { \
     auto& of = *static_cast<structure*>(object);                                                     \
     const bool set = of.member != 0;                                                                 \
     of.member = 0;                                                                                   \
     return set;                                                                                      \
   }},
#include "os/miniport/since.def"
};

/// Returns the newest version <= `number`, or the oldest version if there is none.
const Version& At(ULONG number) {
  const auto above = std::upper_bound(std::begin(kVersions), std::end(kVersions), number,
                                      [](ULONG value, const Version& version) { return value < version.number; });
  return above == std::begin(kVersions) ? kVersions[0] : *(above - 1);
}

}  // namespace

std::string NameOfVersion(ULONG version) {
  const Version& known = At(version);
  return known.number == version ? known.name : Hex(version);
}

size_t DriverTableBytes(ULONG version) { return At(version).driver_table; }

size_t KernelTableBytes(ULONG version) {
  return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_8 ? sizeof(DXGKRNL_INTERFACE) : At(version).kernel_table;
}

size_t KernelTableKnown(ULONG version) { return At(version).kernel_table; }

size_t DriverCapsBytes(ULONG version) { return At(version).driver_caps; }

size_t PhysicalAdapterCapsBytes(ULONG version) { return At(version).physical_caps; }

void ClearNewer(ULONG version, std::type_index structure, void* object, const std::string& where,
                std::vector<std::string>& cleared) {
  for (const Newer& member : kNewer) {
    if (member.structure == structure && version < member.since && member.clear(object)) {
      cleared.push_back(member.name + where + ", which is of " + NameOfVersion(member.since) + "; the driver is of " +
                        NameOfVersion(version));
    }
  }
}

}  // namespace gmmu::os
