/* SPDX-License-Identifier: Apache-2.0 */
/* The older source annotations. The C++ library has parameters named __out, so a source must
 * include the library's headers before this one. */
#ifndef GMMU_DDI_SPECSTRINGS_H
#define GMMU_DDI_SPECSTRINGS_H

#include "sal.h"

#define __in
#define __in_opt
#define __in_z
#define __in_ecount(s)
#define __in_ecount_opt(s)
#define __in_bcount(s)
#define __in_bcount_opt(s)
#define __in_range(low, high)
#define __out
#define __out_opt
#define __out_ecount(s)
#define __out_ecount_opt(s)
#define __out_ecount_z(s)
#define __out_ecount_part(s, c)
#define __out_bcount(s)
#define __out_bcount_opt(s)
#define __out_bcount_part(s, c)
#define __out_bcount_part_opt(s, c)
#define __out_range(low, high)
#define __inout
#define __inout_opt
#define __inout_ecount(s)
#define __inout_bcount(s)
#define __inout_bcount_opt(s)
#define __deref_in
#define __deref_out
#define __deref_opt_out
#define __deref_out_opt
#define __deref_inout
#define __deref_out_ecount(s)
#define __deref_out_bcount(s)
#define __deref_out_range(low, high)
#define __ecount(s)
#define __bcount(s)
#define __field_ecount(s)
#define __field_ecount_opt(s)
#define __field_ecount_full(s)
#define __field_bcount(s)
#define __field_bcount_opt(s)
#define __field_bcount_full(s)
#define __field_range(low, high)
#define __reserved
#define __nullterminated
#define __checkReturn
#define __success(e)
#define __callback
#define __format_string
#define __fallthrough

#endif
