/* SPDX-License-Identifier: Apache-2.0 */
/* Structure members from here to poppack.h are aligned to at most 2 bytes. May be included repeatedly. */
#pragma pack(push, 2)
