/* SPDX-License-Identifier: Apache-2.0 */
/* The display port's description of a device: start information, resources, children, events. */
#ifndef GMMU_DDI_DISPMPRT_TYPES_H
#define GMMU_DDI_DISPMPRT_TYPES_H

#include "acpiioct.h"
#include "d3dkmddi_args.h"
#include "video.h"

#define DXGK_WHICHSPACE_CONFIG 0
#define DISPLAY_ADAPTER_HW_ID 0xFFFFFFFFu
#define ACPI_METHOD_HARDWARE_ID 0x4449485Fu /* _HID */

typedef struct _DXGK_START_INFO {
  ULONG RequiredDmaQueueEntry;
  GUID AdapterGuid;
  LUID AdapterLuid;
} DXGK_START_INFO, *PDXGK_START_INFO;

typedef enum _DOCKING_STATE {
  DockStateUnsupported = 0,
  DockStateUnDocked = 1,
  DockStateDocked = 2,
  DockStateUnknown = 3
} DOCKING_STATE;

typedef struct _DXGK_DEVICE_INFO {
  PVOID MiniportDeviceContext;
  PDEVICE_OBJECT PhysicalDeviceObject;
  UNICODE_STRING DeviceRegistryPath;
  PCM_RESOURCE_LIST TranslatedResourceList;
  LARGE_INTEGER SystemMemorySize;
  PHYSICAL_ADDRESS HighestPhysicalAddress;
  PHYSICAL_ADDRESS AgpApertureBase;
  SIZE_T AgpApertureSize;
  DOCKING_STATE DockingState;
} DXGK_DEVICE_INFO, *PDXGK_DEVICE_INFO;

typedef struct _LINKED_DEVICE {
  ULONG ChainUid;
  ULONG NumberOfLinksInChain;
  BOOLEAN LeadLink;
} LINKED_DEVICE, *PLINKED_DEVICE;

typedef enum _DXGK_CHILD_DEVICE_TYPE {
  TypeUninitialized = 0,
  TypeVideoOutput = 1,
  TypeOther = 2,
  TypeIntegratedDisplay = 3
} DXGK_CHILD_DEVICE_TYPE,
    *PDXGK_CHILD_DEVICE_TYPE;

typedef struct _DXGK_VIDEO_OUTPUT_CAPABILITIES {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
  BOOLEAN SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES, *PDXGK_VIDEO_OUTPUT_CAPABILITIES;

typedef struct _DXGK_INTEGRATED_DISPLAY_CHILD {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  USHORT DescriptorLength;
} DXGK_INTEGRATED_DISPLAY_CHILD, *PDXGK_INTEGRATED_DISPLAY_CHILD;

typedef enum _DXGK_CHILD_DEVICE_HPD_AWARENESS {
  HpdAwarenessUninitialized = 0,
  HpdAwarenessAlwaysConnected = 1,
  HpdAwarenessNone = 2,
  HpdAwarenessPolled = 3,
  HpdAwarenessInterruptible = 4
} DXGK_CHILD_DEVICE_HPD_AWARENESS,
    *PDXGK_CHILD_DEVICE_HPD_AWARENESS;

typedef struct _DXGK_CHILD_CAPABILITIES {
  union {
    DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
    struct {
      UINT MustBeZero;
    } Other;
    DXGK_INTEGRATED_DISPLAY_CHILD IntegratedDisplayChild;
  } Type;
  DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES, *PDXGK_CHILD_CAPABILITIES;

typedef struct _DXGK_CHILD_DESCRIPTOR {
  DXGK_CHILD_DEVICE_TYPE ChildDeviceType;
  DXGK_CHILD_CAPABILITIES ChildCapabilities;
  ULONG AcpiUid;
  ULONG ChildUid;
} DXGK_CHILD_DESCRIPTOR, *PDXGK_CHILD_DESCRIPTOR;

typedef enum _DXGK_CHILD_STATUS_TYPE {
  StatusUninitialized = 0,
  StatusConnection = 1,
  StatusRotation = 2,
  StatusMiracastConnection = 3
} DXGK_CHILD_STATUS_TYPE,
    *PDXGK_CHILD_STATUS_TYPE;

typedef struct _DXGK_CHILD_STATUS {
  DXGK_CHILD_STATUS_TYPE Type;
  ULONG ChildUid;
  union {
    struct {
      BOOLEAN Connected;
    } HotPlug;
    struct {
      UCHAR Angle;
    } Rotation;
    struct {
      BOOLEAN Connected;
      D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY MiracastMonitorType;
    } Miracast;
  };
} DXGK_CHILD_STATUS, *PDXGK_CHILD_STATUS;

typedef struct _DXGK_DEVICE_DESCRIPTOR {
  ULONG DescriptorOffset;
  ULONG DescriptorLength;
  PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR, *PDXGK_DEVICE_DESCRIPTOR;

typedef struct _DXGK_CHILD_CONTAINER_ID {
  GUID ContainerId;
  struct {
    ULONG64 PortId;
    USHORT ManufacturerName;
    USHORT ProductCode;
  } EldInfo;
} DXGK_CHILD_CONTAINER_ID, *PDXGK_CHILD_CONTAINER_ID;

typedef enum _DXGK_EVENT_TYPE {
  DxgkUndefinedEvent = 0,
  DxgkAcpiEvent = 1,
  DxgkPowerStateEvent = 2,
  DxgkDockingEvent = 3,
  DxgkChainedAcpiEvent = 4
} DXGK_EVENT_TYPE,
    *PDXGK_EVENT_TYPE;

typedef enum _DXGK_SURPRISE_REMOVAL_TYPE {
  DxgkRemovalHibernation = 0,
  DxgkRemovalPnPNotify = 1
} DXGK_SURPRISE_REMOVAL_TYPE;

typedef struct _DXGK_PRE_START_INFO {
  union {
    struct {
      UINT ReservedIn;
    };
    UINT Input;
  };
  union {
    struct {
      UINT SupportPreserveBootDisplay : 1;
      UINT IsUEFIFrameBufferCpuAccessibleDuringStartup : 1;
      UINT ReservedOut : 30;
    };
    UINT Output;
  };
} DXGK_PRE_START_INFO, *PDXGK_PRE_START_INFO;

typedef enum _DXGK_SERVICES {
  DxgkServicesAgp = 0,
  DxgkServicesDebugReport = 1,
  DxgkServicesTimedOperation = 2,
  DxgkServicesSPB = 3,
  DxgkServicesBDD = 4,
  DxgkServicesFirmwareTable = 5,
  DxgkServicesIDD = 6
} DXGK_SERVICES;

typedef struct _INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  VOID (*InterfaceReference)(PVOID Context);
  VOID (*InterfaceDereference)(PVOID Context);
} INTERFACE, *PINTERFACE;
typedef struct _QUERY_INTERFACE {
  CONST GUID* InterfaceType;
  USHORT Size;
  USHORT Version;
  PINTERFACE Interface;
  PVOID InterfaceSpecificData;
  ULONG DeviceUid;
} QUERY_INTERFACE, *PQUERY_INTERFACE;

typedef struct _PCI_DEVICE_PRESENCE_PARAMETERS* PPCI_DEVICE_PRESENCE_PARAMETERS;

typedef PDXGK_CHILD_STATUS INOUT_PDXGK_CHILD_STATUS;
typedef PDXGK_DEVICE_DESCRIPTOR INOUT_PDXGK_DEVICE_DESCRIPTOR;
typedef PLINKED_DEVICE INOUT_PLINKED_DEVICE;
typedef DXGK_EVENT_TYPE IN_DXGK_EVENT_TYPE;
typedef PDXGK_PRE_START_INFO IN_OUT_PDXGK_PRE_START_INFO;
typedef struct _DXGKRNL_INTERFACE DXGKRNL_INTERFACE, *PDXGKRNL_INTERFACE;
typedef PDXGKRNL_INTERFACE IN_PDXGKRNL_INTERFACE;
typedef PDXGK_START_INFO IN_PDXGK_START_INFO;
typedef PQUERY_INTERFACE IN_PQUERY_INTERFACE;
typedef PVIDEO_REQUEST_PACKET IN_PVIDEO_REQUEST_PACKET;
typedef PDXGK_CHILD_STATUS IN_PDXGK_CHILD_STATUS;
typedef PDXGK_CHILD_DESCRIPTOR INOUT_PDXGK_CHILD_DESCRIPTOR;

#endif
