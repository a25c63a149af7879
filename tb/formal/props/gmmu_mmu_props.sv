// SPDX-License-Identifier: Apache-2.0
// The contracts of gmmu_mmu: each translation port, control operations, table reads.
module gmmu_mmu_props
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumPorts = 7
) (
  input logic                       clk_i,
  input logic                       rst_i,

  input logic        [NumPorts-1:0] req_valid_i,
  input logic        [NumPorts-1:0] req_ready_o,
  input xlate_req_t  [NumPorts-1:0] req_i,
  input logic        [NumPorts-1:0] rsp_valid_o,
  input logic        [NumPorts-1:0] rsp_ready_i,
  input xlate_rsp_t  [NumPorts-1:0] rsp_o,
  input xlate_done_t [NumPorts-1:0] done_i,

  input logic                       ctl_valid_i,
  input logic                       ctl_ready_o,
  input mmu_ctl_t                   ctl_i,
  input logic                       ctl_done_o,

  input rd_req_t                    rd_req_o,
  input rd_rsp_t                    rd_rsp_i
);
  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    gmmu_xlate_props u_xlate (
      .clk_i, .rst_i, .req_valid_i(req_valid_i[p]), .req_ready_i(req_ready_o[p]),
      .req_i(req_i[p]), .rsp_valid_i(rsp_valid_o[p]), .rsp_ready_i(rsp_ready_i[p]),
      .rsp_i(rsp_o[p]), .done_i(done_i[p]));
  end
  // At most one control operation is in progress.
  gmmu_reply_props #(.Width($bits(mmu_ctl_t)), .Most(1)) u_ctl (
    .clk_i, .rst_i, .req_valid_i(ctl_valid_i), .req_ready_i(ctl_ready_o), .req_i(ctl_i),
    .rsp_valid_i(ctl_done_o));
  gmmu_axi_read_props u_tables (
    .clk_i, .rst_i, .req_i(rd_req_o), .rsp_i(rd_rsp_i));
endmodule
