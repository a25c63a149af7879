/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that the import scan must refuse. It is never linked or run. */
typedef unsigned long long Size;
void* MmAllocateContiguousMemory(Size bytes, long long highest);
void MmProbeAndLockPages(void* list, char mode, int operation);
int DxgkInitialize(void* object, void* path, void* table);
int AddDevice(void* device);

int DriverEntry(void* object, void* path) {
  void* memory = MmAllocateContiguousMemory(4096, -1);
  MmProbeAndLockPages(memory, 0, 1);
  return DxgkInitialize(object, path, memory) + AddDevice(memory);
}
