// SPDX-License-Identifier: Apache-2.0
// The paging DMA engine: submission rings, command processor, transfer engine, fences.
//
//   rings     ring_i / ring_o: registers of each ring. One entry is worked on at a time, rings take turns. Nothing
//             starts while enable_i is 0; an entry under way finishes. A ring's enable going to 0 abandons its entry (no
//             fence, no error): what was issued is drained, the rest is not issued.
//   xlate     three translation ports: fetch (ring buffers), read and write (transfers). Every answer is given back by
//             `done` once.
//   ap        aperture lookups of the same three paths, for gmmu_aperture_map.
//   memory    fetch and read: read-only requesters; write: write-only (data, tables, aperture entries, fences).
//             R and B are always taken. Ids name bursts in flight; answers come in any order.
//   ctl       invalidations of flush_tlb commands; ctl_done_i pulses when one is complete.
//   aperture  after aperture entries were written (their B taken) aperture_flush_o pulses, and the engine waits for
//             a pulse on aperture_flush_done_i.
//   errors    a fault stops the ring at the first command, in command order, that failed: the fault is offered on
//             fault_o, then ring_o shows the error and ring_error_o pulses.
//   counters  pulses and byte counts of this cycle.
module gmmu_engine
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned NumRings = 1,
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned ReadsInFlight = 32,              // 2 to 128, a power of two
  parameter int unsigned MaxBurst = 128,                  // bytes, a power of two, 64 to 256
  parameter int unsigned FirstPort = 4                    // translation port number of fetch (NumClients), for faults
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic                       enable_i,            // ctrl.enable and bus master
  input  logic [63:0]                cycle_i,             // goes into fence records
  input  logic [63:0]                vram_bytes_i,
  output logic                       idle_o,              // nothing under way, no ring has work that may start

  input  ring_cfg_t   [NumRings-1:0] ring_i,
  output ring_state_t [NumRings-1:0] ring_o,
  output logic                       fence_irq_o,         // pulse, after the B of the fence
  output logic                       ring_error_o,        // pulse

  output logic                       fetch_req_valid_o,
  input  logic                       fetch_req_ready_i,
  output xlate_req_t                 fetch_req_o,
  input  logic                       fetch_rsp_valid_i,
  output logic                       fetch_rsp_ready_o,
  input  xlate_rsp_t                 fetch_rsp_i,
  output xlate_done_t                fetch_done_o,

  output logic                       read_req_valid_o,
  input  logic                       read_req_ready_i,
  output xlate_req_t                 read_req_o,
  input  logic                       read_rsp_valid_i,
  output logic                       read_rsp_ready_o,
  input  xlate_rsp_t                 read_rsp_i,
  output xlate_done_t                read_done_o,

  output logic                       write_req_valid_o,
  input  logic                       write_req_ready_i,
  output xlate_req_t                 write_req_o,
  input  logic                       write_rsp_valid_i,
  output logic                       write_rsp_ready_o,
  input  xlate_rsp_t                 write_rsp_i,
  output xlate_done_t                write_done_o,

  output logic [2:0]                 ap_req_valid_o,      // element 0 fetch, 1 read, 2 write
  input  logic [2:0]                 ap_req_ready_i,
  output pfn_t [2:0]                 ap_req_page_o,
  input  logic [2:0]                 ap_rsp_valid_i,
  input  aperture_rsp_t              ap_rsp_i,            // of the port whose valid is set

  output logic                       fetch_ar_valid_o,
  input  logic                       fetch_ar_ready_i,
  output ax_t                        fetch_ar_o,
  input  logic                       fetch_r_valid_i,
  input  r_t                         fetch_r_i,

  output logic                       read_ar_valid_o,
  input  logic                       read_ar_ready_i,
  output ax_t                        read_ar_o,
  input  logic                       read_r_valid_i,
  input  r_t                         read_r_i,

  output logic                       write_aw_valid_o,
  input  logic                       write_aw_ready_i,
  output ax_t                        write_aw_o,
  output logic                       write_w_valid_o,
  input  logic                       write_w_ready_i,
  output w_t                         write_w_o,
  input  logic                       write_b_valid_i,
  input  b_t                         write_b_i,

  output logic                       ctl_valid_o,
  input  logic                       ctl_ready_i,
  output mmu_ctl_t                   ctl_o,
  input  logic                       ctl_done_i,

  input  pa_t                        aperture_base_i,
  input  logic [31:0]                aperture_pages_i,
  output logic                       aperture_flush_o,
  input  logic                       aperture_flush_done_i,

  output logic                       fault_valid_o,
  input  logic                       fault_ready_i,
  output fault_info_t                fault_o,

  output logic                       count_entry_o,
  output logic [1:0]                 count_commands_o,
  output logic [8:0]                 count_read_bytes_o,
  output logic [8:0]                 count_write_bytes_o,
  output logic                       busy_o
);
endmodule
