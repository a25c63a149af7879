/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is not a driver. */
int nothing(void);
int nothing(void) { return 0; }
