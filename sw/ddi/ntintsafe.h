/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic with overflow checks. On overflow, a function returns STATUS_INTEGER_OVERFLOW and sets
 * all bits of the result. */
#ifndef GMMU_DDI_NTINTSAFE_H
#define GMMU_DDI_NTINTSAFE_H

#include "ntdef.h"

#define GMMU_INTSAFE(name, type, builtin)                       \
  static __inline NTSTATUS name(type a, type b, type* result) { \
    if (!builtin(a, b, result)) return STATUS_SUCCESS;          \
    *result = (type) ~(type)0;                                  \
    return STATUS_INTEGER_OVERFLOW;                             \
  }
#define GMMU_INTSAFE_TYPE(short_name, type)                        \
  GMMU_INTSAFE(Rtl##short_name##Add, type, __builtin_add_overflow) \
  GMMU_INTSAFE(Rtl##short_name##Sub, type, __builtin_sub_overflow) \
  GMMU_INTSAFE(Rtl##short_name##Mult, type, __builtin_mul_overflow)
GMMU_INTSAFE_TYPE(UShort, USHORT)
GMMU_INTSAFE_TYPE(UInt, UINT)
GMMU_INTSAFE_TYPE(ULong, ULONG)
GMMU_INTSAFE_TYPE(ULongLong, ULONGLONG)
GMMU_INTSAFE_TYPE(SizeT, SIZE_T)
GMMU_INTSAFE_TYPE(ULongPtr, ULONG_PTR)
#undef GMMU_INTSAFE_TYPE
#undef GMMU_INTSAFE
#define GMMU_INTSAFE_TO(name, from, to)                                                        \
  static __inline NTSTATUS name(from operand, to* result) {                                    \
    *result = (to)operand;                                                                     \
    if ((from) * result == operand && (operand == 0 || !(operand < 1))) return STATUS_SUCCESS; \
    *result = (to) ~(to)0;                                                                     \
    return STATUS_INTEGER_OVERFLOW;                                                            \
  }
GMMU_INTSAFE_TO(RtlLongToULong, LONG, ULONG)
GMMU_INTSAFE_TO(RtlULongLongToULong, ULONGLONG, ULONG)
GMMU_INTSAFE_TO(RtlULongLongToUInt, ULONGLONG, UINT)
GMMU_INTSAFE_TO(RtlSizeTToULong, SIZE_T, ULONG)
GMMU_INTSAFE_TO(RtlSizeTToUInt, SIZE_T, UINT)
GMMU_INTSAFE_TO(RtlULongToUShort, ULONG, USHORT)
#undef GMMU_INTSAFE_TO

#endif
