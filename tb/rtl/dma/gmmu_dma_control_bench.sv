// SPDX-License-Identifier: Apache-2.0
// The control blocks of the paging engine, each on its own. Sizes: [0] smallest, [1] default; the rings
// also have [2], four rings. Ports named *_what carry {reason, access, level, place without
// address} of a fault; ports named *_where carry {physical, target, space} of a place.
//
// Units, as on gmmu_dma_blocks_bench: read and write side of the small mover (0, 1) and of the
// default mover (2, 3), paths with 2 and with 32 slots (4, 5). A path returns a translation when
// its result is accepted.
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
  input  logic        ring_enable_i [3][Rings],
  input  logic        ring_privileged_i [3][Rings],
  input  logic        ring_preempt_i [3][Rings],
  input  logic [3:0]  ring_size_i [3][Rings],
  input  logic [1:0]  ring_target_i [3][Rings],
  input  logic [47:0] ring_base_i [3][Rings],
  input  logic [15:0] ring_tail_i [3][Rings],
  input  logic [47:0] ring_record_i [3][Rings],
  output logic [15:0] ring_head_o [3][Rings],
  output logic        ring_busy_o [3][Rings],
  output logic        ring_error_o [3][Rings],
  output logic        ring_preempted_o [3][Rings],
  output logic [7:0]  ring_reason_o [3][Rings],
  output logic [1:0]  ring_access_o [3][Rings],
  output logic [2:0]  ring_level_o [3][Rings],
  output logic [31:0] ring_fence_o [3][Rings],
  output logic [31:0] ring_last_fence_o [3][Rings],
  output logic [31:0] ring_offset_o [3][Rings],
  output logic [31:0] ring_header_o [3][Rings],
  output logic [63:0] ring_address_o [3][Rings],
  output logic        rings_awake_o [3],
  output logic        rings_idle_o [3],
  output logic        rings_busy_o [3],
  output logic        rings_fence_irq_o [3],
  output logic        rings_error_o [3],
  output logic        rings_preempted_o [3],
  output logic        rings_count_o [3],
  output logic        ask_valid_o [3],
  input  logic        ask_ready_i [3],
  output logic [8:0]  ask_where_o [3],
  output logic [63:0] ask_address_o [3],
  output logic [31:0] ask_bytes_o [3],
  output logic        ask_abort_o [3],
  input  logic        ask_quiet_i [3],
  input  logic        entry_valid_i [3],
  output logic        entry_ready_o [3],
  input  logic [63:0] entry_word_i [3],
  input  logic        entry_error_i [3],
  input  logic [21:0] entry_what_i [3],
  input  logic [63:0] entry_address_i [3],
  output logic        run_start_o [3],
  output logic [31:0] run_bytes_o [3],
  output logic [8:0]  run_where_o [3],
  output logic [63:0] run_address_o [3],
  output logic        run_privileged_o [3],
  output logic [47:0] run_record_o [3],
  output logic [63:0] run_value_o [3],
  output logic        run_kill_o [3],
  output logic        run_preempt_o [3],
  input  logic        run_done_i [3],
  input  logic        run_failed_i [3],
  input  logic        run_killed_i [3],
  input  logic        run_stopped_i [3],
  input  logic        run_irq_i [3],
  input  logic [21:0] run_what_i [3],
  input  logic [63:0] run_address_i [3],
  input  logic [1:0]  run_path_i [3],
  input  logic [31:0] run_offset_i [3],
  input  logic [31:0] run_header_i [3],
  output logic        log_valid_o [3],
  input  logic        log_ready_i [3],
  output logic [26:0] log_what_o [3],          // {reason, space, port, access, level, physical}
  output logic [31:0] log_fence_o [3],
  output logic [63:0] log_address_o [3],

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
  output logic [2:0]  collect_kind_o [2],      // {over, unreadable, malformed}
  output logic [31:0] collect_offset_o [2],
  output logic [63:0] collect_header_o [2],
  output logic [9:0]  collect_needs_o [2],
  output logic [9:0]  collect_opcode_o [2],
  output logic        collect_odd_o [2],
  output logic [63:0] collect_src_o [2],
  output logic [63:0] collect_dst_o [2],
  output logic [47:0] collect_length_o [2],
  output logic [63:0] collect_value_o [2],
  output logic [63:0] collect_step_o [2],
  input  logic        collect_tail_ready_i [2],
  input  logic        collect_tail_end_i [2],
  output logic        collect_awake_o [2],

  // Command processors.
  input  logic        command_start_i [2],
  input  logic [31:0] command_bytes_i [2],
  input  logic [8:0]  command_where_i [2],
  input  logic [63:0] command_address_i [2],
  input  logic        command_privileged_i [2],
  input  logic [47:0] command_record_i [2],
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
  output logic [21:0] command_what_o [2],
  output logic [63:0] command_address_o [2],
  output logic [1:0]  command_path_o [2],
  output logic [31:0] command_offset_o [2],
  output logic [31:0] command_header_o [2],
  input  logic        command_word_valid_i [2],
  output logic        command_word_ready_o [2],
  input  logic [63:0] command_word_i [2],
  input  logic        command_word_error_i [2],
  input  logic [21:0] command_word_what_i [2],
  input  logic [63:0] command_word_address_i [2],
  output logic        give_valid_o [2],        // jobs and their inline words
  input  logic        give_ready_i [2],
  output logic [7:0]  give_id_o [2],
  output logic [2:0]  give_source_o [2],
  output logic [8:0]  give_src_where_o [2],
  output logic [63:0] give_src_o [2],
  output logic [8:0]  give_dst_where_o [2],
  output logic [63:0] give_dst_o [2],
  output logic [47:0] give_length_o [2],
  output logic [63:0] give_value_o [2],
  output logic [63:0] give_step_o [2],
  output logic        inline_valid_o [2],
  input  logic        inline_ready_i [2],
  output logic [63:0] inline_word_o [2],
  output logic        inline_dead_o [2],
  output logic        mover_kill_o [2],
  input  logic        mover_idle_i [2],
  input  logic        mover_retired_i [2],
  input  logic        mover_fault_valid_i [2],
  output logic        mover_fault_ready_o [2],
  input  logic [21:0] mover_fault_what_i [2],
  input  logic [63:0] mover_fault_address_i [2],
  input  logic [7:0]  mover_fault_job_i [2],
  output logic        ctl_valid_o [2],
  input  logic        ctl_ready_i [2],
  output logic [1:0]  ctl_op_o [2],
  output logic [1:0]  ctl_scope_o [2],
  output logic [5:0]  ctl_space_o [2],
  output logic [63:0] ctl_start_o [2],
  output logic [63:0] ctl_end_o [2],
  input  logic        ctl_done_i [2],
  input  logic [47:0] command_base_i [2],      // base address of the aperture map
  input  logic [31:0] command_pages_i [2],
  output logic        command_flush_o [2],
  input  logic        command_flush_done_i [2],
  output logic        command_fence_o [2],
  output logic [1:0]  command_count_o [2],

  // Movers.
  input  logic        move_valid_i [2],
  output logic        move_ready_o [2],
  input  logic [7:0]  move_id_i [2],
  input  logic [1:0]  move_source_i [2],
  input  logic [8:0]  move_src_where_i [2],
  input  logic [63:0] move_src_i [2],
  input  logic [8:0]  move_dst_where_i [2],
  input  logic [63:0] move_dst_i [2],
  input  logic [47:0] move_length_i [2],
  input  logic [63:0] move_value_i [2],
  input  logic [63:0] move_step_i [2],
  input  logic        move_word_valid_i [2],
  output logic        move_word_ready_o [2],
  input  logic [63:0] move_word_i [2],
  input  logic        move_dead_i [2],
  input  logic        move_kill_i [2],
  output logic        move_idle_o [2],
  output logic        move_retired_o [2],
  output logic        move_fault_valid_o [2],
  input  logic        move_fault_ready_i [2],
  output logic [21:0] move_fault_what_o [2],
  output logic [63:0] move_fault_address_o [2],
  output logic [7:0]  move_fault_job_o [2],

  // Paths accept bursts and return results.
  input  logic        path_valid_i [2],
  output logic        path_ready_o [2],
  input  logic [7:0]  path_tag_i [2],
  input  logic [8:0]  path_where_i [2],
  input  logic [63:0] path_address_i [2],
  output logic        path_valid_o [2],
  input  logic        path_ready_i [2],
  output logic [7:0]  path_slot_o [2],
  output logic [7:0]  path_tag_o [2],          // the tag that was passed in
  output logic        path_empty_o [2],
  output logic [3:0]  path_kind_o [2],         // {virt, generation, zero, ends}
  output logic [1:0]  path_port_o [2],
  output logic [47:0] path_addr_o [2],
  output logic        path_coherent_o [2],
  output logic [7:0]  path_fault_o [2],
  output logic [2:0]  path_level_o [2],

  // Units.
  input  logic [63:0] vram_bytes_i,
  output logic        req_valid_o [Units],
  input  logic        req_ready_i [Units],
  output logic [7:0]  req_tag_o [Units],
  output logic [5:0]  req_space_o [Units],
  output logic [63:0] req_va_o [Units],
  output logic [1:0]  req_access_o [Units],
  input  logic        rsp_valid_i [Units],
  output logic        rsp_ready_o [Units],
  input  logic [7:0]  rsp_tag_i [Units],
  input  logic        rsp_generation_i [Units],
  input  logic [1:0]  rsp_target_i [Units],
  input  logic [47:0] rsp_offset_i [Units],
  input  logic        rsp_zero_i [Units],
  input  logic        rsp_coherent_i [Units],
  input  logic [7:0]  rsp_fault_i [Units],
  input  logic [2:0]  rsp_level_i [Units],
  output logic [1:0]  done0_o [Units],
  output logic [1:0]  done1_o [Units],
  output logic        ap_req_valid_o [Units],
  input  logic        ap_req_ready_i [Units],
  output logic [35:0] ap_req_page_o [Units],
  input  logic        ap_rsp_valid_i [Units],  // the two sides of a mover get an answer at different times
  input  logic [7:0]  ap_rsp_fault_i [Units],
  input  logic [35:0] ap_rsp_page_i [Units],
  output logic        ax_valid_o [Units],
  input  logic        ax_ready_i [Units],
  output logic [7:0]  ax_id_o [Units],
  output logic [1:0]  ax_port_o [Units],
  output logic [47:0] ax_addr_o [Units],
  output logic [7:0]  ax_len_o [Units],
  output logic        ax_no_snoop_o [Units],
  input  logic        r_valid_i [Units],
  input  logic [7:0]  r_id_i [Units],
  input  logic [DataWidth-1:0] r_data_i [Units],
  input  logic        r_error_i [Units],
  input  logic        r_last_i [Units],
  output logic        w_valid_o [Units],
  input  logic        w_ready_i [Units],
  output logic [DataWidth-1:0] w_data_o [Units],
  output logic [DataBytes-1:0] w_strb_o [Units],
  output logic        w_last_o [Units],
  input  logic        b_valid_i [Units],
  input  logic [7:0]  b_id_i [Units],
  input  logic        b_error_i [Units],
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

  function automatic dma_fault_t fault_of(logic [21:0] what, logic [63:0] address);
    return {what, address};
  endfunction
  function automatic place_t place_of(logic [8:0] place, logic [63:0] address);
    return {place, address};
  endfunction

  for (genvar n = 0; n < 3; n++) begin : g_ring
    ring_cfg_t   [Built[n]-1:0] cfg;
    ring_state_t [Built[n]-1:0] state;
    for (genvar r = 0; r < Rings; r++) begin : g_each
      if (r < Built[n]) begin : g_built
        assign cfg[r] = '{
          enable: ring_enable_i[n][r], privileged: ring_privileged_i[n][r],
          preempt: ring_preempt_i[n][r],
          size_lg2: ring_size_i[n][r], base_target: target_e'(ring_target_i[n][r]),
          base: ring_base_i[n][r], tail: ring_tail_i[n][r], fence_address: ring_record_i[n][r]};
        assign ring_head_o[n][r] = state[r].head;
        assign ring_busy_o[n][r] = state[r].busy;
        assign ring_error_o[n][r] = state[r].error;
        assign ring_preempted_o[n][r] = state[r].preempted;
        assign ring_reason_o[n][r] = state[r].reason;
        assign ring_access_o[n][r] = state[r].access;
        assign ring_level_o[n][r] = state[r].level;
        assign ring_fence_o[n][r] = state[r].fence;
        assign ring_last_fence_o[n][r] = state[r].last_fence;
        assign ring_offset_o[n][r] = state[r].error_offset;
        assign ring_header_o[n][r] = state[r].error_header;
        assign ring_address_o[n][r] = state[r].error_address;
      end else begin : g_none
        assign ring_head_o[n][r] = '0;
        assign ring_busy_o[n][r] = 1'b0;
        assign ring_error_o[n][r] = 1'b0;
        assign ring_preempted_o[n][r] = 1'b0;
        assign ring_reason_o[n][r] = '0;
        assign ring_access_o[n][r] = '0;
        assign ring_level_o[n][r] = '0;
        assign ring_fence_o[n][r] = '0;
        assign ring_last_fence_o[n][r] = '0;
        assign ring_offset_o[n][r] = '0;
        assign ring_header_o[n][r] = '0;
        assign ring_address_o[n][r] = '0;
      end
    end
    place_t      ask, buffer;
    logic [32:0] ask_end;
    fault_info_t log;
    gmmu_dma_ring #(.Config(sizes(n))) u_ring (
      .clk_i, .awake_o(rings_awake_o[n]), .rst_i, .enable_i(rings_enable_i[n]), .idle_o(rings_idle_o[n]),
      .busy_o(rings_busy_o[n]), .ring_i(cfg), .ring_o(state), .fence_irq_o(rings_fence_irq_o[n]),
      .ring_error_o(rings_error_o[n]), .preempted_o(rings_preempted_o[n]),
      .count_entry_o(rings_count_o[n]),
      .fetch_valid_o(ask_valid_o[n]), .fetch_ready_i(ask_ready_i[n]), .fetch_place_o(ask),
      .fetch_end_o(ask_end), .fetch_abort_o(ask_abort_o[n]),
      .fetch_quiet_i(ask_quiet_i[n]), .word_valid_i(entry_valid_i[n]),
      .word_ready_o(entry_ready_o[n]), .word_i(entry_word_i[n]), .word_error_i(entry_error_i[n]),
      .word_fault_i(fault_of(entry_what_i[n], entry_address_i[n])), .start_o(run_start_o[n]),
      .start_bytes_o(run_bytes_o[n]), .start_buffer_o(buffer),
      .privileged_o(run_privileged_o[n]), .record_address_o(run_record_o[n]),
      .record_value_o(run_value_o[n]), .kill_o(run_kill_o[n]),
      .preempt_o(run_preempt_o[n]), .stopped_i(run_stopped_i[n]), .done_i(run_done_i[n]),
      .failed_i(run_failed_i[n]), .killed_i(run_killed_i[n]), .command_irq_i(run_irq_i[n]),
      .error_i(fault_of(run_what_i[n], run_address_i[n])), .error_path_i(run_path_i[n]),
      .error_offset_i(run_offset_i[n]), .error_header_i(run_header_i[n]),
      .fault_valid_o(log_valid_o[n]), .fault_ready_i(log_ready_i[n]), .fault_o(log));
    assign {ask_where_o[n], ask_address_o[n]} = ask;
    assign ask_bytes_o[n] = 32'(ask_end - ask.address[32:0] + 33'd1);
    assign {run_where_o[n], run_address_o[n]} = buffer;
    assign log_what_o[n] = {log.reason, log.space, log.port, log.access, log.level, log.physical};
    assign log_fence_o[n] = log.fence;
    assign log_address_o[n] = log.address;
  end

  for (genvar n = 0; n < 2; n++) begin : g_collect
    command_t command;
    gmmu_dma_collect #(.Config(sizes(n))) u_collect (
      .clk_i, .awake_o(collect_awake_o[n]), .rst_i, .start_i(collect_start_i[n]), .bytes_i(collect_bytes_i[n]),
      .halt_i(collect_halt_i[n]), .word_valid_i(collect_word_valid_i[n]),
      .word_ready_o(collect_word_ready_o[n]), .word_i(collect_word_i[n]),
      .word_error_i(collect_word_error_i[n]), .valid_o(collect_valid_o[n]),
      .ready_i(collect_ready_i[n]), .command_o(command), .tail_ready_i(collect_tail_ready_i[n]),
      .tail_end_i(collect_tail_end_i[n]));
    assign collect_kind_o[n] = {command.over, command.unreadable, command.malformed};
    assign collect_offset_o[n] = command.offset;
    assign collect_header_o[n] = command.header;
    assign collect_needs_o[n] = command.needs;
    assign collect_opcode_o[n] = command.opcode;
    assign collect_odd_o[n] = command.odd;
    assign collect_src_o[n] = command.src;
    assign collect_dst_o[n] = command.dst;
    assign collect_length_o[n] = command.length;
    assign collect_value_o[n] = command.value;
    assign collect_step_o[n] = command.step;
  end

  for (genvar n = 0; n < 2; n++) begin : g_command
    dma_fault_t error;
    job_t       job;
    mmu_ctl_t   ctl;
    gmmu_dma_command #(.Config(sizes(n))) u_command (
      .clk_i, .awake_o(command_awake_o[n]), .rst_i, .start_i(command_start_i[n]), .bytes_i(command_bytes_i[n]),
      .buffer_i(place_of(command_where_i[n], command_address_i[n])),
      .privileged_i(command_privileged_i[n]), .record_address_i(command_record_i[n]),
      .record_value_i(command_value_i[n]), .cycle_i(command_cycle_i[n]),
      .kill_i(command_kill_i[n]), .preempt_i(command_preempt_i[n]),
      .preempted_o(command_preempted_o[n]), .done_o(command_done_o[n]), .failed_o(command_failed_o[n]),
      .killed_o(command_killed_o[n]), .fence_irq_o(command_irq_o[n]), .error_o(error),
      .error_path_o(command_path_o[n]), .error_offset_o(command_offset_o[n]),
      .error_header_o(command_header_o[n]), .word_valid_i(command_word_valid_i[n]),
      .word_ready_o(command_word_ready_o[n]), .word_i(command_word_i[n]),
      .word_error_i(command_word_error_i[n]),
      .word_fault_i(fault_of(command_word_what_i[n], command_word_address_i[n])),
      .job_valid_o(give_valid_o[n]), .job_ready_i(give_ready_i[n]), .job_o(job),
      .inline_valid_o(inline_valid_o[n]), .inline_ready_i(inline_ready_i[n]),
      .inline_word_o(inline_word_o[n]), .inline_dead_o(inline_dead_o[n]),
      .mover_kill_o(mover_kill_o[n]), .mover_idle_i(mover_idle_i[n]),
      .mover_retired_i(mover_retired_i[n]), .mover_fault_valid_i(mover_fault_valid_i[n]),
      .mover_fault_ready_o(mover_fault_ready_o[n]),
      .mover_fault_i(fault_of(mover_fault_what_i[n], mover_fault_address_i[n])),
      .mover_fault_job_i(mover_fault_job_i[n]), .ctl_valid_o(ctl_valid_o[n]),
      .ctl_ready_i(ctl_ready_i[n]), .ctl_o(ctl), .ctl_done_i(ctl_done_i[n]),
      .aperture_base_i(command_base_i[n]), .aperture_pages_i(command_pages_i[n]),
      .aperture_flush_o(command_flush_o[n]), .aperture_flush_done_i(command_flush_done_i[n]),
      .fence_at_work_o(command_fence_o[n]), .count_commands_o(command_count_o[n]));
    assign {command_what_o[n], command_address_o[n]} = error;
    assign give_id_o[n] = job.id;
    assign give_source_o[n] = 3'(job.source);
    assign {give_src_where_o[n], give_src_o[n]} = job.src;
    assign {give_dst_where_o[n], give_dst_o[n]} = job.dst;
    // The length is 0, which no job uses, if the two lengths of a copy differ.
    assign give_length_o[n] = job.source == SourceCopy &&
                              job.src_end - end_t'(job.src.address) !=
                              job.dst_end - end_t'(job.dst.address)
                              ? '0 : 48'(job.dst_end - end_t'(job.dst.address) + 49'd1);
    assign give_value_o[n] = job.value;
    assign give_step_o[n] = job.step;
    assign ctl_op_o[n] = ctl.op;
    assign ctl_scope_o[n] = ctl.scope;
    assign ctl_space_o[n] = ctl.space;
    assign ctl_start_o[n] = ctl.va_start;
    assign ctl_end_o[n] = ctl.va_end;
  end

  // Requests and responses of each unit, as structs.
  xlate_req_t    req [Units];
  xlate_rsp_t    rsp [Units];
  xlate_done_t   done [Units];
  aperture_rsp_t ap_rsp [Units];
  ax_t           ax [Units];
  w_t            w [Units];
  for (genvar n = 0; n < Units; n++) begin : g_unit
    assign rsp[n] = '{tag: rsp_tag_i[n], generation: rsp_generation_i[n],
                      gpa: '{target: target_e'(rsp_target_i[n]), adapter: '0,
                             offset: rsp_offset_i[n]},
                      zero: rsp_zero_i[n], coherent: rsp_coherent_i[n],
                      fault: fault_e'(rsp_fault_i[n]), level: rsp_level_i[n]};
    assign ap_rsp[n] = '{fault: fault_e'(ap_rsp_fault_i[n]), coherent: 1'b1,
                         page: ap_rsp_page_i[n]};
    assign req_tag_o[n] = req[n].tag;
    assign req_space_o[n] = req[n].space;
    assign req_va_o[n] = req[n].va;
    assign req_access_o[n] = req[n].access;
    assign done0_o[n] = done[n].old0;
    assign done1_o[n] = done[n].old1;
    assign ax_id_o[n] = ax[n].id;
    assign ax_port_o[n] = ax[n].port;
    assign ax_addr_o[n] = ax[n].addr;
    assign ax_len_o[n] = ax[n].len;
    assign ax_no_snoop_o[n] = ax[n].user.no_snoop;
    assign w_data_o[n] = w[n].data;
    assign w_strb_o[n] = w[n].strb;
    assign w_last_o[n] = w[n].last;
    if (n >= 4) begin : g_path
      localparam int unsigned Slots = n == 4 ? 2 : 32;
      localparam int unsigned TagWidth = $clog2(Slots);
      logic [TagWidth-1:0] slot;
      logic [TagWidth:0]   unused_alloc;
      logic                virt, generation, zero, ends, taken;
      gmmu_dma_path #(
        .Slots(Slots), .Access(n == 4 ? AccessWrite : AccessRead), .UserWidth(8)
      ) u_path (
        .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .valid_i(path_valid_i[n-4]), .ready_o(path_ready_o[n-4]),
        .place_i(place_of(path_where_i[n-4], path_address_i[n-4])), .user_i(path_tag_i[n-4]),
        .alloc_o(unused_alloc),
        .req_valid_o(req_valid_o[n]), .req_ready_i(req_ready_i[n]), .req_o(req[n]),
        .rsp_valid_i(rsp_valid_i[n]), .rsp_ready_o(rsp_ready_o[n]), .rsp_i(rsp[n]),
        .ap_req_valid_o(ap_req_valid_o[n]), .ap_req_ready_i(ap_req_ready_i[n]),
        .ap_req_page_o(ap_req_page_o[n]), .ap_rsp_valid_i(ap_rsp_valid_i[n]),
        .ap_rsp_i(ap_rsp[n]), .valid_o(path_valid_o[n-4]), .ready_i(path_ready_i[n-4]),
        .slot_o(slot), .user_o(path_tag_o[n-4]), .virt_o(virt), .generation_o(generation),
        .zero_o(zero), .ends_o(ends), .port_o(path_port_o[n-4]), .addr_o(path_addr_o[n-4]),
        .coherent_o(path_coherent_o[n-4]), .fault_o(path_fault_o[n-4]),
        .level_o(path_level_o[n-4]), .empty_o(path_empty_o[n-4]));
      assign path_slot_o[n-4] = 8'(slot);
      assign path_kind_o[n-4] = {virt, generation, zero, ends};
      assign taken = path_valid_o[n-4] && path_ready_i[n-4] && virt;
      assign done[n] = '{old0: 2'(taken && !generation), old1: 2'(taken && generation)};
    end
    if (n >= 4 || n[0] == 0) begin : g_no_writes
      assign w_valid_o[n] = 1'b0;
      assign w[n] = '0;
    end
    if (n >= 4) begin : g_no_bursts
      assign ax_valid_o[n] = 1'b0;
      assign ax[n] = '0;
      assign count_o[n] = '0;
    end
  end

  for (genvar n = 0; n < 2; n++) begin : g_mover
    localparam int unsigned In = 2 * n;           // number of the mover's first unit
    localparam int unsigned Out = 2 * n + 1;
    pfn_t [1:0] ap_page;
    dma_fault_t fault;
    job_t       job;
    r_t         r;
    b_t         b;
    assign job = '{id: move_id_i[n], source: source_e'(move_source_i[n]),
                   src: place_of(move_src_where_i[n], move_src_i[n]),
                   src_end: end_t'(move_src_i[n] + 64'(move_length_i[n]) - 64'd1),
                   dst: place_of(move_dst_where_i[n], move_dst_i[n]),
                   dst_end: end_t'(move_dst_i[n] + 64'(move_length_i[n]) - 64'd1),
                   value: move_value_i[n], step: move_step_i[n]};
    assign r = '{id: r_id_i[In], data: r_data_i[In], error: r_error_i[In], last: r_last_i[In]};
    assign b = '{id: b_id_i[Out], error: b_error_i[Out]};
    gmmu_dma_mover #(.Config(sizes(n)), .MaxBurst(n == 0 ? 64 : 128)) u_mover (
      .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .job_valid_i(move_valid_i[n]),
      .job_ready_o(move_ready_o[n]), .job_i(job), .word_valid_i(move_word_valid_i[n]),
      .word_ready_o(move_word_ready_o[n]), .word_i(move_word_i[n]),
      .words_dead_i(move_dead_i[n]), .kill_i(move_kill_i[n]), .idle_o(move_idle_o[n]),
      .retired_o(move_retired_o[n]), .fault_valid_o(move_fault_valid_o[n]),
      .fault_ready_i(move_fault_ready_i[n]), .fault_o(fault), .fault_job_o(move_fault_job_o[n]),
      .read_req_valid_o(req_valid_o[In]), .read_req_ready_i(req_ready_i[In]),
      .read_req_o(req[In]), .read_rsp_valid_i(rsp_valid_i[In]),
      .read_rsp_ready_o(rsp_ready_o[In]), .read_rsp_i(rsp[In]), .read_done_o(done[In]),
      .write_req_valid_o(req_valid_o[Out]), .write_req_ready_i(req_ready_i[Out]),
      .write_req_o(req[Out]), .write_rsp_valid_i(rsp_valid_i[Out]),
      .write_rsp_ready_o(rsp_ready_o[Out]), .write_rsp_i(rsp[Out]), .write_done_o(done[Out]),
      .ap_req_valid_o({ap_req_valid_o[Out], ap_req_valid_o[In]}),
      .ap_req_ready_i({ap_req_ready_i[Out], ap_req_ready_i[In]}), .ap_req_page_o(ap_page),
      .ap_rsp_valid_i({ap_rsp_valid_i[Out], ap_rsp_valid_i[In]}),
      .ap_rsp_i(ap_rsp_valid_i[Out] ? ap_rsp[Out] : ap_rsp[In]),
      .rd_req_o({ax_valid_o[In], ax[In]}), .rd_rsp_i({ax_ready_i[In], r_valid_i[In], r}),
      .wr_req_o({ax_valid_o[Out], ax[Out], w_valid_o[Out], w[Out]}),
      .wr_rsp_i({ax_ready_i[Out], w_ready_i[Out], b_valid_i[Out], b}),
      .count_read_bytes_o(count_o[In]), .count_write_bytes_o(count_o[Out]));
    assign ap_req_page_o[In] = ap_page[0];
    assign ap_req_page_o[Out] = ap_page[1];
    assign {move_fault_what_o[n], move_fault_address_o[n]} = fault;
  end
endmodule
