/* SPDX-License-Identifier: Apache-2.0 */
/* Ends what the last pshpack1.h, 2, 4 or 8 began. May be included again and again. */
#pragma pack(pop)
