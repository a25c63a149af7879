// SPDX-License-Identifier: Apache-2.0
// The format of page table entries (rdl record `pte`), separate from the walk. It decodes an 8-byte
// word according to its position. A second format would get its own package.
package gmmu_pte_pkg;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;

  // Where the entry that ends a walk was found.
  typedef enum logic [1:0] {
    FormLeaf,    // an entry of a 4 KiB leaf table
    FormUpper,   // an entry above the leaf level: a large page
    FormLeaf64,  // an entry of a 64 KiB leaf table
    FormHalf64   // the 64 KiB half of a pair: a fault unless it is a zero page
  } form_e;

  typedef struct packed {
    fault_e     fault;       // if not FaultNone, no other field is meaningful
    logic       zero;        // zero page: reads return 0
    logic       contiguous;  // one of sixteen entries that may be cached as one 64 KiB translation
    pfn_t       pfn;
    target_e    target;
    logic [5:0] adapter;
    logic       coherent;
    logic       read_only;
    logic       no_execute;
  } pte_verdict_t /*verilator public*/;

  // Checks and decodes the entry `word` that ends a walk. An entry that legally points to a table
  // does not end the walk and is not passed here. The checks, in order: a zero page is good,
  // whatever its other bits; an entry that is not valid is FaultEntryInvalid, whatever its other
  // bits, so that software may keep the location of a swapped-out page there; then illegal
  // combinations, except the alignment of a large page.
  function automatic pte_verdict_t decode(logic [63:0] word, form_e form);
    pte_entry_t entry;
    logic unused_bits;
    pte_verdict_t verdict;
    logic reserved;
    entry = pte_entry_t'(word);
    unused_bits = ^{entry.segment, entry.software};
    verdict.zero = entry.zero;
    verdict.contiguous = !entry.zero && form == FormLeaf && entry.contiguous;
    verdict.pfn = entry.page[PfnWidth-1:0];
    verdict.target = target_e'(entry.target);
    verdict.adapter = entry.adapter;
    verdict.coherent = entry.coherent && !entry.zero;
    verdict.read_only = entry.read_only && !entry.zero;
    verdict.no_execute = entry.no_execute && !entry.zero;
    reserved = entry.reserved63 || entry.table_64k || (entry.page >> PfnWidth) != '0
        || (entry.adapter != '0 && entry.target != TargetPeer)
        || entry.large_ != (form == FormUpper) || form == FormHalf64
        || (form != FormLeaf && entry.contiguous)
        || (form == FormLeaf64 && verdict.pfn[3:0] != '0);
    if (entry.zero) verdict.fault = FaultNone;
    else if (!entry.valid) verdict.fault = FaultEntryInvalid;
    else if (reserved) verdict.fault = FaultEntryReserved;
    else verdict.fault = FaultNone;
    return verdict;
  endfunction

  // Returns whether the entry `word`, which is above the leaf level, is a legal pointer to the next
  // lower table: a table of 64 KiB entries if k64, any other table if not. This is separate from
  // decode because the next table read waits for it.
  function automatic logic names_table(logic [63:0] word, logic k64);
    pte_entry_t entry;
    logic unused_bits;
    entry = pte_entry_t'(word);
    unused_bits = ^{entry.segment, entry.software, entry.coherent, entry.read_only,
        entry.no_execute};
    return entry.valid && !entry.zero && !entry.large_ && !entry.contiguous
        && !entry.reserved63 && entry.table_64k == k64 && (entry.page >> PfnWidth) == '0
        && entry.adapter == '0
        && (entry.target == TargetSystem || entry.target == TargetVram);
  endfunction

  // Returns whether the entry `word` is neither valid nor a zero page: that half of a pair is
  // empty.
  function automatic logic is_nothing(logic [63:0] word);
    pte_entry_t entry;
    logic unused_bits;
    entry = pte_entry_t'(word);
    unused_bits = ^entry;
    return !entry.valid && !entry.zero;
  endfunction
endpackage
