// SPDX-License-Identifier: Apache-2.0
// The AXI mux with four requesters. Element 3 only reads, on the express path; element 2 only writes; element 1 is
// exempt from hold_i.
module gmmu_axi_bench
  import gmmu_axi_pkg::*;
#(
  localparam int unsigned N = 4
) (
  input  logic     clk_i,
  input  logic     rst_i,
  input  logic     host_enable_i,
  input  logic     hold_i,
  output logic     silent_o,
  output logic     idle_o,
  output logic     own_idle_o,

  input  rd_req_t  rd_req_i [N],
  output rd_rsp_t  rd_rsp_o [N],
  input  logic     express_early_i,   // element 3's AR is from a register and takes the fast path
  input  wr_req_t  wr_req_i [N],
  output wr_rsp_t  wr_rsp_o [N],

  // Index 0 is VRAM, index 1 is host memory.
  output logic     ar_valid_o [2],
  input  logic     ar_ready_i [2],
  output edge_ax_t ar_o [2],
  input  logic     r_valid_i [2],
  output logic     r_ready_o [2],
  input  edge_r_t  r_i [2],
  output logic     aw_valid_o [2],
  input  logic     aw_ready_i [2],
  output edge_ax_t aw_o [2],
  output logic     w_valid_o [2],
  input  logic     w_ready_i [2],
  output w_t       w_o [2],
  input  logic     b_valid_i [2],
  output logic     b_ready_o [2],
  input  edge_b_t  b_i [2]
);
`define PAIR(name) .name({name[1], name[0]})
  gmmu_axi_mux #(
    .NumRequesters(N), .Readers(4'b1011), .Writers(4'b0111), .Exempt(4'b0010), .Express(3)
  ) u_mux (
    .clk_i, .rst_i, .host_enable_i, .hold_i, .silent_o,
    .rd_req_i, .rd_rsp_o, .express_early_i, .express_i(rd_req_i[3].ar), .wr_req_i, .wr_rsp_o,
    `PAIR(ar_valid_o), `PAIR(ar_ready_i), `PAIR(ar_o), `PAIR(r_valid_i), `PAIR(r_ready_o), `PAIR(r_i),
    `PAIR(aw_valid_o), `PAIR(aw_ready_i), `PAIR(aw_o), `PAIR(w_valid_o), `PAIR(w_ready_i), `PAIR(w_o),
    `PAIR(b_valid_i), `PAIR(b_ready_o), `PAIR(b_i), .idle_o, .own_idle_o
  );
`undef PAIR
endmodule
