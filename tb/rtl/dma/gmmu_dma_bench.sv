// SPDX-License-Identifier: Apache-2.0
// gmmu_engine with two rings, and with ports that C++ can index: element 0 fetch, 1 read, 2 write.
// With direct_i a separate gmmu_dma_mover drives the read and write ports instead, and gets its jobs
// from job_*.
module gmmu_dma_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  localparam int unsigned NumRings = 2
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        enable_i,
  input  logic [63:0] cycle_i,
  input  logic [63:0] vram_bytes_i,
  output logic        idle_o,
  output logic        busy_o,

  input  logic        ring_enable_i [NumRings],
  input  logic        ring_privileged_i [NumRings],
  input  logic        ring_preempt_i [NumRings],
  input  logic [3:0]  ring_size_lg2_i [NumRings],
  input  logic [1:0]  ring_target_i [NumRings],
  input  logic [47:0] ring_base_i [NumRings],
  input  logic [15:0] ring_tail_i [NumRings],
  input  logic [47:0] ring_fence_address_i [NumRings],
  output logic [15:0] ring_head_o [NumRings],
  output logic        ring_busy_o [NumRings],
  output logic        ring_error_o [NumRings],
  output logic        ring_preempted_o [NumRings],
  output logic [7:0]  ring_reason_o [NumRings],
  output logic [1:0]  ring_access_o [NumRings],
  output logic [2:0]  ring_level_o [NumRings],
  output logic [31:0] ring_fence_o [NumRings],
  output logic [31:0] ring_last_fence_o [NumRings],
  output logic [31:0] ring_error_offset_o [NumRings],
  output logic [31:0] ring_error_header_o [NumRings],
  output logic [63:0] ring_error_address_o [NumRings],
  output logic        fence_irq_o,
  output logic        error_irq_o,
  output logic        preempted_irq_o,

  output logic        req_valid_o [3],
  input  logic        req_ready_i [3],
  output logic [7:0]  req_tag_o [3],
  output logic [5:0]  req_space_o [3],
  output logic [63:0] req_va_o [3],
  output logic [1:0]  req_access_o [3],
  input  logic        rsp_valid_i [3],
  output logic        rsp_ready_o [3],
  input  logic [7:0]  rsp_tag_i [3],
  input  logic        rsp_generation_i [3],
  input  logic [1:0]  rsp_target_i [3],
  input  logic [47:0] rsp_offset_i [3],
  input  logic        rsp_zero_i [3],
  input  logic        rsp_coherent_i [3],
  input  logic [7:0]  rsp_fault_i [3],
  input  logic [2:0]  rsp_level_i [3],
  output logic [1:0]  done0_o [3],
  output logic [1:0]  done1_o [3],

  output logic        ap_req_valid_o [3],
  input  logic        ap_req_ready_i [3],
  output logic [35:0] ap_req_page_o [3],
  input  logic        ap_rsp_valid_i [3],
  input  logic [7:0]  ap_rsp_fault_i,
  input  logic        ap_rsp_coherent_i,
  input  logic [35:0] ap_rsp_page_i,

  output logic        ax_valid_o [3],   // AR of fetch and read, AW of write
  input  logic        ax_ready_i [3],
  output logic [7:0]  ax_id_o [3],
  output logic [1:0]  ax_port_o [3],
  output logic [47:0] ax_addr_o [3],
  output logic [7:0]  ax_len_o [3],
  output logic        ax_no_snoop_o [3],
  output logic [27:0] ax_user_o [3],
  input  logic        r_valid_i [2],
  input  logic [7:0]  r_id_i [2],
  input  logic [DataWidth-1:0] r_data_i [2],
  input  logic        r_error_i [2],
  input  logic        r_last_i [2],
  output logic        w_valid_o,
  input  logic        w_ready_i,
  output logic [DataWidth-1:0] w_data_o,
  output logic [DataBytes-1:0] w_strb_o,
  output logic        w_last_o,
  input  logic        b_valid_i,
  input  logic [7:0]  b_id_i,
  input  logic        b_error_i,

  output logic        ctl_valid_o,
  input  logic        ctl_ready_i,
  output logic [1:0]  ctl_op_o,
  output logic [1:0]  ctl_scope_o,
  output logic [5:0]  ctl_space_o,
  output logic [63:0] ctl_start_o,
  output logic [63:0] ctl_end_o,
  input  logic        ctl_done_i,

  input  logic [47:0] aperture_base_i,
  input  logic [31:0] aperture_pages_i,
  output logic        aperture_flush_o,
  input  logic        aperture_flush_done_i,

  output logic        fault_valid_o,
  input  logic        fault_ready_i,
  output logic [7:0]  fault_reason_o,
  output logic [5:0]  fault_space_o,
  output logic [4:0]  fault_port_o,
  output logic [1:0]  fault_access_o,
  output logic        fault_physical_o,
  output logic [31:0] fault_fence_o,
  output logic [63:0] fault_address_o,

  output logic        count_entry_o,
  output logic [1:0]  count_commands_o,
  output logic [8:0]  count_read_bytes_o,
  output logic [8:0]  count_write_bytes_o,

  input  logic        direct_i,
  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  logic [1:0]  job_source_i,
  input  logic        job_src_physical_i,
  input  logic [1:0]  job_src_target_i,
  input  logic [5:0]  job_src_space_i,
  input  logic [63:0] job_src_i,
  input  logic        job_dst_physical_i,
  input  logic [1:0]  job_dst_target_i,
  input  logic [5:0]  job_dst_space_i,
  input  logic [63:0] job_dst_i,
  input  logic [47:0] job_length_i,
  output logic        direct_idle_o,
  output logic        direct_fault_o
);
  ring_cfg_t   [NumRings-1:0] ring_cfg;
  ring_state_t [NumRings-1:0] ring_state;
  always_comb begin
    for (int unsigned n = 0; n < NumRings; n++) begin
      ring_cfg[n] = '{enable: ring_enable_i[n], privileged: ring_privileged_i[n],
                      preempt: ring_preempt_i[n],
                      size_lg2: ring_size_lg2_i[n], base_target: target_e'(ring_target_i[n]),
                      base: ring_base_i[n], tail: ring_tail_i[n],
                      fence_address: ring_fence_address_i[n]};
      ring_head_o[n] = ring_state[n].head;
      ring_busy_o[n] = ring_state[n].busy;
      ring_error_o[n] = ring_state[n].error;
      ring_preempted_o[n] = ring_state[n].preempted;
      ring_reason_o[n] = ring_state[n].reason;
      ring_access_o[n] = ring_state[n].access;
      ring_level_o[n] = ring_state[n].level;
      ring_fence_o[n] = ring_state[n].fence;
      ring_last_fence_o[n] = ring_state[n].last_fence;
      ring_error_offset_o[n] = ring_state[n].error_offset;
      ring_error_header_o[n] = ring_state[n].error_header;
      ring_error_address_o[n] = ring_state[n].error_address;
    end
  end

  xlate_req_t  req [3];
  xlate_rsp_t  rsp [3];
  xlate_done_t done [3];
  ax_t         ax [3];
  r_t          r [2];
  always_comb begin
    for (int unsigned n = 0; n < 3; n++) begin
      req_tag_o[n] = req[n].tag;
      req_space_o[n] = req[n].space;
      req_va_o[n] = req[n].va;
      req_access_o[n] = req[n].access;
      rsp[n] = '{tag: rsp_tag_i[n], generation: rsp_generation_i[n],
                 gpa: '{target: target_e'(rsp_target_i[n]), adapter: '0, offset: rsp_offset_i[n]},
                 zero: rsp_zero_i[n], coherent: rsp_coherent_i[n],
                 fault: fault_e'(rsp_fault_i[n]), level: rsp_level_i[n]};
      done0_o[n] = done[n].old0;
      done1_o[n] = done[n].old1;
      ax_id_o[n] = ax[n].id;
      ax_port_o[n] = ax[n].port;
      ax_addr_o[n] = ax[n].addr;
      ax_len_o[n] = ax[n].len;
      ax_no_snoop_o[n] = ax[n].user.no_snoop;
      ax_user_o[n] = 28'({ax[n].user.function_number, ax[n].user.relaxed, ax[n].user.pasid_valid,
                          ax[n].user.pasid, ax[n].user.kind});
    end
    for (int unsigned n = 0; n < 2; n++)
      r[n] = '{id: r_id_i[n], data: r_data_i[n], error: r_error_i[n], last: r_last_i[n]};
  end

  w_t            w;
  b_t            b;
  aperture_rsp_t ap_rsp;
  assign b = '{id: b_id_i, error: b_error_i};
  assign ap_rsp = '{fault: fault_e'(ap_rsp_fault_i), coherent: ap_rsp_coherent_i,
                    page: ap_rsp_page_i};
  mmu_ctl_t    ctl;
  fault_info_t fault;
  logic [2:0]  ap_req_valid;
  pfn_t [2:0]  ap_req_page;
  assign w_data_o = w.data;
  assign w_strb_o = w.strb;
  assign w_last_o = w.last;
  assign ctl_op_o = ctl.op;
  assign ctl_scope_o = ctl.scope;
  assign ctl_space_o = ctl.space;
  assign ctl_start_o = ctl.va_start;
  assign ctl_end_o = ctl.va_end;
  assign fault_reason_o = fault.reason;
  assign fault_space_o = fault.space;
  assign fault_port_o = fault.port;
  assign fault_access_o = fault.access;
  assign fault_physical_o = fault.physical;
  assign fault_fence_o = fault.fence;
  assign fault_address_o = fault.address;
  always_comb begin
    for (int unsigned n = 0; n < 3; n++) begin
      ap_req_valid_o[n] = ap_req_valid[n];
      ap_req_page_o[n] = ap_req_page[n];
    end
  end

  // What drives the read and write ports: [0] the engine, [1] the mover.
  logic        [1:0]      read_req_valid, write_req_valid, read_rsp_ready, write_rsp_ready;
  logic        [1:0]      ar_valid, aw_valid, w_valid;
  xlate_req_t  [1:0]      read_req, write_req;
  xlate_done_t [1:0]      read_done, write_done;
  ax_t         [1:0]      ar, aw;
  w_t          [1:0]      wd;
  logic        [1:0][1:0] rw_ap_valid;
  pfn_t        [1:0][1:0] rw_ap_page;
  logic        [1:0]      on;
  assign on = {direct_i, !direct_i};
  always_comb begin
    req_valid_o[1] = read_req_valid[direct_i];
    req[1] = read_req[direct_i];
    rsp_ready_o[1] = read_rsp_ready[direct_i];
    done[1] = read_done[direct_i];
    req_valid_o[2] = write_req_valid[direct_i];
    req[2] = write_req[direct_i];
    rsp_ready_o[2] = write_rsp_ready[direct_i];
    done[2] = write_done[direct_i];
    ax_valid_o[1] = ar_valid[direct_i];
    ax[1] = ar[direct_i];
    ax_valid_o[2] = aw_valid[direct_i];
    ax[2] = aw[direct_i];
    w_valid_o = w_valid[direct_i];
    w = wd[direct_i];
    ap_req_valid[2:1] = rw_ap_valid[direct_i];
    ap_req_page[2:1] = rw_ap_page[direct_i];
  end

  function automatic config_t sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumRings = NumRings;
    return c;
  endfunction
  gmmu_engine #(.Config(sizes())) u_engine (
    .clk_i, .rst_i, .enable_i, .cycle_i, .vram_bytes_i, .link_i('0), .idle_o,
    .ring_i(ring_cfg), .ring_o(ring_state), .fence_irq_o, .ring_error_o(error_irq_o),
    .preempted_o(preempted_irq_o),
    .fetch_req_valid_o(req_valid_o[0]), .fetch_req_ready_i(req_ready_i[0]), .fetch_req_o(req[0]),
    .fetch_rsp_valid_i(rsp_valid_i[0]), .fetch_rsp_ready_o(rsp_ready_o[0]), .fetch_rsp_i(rsp[0]),
    .fetch_done_o(done[0]),
    .read_req_valid_o(read_req_valid[0]), .read_req_ready_i(req_ready_i[1] && on[0]),
    .read_req_o(read_req[0]), .read_rsp_valid_i(rsp_valid_i[1] && on[0]),
    .read_rsp_ready_o(read_rsp_ready[0]), .read_rsp_i(rsp[1]), .read_done_o(read_done[0]),
    .write_req_valid_o(write_req_valid[0]), .write_req_ready_i(req_ready_i[2] && on[0]),
    .write_req_o(write_req[0]), .write_rsp_valid_i(rsp_valid_i[2] && on[0]),
    .write_rsp_ready_o(write_rsp_ready[0]), .write_rsp_i(rsp[2]), .write_done_o(write_done[0]),
    .ap_req_valid_o({rw_ap_valid[0], ap_req_valid[0]}),
    .ap_req_ready_i({{2{on[0]}} & {ap_req_ready_i[2], ap_req_ready_i[1]}, ap_req_ready_i[0]}),
    .ap_req_page_o({rw_ap_page[0], ap_req_page[0]}),
    .ap_rsp_valid_i({{2{on[0]}} & {ap_rsp_valid_i[2], ap_rsp_valid_i[1]}, ap_rsp_valid_i[0]}),
    .ap_rsp_i(ap_rsp),
    .fetch_rd_req_o({ax_valid_o[0], ax[0]}), .fetch_rd_rsp_i({ax_ready_i[0], r_valid_i[0], r[0]}),
    .rd_req_o({ar_valid[0], ar[0]}), .rd_rsp_i({ax_ready_i[1] && on[0], r_valid_i[1] && on[0], r[1]}),
    .wr_req_o({aw_valid[0], aw[0], w_valid[0], wd[0]}),
    .wr_rsp_i({ax_ready_i[2] && on[0], w_ready_i && on[0], b_valid_i && on[0], b}),
    .ctl_valid_o, .ctl_ready_i, .ctl_o(ctl), .ctl_done_i,
    .aperture_base_i, .aperture_pages_i, .aperture_flush_o, .aperture_flush_done_i,
    .fault_valid_o, .fault_ready_i, .fault_o(fault),
    .count_entry_o, .count_commands_o, .count_read_bytes_o, .count_write_bytes_o, .busy_o);

  job_t       job;
  job_id_t    job_id_q;
  dma_fault_t unused_fault;
  job_id_t    unused_job;
  logic       unused_word_ready, unused_retired;
  logic [8:0] unused_read_bytes, unused_write_bytes;
  always_ff @(posedge clk_i) begin
    if (rst_i) job_id_q <= '0;
    else if (job_valid_i && job_ready_o) job_id_q <= job_id_q + 8'd1;
  end
  assign job = '{id: job_id_q, source: source_e'(job_source_i),
                 src: '{physical: job_src_physical_i, target: target_e'(job_src_target_i),
                        space: job_src_space_i, address: job_src_i},
                 dst: '{physical: job_dst_physical_i, target: target_e'(job_dst_target_i),
                        space: job_dst_space_i, address: job_dst_i},
                 src_end: end_t'(job_src_i + 64'(job_length_i) - 64'd1),
                 dst_end: end_t'(job_dst_i + 64'(job_length_i) - 64'd1), value: '0, step: '0};
  gmmu_dma_mover u_mover (
    .clk_i, .rst_i, .vram_bytes_i, .link_i('0),
    .job_valid_i, .job_ready_o, .job_i(job),
    .word_valid_i(1'b0), .word_ready_o(unused_word_ready), .word_i('0), .words_dead_i(1'b0),
    .kill_i(1'b0), .idle_o(direct_idle_o), .retired_o(unused_retired),
    .fault_valid_o(direct_fault_o), .fault_ready_i(1'b0), .fault_o(unused_fault),
    .fault_job_o(unused_job),
    .read_req_valid_o(read_req_valid[1]), .read_req_ready_i(req_ready_i[1] && on[1]),
    .read_req_o(read_req[1]), .read_rsp_valid_i(rsp_valid_i[1] && on[1]),
    .read_rsp_ready_o(read_rsp_ready[1]), .read_rsp_i(rsp[1]), .read_done_o(read_done[1]),
    .write_req_valid_o(write_req_valid[1]), .write_req_ready_i(req_ready_i[2] && on[1]),
    .write_req_o(write_req[1]), .write_rsp_valid_i(rsp_valid_i[2] && on[1]),
    .write_rsp_ready_o(write_rsp_ready[1]), .write_rsp_i(rsp[2]), .write_done_o(write_done[1]),
    .ap_req_valid_o(rw_ap_valid[1]),
    .ap_req_ready_i({2{on[1]}} & {ap_req_ready_i[2], ap_req_ready_i[1]}),
    .ap_req_page_o(rw_ap_page[1]),
    .ap_rsp_valid_i({2{on[1]}} & {ap_rsp_valid_i[2], ap_rsp_valid_i[1]}), .ap_rsp_i(ap_rsp),
    .rd_req_o({ar_valid[1], ar[1]}), .rd_rsp_i({ax_ready_i[1] && on[1], r_valid_i[1] && on[1], r[1]}),
    .wr_req_o({aw_valid[1], aw[1], w_valid[1], wd[1]}),
    .wr_rsp_i({ax_ready_i[2] && on[1], w_ready_i && on[1], b_valid_i && on[1], b}),
    .count_read_bytes_o(unused_read_bytes), .count_write_bytes_o(unused_write_bytes));

  logic unused;
  assign unused = ^{ctl, fault, unused_fault, unused_job, unused_word_ready, unused_retired,
                    unused_read_bytes, unused_write_bytes};
endmodule
