// SPDX-License-Identifier: Apache-2.0
// Binds the protocol checkers of the access unit into every bench that contains a gmmu_client.
bind gmmu_client gmmu_stream_props #(
  .Width($bits(gmmu_client_pkg::client_rsp_t) + 8 * WordBytes)
) u_rsp_props (
  .clk_i, .rst_i, .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i({rsp_o, rsp_data_o}));
bind gmmu_client gmmu_xlate_props u_xlate_props (
  .clk_i, .rst_i, .req_valid_i(xlate_req_valid_o), .req_ready_i(xlate_req_ready_i),
  .req_i(xlate_req_o), .rsp_valid_i(xlate_rsp_valid_i), .rsp_ready_i(xlate_rsp_ready_o),
  .rsp_i(xlate_rsp_i), .done_i(xlate_done_o));
bind gmmu_client gmmu_axi_read_props u_read_axi_props (
  .clk_i, .rst_i, .req_i(rd_req_o), .rsp_i(rd_rsp_i));
bind gmmu_client gmmu_axi_write_props #(.Ids(256)) u_write_axi_props (
  .clk_i, .rst_i, .req_i(wr_req_o), .rsp_i(wr_rsp_i));
bind gmmu_client gmmu_stream_props #(.Width($bits(gmmu_pkg::fault_info_t))) u_fault_props (
  .clk_i, .rst_i, .valid_i(fault_valid_o), .ready_i(fault_ready_i), .payload_i(fault_o));
