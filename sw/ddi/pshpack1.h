/* SPDX-License-Identifier: Apache-2.0 */
/* Members of what follows, until poppack.h, are not padded. May be included again and again. */
#pragma pack(push, 1)
