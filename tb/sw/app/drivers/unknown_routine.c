/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that imports a routine that no kernel exports. */
int NobodyHasThisRoutine(void);
int DriverEntry(void* object, void* path);
int DriverEntry(void* object, void* path) {
  (void)object;
  (void)path;
  return NobodyHasThisRoutine();
}
