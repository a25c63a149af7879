/* SPDX-License-Identifier: Apache-2.0 */
/* Source annotations for Microsoft's analyser (SAL). They expand to nothing here. */
#ifndef GMMU_DDI_SAL_H
#define GMMU_DDI_SAL_H

/* Annotations of a parameter, a member or a result. */
#define _In_
#define _In_opt_
#define _In_z_
#define _In_opt_z_
#define _In_reads_(s)
#define _In_reads_opt_(s)
#define _In_reads_bytes_(s)
#define _In_reads_bytes_opt_(s)
#define _In_reads_z_(s)
#define _In_reads_or_z_(s)
#define _In_reads_to_ptr_(p)
#define _In_range_(low, high)
#define _In_count_(s)
#define _In_bytecount_(s)
#define _Out_
#define _Out_opt_
#define _Out_writes_(s)
#define _Out_writes_opt_(s)
#define _Out_writes_bytes_(s)
#define _Out_writes_bytes_opt_(s)
#define _Out_writes_all_(s)
#define _Out_writes_bytes_all_(s)
#define _Out_writes_z_(s)
#define _Out_writes_to_(s, c)
#define _Out_writes_to_opt_(s, c)
#define _Out_writes_bytes_to_(s, c)
#define _Out_writes_bytes_to_opt_(s, c)
#define _Out_range_(low, high)
#define _Out_cap_(s)
#define _Out_bytecap_(s)
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_maybenull_
#define _Outptr_opt_result_maybenull_
#define _Outptr_result_nullonfailure_
#define _Outptr_result_bytebuffer_(s)
#define _Outptr_result_buffer_(s)
#define _COM_Outptr_
#define _Inout_
#define _Inout_opt_
#define _Inout_z_
#define _Inout_updates_(s)
#define _Inout_updates_opt_(s)
#define _Inout_updates_z_(s)
#define _Inout_updates_to_(s, c)
#define _Inout_updates_bytes_(s)
#define _Inout_updates_bytes_opt_(s)
#define _Inout_updates_bytes_to_(s, c)
#define _Field_size_(s)
#define _Field_size_opt_(s)
#define _Field_size_full_(s)
#define _Field_size_part_(s, c)
#define _Field_size_bytes_(s)
#define _Field_size_bytes_opt_(s)
#define _Field_size_bytes_full_(s)
#define _Field_size_bytes_part_(s, c)
#define _Field_range_(low, high)
#define _Field_z_
#define _Struct_size_bytes_(s)
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Ret_null_
#define _Ret_z_
#define _Ret_range_(low, high)
#define _Ret_writes_(s)
#define _Ret_writes_bytes_(s)
#define _Ret_writes_bytes_maybenull_(s)
#define _Const_
#define _Reserved_
#define _Null_terminated_
#define _NullNull_terminated_
#define _Readable_bytes_(s)
#define _Writable_bytes_(s)
#define _Readable_elements_(s)
#define _Writable_elements_(s)
#define _Notnull_
#define _Maybenull_
#define _Notliteral_
#define _Literal_
#define _Points_to_data_
#define _Deref_out_range_(low, high)
#define _Printf_format_string_
#define _Scanf_format_string_
#define _Frees_ptr_
#define _Frees_ptr_opt_

/* Annotations of a function. */
#define _Use_decl_annotations_
#define _Check_return_
#define _Must_inspect_result_
#define _Success_(e)
#define _On_failure_(a)
#define _Always_(a)
#define _When_(e, a)
#define _At_(p, a)
#define _At_buffer_(p, i, s, a)
#define _Group_(a)
#define _Pre_satisfies_(e)
#define _Post_satisfies_(e)
#define _Satisfies_(e)
#define _Pre_
#define _Post_
#define _Pre_notnull_
#define _Pre_maybenull_
#define _Pre_null_
#define _Pre_valid_
#define _Pre_opt_valid_
#define _Post_notnull_
#define _Post_maybenull_
#define _Post_null_
#define _Post_valid_
#define _Post_invalid_
#define _Post_ptr_invalid_
#define _Post_equal_to_(e)
#define _Post_writable_byte_size_(s)
#define _Unchanged_(e)
#define _Return_type_success_(e)
#define _Analysis_assume_(e) ((void)0)
#define _Analysis_assume_nullterminated_(e) ((void)0)
#define _Analysis_noreturn_
#define _Raises_SEH_exception_
#define _Maybe_raises_SEH_exception_
#define _Function_class_(name)
#define _Function_class_DXGK_(name)
#define _IRQL_requires_DXGK_(irql)
#define _IRQL_requires_max_DXGK_(irql)
#define _IRQL_requires_min_DXGK_(irql)
#define _Enum_is_bitflag_
#define _Acquires_lock_(l)
#define _Acquires_exclusive_lock_(l)
#define _Acquires_shared_lock_(l)
#define _Releases_lock_(l)
#define _Releases_exclusive_lock_(l)
#define _Releases_shared_lock_(l)
#define _Requires_lock_held_(l)
#define _Requires_lock_not_held_(l)
#define _Requires_no_locks_held_
#define _Requires_exclusive_lock_held_(l)
#define _Requires_shared_lock_held_(l)
#define _Guarded_by_(l)
#define _Write_guarded_by_(l)
#define _Interlocked_
#define _Interlocked_operand_

/* Annotations of a kernel function. */
#define _IRQL_always_function_max_(irql)
#define _IRQL_always_function_min_(irql)
#define _IRQL_raises_(irql)
#define _IRQL_requires_(irql)
#define _IRQL_requires_max_(irql)
#define _IRQL_requires_min_(irql)
#define _IRQL_requires_same_
#define _IRQL_restores_
#define _IRQL_restores_global_(kind, param)
#define _IRQL_saves_
#define _IRQL_saves_global_(kind, param)
#define _IRQL_is_cancel_
#define _IRQL_uses_cancel_
#define _Dispatch_type_(kind)
#define _Kernel_clear_do_init_(e)
#define _Kernel_float_restored_
#define _Kernel_float_saved_
#define _Kernel_float_used_
#define _Kernel_entry_
#define _Kernel_requires_resource_held_(kind)
#define _Kernel_requires_resource_not_held_(kind)
#define _Kernel_acquires_resource_(kind)
#define _Kernel_releases_resource_(kind)
#define __control_entrypoint(category)
#define __drv_aliasesMem
#define __drv_allocatesMem(kind)
#define __drv_freesMem(kind)
#define __drv_dispatchType(kind)
#define __drv_dispatchType_other
#define __drv_functionClass(name)
#define __drv_maxIRQL(irql)
#define __drv_minIRQL(irql)
#define __drv_raisesIRQL(irql)
#define __drv_requiresIRQL(irql)
#define __drv_restoresIRQL
#define __drv_sameIRQL
#define __drv_savesIRQL
#define __drv_when(e, a)
#define __drv_at(e, a)
#define __drv_preferredFunction(f, why)
#define __drv_reportError(why)
#define __drv_unit(p)
#define __drv_inTry
#define __drv_notInTry
#define __drv_valueIs(list)
#define __drv_out_deref(a)
#define __drv_setsIRQL(irql)
#define __drv_strictType(type, mode)
#define __drv_strictTypeMatch(mode)
#define __drv_typeBitset
#define __drv_typeConst
#define __drv_typeCond
#define __drv_typeExpr
#define __drv_interlocked
#define __drv_reportUsageError
#define __drv_nop(a)
#define __analysis_assume(e) ((void)0)
#define __analysis_noreturn

#endif
