/* SPDX-License-Identifier: Apache-2.0 */
/* The display port: driver table, kernel interface, start information.
 * PVOID members stand at the places of entry points that have no part in memory management. */
#ifndef GMMU_DDI_DISPMPRT_H
#define GMMU_DDI_DISPMPRT_H

#include "d3dkmddi.h"
#include "wdm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _DXGK_START_INFO {
  ULONG RequiredDmaQueueEntry;
  GUID AdapterGuid;
  LARGE_INTEGER AdapterLuid;
} DXGK_START_INFO, *PDXGK_START_INFO;

typedef struct _DXGK_DEVICE_INFO {
  PVOID MiniportDeviceContext;
  PDEVICE_OBJECT PhysicalDeviceObject;
  UNICODE_STRING DeviceRegistryPath;
  PCM_RESOURCE_LIST TranslatedResourceList;
  LARGE_INTEGER SystemMemorySize;
  PHYSICAL_ADDRESS HighestPhysicalAddress;
  PHYSICAL_ADDRESS AgpApertureBase;
  SIZE_T AgpApertureSize;
  ULONG DockingState;
} DXGK_DEVICE_INFO, *PDXGK_DEVICE_INFO;

typedef struct _LINKED_DEVICE {
  ULONG ChainUid;
  ULONG NumberOfLinksInChain;
  BOOLEAN LeadLink;
} LINKED_DEVICE, *PLINKED_DEVICE;

#define DXGK_WHICHSPACE_CONFIG 0

typedef NTSTATUS DXGKCB_GET_DEVICE_INFORMATION(HANDLE DeviceHandle, PDXGK_DEVICE_INFO DeviceInfo);
/* The pointer of device memory is for READ_/WRITE_REGISTER_* only (wdm.h). */
typedef NTSTATUS DXGKCB_MAP_MEMORY(HANDLE DeviceHandle, PHYSICAL_ADDRESS TranslatedAddress, ULONG Length,
                                   BOOLEAN InIoSpace, BOOLEAN MapToUserMode, MEMORY_CACHING_TYPE CacheType,
                                   PVOID* VirtualAddress);
typedef NTSTATUS DXGKCB_UNMAP_MEMORY(HANDLE DeviceHandle, PVOID VirtualAddress);
typedef BOOLEAN DXGKCB_QUEUE_DPC(HANDLE DeviceHandle);
typedef NTSTATUS DXGKCB_SYNCHRONIZE_EXECUTION(HANDLE DeviceHandle, PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                              PVOID Context, ULONG MessageNumber, BOOLEAN* ReturnValue);
typedef NTSTATUS DXGKCB_READ_DEVICE_SPACE(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset, ULONG Length,
                                          ULONG* BytesRead);
typedef NTSTATUS DXGKCB_WRITE_DEVICE_SPACE(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset,
                                           ULONG Length, ULONG* BytesWritten);

/* Size, Version, DeviceHandle, then callbacks in the order of the kit, by version. */
typedef struct _DXGKRNL_INTERFACE {
  ULONG Size;
  ULONG Version;
  HANDLE DeviceHandle;
  PVOID DxgkCbEvalAcpiMethod;
  DXGKCB_GET_DEVICE_INFORMATION* DxgkCbGetDeviceInformation;
  PVOID DxgkCbIndicateChildStatus;
  DXGKCB_MAP_MEMORY* DxgkCbMapMemory;
  DXGKCB_QUEUE_DPC* DxgkCbQueueDpc;
  PVOID DxgkCbQueryServices;
  DXGKCB_READ_DEVICE_SPACE* DxgkCbReadDeviceSpace;
  DXGKCB_SYNCHRONIZE_EXECUTION* DxgkCbSynchronizeExecution;
  DXGKCB_UNMAP_MEMORY* DxgkCbUnmapMemory;
  DXGKCB_WRITE_DEVICE_SPACE* DxgkCbWriteDeviceSpace;
  PVOID DxgkCbIsDevicePresent;
  PVOID DxgkCbGetHandleData;
  PVOID DxgkCbGetHandleParent;
  PVOID DxgkCbEnumHandleChildren;
  DXGKCB_NOTIFY_INTERRUPT* DxgkCbNotifyInterrupt;
  DXGKCB_NOTIFY_DPC* DxgkCbNotifyDpc;
  PVOID DxgkCbQueryVidPnInterface;
  PVOID DxgkCbQueryMonitorInterface;
  PVOID DxgkCbGetCaptureAddress;
  PVOID DxgkCbLogEtwEvent;
  PVOID DxgkCbExcludeAdapterAccess;
  DXGKCB_CREATECONTEXTALLOCATION* DxgkCbCreateContextAllocation;
  DXGKCB_DESTROYCONTEXTALLOCATION* DxgkCbDestroyContextAllocation;
  PVOID DxgkCbSetPowerComponentActive;
  PVOID DxgkCbSetPowerComponentIdle;
  PVOID DxgkCbAcquirePostDisplayOwnership;
  PVOID DxgkCbPowerRuntimeControlRequest;
  PVOID DxgkCbSetPowerComponentLatency;
  PVOID DxgkCbSetPowerComponentResidency;
  PVOID DxgkCbCompleteFStateTransition;
  PVOID DxgkCbCompletePStateTransition;
  DXGKCB_MAPCONTEXTALLOCATION* DxgkCbMapContextAllocation;
  DXGKCB_UPDATECONTEXTALLOCATION* DxgkCbUpdateContextAllocation;
  DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE* DxgkCbReserveGpuVirtualAddressRange;
  PVOID DxgkCbAcquireHandleData;
  PVOID DxgkCbReleaseHandleData;
  PVOID DxgkCbHardwareContentProtectionTeardown;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1
  PVOID DxgkCbMultiPlaneOverlayDisabled;
  PVOID DxgkCbMitigatedRangeUpdate;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2
  PVOID DxgkCbInvalidateHwContext;
  PVOID DxgkCbIndicateConnectorChange;
  PVOID DxgkCbUnblockUEFIFrameBufferRanges;
  PVOID DxgkCbAcquirePostDisplayOwnership2;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3
  PVOID DxgkCbSetProtectedSessionStatus;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4
  DXGKCB_ALLOCATECONTIGUOUSMEMORY* DxgkCbAllocateContiguousMemory;
  DXGKCB_FREECONTIGUOUSMEMORY* DxgkCbFreeContiguousMemory;
  DXGKCB_ALLOCATEPAGESFORMDL* DxgkCbAllocatePagesForMdl;
  DXGKCB_FREEPAGESFROMMDL* DxgkCbFreePagesFromMdl;
  DXGKCB_PINFRAMEBUFFERFORSAVE* DxgkCbPinFrameBufferForSave;
  DXGKCB_UNPINFRAMEBUFFERFORSAVE* DxgkCbUnpinFrameBufferForSave;
  DXGKCB_MAPFRAMEBUFFERPOINTER* DxgkCbMapFrameBufferPointer;
  DXGKCB_UNMAPFRAMEBUFFERPOINTER* DxgkCbUnmapFrameBufferPointer;
  DXGKCB_MAPMDLTOIOMMU* DxgkCbMapMdlToIoMmu;
  DXGKCB_UNMAPMDLFROMIOMMU* DxgkCbUnmapMdlFromIoMmu;
  PVOID DxgkCbReportDiagnostic;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5
  PVOID DxgkCbSignalEvent;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6
  PVOID DxgkCbIsFeatureEnabled;
  PVOID DxgkCbSaveMemoryForHotUpdate;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8
  PVOID DxgkCbNotifyCursorSupportChange;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9
  PVOID DxgkCbQueryFeatureSupport;
  DXGKCB_CREATEPHYSICALMEMORYOBJECT* DxgkCbCreatePhysicalMemoryObject;
  DXGKCB_DESTROYPHYSICALMEMORYOBJECT* DxgkCbDestroyPhysicalMemoryObject;
  DXGKCB_MAPPHYSICALMEMORY* DxgkCbMapPhysicalMemory;
  DXGKCB_UNMAPPHYSICALMEMORY* DxgkCbUnmapPhysicalMemory;
  DXGKCB_ALLOCATEADL* DxgkCbAllocateAdl;
  DXGKCB_FREEADL* DxgkCbFreeAdl;
  DXGKCB_OPENPHYSICALMEMORYOBJECT* DxgkCbOpenPhysicalMemoryObject;
  DXGKCB_CLOSEPHYSICALMEMORYOBJECT* DxgkCbClosePhysicalMemoryObject;
  DXGKCB_PINFRAMEBUFFERFORSAVE2* DxgkCbPinFrameBufferForSave2;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1
  PVOID DxgkCbDisconnectDoorbell;
#endif
} DXGKRNL_INTERFACE, *PDXGKRNL_INTERFACE;

typedef NTSTATUS DXGKDDI_ADD_DEVICE(PDEVICE_OBJECT PhysicalDeviceObject, PVOID* MiniportDeviceContext);
typedef NTSTATUS DXGKDDI_START_DEVICE(PVOID MiniportDeviceContext, PDXGK_START_INFO DxgkStartInfo,
                                      PDXGKRNL_INTERFACE DxgkInterface, PULONG NumberOfVideoPresentSources,
                                      PULONG NumberOfChildren);
typedef NTSTATUS DXGKDDI_STOP_DEVICE(PVOID MiniportDeviceContext);
typedef NTSTATUS DXGKDDI_REMOVE_DEVICE(PVOID MiniportDeviceContext);
typedef BOOLEAN DXGKDDI_INTERRUPT_ROUTINE(PVOID MiniportDeviceContext, ULONG MessageNumber);
typedef void DXGKDDI_DPC_ROUTINE(PVOID MiniportDeviceContext);
typedef NTSTATUS DXGKDDI_SET_POWER_STATE(PVOID MiniportDeviceContext, ULONG DeviceUid,
                                         DEVICE_POWER_STATE DevicePowerState, POWER_ACTION ActionType);
typedef void DXGKDDI_RESET_DEVICE(PVOID MiniportDeviceContext);
typedef void DXGKDDI_UNLOAD(void);
typedef NTSTATUS DXGKDDI_LINK_DEVICE(PDEVICE_OBJECT PhysicalDeviceObject, PVOID MiniportDeviceContext,
                                     PLINKED_DEVICE LinkedDevice);

/* Members in the order of the kit, by version: 0x4F0 bytes at 0xE003 (observed). What stands behind
 * SetInterruptTargetPresentId rests on documents only. */
typedef struct _DRIVER_INITIALIZATION_DATA {
  ULONG Version;
  DXGKDDI_ADD_DEVICE* DxgkDdiAddDevice;
  DXGKDDI_START_DEVICE* DxgkDdiStartDevice;
  DXGKDDI_STOP_DEVICE* DxgkDdiStopDevice;
  DXGKDDI_REMOVE_DEVICE* DxgkDdiRemoveDevice;
  PVOID DxgkDdiDispatchIoRequest;
  DXGKDDI_INTERRUPT_ROUTINE* DxgkDdiInterruptRoutine;
  DXGKDDI_DPC_ROUTINE* DxgkDdiDpcRoutine;
  PVOID DxgkDdiQueryChildRelations;
  PVOID DxgkDdiQueryChildStatus;
  PVOID DxgkDdiQueryDeviceDescriptor;
  DXGKDDI_SET_POWER_STATE* DxgkDdiSetPowerState;
  PVOID DxgkDdiNotifyAcpiEvent;
  DXGKDDI_RESET_DEVICE* DxgkDdiResetDevice;
  DXGKDDI_UNLOAD* DxgkDdiUnload;
  PVOID DxgkDdiQueryInterface;
  PVOID DxgkDdiControlEtwLogging;
  DXGKDDI_QUERYADAPTERINFO* DxgkDdiQueryAdapterInfo;
  DXGKDDI_CREATEDEVICE* DxgkDdiCreateDevice;
  DXGKDDI_CREATEALLOCATION* DxgkDdiCreateAllocation;
  DXGKDDI_DESTROYALLOCATION* DxgkDdiDestroyAllocation;
  PVOID DxgkDdiDescribeAllocation;
  PVOID DxgkDdiGetStandardAllocationDriverData;
  PVOID DxgkDdiAcquireSwizzlingRange;
  PVOID DxgkDdiReleaseSwizzlingRange;
  PVOID DxgkDdiPatch;
  DXGKDDI_SUBMITCOMMAND* DxgkDdiSubmitCommand;
  DXGKDDI_PREEMPTCOMMAND* DxgkDdiPreemptCommand;
  DXGKDDI_BUILDPAGINGBUFFER* DxgkDdiBuildPagingBuffer;
  PVOID DxgkDdiSetPalette;
  PVOID DxgkDdiSetPointerPosition;
  PVOID DxgkDdiSetPointerShape;
  DXGKDDI_RESETFROMTIMEOUT* DxgkDdiResetFromTimeout;
  DXGKDDI_RESTARTFROMTIMEOUT* DxgkDdiRestartFromTimeout;
  DXGKDDI_ESCAPE* DxgkDdiEscape;
  PVOID DxgkDdiCollectDbgInfo;
  DXGKDDI_QUERYCURRENTFENCE* DxgkDdiQueryCurrentFence;
  PVOID DxgkDdiIsSupportedVidPn;
  PVOID DxgkDdiRecommendFunctionalVidPn;
  PVOID DxgkDdiEnumVidPnCofuncModality;
  PVOID DxgkDdiSetVidPnSourceAddress;
  PVOID DxgkDdiSetVidPnSourceVisibility;
  PVOID DxgkDdiCommitVidPn;
  PVOID DxgkDdiUpdateActiveVidPnPresentPath;
  PVOID DxgkDdiRecommendMonitorModes;
  PVOID DxgkDdiRecommendVidPnTopology;
  PVOID DxgkDdiGetScanLine;
  PVOID DxgkDdiStopCapture;
  PVOID DxgkDdiControlInterrupt;
  PVOID DxgkDdiCreateOverlay;
  DXGKDDI_DESTROYDEVICE* DxgkDdiDestroyDevice;
  PVOID DxgkDdiOpenAllocation;
  PVOID DxgkDdiCloseAllocation;
  PVOID DxgkDdiRender;
  PVOID DxgkDdiPresent;
  PVOID DxgkDdiUpdateOverlay;
  PVOID DxgkDdiFlipOverlay;
  PVOID DxgkDdiDestroyOverlay;
  DXGKDDI_CREATECONTEXT* DxgkDdiCreateContext;
  DXGKDDI_DESTROYCONTEXT* DxgkDdiDestroyContext;
  DXGKDDI_LINK_DEVICE* DxgkDdiLinkDevice;
  PVOID DxgkDdiSetDisplayPrivateDriverFormat;
  PVOID DxgkDdiDescribePageTable;
  PVOID DxgkDdiUpdatePageTable;
  PVOID DxgkDdiUpdatePageDirectory;
  PVOID DxgkDdiMovePageDirectory;
  PVOID DxgkDdiSubmitRender;
  PVOID DxgkDdiCreateAllocation2;
  PVOID DxgkDdiRenderKm;
  PVOID Reserved;
  PVOID DxgkDdiQueryVidPnHWCapability;
  PVOID DxgkDdiSetPowerComponentFState;
  DXGKDDI_QUERYDEPENDENTENGINEGROUP* DxgkDdiQueryDependentEngineGroup;
  DXGKDDI_QUERYENGINESTATUS* DxgkDdiQueryEngineStatus;
  DXGKDDI_RESETENGINE* DxgkDdiResetEngine;
  PVOID DxgkDdiStopDeviceAndReleasePostDisplayOwnership;
  PVOID DxgkDdiSystemDisplayEnable;
  PVOID DxgkDdiSystemDisplayWrite;
  PVOID DxgkDdiCancelCommand;
  PVOID DxgkDdiGetChildContainerId;
  PVOID DxgkDdiPowerRuntimeControlRequest;
  PVOID DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay;
  PVOID DxgkDdiNotifySurpriseRemoval;
  DXGKDDI_GETNODEMETADATA* DxgkDdiGetNodeMetadata;
  PVOID DxgkDdiSetPowerPState;
  PVOID DxgkDdiControlInterrupt2;
  PVOID DxgkDdiCheckMultiPlaneOverlaySupport;
  PVOID DxgkDdiCalibrateGpuClock;
  PVOID DxgkDdiFormatHistoryBuffer;
  PVOID DxgkDdiRenderGdi;
  DXGKDDI_SUBMITCOMMANDVIRTUAL* DxgkDdiSubmitCommandVirtual;
  DXGKDDI_SETROOTPAGETABLE* DxgkDdiSetRootPageTable;
  DXGKDDI_GETROOTPAGETABLESIZE* DxgkDdiGetRootPageTableSize;
  DXGKDDI_MAPCPUHOSTAPERTURE* DxgkDdiMapCpuHostAperture;
  DXGKDDI_UNMAPCPUHOSTAPERTURE* DxgkDdiUnmapCpuHostAperture;
  PVOID DxgkDdiCheckMultiPlaneOverlaySupport2;
  DXGKDDI_CREATEPROCESS* DxgkDdiCreateProcess;
  DXGKDDI_DESTROYPROCESS* DxgkDdiDestroyProcess;
  PVOID DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2;
  PVOID Reserved1;
  PVOID Reserved2;
  PVOID DxgkDdiPowerRuntimeSetDeviceHandle;
  PVOID DxgkDdiSetStablePowerState;
  PVOID DxgkDdiSetVideoProtectedRegion;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1
  PVOID DxgkDdiCheckMultiPlaneOverlaySupport3;
  PVOID DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3;
  PVOID DxgkDdiPostMultiPlaneOverlayPresent;
  PVOID DxgkDdiValidateUpdateAllocationProperty;
  PVOID DxgkDdiControlModeBehavior;
  PVOID DxgkDdiUpdateMonitorLinkInfo;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2
  PVOID DxgkDdiCreateHwContext;
  PVOID DxgkDdiDestroyHwContext;
  PVOID DxgkDdiCreateHwQueue;
  PVOID DxgkDdiDestroyHwQueue;
  PVOID DxgkDdiSubmitCommandToHwQueue;
  PVOID DxgkDdiSwitchToHwContextList;
  PVOID DxgkDdiResetHwEngine;
  PVOID DxgkDdiCreatePeriodicFrameNotification;
  PVOID DxgkDdiDestroyPeriodicFrameNotification;
  PVOID DxgkDdiSetTimingsFromVidPn;
  PVOID DxgkDdiSetTargetGamma;
  PVOID DxgkDdiSetTargetContentType;
  PVOID DxgkDdiSetTargetAnalogCopyProtection;
  PVOID DxgkDdiSetTargetAdjustedColorimetry;
  PVOID DxgkDdiDisplayDetectControl;
  PVOID DxgkDdiQueryConnectionChange;
  PVOID DxgkDdiExchangePreStartInfo;
  PVOID DxgkDdiGetMultiPlaneOverlayCaps;
  PVOID DxgkDdiGetPostCompositionCaps;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3
  PVOID DxgkDdiUpdateHwContextState;
  PVOID DxgkDdiCreateProtectedSession;
  PVOID DxgkDdiDestroyProtectedSession;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4
  PVOID DxgkDdiSetSchedulingLogBuffer;
  PVOID DxgkDdiSetupPriorityBands;
  PVOID DxgkDdiNotifyFocusPresent;
  PVOID DxgkDdiSetContextSchedulingProperties;
  PVOID DxgkDdiSuspendContext;
  PVOID DxgkDdiResumeContext;
  PVOID DxgkDdiSetVirtualMachineData;
  DXGKDDI_BEGINEXCLUSIVEACCESS* DxgkDdiBeginExclusiveAccess;
  DXGKDDI_ENDEXCLUSIVEACCESS* DxgkDdiEndExclusiveAccess;
  PVOID DxgkDdiQueryDiagnosticTypesSupport;
  PVOID DxgkDdiControlDiagnosticReporting;
  PVOID DxgkDdiResumeHwEngine;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5
  DXGKDDI_SIGNALMONITOREDFENCE* DxgkDdiSignalMonitoredFence;
  PVOID DxgkDdiPresentToHwQueue;
  PVOID DxgkDdiValidateSubmitCommand;
  PVOID DxgkDdiSetTargetAdjustedColorimetry2;
  PVOID DxgkDdiSetTrackedWorkloadPowerLevel;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6
  PVOID DxgkDdiSaveMemoryForHotUpdate;
  PVOID DxgkDdiRestoreMemoryForHotUpdate;
  PVOID DxgkDdiCollectDiagnosticInfo;
  PVOID Reserved3;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7
  PVOID DxgkDdiControlInterrupt3;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9
  PVOID DxgkDdiSetFlipQueueLogBuffer;
  PVOID DxgkDdiUpdateFlipQueueLog;
  PVOID DxgkDdiCancelQueuedFlips;
  PVOID DxgkDdiSetInterruptTargetPresentId;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0
  DXGKDDI_SETALLOCATIONBACKINGSTORE* DxgkDdiSetAllocationBackingStore;
  PVOID DxgkDdiCreateCpuEvent;
  PVOID DxgkDdiDestroyCpuEvent;
  PVOID DxgkDdiCancelFlips;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1
  PVOID DxgkDdiCreateNativeFence;
  PVOID DxgkDdiDestroyNativeFence;
  PVOID DxgkDdiUpdateMonitoredValues;
  PVOID DxgkDdiNotifyCurrentValueUpdates;
  PVOID DxgkDdiCreateDoorbell;
  PVOID DxgkDdiConnectDoorbell;
  PVOID DxgkDdiDisconnectDoorbell;
  PVOID DxgkDdiDestroyDoorbell;
  PVOID DxgkDdiNotifyWorkSubmission;
  PVOID DxgkDdiFlushHwQueue;
#endif
} DRIVER_INITIALIZATION_DATA, *PDRIVER_INITIALIZATION_DATA;

/* Called once from DriverEntry; the table is copied. */
NTSTATUS DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                        PDRIVER_INITIALIZATION_DATA DriverInitializationData);

#ifdef __cplusplus
}
#endif
#endif
