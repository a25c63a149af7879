// SPDX-License-Identifier: Apache-2.0
// Binds the property modules for the paging DMA engine into every bench that contains it.
bind gmmu_engine gmmu_xlate_props u_fetch_props (
  .clk_i, .rst_i, .req_valid_i(fetch_req_valid_o), .req_ready_i(fetch_req_ready_i),
  .req_i(fetch_req_o), .rsp_valid_i(fetch_rsp_valid_i), .rsp_ready_i(fetch_rsp_ready_o),
  .rsp_i(fetch_rsp_i), .done_i(fetch_done_o));
bind gmmu_engine gmmu_xlate_props u_read_props (
  .clk_i, .rst_i, .req_valid_i(read_req_valid_o), .req_ready_i(read_req_ready_i),
  .req_i(read_req_o), .rsp_valid_i(read_rsp_valid_i), .rsp_ready_i(read_rsp_ready_o),
  .rsp_i(read_rsp_i), .done_i(read_done_o));
bind gmmu_engine gmmu_xlate_props u_write_props (
  .clk_i, .rst_i, .req_valid_i(write_req_valid_o), .req_ready_i(write_req_ready_i),
  .req_i(write_req_o), .rsp_valid_i(write_rsp_valid_i), .rsp_ready_i(write_rsp_ready_o),
  .rsp_i(write_rsp_i), .done_i(write_done_o));
bind gmmu_engine gmmu_axi_read_props u_fetch_axi_props (
  .clk_i, .rst_i, .req_i(fetch_rd_req_o), .rsp_i(fetch_rd_rsp_i));
bind gmmu_engine gmmu_axi_read_props u_read_axi_props (
  .clk_i, .rst_i, .req_i(rd_req_o), .rsp_i(rd_rsp_i));
bind gmmu_engine gmmu_axi_write_props #(.Ids(256)) u_write_axi_props (
  .clk_i, .rst_i, .req_i(wr_req_o), .rsp_i(wr_rsp_i));
bind gmmu_engine gmmu_reply_props #(.Width($bits(gmmu_pkg::mmu_ctl_t)), .Most(1)) u_ctl_props (
  .clk_i, .rst_i, .req_valid_i(ctl_valid_o), .req_ready_i(ctl_ready_i), .req_i(ctl_o),
  .rsp_valid_i(ctl_done_i));
bind gmmu_engine gmmu_stream_props #(.Width($bits(gmmu_pkg::fault_info_t))) u_fault_props (
  .clk_i, .rst_i, .valid_i(fault_valid_o), .ready_i(fault_ready_i), .payload_i(fault_o));
