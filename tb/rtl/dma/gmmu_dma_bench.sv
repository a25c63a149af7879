// SPDX-License-Identifier: Apache-2.0
// gmmu_engine with two rings, and a separate gmmu_dma_mover whose jobs come from job_i. Indices of
// port arrays: 0 to 2 are the engine's fetch, read and write; 3 and 4 are the mover's read and
// write.
module gmmu_dma_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  localparam int unsigned NumRings = 2,
  localparam int unsigned Ports = 5
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        enable_i,
  input  logic [63:0] cycle_i,
  input  logic [63:0] vram_bytes_i,
  output logic        idle_o,
  output logic        busy_o,

  input  ring_cfg_t   ring_i [NumRings],
  output ring_state_t ring_o [NumRings],
  output logic        fence_irq_o,
  output logic        error_irq_o,
  output logic        preempted_irq_o,

  output logic        req_valid_o [Ports],
  input  logic        req_ready_i [Ports],
  output xlate_req_t  req_o [Ports],
  input  logic        rsp_valid_i [Ports],
  output logic        rsp_ready_o [Ports],
  input  xlate_rsp_t  rsp_i [Ports],
  output xlate_done_t done_o [Ports],

  output logic        ap_req_valid_o [Ports],
  input  logic        ap_req_ready_i [Ports],
  output pfn_t        ap_req_page_o [Ports],
  input  logic        ap_rsp_valid_i [Ports],
  input  aperture_rsp_t ap_rsp_i,

  output rd_req_t     rd_req_o [3],        // engine fetch, engine read, mover read
  input  rd_rsp_t     rd_rsp_i [3],
  output wr_req_t     wr_req_o [2],        // engine write, mover write
  input  wr_rsp_t     wr_rsp_i [2],

  output logic        ctl_valid_o,
  input  logic        ctl_ready_i,
  output mmu_ctl_t    ctl_o,
  input  logic        ctl_done_i,

  input  pa_t         aperture_base_i,
  input  logic [31:0] aperture_pages_i,
  output logic        aperture_flush_o,
  input  logic        aperture_flush_done_i,

  output logic        fault_valid_o,
  input  logic        fault_ready_i,
  output fault_info_t fault_o,

  output logic        count_entry_o,
  output logic [1:0]  count_commands_o,
  output logic [8:0]  count_read_bytes_o,
  output logic [8:0]  count_write_bytes_o,

  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  job_t        job_i,
  output logic        mover_idle_o
);
  function automatic config_t sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumRings = NumRings;
    return c;
  endfunction
  gmmu_engine #(.Config(sizes())) u_engine (
    .clk_i, .rst_i, .enable_i, .cycle_i, .vram_bytes_i, .link_i('0), .idle_o,
    .ring_i({ring_i[1], ring_i[0]}), .ring_o({ring_o[1], ring_o[0]}), .fence_irq_o, .ring_error_o(error_irq_o),
    .preempted_o(preempted_irq_o),
    .fetch_req_valid_o(req_valid_o[0]), .fetch_req_ready_i(req_ready_i[0]), .fetch_req_o(req_o[0]),
    .fetch_rsp_valid_i(rsp_valid_i[0]), .fetch_rsp_ready_o(rsp_ready_o[0]), .fetch_rsp_i(rsp_i[0]),
    .fetch_done_o(done_o[0]),
    .read_req_valid_o(req_valid_o[1]), .read_req_ready_i(req_ready_i[1]), .read_req_o(req_o[1]),
    .read_rsp_valid_i(rsp_valid_i[1]), .read_rsp_ready_o(rsp_ready_o[1]), .read_rsp_i(rsp_i[1]),
    .read_done_o(done_o[1]),
    .write_req_valid_o(req_valid_o[2]), .write_req_ready_i(req_ready_i[2]), .write_req_o(req_o[2]),
    .write_rsp_valid_i(rsp_valid_i[2]), .write_rsp_ready_o(rsp_ready_o[2]), .write_rsp_i(rsp_i[2]),
    .write_done_o(done_o[2]),
    .ap_req_valid_o({ap_req_valid_o[2], ap_req_valid_o[1], ap_req_valid_o[0]}),
    .ap_req_ready_i({ap_req_ready_i[2], ap_req_ready_i[1], ap_req_ready_i[0]}),
    .ap_req_page_o({ap_req_page_o[2], ap_req_page_o[1], ap_req_page_o[0]}),
    .ap_rsp_valid_i({ap_rsp_valid_i[2], ap_rsp_valid_i[1], ap_rsp_valid_i[0]}), .ap_rsp_i,
    .fetch_rd_req_o(rd_req_o[0]), .fetch_rd_rsp_i(rd_rsp_i[0]), .rd_req_o(rd_req_o[1]), .rd_rsp_i(rd_rsp_i[1]),
    .wr_req_o(wr_req_o[0]), .wr_rsp_i(wr_rsp_i[0]),
    .ctl_valid_o, .ctl_ready_i, .ctl_o, .ctl_done_i,
    .aperture_base_i, .aperture_pages_i, .aperture_flush_o, .aperture_flush_done_i,
    .fault_valid_o, .fault_ready_i, .fault_o,
    .count_entry_o, .count_commands_o, .count_read_bytes_o, .count_write_bytes_o, .busy_o);

  gmmu_dma_mover u_mover (
    .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .job_valid_i, .job_ready_o, .job_i,
    .word_valid_i(1'b0), .word_ready_o(), .word_i('0), .words_dead_i(1'b0),
    .kill_i(1'b0), .idle_o(mover_idle_o), .retired_o(),
    .fault_valid_o(), .fault_ready_i(1'b0), .fault_o(), .fault_job_o(),
    .read_req_valid_o(req_valid_o[3]), .read_req_ready_i(req_ready_i[3]), .read_req_o(req_o[3]),
    .read_rsp_valid_i(rsp_valid_i[3]), .read_rsp_ready_o(rsp_ready_o[3]), .read_rsp_i(rsp_i[3]),
    .read_done_o(done_o[3]),
    .write_req_valid_o(req_valid_o[4]), .write_req_ready_i(req_ready_i[4]), .write_req_o(req_o[4]),
    .write_rsp_valid_i(rsp_valid_i[4]), .write_rsp_ready_o(rsp_ready_o[4]), .write_rsp_i(rsp_i[4]),
    .write_done_o(done_o[4]),
    .ap_req_valid_o({ap_req_valid_o[4], ap_req_valid_o[3]}), .ap_req_ready_i({ap_req_ready_i[4], ap_req_ready_i[3]}),
    .ap_req_page_o({ap_req_page_o[4], ap_req_page_o[3]}), .ap_rsp_valid_i({ap_rsp_valid_i[4], ap_rsp_valid_i[3]}),
    .ap_rsp_i, .rd_req_o(rd_req_o[2]), .rd_rsp_i(rd_rsp_i[2]), .wr_req_o(wr_req_o[1]), .wr_rsp_i(wr_rsp_i[1]),
    .count_read_bytes_o(), .count_write_bytes_o());
endmodule
