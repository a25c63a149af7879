/* SPDX-License-Identifier: Apache-2.0 */
/* Structure members from here to poppack.h are not padded. May be included repeatedly. */
#pragma pack(push, 1)
