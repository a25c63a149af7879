// SPDX-License-Identifier: Apache-2.0
// The aperture map: page of the aperture segment -> logical page in host memory, or a fault.
//
//   lookups  NumPorts independent streams of page numbers; answers of one stream keep its order and have no ready
//            (the asker keeps a place for each answer).
//   table    8-byte aperture entries (rdl: aperture_entry) in VRAM at base_i, entry p at base_i + 8 * p; read in
//            64-byte lines into a small direct-mapped cache.
//   flush    flush_i (a pulse) drops the cache; flush_done_o pulses when it is empty and no answer given from here on
//            stems from an older entry. A change of base_i or pages_i must be followed by a flush.
//   faults   page >= pages_i: FaultApertureRange; entry not valid: FaultApertureEntry; bus error of the table
//            read: FaultApertureRead (never cached).
module gmmu_aperture_map
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned Lines = 8          // cached lines of eight entries, a power of two
) (
  input  logic                         clk_i,
  input  logic                         rst_i,

  input  pa_t                          base_i,
  input  logic [31:0]                  pages_i,

  input  logic                         flush_i,
  output logic                         flush_done_o,

  input  logic          [NumPorts-1:0] req_valid_i,
  output logic          [NumPorts-1:0] req_ready_o,
  input  pfn_t          [NumPorts-1:0] req_page_i,
  output logic          [NumPorts-1:0] rsp_valid_o,
  output aperture_rsp_t                rsp_o,        // of the port whose rsp_valid_o is set

  output logic                         ar_valid_o,
  input  logic                         ar_ready_i,
  output ax_t                          ar_o,
  input  logic                         r_valid_i,
  input  r_t                           r_i,

  output logic                         lookup_o,     // counter pulses: an answered lookup, one from the cache
  output logic                         hit_o,
  output logic                         idle_o
);
endmodule
