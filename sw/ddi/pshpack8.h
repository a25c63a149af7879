/* SPDX-License-Identifier: Apache-2.0 */
/* Structure members from here to poppack.h are aligned to at most 8 bytes. May be included repeatedly. */
#pragma pack(push, 8)
