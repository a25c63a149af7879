// SPDX-License-Identifier: Apache-2.0
// The GMMU: translates GPU virtual addresses for NumPorts ports. L1 TLB per port, shared L2 TLB, walk cache, NumWalks
// walks at once, invalidation with drain.
//
//   req, rsp   per port: lookups in, answers out in any order (by tag). req_ready_o and rsp_valid_o depend on no input
//              of the same cycle. Every lookup gets exactly one answer.
//   done       per port: answers given back, by drain generation (xlate_rsp_t.epoch). Every answer taken is given back.
//   ctl        one operation at a time: taken when ctl_ready_o, finished with one pulse of ctl_done_o.
//   ar, r      table reads, AXI id = row of the walk table, at most one burst a row. r_ready_o is always 1.
//   ev         one answered lookup, in the cycle in which the port takes the answer.
//   inv        an invalidation, or the flush by a changed space, has completed (in the cycle of ctl_done_o).
module gmmu_mmu
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumPorts = 7,           // 2 to 32; the last three are the paging engine's
  parameter int unsigned NumSpaces = 16,         // 2 to 64
  parameter int unsigned L1Entries = 16,         // 2 or more, per port
  parameter int unsigned L2Entries = 512,        // 4 KiB sub-entries, a power of two; blocks of sixteen
  parameter int unsigned L2Ways = 4,             // power of two, at most L2Entries / 16
  parameter int unsigned LargeEntries = 8,       // shared array for large pages, 2 or more
  parameter int unsigned WalkCacheEntries = 16,  // a level, a power of two, 2 or more
  parameter int unsigned NumWalks = 8,           // 2 to 32
  parameter int unsigned MissSlots = 8           // per port, 2 to 32
) (
  input  logic                        clk_i,
  input  logic                        rst_i,

  input  logic         [NumPorts-1:0] req_valid_i,
  output logic         [NumPorts-1:0] req_ready_o,
  input  xlate_req_t   [NumPorts-1:0] req_i,
  output logic         [NumPorts-1:0] rsp_valid_o,
  input  logic         [NumPorts-1:0] rsp_ready_i,
  output xlate_rsp_t   [NumPorts-1:0] rsp_o,
  input  xlate_done_t  [NumPorts-1:0] done_i,

  input  logic                        ctl_valid_i,
  output logic                        ctl_ready_o,
  input  mmu_ctl_t                    ctl_i,
  output logic                        ctl_done_o,

  output logic                        ar_valid_o,
  input  logic                        ar_ready_i,
  output ax_t                         ar_o,
  input  logic                        r_valid_i,
  output logic                        r_ready_o,
  input  r_t                          r_i,

  output logic         [NumPorts-1:0] ev_valid_o,
  output xlate_event_t [NumPorts-1:0] ev_o,
  output logic                        inv_valid_o,
  output scope_e                      inv_scope_o,
  output space_t                      inv_space_o,
  output logic         [63:0]         inv_start_o,
  output logic         [63:0]         inv_end_o,

  output port_count_t  [NumPorts-1:0] port_count_o,
  output mmu_count_t                  count_o,
  output logic                        idle_o     // no lookup, answer, walk or operation is in flight
);
endmodule
