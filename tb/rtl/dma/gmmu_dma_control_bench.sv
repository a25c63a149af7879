// SPDX-License-Identifier: Apache-2.0
// Unconnected control blocks of the paging engine. Sizes: [0] smallest, [1] default; gmmu_dma_ring
// also exists with four rings, [2].
//
// Units, as in gmmu_dma_blocks_bench: 0 and 1 are the read and write side of the small mover, 2 and
// 3 those of the default mover, 4 and 5 address paths with 2 and with 32 slots. A path returns its
// translation when its result is accepted.
module gmmu_dma_control_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  localparam int unsigned Rings = 4,
  localparam int unsigned Units = 6
) (
  input  logic        clk_i,
  input  logic        rst_i,

  // Rings.
  input  logic        rings_enable_i [3],
  input  ring_cfg_t   ring_i [3][Rings],
  output ring_state_t ring_o [3][Rings],
  output logic        rings_awake_o [3],
  output logic        rings_idle_o [3],
  output logic        rings_busy_o [3],
  output logic        rings_fence_irq_o [3],
  output logic        rings_error_o [3],
  output logic        rings_preempted_o [3],
  output logic        rings_count_o [3],
  output logic        ask_valid_o [3],
  input  logic        ask_ready_i [3],
  output place_t      ask_place_o [3],
  output logic [32:0] ask_end_o [3],
  output logic        ask_abort_o [3],
  input  logic        ask_quiet_i [3],
  input  logic        entry_valid_i [3],
  output logic        entry_ready_o [3],
  input  logic [63:0] entry_word_i [3],
  input  logic        entry_error_i [3],
  input  dma_fault_t  entry_fault_i [3],
  output logic        run_start_o [3],
  output logic [31:0] run_bytes_o [3],
  output place_t      run_buffer_o [3],
  output logic        run_privileged_o [3],
  output pa_t         run_record_o [3],
  output logic [63:0] run_value_o [3],
  output logic        run_kill_o [3],
  output logic        run_preempt_o [3],
  input  logic        run_done_i [3],
  input  logic        run_failed_i [3],
  input  logic        run_killed_i [3],
  input  logic        run_stopped_i [3],
  input  logic        run_irq_i [3],
  input  dma_fault_t  run_error_i [3],
  input  logic [1:0]  run_path_i [3],
  input  logic [31:0] run_offset_i [3],
  input  logic [31:0] run_header_i [3],
  output logic        log_valid_o [3],
  input  logic        log_ready_i [3],
  output fault_info_t log_o [3],

  // Collectors.
  input  logic        collect_start_i [2],
  input  logic [31:0] collect_bytes_i [2],
  input  logic        collect_halt_i [2],
  input  logic        collect_word_valid_i [2],
  output logic        collect_word_ready_o [2],
  input  logic [63:0] collect_word_i [2],
  input  logic        collect_word_error_i [2],
  output logic        collect_valid_o [2],
  input  logic        collect_ready_i [2],
  output command_t    collect_o [2],
  input  logic        collect_tail_ready_i [2],
  input  logic        collect_tail_end_i [2],
  output logic        collect_awake_o [2],

  // Command processors.
  input  logic        command_start_i [2],
  input  logic [31:0] command_bytes_i [2],
  input  place_t      command_buffer_i [2],
  input  logic        command_privileged_i [2],
  input  pa_t         command_record_i [2],
  input  logic [63:0] command_value_i [2],
  input  logic [63:0] command_cycle_i [2],
  input  logic        command_kill_i [2],
  input  logic        command_preempt_i [2],
  output logic        command_done_o [2],
  output logic        command_failed_o [2],
  output logic        command_killed_o [2],
  output logic        command_preempted_o [2],
  output logic        command_irq_o [2],
  output logic        command_awake_o [2],
  output dma_fault_t  command_error_o [2],
  output logic [1:0]  command_path_o [2],
  output logic [31:0] command_offset_o [2],
  output logic [31:0] command_header_o [2],
  input  logic        command_word_valid_i [2],
  output logic        command_word_ready_o [2],
  input  logic [63:0] command_word_i [2],
  input  logic        command_word_error_i [2],
  input  dma_fault_t  command_word_fault_i [2],
  output logic        give_valid_o [2],        // jobs and their inline words
  input  logic        give_ready_i [2],
  output job_t        give_o [2],
  output logic        inline_valid_o [2],
  input  logic        inline_ready_i [2],
  output logic [63:0] inline_word_o [2],
  output logic        inline_dead_o [2],
  output logic        mover_kill_o [2],
  input  logic        mover_idle_i [2],
  input  logic        mover_retired_i [2],
  input  logic        mover_fault_valid_i [2],
  output logic        mover_fault_ready_o [2],
  input  dma_fault_t  mover_fault_i [2],
  input  job_id_t     mover_fault_job_i [2],
  output logic        ctl_valid_o [2],
  input  logic        ctl_ready_i [2],
  output mmu_ctl_t    ctl_o [2],
  input  logic        ctl_done_i [2],
  input  pa_t         command_base_i [2],      // base address of the aperture map
  input  logic [31:0] command_pages_i [2],
  output logic        command_flush_o [2],
  input  logic        command_flush_done_i [2],
  output logic        command_fence_o [2],
  output logic [1:0]  command_count_o [2],

  // Movers.
  input  logic        move_valid_i [2],
  output logic        move_ready_o [2],
  input  job_t        move_i [2],
  input  logic        move_word_valid_i [2],
  output logic        move_word_ready_o [2],
  input  logic [63:0] move_word_i [2],
  input  logic        move_dead_i [2],
  input  logic        move_kill_i [2],
  output logic        move_idle_o [2],
  output logic        move_retired_o [2],
  output logic        move_fault_valid_o [2],
  input  logic        move_fault_ready_i [2],
  output dma_fault_t  move_fault_o [2],
  output job_id_t     move_fault_job_o [2],

  // Address paths accept bursts and return results.
  input  logic        path_valid_i [2],
  output logic        path_ready_o [2],
  input  logic [7:0]  path_tag_i [2],
  input  place_t      path_place_i [2],
  output logic        path_valid_o [2],
  input  logic        path_ready_i [2],
  output logic [7:0]  path_slot_o [2],
  output logic [7:0]  path_tag_o [2],          // the tag that came with the burst
  output logic        path_empty_o [2],
  output logic [3:0]  path_kind_o [2],         // {virt, generation, zero, ends}
  output port_e       path_port_o [2],
  output pa_t         path_addr_o [2],
  output logic        path_coherent_o [2],
  output fault_e      path_fault_o [2],
  output level_t      path_level_o [2],

  // Units.
  input  logic [63:0] vram_bytes_i,
  output logic        req_valid_o [Units],
  input  logic        req_ready_i [Units],
  output xlate_req_t  req_o [Units],
  input  logic        rsp_valid_i [Units],
  output logic        rsp_ready_o [Units],
  input  xlate_rsp_t  rsp_i [Units],
  output xlate_done_t done_o [Units],
  output logic        ap_req_valid_o [Units],
  input  logic        ap_req_ready_i [Units],
  output pfn_t        ap_req_page_o [Units],
  input  logic        ap_rsp_valid_i [Units],  // never 1 for both sides of a mover in one cycle
  input  aperture_rsp_t ap_rsp_i [Units],
  output rd_req_t     rd_req_o [Units],
  input  rd_rsp_t     rd_rsp_i [Units],
  output wr_req_t     wr_req_o [Units],
  input  wr_rsp_t     wr_rsp_i [Units],
  output logic [8:0]  count_o [Units]
);
  localparam int unsigned Spaces [3] = '{2, 16, 16};
  localparam int unsigned Built [3] = '{1, 1, 4};
  function automatic config_t sizes(int n);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumRings = Built[n];
    c.NumSpaces = Spaces[n];
    c.NumUnits = n == 0 ? 1 : 4;
    c.ReadsInFlight = n == 0 ? 2 : 32;
    return c;
  endfunction

  for (genvar n = 0; n < 3; n++) begin : g_ring
    ring_cfg_t   [Built[n]-1:0] cfg;
    ring_state_t [Built[n]-1:0] state;
    for (genvar r = 0; r < Rings; r++) begin : g_each
      if (r < Built[n]) begin : g_built
        assign cfg[r] = ring_i[n][r];
        assign ring_o[n][r] = state[r];
      end else begin : g_none
        assign ring_o[n][r] = '0;
      end
    end
    gmmu_dma_ring #(.Config(sizes(n))) u_ring (
      .clk_i, .awake_o(rings_awake_o[n]), .rst_i, .enable_i(rings_enable_i[n]), .idle_o(rings_idle_o[n]),
      .busy_o(rings_busy_o[n]), .ring_i(cfg), .ring_o(state), .fence_irq_o(rings_fence_irq_o[n]),
      .ring_error_o(rings_error_o[n]), .preempted_o(rings_preempted_o[n]),
      .count_entry_o(rings_count_o[n]),
      .fetch_valid_o(ask_valid_o[n]), .fetch_ready_i(ask_ready_i[n]), .fetch_place_o(ask_place_o[n]),
      .fetch_end_o(ask_end_o[n]), .fetch_abort_o(ask_abort_o[n]),
      .fetch_quiet_i(ask_quiet_i[n]), .word_valid_i(entry_valid_i[n]),
      .word_ready_o(entry_ready_o[n]), .word_i(entry_word_i[n]), .word_error_i(entry_error_i[n]),
      .word_fault_i(entry_fault_i[n]), .start_o(run_start_o[n]),
      .start_bytes_o(run_bytes_o[n]), .start_buffer_o(run_buffer_o[n]),
      .privileged_o(run_privileged_o[n]), .record_address_o(run_record_o[n]),
      .record_value_o(run_value_o[n]), .kill_o(run_kill_o[n]),
      .preempt_o(run_preempt_o[n]), .stopped_i(run_stopped_i[n]), .done_i(run_done_i[n]),
      .failed_i(run_failed_i[n]), .killed_i(run_killed_i[n]), .command_irq_i(run_irq_i[n]),
      .error_i(run_error_i[n]), .error_path_i(run_path_i[n]),
      .error_offset_i(run_offset_i[n]), .error_header_i(run_header_i[n]),
      .fault_valid_o(log_valid_o[n]), .fault_ready_i(log_ready_i[n]), .fault_o(log_o[n]));
  end

  for (genvar n = 0; n < 2; n++) begin : g_collect
    gmmu_dma_collect #(.Config(sizes(n))) u_collect (
      .clk_i, .awake_o(collect_awake_o[n]), .rst_i, .start_i(collect_start_i[n]), .bytes_i(collect_bytes_i[n]),
      .halt_i(collect_halt_i[n]), .word_valid_i(collect_word_valid_i[n]),
      .word_ready_o(collect_word_ready_o[n]), .word_i(collect_word_i[n]),
      .word_error_i(collect_word_error_i[n]), .valid_o(collect_valid_o[n]),
      .ready_i(collect_ready_i[n]), .command_o(collect_o[n]), .tail_ready_i(collect_tail_ready_i[n]),
      .tail_end_i(collect_tail_end_i[n]));
  end

  for (genvar n = 0; n < 2; n++) begin : g_command
    gmmu_dma_command #(.Config(sizes(n))) u_command (
      .clk_i, .awake_o(command_awake_o[n]), .rst_i, .start_i(command_start_i[n]), .bytes_i(command_bytes_i[n]),
      .buffer_i(command_buffer_i[n]),
      .privileged_i(command_privileged_i[n]), .record_address_i(command_record_i[n]),
      .record_value_i(command_value_i[n]), .cycle_i(command_cycle_i[n]),
      .kill_i(command_kill_i[n]), .preempt_i(command_preempt_i[n]),
      .preempted_o(command_preempted_o[n]), .done_o(command_done_o[n]), .failed_o(command_failed_o[n]),
      .killed_o(command_killed_o[n]), .fence_irq_o(command_irq_o[n]), .error_o(command_error_o[n]),
      .error_path_o(command_path_o[n]), .error_offset_o(command_offset_o[n]),
      .error_header_o(command_header_o[n]), .word_valid_i(command_word_valid_i[n]),
      .word_ready_o(command_word_ready_o[n]), .word_i(command_word_i[n]),
      .word_error_i(command_word_error_i[n]), .word_fault_i(command_word_fault_i[n]),
      .job_valid_o(give_valid_o[n]), .job_ready_i(give_ready_i[n]), .job_o(give_o[n]),
      .inline_valid_o(inline_valid_o[n]), .inline_ready_i(inline_ready_i[n]),
      .inline_word_o(inline_word_o[n]), .inline_dead_o(inline_dead_o[n]),
      .mover_kill_o(mover_kill_o[n]), .mover_idle_i(mover_idle_i[n]),
      .mover_retired_i(mover_retired_i[n]), .mover_fault_valid_i(mover_fault_valid_i[n]),
      .mover_fault_ready_o(mover_fault_ready_o[n]), .mover_fault_i(mover_fault_i[n]),
      .mover_fault_job_i(mover_fault_job_i[n]), .ctl_valid_o(ctl_valid_o[n]),
      .ctl_ready_i(ctl_ready_i[n]), .ctl_o(ctl_o[n]), .ctl_done_i(ctl_done_i[n]),
      .aperture_base_i(command_base_i[n]), .aperture_pages_i(command_pages_i[n]),
      .aperture_flush_o(command_flush_o[n]), .aperture_flush_done_i(command_flush_done_i[n]),
      .fence_at_work_o(command_fence_o[n]), .count_commands_o(command_count_o[n]));
  end

  for (genvar n = 0; n < 2; n++) begin : g_mover
    localparam int unsigned In = 2 * n;           // unit number of the mover's read side
    localparam int unsigned Out = 2 * n + 1;
    gmmu_dma_mover #(.Config(sizes(n)), .MaxBurst(n == 0 ? 64 : 128)) u_mover (
      .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .job_valid_i(move_valid_i[n]),
      .job_ready_o(move_ready_o[n]), .job_i(move_i[n]), .word_valid_i(move_word_valid_i[n]),
      .word_ready_o(move_word_ready_o[n]), .word_i(move_word_i[n]),
      .words_dead_i(move_dead_i[n]), .kill_i(move_kill_i[n]), .idle_o(move_idle_o[n]),
      .retired_o(move_retired_o[n]), .fault_valid_o(move_fault_valid_o[n]),
      .fault_ready_i(move_fault_ready_i[n]), .fault_o(move_fault_o[n]), .fault_job_o(move_fault_job_o[n]),
      .read_req_valid_o(req_valid_o[In]), .read_req_ready_i(req_ready_i[In]),
      .read_req_o(req_o[In]), .read_rsp_valid_i(rsp_valid_i[In]),
      .read_rsp_ready_o(rsp_ready_o[In]), .read_rsp_i(rsp_i[In]), .read_done_o(done_o[In]),
      .write_req_valid_o(req_valid_o[Out]), .write_req_ready_i(req_ready_i[Out]),
      .write_req_o(req_o[Out]), .write_rsp_valid_i(rsp_valid_i[Out]),
      .write_rsp_ready_o(rsp_ready_o[Out]), .write_rsp_i(rsp_i[Out]), .write_done_o(done_o[Out]),
      .ap_req_valid_o({ap_req_valid_o[Out], ap_req_valid_o[In]}),
      .ap_req_ready_i({ap_req_ready_i[Out], ap_req_ready_i[In]}),
      .ap_req_page_o({ap_req_page_o[Out], ap_req_page_o[In]}),
      .ap_rsp_valid_i({ap_rsp_valid_i[Out], ap_rsp_valid_i[In]}),
      .ap_rsp_i(ap_rsp_valid_i[Out] ? ap_rsp_i[Out] : ap_rsp_i[In]),
      .rd_req_o(rd_req_o[In]), .rd_rsp_i(rd_rsp_i[In]), .wr_req_o(wr_req_o[Out]), .wr_rsp_i(wr_rsp_i[Out]),
      .count_read_bytes_o(count_o[In]), .count_write_bytes_o(count_o[Out]));
    assign {wr_req_o[In], rd_req_o[Out]} = '0;
  end

  for (genvar n = 0; n < 2; n++) begin : g_path
    localparam int unsigned Unit = 4 + n;
    localparam int unsigned Slots = n == 0 ? 2 : 32;
    logic [$clog2(Slots)-1:0] slot;
    logic                     virt, generation, zero, ends, taken;
    gmmu_dma_path #(
      .Slots(Slots), .Access(n == 0 ? AccessWrite : AccessRead), .UserWidth(8)
    ) u_path (
      .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .valid_i(path_valid_i[n]), .ready_o(path_ready_o[n]),
      .place_i(path_place_i[n]), .user_i(path_tag_i[n]), .alloc_o(),
      .req_valid_o(req_valid_o[Unit]), .req_ready_i(req_ready_i[Unit]), .req_o(req_o[Unit]),
      .rsp_valid_i(rsp_valid_i[Unit]), .rsp_ready_o(rsp_ready_o[Unit]), .rsp_i(rsp_i[Unit]),
      .ap_req_valid_o(ap_req_valid_o[Unit]), .ap_req_ready_i(ap_req_ready_i[Unit]),
      .ap_req_page_o(ap_req_page_o[Unit]), .ap_rsp_valid_i(ap_rsp_valid_i[Unit]),
      .ap_rsp_i(ap_rsp_i[Unit]), .valid_o(path_valid_o[n]), .ready_i(path_ready_i[n]),
      .slot_o(slot), .user_o(path_tag_o[n]), .virt_o(virt), .generation_o(generation),
      .zero_o(zero), .ends_o(ends), .port_o(path_port_o[n]), .addr_o(path_addr_o[n]),
      .coherent_o(path_coherent_o[n]), .fault_o(path_fault_o[n]),
      .level_o(path_level_o[n]), .empty_o(path_empty_o[n]));
    assign path_slot_o[n] = 8'(slot);
    assign path_kind_o[n] = {virt, generation, zero, ends};
    assign taken = path_valid_o[n] && path_ready_i[n] && virt;
    assign done_o[Unit] = '{old0: 2'(taken && !generation), old1: 2'(taken && generation)};
    assign {rd_req_o[Unit], wr_req_o[Unit], count_o[Unit]} = '0;
  end
endmodule
