/* SPDX-License-Identifier: Apache-2.0 */
/* Members of what follows, until poppack.h, are aligned to at most 2 bytes. May be included again and again. */
#pragma pack(push, 2)
