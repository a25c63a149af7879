/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords of Microsoft's compiler that GCC lacks, or that Clang lacks without -fms-extensions. */
#ifndef GMMU_DDI_COMPILER_WORDS_H
#define GMMU_DDI_COMPILER_WORDS_H

#if !defined(__x86_64__)
#error "sw/ddi has the layouts and words of x64"
#endif
#ifndef _AMD64_
#define _AMD64_ 1
#endif
#ifndef _WIN64
#define _WIN64 1
#endif

/* x64 has a single calling convention, and a Linux compiler also compiles the program that calls
 * the driver. */
#undef __cdecl
#undef __stdcall
#undef __fastcall
#undef __forceinline
#undef __declspec
#undef UNALIGNED
#define __cdecl
#define __stdcall
#define __fastcall
#define __vectorcall
#define NTAPI
#define APIENTRY
#define WINAPI
#define CALLBACK
#define FASTCALL
#define DECLSPEC_IMPORT
#define NTSYSAPI
#define NTSYSCALLAPI
#define NTKERNELAPI
#define NTHALAPI

#define __forceinline __inline __attribute__((__always_inline__))
#define FORCEINLINE __forceinline
#define DECLSPEC_NOINLINE __attribute__((__noinline__))
#define DECLSPEC_NORETURN __attribute__((__noreturn__))
#define DECLSPEC_ALIGN(n) __attribute__((__aligned__(n)))
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(64)
#define DECLSPEC_SELECTANY __attribute__((__weak__))
#define DECLSPEC_NOVTABLE
#define DECLSPEC_DEPRECATED_DDK
#define DECLSPEC_UUID(id)

/* Arguments that __declspec accepts. */
#define __declspec(x) GMMU_DECLSPEC_##x
#define GMMU_DECLSPEC_align(n) DECLSPEC_ALIGN(n)
#define GMMU_DECLSPEC_allocate(section)
#define GMMU_DECLSPEC_code_seg(section)
#define GMMU_DECLSPEC_deprecated
#define GMMU_DECLSPEC_dllexport __attribute__((__visibility__("default")))
#define GMMU_DECLSPEC_dllimport
#define GMMU_DECLSPEC_naked __attribute__((__naked__))
#define GMMU_DECLSPEC_noinline DECLSPEC_NOINLINE
#define GMMU_DECLSPEC_noreturn DECLSPEC_NORETURN
#define GMMU_DECLSPEC_nothrow __attribute__((__nothrow__))
#define GMMU_DECLSPEC_novtable
#define GMMU_DECLSPEC_restrict
#define GMMU_DECLSPEC_selectany DECLSPEC_SELECTANY
#define GMMU_DECLSPEC_thread __thread
#define GMMU_DECLSPEC_uuid(id)

#undef __int8
#undef __int16
#undef __int32
#undef __int64
#define __int8 char
#define __int16 short
#define __int32 int
#if __SIZEOF_WCHAR_T__ == 2
#define __int64 long long
#else
#define __int64 long
#endif

#define UNALIGNED
#define RESTRICTED_POINTER __restrict
#define POINTER_32
#define POINTER_64
#define __unaligned
#define __ptr32
#define __ptr64
#define __noop(...) ((void)0)
#define __assume(e) ((e) ? (void)0 : __builtin_unreachable())
#ifndef __pragma
#define __pragma(text)
#endif
#define _ReturnAddress() __builtin_return_address(0)
#define _AddressOfReturnAddress() __builtin_frame_address(0)

/* Structured exceptions. None is ever raised: an invalid access ends the run (docs/driver.md), so
 * handlers are compiled but never executed. __leave is not supported. The C++ library defines its
 * own __try, so these macros are defined only for sources that are compiled with 16-bit wide
 * characters, as docs/driver.md prescribes. */
#if __SIZEOF_WCHAR_T__ == 2
#undef __try
#define __try if (1)
#define __except(filter) else if (0 && (filter))
#define __finally
#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)
#define GetExceptionCode() STATUS_UNSUCCESSFUL
#define GetExceptionInformation() ((struct _EXCEPTION_POINTERS*)0)
#define AbnormalTermination() 0
#endif

#endif
