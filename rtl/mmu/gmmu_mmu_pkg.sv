// SPDX-License-Identifier: Apache-2.0
// Types of the MMU's edge towards the counters.
package gmmu_mmu_pkg;
  // Events of one translation port in this cycle (regfile port_counters). Each accepted lookup ends as exactly one of
  // hit, miss, merged, fault, at the moment its answer is made.
  typedef struct packed {
    logic       lookup;
    logic       hit;
    logic       miss;
    logic       merged;
    logic       fault;
    logic [7:0] outstanding;  // lookups accepted and not answered: summed each cycle it gives `cycles`
  } port_count_t;

  // Events of the shared levels in this cycle (regfile counters). Single bits add one, vectors add their value.
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
    logic       invalidating;   // one cycle of an invalidation: summed it gives invalidation_cycles
    logic [5:0] walk_issue;     // rows that wait for the bus to accept a table read
    logic [5:0] walk_memory;    // rows that wait for table data
    logic [5:0] walk_rows;      // rows occupied
  } mmu_count_t;
endpackage
