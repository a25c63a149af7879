// SPDX-License-Identifier: Apache-2.0
// Through-port: gives a plain AXI4 manager access to memory at GPU virtual addresses. It translates
// the manager's bursts and sends them to the memory ports.
//
//   s_ar, s_aw  AXI4 with the data width of the ports. AxUSER is the address space; ARPROT[2] makes
//               a read an execute access. Legal bursts are INCR, with any size up to the bus width,
//               any length and any start address. WRAP, FIXED and wider sizes get SLVERR and access
//               nothing. Exclusive accesses are treated as normal accesses (no EXOKAY).
//   lines       every 64-byte line is translated and accessed separately, with at most Slots lines
//               in flight per direction. Lines of different bursts are not ordered in memory: a
//               manager that needs order must wait for R or B, as AXI4 requires.
//   responses   R and B follow the order of AR and AW, regardless of id. A line that faults is
//               logged and gets SLVERR: on its R beats, or on the B of the write burst.
//   reset       while core_reset_i or rst_i is 1, every ready and valid to the manager is 0
//   xlate, ap, rd, wr, fault, count   [0] reads, [1] writes: see gmmu_client
module gmmu_through
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      core_reset_i,   // reset of the core, one cycle ahead of rst_i
  input  port_t                     port_i,  // translation port of reads; writes use the next one
  input  logic                      enable_i,
  input  logic [63:0]               vram_bytes_i,
  input  link_cfg_t                 link_i,
  output logic                      idle_o,

  input  logic                      s_ar_valid_i,
  output logic                      s_ar_ready_o,
  input  through_ax_t               s_ar_i,
  output logic                      s_r_valid_o,
  input  logic                      s_r_ready_i,
  output sub_r_t                    s_r_o,
  input  logic                      s_aw_valid_i,
  output logic                      s_aw_ready_o,
  input  through_ax_t               s_aw_i,
  input  logic                      s_w_valid_i,
  output logic                      s_w_ready_o,
  input  logic [DataWidth-1:0]      s_w_data_i,
  input  logic [DataBytes-1:0]      s_w_strb_i,
  output logic                      s_b_valid_o,
  input  logic                      s_b_ready_i,
  output sub_b_t                    s_b_o,

  output logic          [1:0]       xlate_req_valid_o,
  input  logic          [1:0]       xlate_req_ready_i,
  output xlate_req_t    [1:0]       xlate_req_o,
  input  logic          [1:0]       xlate_rsp_valid_i,
  output logic          [1:0]       xlate_rsp_ready_o,
  input  xlate_rsp_t    [1:0]       xlate_rsp_i,
  output xlate_done_t   [1:0]       xlate_done_o,

  output logic          [1:0]       ap_req_valid_o,
  input  logic          [1:0]       ap_req_ready_i,
  output pfn_t          [1:0]       ap_req_page_o,
  input  logic          [1:0]       ap_rsp_valid_i,
  input  aperture_rsp_t             ap_rsp_i,

  output rd_req_t                   rd_req_o [2],
  input  rd_rsp_t                   rd_rsp_i [2],
  output wr_req_t                   wr_req_o [2],
  input  wr_rsp_t                   wr_rsp_i [2],

  output logic          [1:0]       fault_valid_o,
  input  logic          [1:0]       fault_ready_i,
  output fault_info_t   [1:0]       fault_o,

  output logic          [1:0][6:0]  count_read_bytes_o,
  output logic          [1:0][6:0]  count_write_bytes_o
);
  logic                 [1:0] unit_idle, half_idle, req_valid, req_ready, rsp_valid, rsp_ready;
  client_req_t          [1:0] req;
  client_rsp_t          [1:0] rsp;
  logic [1:0][DataWidth-1:0]  rsp_data;
  logic [1:0][57:0]           rsp_line;
  logic                       word_valid;
  client_w_t                  word;
  logic [DataWidth-1:0]       word_data;
  logic [DataBytes-1:0]       word_strobe;
  logic                       open, ar_ready, r_valid, aw_ready, w_ready, b_valid;

  assign open = !core_reset_i && !rst_i;
  assign {s_ar_ready_o, s_r_valid_o, s_aw_ready_o, s_w_ready_o, s_b_valid_o} =
      open ? {ar_ready, r_valid, aw_ready, w_ready, b_valid} : '0;

  gmmu_through_read u_read (
    .clk_i, .rst_i, .enable_i, .idle_o(half_idle[0]),
    .ar_valid_i(s_ar_valid_i), .ar_ready_o(ar_ready), .ar_i(s_ar_i),
    .r_valid_o(r_valid), .r_ready_i(s_r_ready_i), .r_id_o(s_r_o.id), .r_data_o(s_r_o.data),
    .r_resp_o(s_r_o.resp), .r_last_o(s_r_o.last),
    .req_valid_o(req_valid[0]), .req_ready_i(req_ready[0]), .req_o(req[0]),
    .rsp_valid_i(rsp_valid[0]), .rsp_ready_o(rsp_ready[0]), .rsp_i(rsp[0]),
    .rsp_data_i(rsp_data[0])
  );
  gmmu_through_write u_write (
    .clk_i, .rst_i, .enable_i, .idle_o(half_idle[1]),
    .aw_valid_i(s_aw_valid_i), .aw_ready_o(aw_ready), .aw_i(s_aw_i),
    .w_valid_i(s_w_valid_i), .w_ready_o(w_ready), .w_data_i(s_w_data_i), .w_strb_i(s_w_strb_i),
    .b_valid_o(b_valid), .b_ready_i(s_b_ready_i), .b_id_o(s_b_o.id), .b_resp_o(s_b_o.resp),
    .word_valid_o(word_valid), .word_o(word), .word_data_o(word_data),
    .word_strobe_o(word_strobe),
    .req_valid_o(req_valid[1]), .req_ready_i(req_ready[1]), .req_o(req[1]),
    .rsp_valid_i(rsp_valid[1]), .rsp_ready_o(rsp_ready[1]), .rsp_i(rsp[1])
  );

  for (genvar i = 0; i < 2; i++) begin : g_half
    gmmu_client #(.WordBytes(DataBytes), .Strobes(i == 1)) u_unit (
      .clk_i, .rst_i, .port_i(port_i + port_t'(i)), .vram_bytes_i, .link_i, .ordered_i(1'b1),
      .first_only_i(1'b0), .idle_o(unit_idle[i]),
      .req_valid_i(req_valid[i]), .req_ready_o(req_ready[i]), .req_i(req[i]),
      .w_valid_i(i == 1 && word_valid), .w_i(word), .w_data_i(word_data),
      .w_strobe_i(word_strobe),
      .rsp_valid_o(rsp_valid[i]), .rsp_ready_i(rsp_ready[i]), .rsp_o(rsp[i]),
      .rsp_data_o(rsp_data[i]), .rsp_line_o(rsp_line[i]),
      .xlate_req_valid_o(xlate_req_valid_o[i]), .xlate_req_ready_i(xlate_req_ready_i[i]),
      .xlate_req_o(xlate_req_o[i]),
      .xlate_rsp_valid_i(xlate_rsp_valid_i[i]), .xlate_rsp_ready_o(xlate_rsp_ready_o[i]),
      .xlate_rsp_i(xlate_rsp_i[i]), .xlate_done_o(xlate_done_o[i]),
      .ap_req_valid_o(ap_req_valid_o[i]), .ap_req_ready_i(ap_req_ready_i[i]),
      .ap_req_page_o(ap_req_page_o[i]), .ap_rsp_valid_i(ap_rsp_valid_i[i]), .ap_rsp_i,
      .rd_req_o(rd_req_o[i]), .rd_rsp_i(rd_rsp_i[i]), .wr_req_o(wr_req_o[i]), .wr_rsp_i(wr_rsp_i[i]),
      .fault_valid_o(fault_valid_o[i]), .fault_ready_i(fault_ready_i[i]), .fault_o(fault_o[i]),
      .count_read_bytes_o(count_read_bytes_o[i]), .count_write_bytes_o(count_write_bytes_o[i])
    );
  end

  assign idle_o = unit_idle == '1 && half_idle == '1;

  logic unused_bits;
  assign unused_bits = ^{rsp_line, rsp_data[1]};
endmodule
