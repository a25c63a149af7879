/* SPDX-License-Identifier: Apache-2.0 */
/* Bus types that adapter code refers to: configuration space, ports, scatter-gather lists. The routines are declared
 * but not implemented, as in wdm_names.h. */
#ifndef GMMU_DDI_WDM_BUS_H
#define GMMU_DDI_WDM_BUS_H

#include "wdm_names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PCI_TYPE0_ADDRESSES 6
#define PCI_DEVICE_TYPE 0
#define PCI_INVALID_VENDORID 0xFFFF
#define PCI_WHICHSPACE_CONFIG 0
#define PCI_ENABLE_IO_SPACE 0x0001
#define PCI_ENABLE_MEMORY_SPACE 0x0002
#define PCI_ENABLE_BUS_MASTER 0x0004
#define PCI_STATUS_CAPABILITIES_LIST 0x0010
#define PCI_CAPABILITY_ID_MSI 0x05
#define PCI_CAPABILITY_ID_VENDOR_SPECIFIC 0x09
#define PCI_CAPABILITY_ID_PCI_EXPRESS 0x10
#define PCI_CAPABILITY_ID_MSIX 0x11
typedef struct _PCI_COMMON_HEADER {
  USHORT VendorID;
  USHORT DeviceID;
  USHORT Command;
  USHORT Status;
  UCHAR RevisionID;
  UCHAR ProgIf;
  UCHAR SubClass;
  UCHAR BaseClass;
  UCHAR CacheLineSize;
  UCHAR LatencyTimer;
  UCHAR HeaderType;
  UCHAR BIST;
  union {
    struct {
      ULONG BaseAddresses[PCI_TYPE0_ADDRESSES];
      ULONG CIS;
      USHORT SubVendorID;
      USHORT SubSystemID;
      ULONG ROMBaseAddress;
      UCHAR CapabilitiesPtr;
      UCHAR Reserved1[3];
      ULONG Reserved2;
      UCHAR InterruptLine;
      UCHAR InterruptPin;
      UCHAR MinimumGrant;
      UCHAR MaximumLatency;
    } type0;
  } u;
} PCI_COMMON_HEADER, *PPCI_COMMON_HEADER;
typedef struct _PCI_CAPABILITIES_HEADER {
  UCHAR CapabilityID;
  UCHAR Next;
} PCI_CAPABILITIES_HEADER, *PPCI_CAPABILITIES_HEADER;

typedef struct _SCATTER_GATHER_ELEMENT {
  PHYSICAL_ADDRESS Address;
  ULONG Length;
  ULONG_PTR Reserved;
} SCATTER_GATHER_ELEMENT, *PSCATTER_GATHER_ELEMENT;
typedef struct _SCATTER_GATHER_LIST {
  ULONG NumberOfElements;
  ULONG_PTR Reserved;
  SCATTER_GATHER_ELEMENT Elements[];
} SCATTER_GATHER_LIST, *PSCATTER_GATHER_LIST;

#define ARGUMENT_PRESENT(pointer) ((pointer) != NULL)
#define Int32x32To64(a, b) ((LONGLONG)(LONG)(a) * (LONGLONG)(LONG)(b))
#define UInt32x32To64(a, b) ((ULONGLONG)(ULONG)(a) * (ULONGLONG)(ULONG)(b))
#define IO_NO_INCREMENT 0
typedef enum _LOCK_OPERATION { IoReadAccess = 0, IoWriteAccess = 1, IoModifyAccess = 2 } LOCK_OPERATION;

UCHAR READ_PORT_UCHAR(PUCHAR Port);
USHORT READ_PORT_USHORT(PUSHORT Port);
ULONG READ_PORT_ULONG(PULONG Port);
void WRITE_PORT_UCHAR(PUCHAR Port, UCHAR Value);
void WRITE_PORT_USHORT(PUSHORT Port, USHORT Value);
void WRITE_PORT_ULONG(PULONG Port, ULONG Value);
BOOLEAN MmIsAddressValid(PVOID VirtualAddress);
void MmProbeAndLockPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode, LOCK_OPERATION Operation);
void MmUnlockPages(PMDL MemoryDescriptorList);

#ifdef __cplusplus
}
#endif

#endif
