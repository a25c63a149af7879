// SPDX-License-Identifier: Apache-2.0
// gmmu_dma_mover connected to gmmu_mmu. Jobs enter at job_i; the memories for data and page tables
// are outside. Three movers are built, with up to 32, 128 and 2 reads in flight. size_i selects one
// of them and must be constant after reset. Translation port 0 (fetch) is unused.
module gmmu_dma_copy_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  localparam int unsigned Sizes = 3
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [1:0]  size_i,
  input  logic [63:0] vram_bytes_i,

  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  job_t        job_i,
  output logic        retired_o,
  output logic        idle_o,
  output logic        fault_o,

  output rd_req_t     rd_req_o,
  input  rd_rsp_t     rd_rsp_i,
  output wr_req_t     wr_req_o,
  input  wr_rsp_t     wr_rsp_i,
  output rd_req_t     table_req_o,
  input  rd_rsp_t     table_rsp_i,

  input  logic        ctl_valid_i,
  output logic        ctl_ready_o,
  input  mmu_ctl_t    ctl_i,
  output logic        ctl_done_o
);
  logic        [Sizes-1:0] job_ready, retired, idle, fault;
  rd_req_t     [Sizes-1:0] rd_req;
  wr_req_t     [Sizes-1:0] wr_req;
  logic        [Sizes-1:0] read_req_valid, write_req_valid, read_rsp_ready, write_rsp_ready;
  xlate_req_t  [Sizes-1:0] read_req, write_req;
  xlate_done_t [Sizes-1:0] read_done, write_done;
  logic        [2:0]       req_ready, rsp_valid;
  xlate_rsp_t  [2:0]       rsp;

  function automatic config_t mover_sizes(int n);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.ReadsInFlight = n == 0 ? 32 : n == 1 ? 128 : 2;
    return c;
  endfunction
  for (genvar n = 0; n < Sizes; n++) begin : g_mover
    logic on;                             // Only the selected mover receives inputs.
    assign on = size_i == 2'(n);
    gmmu_dma_mover #(.Config(mover_sizes(n))) u_mover (
      .clk_i, .rst_i, .vram_bytes_i, .link_i('0),
      .job_valid_i(job_valid_i && on), .job_ready_o(job_ready[n]), .job_i,
      .word_valid_i(1'b0), .word_ready_o(), .word_i('0), .words_dead_i(1'b0),
      .kill_i(1'b0), .idle_o(idle[n]), .retired_o(retired[n]),
      .fault_valid_o(fault[n]), .fault_ready_i(1'b0), .fault_o(), .fault_job_o(),
      .read_req_valid_o(read_req_valid[n]), .read_req_ready_i(req_ready[1] && on),
      .read_req_o(read_req[n]), .read_rsp_valid_i(rsp_valid[1] && on),
      .read_rsp_ready_o(read_rsp_ready[n]), .read_rsp_i(rsp[1]), .read_done_o(read_done[n]),
      .write_req_valid_o(write_req_valid[n]), .write_req_ready_i(req_ready[2] && on),
      .write_req_o(write_req[n]), .write_rsp_valid_i(rsp_valid[2] && on),
      .write_rsp_ready_o(write_rsp_ready[n]), .write_rsp_i(rsp[2]), .write_done_o(write_done[n]),
      .ap_req_valid_o(), .ap_req_ready_i(2'b00), .ap_req_page_o(), .ap_rsp_valid_i(2'b00), .ap_rsp_i('0),
      .rd_req_o(rd_req[n]), .rd_rsp_i(on ? rd_rsp_i : '0), .wr_req_o(wr_req[n]), .wr_rsp_i(on ? wr_rsp_i : '0),
      .count_read_bytes_o(), .count_write_bytes_o());
  end

  assign job_ready_o = job_ready[size_i];
  assign retired_o = retired[size_i];
  assign idle_o = idle[size_i];
  assign fault_o = fault[size_i];
  assign rd_req_o = rd_req[size_i];
  assign wr_req_o = wr_req[size_i];

  function automatic config_t mmu_sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumPorts = 3;
    c.TurnDown = 0;
    return c;
  endfunction
  gmmu_mmu #(.Config(mmu_sizes())) u_mmu (
    .clk_i, .rst_i,
    .req_valid_i({write_req_valid[size_i], read_req_valid[size_i], 1'b0}),
    .req_ready_o(req_ready), .req_i({write_req[size_i], read_req[size_i], xlate_req_t'('0)}),
    .rsp_valid_o(rsp_valid),
    .rsp_ready_i({write_rsp_ready[size_i], read_rsp_ready[size_i], 1'b0}), .rsp_o(rsp),
    .done_i({write_done[size_i], read_done[size_i], xlate_done_t'('0)}),
    .ctl_valid_i, .ctl_ready_o, .ctl_i, .ctl_done_o,
    .rd_req_o(table_req_o), .rd_rsp_i(table_rsp_i),
    .ev_valid_o(), .ev_o(), .inv_valid_o(), .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(),
    .port_count_o(), .count_o(), .idle_o());
endmodule
