// SPDX-License-Identifier: Apache-2.0
// Types of the MMU: events for the counters, and the structs that the MMU's blocks exchange.
package gmmu_mmu_pkg;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;

  // Events of one translation port in this cycle (regfile port_counters). Each accepted lookup ends
  // as exactly one of hit, miss, merged, fault, in the cycle in which the port accepts its
  // response.
  typedef struct packed {
    logic       lookup;
    logic       hit;
    logic       miss;
    logic       merged;
    logic       fault;
    // number of incomplete lookups; the counter `cycles` adds this value in every cycle
    logic [7:0] outstanding;
  } port_count_t /*verilator public*/;

  // Events of the shared levels in this cycle (regfile counters). A single bit adds one to its
  // counter, a vector adds its value.
  typedef struct packed {
    logic       l2_lookup;
    logic       l2_hit;
    logic       l2_miss;
    logic       l2_merged;
    logic       l2_fill;
    logic       l2_eviction;
    logic       walk;
    logic       walk_ok;
    logic       walk_fault;
    logic       walk_redone;
    logic       table_read;
    logic       wc_lookup;
    logic       wc_hit;
    logic       invalidation;
    logic       invalidating;   // an invalidation is in progress (counter invalidation_cycles)
    logic [5:0] walk_issue;     // number of rows whose table read has not been accepted
    logic [5:0] walk_memory;    // number of rows that wait for table data
    logic [5:0] walk_rows;      // number of occupied rows
  } mmu_count_t /*verilator public*/;

  typedef logic [5:0] slot_t;   // miss slot of a port
  typedef logic [5:0] row_t;    // row of the walk table
  typedef logic [3:0] cause_t;  // MMU fault: low bits of fault_e, 0 for none

  // The key of a lookup. high: the address has bits set above VaWidth.
  typedef struct packed {
    space_t space;
    vpn_t   vpn;
    logic   high;
  } key_t /*verilator public*/;

  // A finished translation of one 4 KiB page.
  typedef struct packed {
    pfn_t       pfn;
    target_e    target;
    logic [5:0] adapter;
    logic       zero;
    logic       coherent;
    logic       read_only;
    logic       no_execute;
    logic       big;    // applies to the whole 64 KiB block, whose frames are consecutive
    level_t     level;  // level of the entry that maps the page
  } page_t /*verilator public*/;

  // asker_t: the port and miss slot of a lookup. lookup_t: port, miss slot and key.
  typedef struct packed {
    port_t port;
    slot_t slot;
  } asker_t /*verilator public*/;
  typedef struct packed {
    port_t port;
    slot_t slot;
    key_t  key;
  } lookup_t /*verilator public*/;

  // The response to a lookup. Each lookup gets exactly one response. All ports together receive at
  // most one response per cycle, and a port must accept it. merged: the lookup joined another
  // lookup's walk. If cause is not 0, only page.level is meaningful.
  typedef struct packed {
    port_t  port;
    slot_t  slot;
    logic   merged;
    key_t   key;
    page_t  page;
    cause_t cause;
  } msg_t /*verilator public*/;

  // A finished translation, as the L1 TLBs store it.
  typedef struct packed {
    key_t  key;
    page_t page;
  } translation_t /*verilator public*/;

  // Hash of a key, for the hints of the L1 TLBs. block: hash of the 64 KiB block and the space;
  // low: number of the page within the block.
  typedef struct packed {
    logic [7:0] block;
    logic [3:0] low;
  } hint_t /*verilator public*/;

  function automatic hint_t hint_of(key_t key);
    localparam int unsigned Pieces = (VpnWidth + 3) / 8;
    logic [8*Pieces-1:0] padded;
    logic [7:0] block;
    logic unused_bit;
    unused_bit = key.high;
    padded = (8 * Pieces)'(key.vpn >> 4);
    block = {key.space[3:0], 2'b00, key.space[5:4]};
    for (int unsigned i = 0; i < Pieces; i++) block ^= padded[8*i +: 8];
    return '{block: block, low: key.vpn[3:0]};
  endfunction

  // Events that the shared levels report to the event port in one cycle. A row number identifies a
  // walk or fill.
  typedef struct packed {
    logic  walk_start;      // a walk begins; port and slot are those of its lookup
    row_t  walk_row;
    port_t port;
    slot_t slot;
    key_t  key;
    logic  walk_end;        // a row becomes free
    row_t  end_row;
    key_t  end_key;
    logic  fill;            // a row's page or whole line is entered into the L2
    logic  evict;           // the fill replaces a block
    row_t  fill_row;
    key_t  fill_key;
  } mmu_event_t /*verilator public*/;

  // The part of each structure that is in use (gmmu_sizes). set pulses when the other fields have
  // changed; in that cycle the arrays are empty, and no lookup, walk or fill is in progress.
  typedef struct packed {
    logic [5:0] last;   // highest entry number
    logic [5:0] mask;   // mask of the bits that an entry number may use
  } l1_use_t /*verilator public*/;
  typedef struct packed {
    logic        set;
    l1_use_t     l1;
    l1_use_t     engine_l1;
    logic [7:0]  l2_sets;         // highest set number, also the index mask
    logic [15:0] l2_ways;         // mask of the ways in use
    logic [3:0]  walk_cache_lg2;
    logic [5:0]  walks;
    logic [33:0] rows;            // mask of the walk table's shared rows in use
    logic [15:0] sweep_last;      // last step of a sweep of everything in use
  } use_t /*verilator public*/;

  // A pulse: walks in the scope become stale. The sweep that follows drops the translations in the
  // scope.
  typedef struct packed {
    logic   valid;
    logic   all;    // all spaces
    space_t space;
  } kill_t /*verilator public*/;

  // One step of a sweep: row `index` of every array.
  typedef struct packed {
    logic        valid;
    logic [15:0] index;
    logic        all;
    space_t      space;
    logic        ranged;
    vpn_t        first;  // first and last page of a range
    vpn_t        tail;
  } sweep_t /*verilator public*/;

  // A sweep step, as the arrays use it (gmmu_sweep): the row to read and, one cycle later, the bits
  // to ignore when the row is compared with the key.
  typedef struct packed {
    logic        valid;
    logic [15:0] index;
    logic        all;    // ignore the space
    vpn_t        loose;  // mask of the page number bits to ignore
  } sweep_step_t /*verilator public*/;

  typedef logic [MaxLevels-1:1][VpnWidth-1:0] keep_t;  // one mask per level

  // An address space, prepared for walks. Shifts and masks apply to page numbers, not to addresses.
  typedef struct packed {
    logic                               enable;
    pfn_t                               root;
    target_e                            root_target;
    logic [13:0]                        root_entries;  // at most 8192
    level_t                             top;           // level of the root
    // root_shift and root_bits: shift and bits of the root level
    logic [5:0]                         root_shift;
    logic [3:0]                         root_bits;
    logic                               dual;          // entries of level 1 are pairs
    logic                               has_64k;       // leaf tables may have 64 KiB entries
    // shift: number of bits below the level's index; bits: width of the index. At a level of pairs,
    // shift is one less and bits one more.
    logic [MaxLevels-1:0][5:0]          shift;
    logic [MaxLevels-1:0][3:0]          bits;
    logic [3:0]                         bits_64k;      // index bits of a table of 64 KiB entries
    vpn_t                               beyond;  // mask of the page number bits beyond the geometry
    // Per level, the mask of the bits at and above the index. It is the last field because it is
    // stored separately.
    keep_t                              keep;
  } space_row_t /*verilator public*/;

  // Where a walk starts: either a fault (cause), or a table, with the level of the entry to read in
  // it.
  typedef struct packed {
    cause_t      cause;
    level_t      level;
    logic        k64;          // a leaf table of 64 KiB entries
    logic        dual;         // the space is dual
    logic        has_64k;
    logic        half;         // at a level of pairs: read the 64 KiB half (index bit 0 is 1)
    pfn_t        pfn;
    logic        vram;
    logic        index_valid;  // index is valid (the walk starts at the root)
    logic [12:0] index;
    // The level's shift and bits (see space_row_t), to compute an index that is not valid.
    logic [5:0]  shift;
    logic [3:0]  bits;
  } start_t /*verilator public*/;

  // Shifts and widths of a space's levels, for the index computation in gmmu_walk_read.
  typedef struct packed {
    logic                      dual;
    logic [3:0]                bits_64k;
    logic [MaxLevels-1:0][5:0] shift;
    logic [MaxLevels-1:0][3:0] bits;
  } shape_t /*verilator public*/;
  // The level number that gmmu_walk_read uses for a leaf table of 64 KiB entries.
  localparam level_t LevelLeaf64 = 3'd6;

  // A pointer for the walk cache: for page numbers `tag`, the entry at `level` points to the table
  // at pfn.
  typedef struct packed {
    level_t     level;
    space_t     space;
    vpn_t       tag;
    pfn_t       pfn;
    logic       vram;
    logic       k64;    // level 1: points to a leaf table of 64 KiB entries
    logic       half;   // the pointer is in the 64 KiB half of a pair
  } wc_write_t /*verilator public*/;

  // A walk table row whose line is complete and will be entered into the L2 TLB.
  typedef struct packed {
    row_t       row;
    key_t       key;
    logic [2:0] line;  // mask of the index bits that select an entry within a line
  } line_t /*verilator public*/;

  // Returns a mask of bit `shift` and all higher bits.
  function automatic vpn_t keep_mask(logic [5:0] shift);
    return {VpnWidth{1'b1}} << shift;
  endfunction

  // Returns the page that a decoded entry maps at vpn. keep: mask of the entry's level; leaf: the
  // entry is in a 4 KiB leaf table; block_ok: a contiguous entry may map its whole block of
  // sixteen.
  function automatic page_t page_of(gmmu_pte_pkg::pte_verdict_t entry, level_t level, logic leaf,
      vpn_t vpn, vpn_t keep, logic block_ok);
    logic unused_bits;
    pfn_t span;  // page number bits inside the page
    span = pfn_t'(vpn_t'(~keep));
    unused_bits = ^{entry, vpn};
    return '{pfn: entry.pfn | (pfn_t'(vpn) & span), target: entry.target,
             adapter: entry.adapter, zero: entry.zero, coherent: entry.coherent,
             read_only: entry.read_only, no_execute: entry.no_execute,
             big: leaf ? block_ok && entry.contiguous && entry.pfn[3:0] == vpn[3:0]
                 : keep[3:0] == '0,
             level: level};
  endfunction
endpackage
