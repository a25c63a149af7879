// SPDX-License-Identifier: Apache-2.0
// Binds the property modules for the benches of rtl/axi. The mux does not interpret addresses, so
// its bench uses arbitrary ones and Pages is 0. Requester 5 of the whole GPU (the VRAM window) uses
// one id for all its writes.
bind gmmu_axi_mux gmmu_axi_mux_props #(
  .NumRequesters(NumRequesters), .Readers(Readers), .Writers(Writers), .Pages(0),
  .OneId(Exempt & NumRequesters'(32))
) u_props (
  .clk_i, .rst_i, .rd_req_i, .rd_rsp_o, .wr_req_i, .wr_rsp_o, .ar_valid_o, .ar_ready_i, .ar_o, .r_valid_i,
  .r_ready_o, .r_i, .aw_valid_o, .aw_ready_i, .aw_o, .w_valid_o, .w_ready_i, .w_o, .b_valid_i, .b_ready_o, .b_i);
bind gmmu_fifo gmmu_stream_props #(.Width(Width)) u_out_props (
  .clk_i, .rst_i, .valid_i(valid_o), .ready_i, .payload_i(data_o));
bind gmmu_skid gmmu_stream_props #(.Width(Width)) u_out_props (
  .clk_i, .rst_i, .valid_i(valid_o), .ready_i, .payload_i(data_o));
// cut_i signals a reset of the mux, which drops pending offers. So cut_i also resets these
// checkers.
bind gmmu_peer_read gmmu_axi_read_props #(.Ids(Slots)) u_m_props (
  .clk_i, .rst_i(rst_i || cut_i), .req_i(rd_req_o), .rsp_i(rd_rsp_i));
bind gmmu_peer_write gmmu_axi_write_props #(.Ids(Slots)) u_m_props (
  .clk_i, .rst_i(rst_i || cut_i), .req_i(wr_req_o), .rsp_i(wr_rsp_i));
// Offers are also checked on the memory side of the id compressor, where ids come from a table.
bind gmmu_axi_ids gmmu_stream_props #(.Width(IdBits + AxWidth)) u_ar_props (
  .clk_i, .rst_i, .valid_i(m_ar_valid_o), .ready_i(m_ar_ready_i), .payload_i({m_ar_id_o, m_ar_o}));
bind gmmu_axi_ids gmmu_stream_props #(.Width(IdBits + AxWidth)) u_aw_props (
  .clk_i, .rst_i, .valid_i(m_aw_valid_o), .ready_i(m_aw_ready_i), .payload_i({m_aw_id_o, m_aw_o}));
