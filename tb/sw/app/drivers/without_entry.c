/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is no driver. */
int nothing(void);
int nothing(void) { return 0; }
