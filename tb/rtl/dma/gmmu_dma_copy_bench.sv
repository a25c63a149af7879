// SPDX-License-Identifier: Apache-2.0
// gmmu_dma_mover joined with gmmu_mmu: jobs enter; data memory (read, write) and table memory are outside.
// There are three movers, with 32, 128 and 2 reads in flight; size_i, constant from reset on, selects the
// active one. Translation port 0 (fetch) is unused.
module gmmu_dma_copy_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  localparam int unsigned Sizes = 3
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [1:0]  size_i,
  input  logic [63:0] vram_bytes_i,

  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  logic [1:0]  job_source_i,
  input  logic        job_physical_i,    // applies to both places
  input  logic [63:0] job_src_i,
  input  logic [63:0] job_dst_i,
  input  logic [47:0] job_length_i,
  input  logic [63:0] job_value_i,
  output logic        retired_o,
  output logic        idle_o,
  output logic        fault_o,

  output logic        ar_valid_o,
  input  logic        ar_ready_i,
  output logic [7:0]  ar_id_o,
  output logic [47:0] ar_addr_o,
  output logic [7:0]  ar_len_o,
  input  logic        r_valid_i,
  input  logic [7:0]  r_id_i,
  input  logic [DataWidth-1:0] r_data_i,
  input  logic        r_error_i,
  input  logic        r_last_i,
  output logic        aw_valid_o,
  input  logic        aw_ready_i,
  output logic [7:0]  aw_id_o,
  output logic [47:0] aw_addr_o,
  output logic [7:0]  aw_len_o,
  output logic        w_valid_o,
  input  logic        w_ready_i,
  output logic [DataWidth-1:0] w_data_o,
  output logic [DataBytes-1:0] w_strb_o,
  output logic        w_last_o,
  input  logic        b_valid_i,
  input  logic [7:0]  b_id_i,
  input  logic        b_error_i,

  output logic        table_ar_valid_o,
  input  logic        table_ar_ready_i,
  output logic [7:0]  table_ar_id_o,
  output logic [47:0] table_ar_addr_o,
  output logic [7:0]  table_ar_len_o,
  input  logic        table_r_valid_i,
  input  logic [7:0]  table_r_id_i,
  input  logic [DataWidth-1:0] table_r_data_i,
  input  logic        table_r_last_i,

  // Control: space 1 gets a root with three levels of nine bits in VRAM, or a range is invalidated.
  input  logic        ctl_valid_i,
  output logic        ctl_ready_o,
  input  logic        ctl_set_i,
  input  logic [47:0] ctl_root_i,
  input  logic [63:0] ctl_start_i,
  input  logic [63:0] ctl_end_i,
  output logic        ctl_done_o
);
  localparam space_t Space = 6'd1;

  // Only the selected mover gets the inputs.
  logic [Sizes-1:0] on;
  always_comb begin
    on = '0;
    on[size_i] = 1'b1;
  end

  r_t r, table_r;
  b_t b;
  assign r = '{id: r_id_i, data: r_data_i, error: r_error_i, last: r_last_i};
  assign table_r = '{id: table_r_id_i, data: table_r_data_i, error: 1'b0, last: table_r_last_i};
  assign b = '{id: b_id_i, error: b_error_i};

  logic [Sizes-1:0]        job_ready, retired, idle, fault, ar_valid, aw_valid, w_valid;
  ax_t  [Sizes-1:0]        ar, aw;
  w_t   [Sizes-1:0]        w;
  logic [Sizes-1:0]        read_req_valid, write_req_valid, read_rsp_ready, write_rsp_ready;
  xlate_req_t  [Sizes-1:0] read_req, write_req;
  xlate_done_t [Sizes-1:0] read_done, write_done;
  logic        [2:0]       req_ready, rsp_valid;
  xlate_rsp_t  [2:0]       rsp;

  job_id_t job_id_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) job_id_q <= '0;
    else if (job_valid_i && job_ready_o) job_id_q <= job_id_q + 8'd1;
  end
  job_t job;
  assign job = '{id: job_id_q, source: source_e'(job_source_i),
                 src: '{physical: job_physical_i, target: TargetVram, space: Space,
                        address: job_src_i},
                 dst: '{physical: job_physical_i, target: TargetVram, space: Space,
                        address: job_dst_i},
                 src_end: end_t'(job_src_i + 64'(job_length_i) - 64'd1),
                 dst_end: end_t'(job_dst_i + 64'(job_length_i) - 64'd1), value: job_value_i, step: '0};

  function automatic config_t mover_sizes(int n);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.ReadsInFlight = n == 0 ? 32 : n == 1 ? 128 : 2;
    return c;
  endfunction
  for (genvar n = 0; n < Sizes; n++) begin : g_mover
    dma_fault_t unused_fault;
    job_id_t    unused_job;
    logic       unused_word;
    logic [1:0] unused_ap;
    pfn_t [1:0] unused_page;
    logic [8:0] unused_read_bytes, unused_write_bytes;
    gmmu_dma_mover #(.Config(mover_sizes(n))) u_mover (
      .clk_i, .rst_i, .vram_bytes_i, .link_i('0),
      .job_valid_i(job_valid_i && on[n]), .job_ready_o(job_ready[n]), .job_i(job),
      .word_valid_i(1'b0), .word_ready_o(unused_word), .word_i('0), .words_dead_i(1'b0),
      .kill_i(1'b0), .idle_o(idle[n]), .retired_o(retired[n]),
      .fault_valid_o(fault[n]), .fault_ready_i(1'b0), .fault_o(unused_fault),
      .fault_job_o(unused_job),
      .read_req_valid_o(read_req_valid[n]), .read_req_ready_i(req_ready[1] && on[n]),
      .read_req_o(read_req[n]), .read_rsp_valid_i(rsp_valid[1] && on[n]),
      .read_rsp_ready_o(read_rsp_ready[n]), .read_rsp_i(rsp[1]), .read_done_o(read_done[n]),
      .write_req_valid_o(write_req_valid[n]), .write_req_ready_i(req_ready[2] && on[n]),
      .write_req_o(write_req[n]), .write_rsp_valid_i(rsp_valid[2] && on[n]),
      .write_rsp_ready_o(write_rsp_ready[n]), .write_rsp_i(rsp[2]), .write_done_o(write_done[n]),
      .ap_req_valid_o(unused_ap), .ap_req_ready_i(2'b00), .ap_req_page_o(unused_page),
      .ap_rsp_valid_i(2'b00), .ap_rsp_i('0),
      .rd_req_o({ar_valid[n], ar[n]}), .rd_rsp_i({ar_ready_i && on[n], r_valid_i && on[n], r}),
      .wr_req_o({aw_valid[n], aw[n], w_valid[n], w[n]}),
      .wr_rsp_i({aw_ready_i && on[n], w_ready_i && on[n], b_valid_i && on[n], b}),
      .count_read_bytes_o(unused_read_bytes), .count_write_bytes_o(unused_write_bytes));
  end

  assign job_ready_o = job_ready[size_i];
  assign retired_o = retired[size_i];
  assign idle_o = idle[size_i];
  assign fault_o = fault[size_i];
  assign ar_valid_o = ar_valid[size_i];
  assign ar_id_o = ar[size_i].id;
  assign ar_addr_o = ar[size_i].addr;
  assign ar_len_o = ar[size_i].len;
  assign aw_valid_o = aw_valid[size_i];
  assign aw_id_o = aw[size_i].id;
  assign aw_addr_o = aw[size_i].addr;
  assign aw_len_o = aw[size_i].len;
  assign w_valid_o = w_valid[size_i];
  assign w_data_o = w[size_i].data;
  assign w_strb_o = w[size_i].strb;
  assign w_last_o = w[size_i].last;

  mmu_ctl_t ctl;
  assign ctl = '{op: ctl_set_i ? CtlSetSpace : CtlInvalidate, scope: ScopeRange, space: Space,
                 va_start: ctl_start_i, va_end: ctl_end_i,
                 cfg: '{enable: 1'b1, root: '{target: TargetVram, adapter: '0, offset: ctl_root_i},
                        root_entries: 32'd512, levels: 3'd3, dual: 1'b0,
                        bits: {4'd0, 4'd0, 4'd0, 4'd9, 4'd9, 4'd9}}};
  ax_t table_ar;
  assign table_ar_id_o = table_ar.id;
  assign table_ar_addr_o = table_ar.addr;
  assign table_ar_len_o = table_ar.len;

  logic         [2:0] unused_ev_valid;
  xlate_event_t [2:0] unused_ev;
  port_count_t  [2:0] unused_port_count;
  mmu_count_t         unused_count;
  logic               unused_idle;
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
    .ctl_valid_i, .ctl_ready_o, .ctl_i(ctl), .ctl_done_o,
    .rd_req_o({table_ar_valid_o, table_ar}), .rd_rsp_i({table_ar_ready_i, table_r_valid_i, table_r}),
    .ev_valid_o(unused_ev_valid), .ev_o(unused_ev), .inv_valid_o(), .inv_scope_o(),
    .inv_space_o(), .inv_start_o(), .inv_end_o(), .port_count_o(unused_port_count),
    .count_o(unused_count), .idle_o(unused_idle));

  logic unused;
  assign unused = ^{ar, aw, table_ar, unused_ev_valid, unused_ev, unused_port_count, unused_count, unused_idle};
endmodule
