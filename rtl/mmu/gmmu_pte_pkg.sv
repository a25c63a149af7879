// SPDX-License-Identifier: Apache-2.0
// The page table entry's format (rdl record `pte`), apart from the walk: an 8-byte word and its
// level in, a decoded entry out. A second format is one package more.
package gmmu_pte_pkg;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;

  typedef struct packed {
    fault_e     fault;       // not FaultNone: nothing else means anything
    logic       table_next;  // names the next lower table at pfn in target (system or VRAM)
    logic       zero;        // maps zeros
    logic       contiguous;  // one of sixteen that may be cached as one 64 KiB translation
    pfn_t       pfn;
    target_e    target;
    logic [5:0] adapter;
    logic       coherent;
    logic       read_only;
    logic       no_execute;
  } pte_verdict_t;

  // Judges the entry `word` of `level`. `covered`: ones in the page number bits that a page of this
  // level covers. In order: zero pages are good whatever the other bits are; entries that are not
  // valid are FaultEntryInvalid whatever the other bits are, so that software may keep a
  // swapped-out page's place in them; then forms that are not allowed.
  function automatic pte_verdict_t decode(logic [63:0] word, level_t level, pfn_t covered);
    pte_entry_t entry;
    logic unused_bits;
    pte_verdict_t verdict;
    logic reserved;
    entry = pte_entry_t'(word);
    unused_bits = ^{entry.segment, entry.software};
    verdict.zero = entry.zero;
    verdict.table_next = !entry.zero && level != 0 && !entry.large_;
    verdict.contiguous = !entry.zero && level == 0 && entry.contiguous;
    verdict.pfn = entry.page[PfnWidth-1:0];
    verdict.target = target_e'(entry.target);
    verdict.adapter = entry.adapter;
    verdict.coherent = entry.coherent && !entry.zero;
    verdict.read_only = entry.read_only && !entry.zero;
    verdict.no_execute = entry.no_execute && !entry.zero;
    reserved = entry.reserved63 || entry.table_64k || (entry.page >> PfnWidth) != '0
        || (entry.adapter != '0 && entry.target != TargetPeer)
        || (level == 0 && entry.large_)
        || (level != 0 && entry.contiguous)
        || (level != 0 && entry.large_ && (verdict.pfn & covered) != '0)
        || (verdict.table_next && entry.target != TargetSystem && entry.target != TargetVram);
    if (entry.zero) verdict.fault = FaultNone;
    else if (!entry.valid) verdict.fault = FaultEntryInvalid;
    else if (reserved) verdict.fault = FaultEntryReserved;
    else verdict.fault = FaultNone;
    return verdict;
  endfunction

  // Does the entry `word` of a level above the leaf name the next lower table, without fault? The
  // same as decode's answer, but by itself: the next read waits for it.
  function automatic logic names_table(logic [63:0] word);
    pte_entry_t entry;
    logic unused_bits;
    entry = pte_entry_t'(word);
    unused_bits = ^{entry.segment, entry.software, entry.coherent, entry.read_only,
        entry.no_execute};
    return entry.valid && !entry.zero && !entry.large_ && !entry.contiguous
        && !entry.reserved63 && !entry.table_64k && (entry.page >> PfnWidth) == '0
        && entry.adapter == '0
        && (entry.target == TargetSystem || entry.target == TargetVram);
  endfunction
endpackage
