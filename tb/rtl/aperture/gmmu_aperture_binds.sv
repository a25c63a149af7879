// SPDX-License-Identifier: Apache-2.0
// Binds the protocol checkers of router and aperture map into every bench that contains one.
bind gmmu_route gmmu_stream_props #(
  .Width(TagWidth + $bits(gmmu_pkg::gpa_t) + 1)
) u_in_props (
  .clk_i, .rst_i, .valid_i, .ready_i(ready_o), .payload_i({tag_i, gpa_i, coherent_i}));
bind gmmu_route gmmu_stream_props #(.Width(TagWidth + $bits(gmmu_regs_pkg::fault_e))) u_out_props (
  .clk_i, .rst_i, .valid_i(valid_o), .ready_i, .payload_i({tag_o, fault_o}));
bind gmmu_route gmmu_reply_props #(.Width($bits(gmmu_pkg::pfn_t)), .Most(Depth)) u_aperture_props (
  .clk_i, .rst_i, .req_valid_i(ap_req_valid_o), .req_ready_i(ap_req_ready_i),
  .req_i(ap_req_page_o), .rsp_valid_i(ap_rsp_valid_i));
bind gmmu_aperture_map gmmu_stream_props #(.Width($bits(gmmu_axi_pkg::ax_t))) u_ar_props (
  .clk_i, .rst_i, .valid_i(rd_req_o.ar_valid), .ready_i(rd_rsp_i.ar_ready), .payload_i(rd_req_o.ar));
