// SPDX-License-Identifier: Apache-2.0
// Binds the property modules for the top's blocks into every bench that contains these blocks.
bind gmmu_reg_port gmmu_stream_props #(.Width(16 + 64)) u_wr_props (
  .clk_i, .rst_i, .valid_i(wr_valid_o), .ready_i(wr_ready_i), .payload_i({addr_o, wr_data_o}));
bind gmmu_reg_port gmmu_stream_props #(.Width(2)) u_b_props (
  .clk_i, .rst_i, .valid_i(bvalid_o), .ready_i(bready_i), .payload_i(bresp_o));
bind gmmu_reg_port gmmu_stream_props #(.Width(64 + 2)) u_r_props (
  .clk_i, .rst_i, .valid_i(rvalid_o), .ready_i(rready_i), .payload_i({rdata_o, rresp_o}));
bind gmmu_regs gmmu_reply_props #(.Width($bits(gmmu_pkg::mmu_ctl_t)), .Most(1)) u_ctl_props (
  .clk_i, .rst_i, .req_valid_i(ctl_valid_o), .req_ready_i(ctl_ready_i), .req_i(ctl_o),
  .rsp_valid_i(ctl_done_i));
bind gmmu_ctl_arbiter gmmu_reply_props #(.Width($bits(gmmu_pkg::mmu_ctl_t)), .Most(1)) u_out_props (
  .clk_i, .rst_i, .req_valid_i(valid_o), .req_ready_i(ready_i), .req_i(ctl_o),
  .rsp_valid_i(done_i));
bind gmmu_window gmmu_axi_write_props #(.Ids(1 << SlotsLg2), .OneId(1)) u_write_props (
  .clk_i, .rst_i(rst_i || lose_i), .req_i(wr_req_o), .rsp_i(wr_rsp_i));
bind gmmu_window gmmu_axi_read_props #(.Ids(1 << SlotsLg2)) u_read_props (
  .clk_i, .rst_i(rst_i || lose_i), .req_i(rd_req_o), .rsp_i(rd_rsp_i));
bind gmmu_window gmmu_stream_props #(.Width(2)) u_b_props (
  .clk_i, .rst_i, .valid_i(s_bvalid_o), .ready_i(s_bready_i), .payload_i(s_bresp_o));
bind gmmu_window gmmu_stream_props #(.Width(64 + 2)) u_r_props (
  .clk_i, .rst_i, .valid_i(s_rvalid_o), .ready_i(s_rready_i), .payload_i({s_rdata_o, s_rresp_o}));
bind gmmu_fault_log gmmu_axi_write_props #(.Ids(1)) u_write_props (
  .clk_i, .rst_i, .req_i(wr_req_o), .rsp_i(wr_rsp_i));
bind gmmu_interrupts gmmu_axi_write_props #(.Ids(1)) u_write_props (
  .clk_i, .rst_i, .req_i(wr_req_o), .rsp_i(wr_rsp_i));
