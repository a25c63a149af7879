// SPDX-License-Identifier: Apache-2.0
// Contracts watched on this room's benches. The mux passes addresses on, so those of its bench mean
// nothing.
bind gmmu_axi_mux gmmu_axi_mux_props #(
  .NumRequesters(NumRequesters), .Readers(Readers), .Writers(Writers), .Pages(0)
) u_props (
  .clk_i, .rst_i, .ar_valid_i, .ar_ready_o, .ar_i, .aw_valid_i, .aw_ready_o, .aw_i, .w_valid_i,
  .w_ready_o, .w_i, .b_valid_o, .b_o, .ar_valid_o, .ar_ready_i, .ar_o, .r_valid_i, .r_ready_o, .r_i,
  .aw_valid_o, .aw_ready_i, .aw_o, .w_valid_o, .w_ready_i, .w_o, .b_valid_i, .b_ready_o, .b_i);
bind gmmu_fifo gmmu_stream_props #(.Width(Width)) u_out_props (
  .clk_i, .rst_i, .valid_i(valid_o), .ready_i, .payload_i(data_o));
bind gmmu_skid gmmu_stream_props #(.Width(Width)) u_out_props (
  .clk_i, .rst_i, .valid_i(valid_o), .ready_i, .payload_i(data_o));
