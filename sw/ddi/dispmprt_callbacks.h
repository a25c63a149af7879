/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the display port's callbacks. The pointer that DXGKCB_MAP_MEMORY returns must be accessed only through
 * READ_REGISTER_* and WRITE_REGISTER_* (wdm.h). */
#ifndef GMMU_DDI_DISPMPRT_CALLBACKS_H
#define GMMU_DDI_DISPMPRT_CALLBACKS_H

#include "dispmprt_types.h"

typedef VOID (*DXGKDDI_PROTECTED_CALLBACK)(IN_CONST_PVOID MiniportDeviceContext, PVOID ProtectedCallbackContext,
                                           NTSTATUS ProtectionStatus);
typedef NTSTATUS (*DXGKCB_EVAL_ACPI_METHOD)(HANDLE DeviceHandle, ULONG DeviceUid,
                                            PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer, ULONG AcpiInputSize,
                                            PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer, ULONG AcpiOutputSize);
typedef NTSTATUS (*DXGKCB_GET_DEVICE_INFORMATION)(HANDLE DeviceHandle, PDXGK_DEVICE_INFO DeviceInfo);
typedef NTSTATUS (*DXGKCB_INDICATE_CHILD_STATUS)(HANDLE DeviceHandle, PDXGK_CHILD_STATUS ChildStatus);
typedef NTSTATUS (*DXGKCB_MAP_MEMORY)(HANDLE DeviceHandle, PHYSICAL_ADDRESS TranslatedAddress, ULONG Length,
                                      BOOLEAN InIoSpace, BOOLEAN MapToUserMode, MEMORY_CACHING_TYPE CacheType,
                                      PVOID* VirtualAddress);
typedef BOOLEAN (*DXGKCB_QUEUE_DPC)(HANDLE DeviceHandle);
typedef NTSTATUS (*DXGKCB_QUERY_SERVICES)(HANDLE DeviceHandle, DXGK_SERVICES ServicesType, PINTERFACE Interface);
typedef NTSTATUS (*DXGKCB_READ_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset,
                                             ULONG Length, PULONG BytesRead);
typedef NTSTATUS (*DXGKCB_SYNCHRONIZE_EXECUTION)(HANDLE DeviceHandle, PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                 PVOID Context, ULONG MessageNumber, PBOOLEAN ReturnValue);
typedef NTSTATUS (*DXGKCB_UNMAP_MEMORY)(HANDLE DeviceHandle, PVOID VirtualAddress);
typedef NTSTATUS (*DXGKCB_WRITE_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset,
                                              ULONG Length, PULONG BytesWritten);
typedef NTSTATUS (*DXGKCB_IS_DEVICE_PRESENT)(HANDLE DeviceHandle,
                                             PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
                                             PBOOLEAN DevicePresent);
typedef void (*DXGKCB_LOG_ETW_EVENT)(CONST LPCGUID EventGuid, UCHAR Type, USHORT EventBufferSize, PVOID EventBuffer);
typedef NTSTATUS (*DXGKCB_EXCLUDE_ADAPTER_ACCESS)(HANDLE DeviceHandle, ULONG Attributes,
                                                  DXGKDDI_PROTECTED_CALLBACK DxgkProtectedCallback,
                                                  PVOID ProtectedCallbackContext);
typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP)(HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo);
typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2)(HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo,
                                                           PDXGK_DISPLAY_OWNERSHIP_FLAGS Flags);

#endif
