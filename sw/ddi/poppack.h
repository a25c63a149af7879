/* SPDX-License-Identifier: Apache-2.0 */
/* Restores the packing that was in effect before the last pshpack1.h, 2, 4 or 8. May be included repeatedly. */
#pragma pack(pop)
