/* SPDX-License-Identifier: Apache-2.0 */
/* The second object file in the archive of the driver in forbidden.c. The symbols that it defines
 * are not imports. */
int AddDevice(void* device) { return device != 0; }
