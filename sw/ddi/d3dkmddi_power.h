/* SPDX-License-Identifier: Apache-2.0 */
/* Power components. */
#ifndef GMMU_DDI_D3DKMDDI_POWER_H
#define GMMU_DDI_D3DKMDDI_POWER_H

#include "guiddef.h"

#define DXGK_MAX_F_STATES 8
#define DXGK_MAX_P_STATES 32
#define DXGK_POWER_COMPONENT_NAME_SIZE 40
#define DXGK_MAX_POWER_COMPONENT_PROVIDERS 16

DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_PREPARE_TO_START, 0xcba549d4, 0xcf3a, 0x445c, 0x94, 0x68, 0x23, 0x83, 0xfd,
            0x52, 0x31, 0x16);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STARTED, 0x6c929c1d, 0x7d76, 0x4538, 0x93, 0xad, 0x44, 0x9d, 0xc9, 0xfd, 0xc2,
            0x39);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED, 0xa9d9621, 0xbc21, 0x4dd4, 0xa0, 0xfc, 0xd9, 0x76, 0xe4, 0x28, 0xf7,
            0x38);

typedef struct _DXGK_POWER_RUNTIME_STATE {
  ULONGLONG TransitionLatency;
  ULONGLONG ResidencyRequirement;
  ULONG NominalPower;
} DXGK_POWER_RUNTIME_STATE;

typedef enum _DXGK_POWER_COMPONENT_TYPE {
  DXGK_POWER_COMPONENT_ENGINE = 0,
  DXGK_POWER_COMPONENT_MONITOR = 1,
  DXGK_POWER_COMPONENT_MONITOR_REFRESH = 2,
  DXGK_POWER_COMPONENT_MEMORY = 3,
  DXGK_POWER_COMPONENT_MEMORY_REFRESH = 4,
  DXGK_POWER_COMPONENT_OTHER = 5,
  DXGK_POWER_COMPONENT_D3_TRANSITION = 6,
  DXGK_POWER_COMPONENT_SHARED = 7,
  DXGK_POWER_COMPONENT_MAX = 8
} DXGK_POWER_COMPONENT_TYPE;

typedef struct _DXGK_POWER_COMPONENT_MAPPING {
  DXGK_POWER_COMPONENT_TYPE ComponentType;
  union {
    struct {
      UINT NodeIndex;
    } EngineDesc;
    struct {
      UINT VidPnSourceID;
    } MonitorRefreshDesc;
    struct {
      UINT VidPnTargetID;
    } MonitorDesc;
    struct {
      UINT SegmentID; /* from 0 */
    } MemoryDesc;
  };
} DXGK_POWER_COMPONENT_MAPPING;

typedef struct _DXGK_POWER_COMPONENT_FLAGS {
  union {
    struct {
      UINT Reserved0 : 1;
      UINT DriverCompletesFStateTransition : 1;
      UINT TransitionTo_F0_OnDx : 1;
      UINT NoDebounce : 1;
      UINT ActiveInD3 : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_POWER_COMPONENT_FLAGS;

typedef struct _DXGK_POWER_RUNTIME_COMPONENT {
  ULONG StateCount;
  DXGK_POWER_RUNTIME_STATE States[DXGK_MAX_F_STATES];
  DXGK_POWER_COMPONENT_MAPPING ComponentMapping;
  DXGK_POWER_COMPONENT_FLAGS Flags;
  GUID ComponentGuid;
  UCHAR ComponentName[DXGK_POWER_COMPONENT_NAME_SIZE];
  ULONG ProviderCount;
  ULONG Providers[DXGK_MAX_POWER_COMPONENT_PROVIDERS];
} DXGK_POWER_RUNTIME_COMPONENT;

typedef struct DXGKARG_SETSTABLEPOWERSTATE {
  BOOL Enabled;
} DXGKARG_SETSTABLEPOWERSTATE;

#endif
