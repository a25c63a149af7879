/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that wants a routine that no kernel has. */
int NobodyHasThisRoutine(void);
int DriverEntry(void* object, void* path);
int DriverEntry(void* object, void* path) {
  (void)object;
  (void)path;
  return NobodyHasThisRoutine();
}
