/* SPDX-License-Identifier: Apache-2.0 */
/* The other object in that driver's archive. The symbols that it defines are not imports. */
int AddDevice(void* device) { return device != 0; }
