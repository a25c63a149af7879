// SPDX-License-Identifier: Apache-2.0
// gmmu_control and gmmu_space_table, each in three sizes, and gmmu_sweep, with flat ports. Size 0 is
// the default, 1 the smallest, and 2 has a number of spaces that is no power of two. size_i selects
// the active blocks. Control blocks and tables are not connected.
module gmmu_mmu_control_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic [1:0]   size_i,

  // gmmu_control
  input  logic         ctl_valid_i,
  output logic         ctl_ready_o,
  input  logic         ctl_set_i,
  input  logic [1:0]   ctl_scope_i,
  input  logic [5:0]   ctl_space_i,
  input  logic [63:0]  ctl_start_i,
  input  logic [63:0]  ctl_end_i,
  input  logic         cfg_enable_i,
  input  logic [1:0]   cfg_target_i,
  input  logic [5:0]   cfg_adapter_i,
  input  logic [47:0]  cfg_offset_i,
  input  logic [31:0]  cfg_entries_i,
  input  logic [2:0]   cfg_levels_i,
  input  logic [23:0]  cfg_bits_i,
  input  logic         cfg_dual_i,
  output logic         ctl_done_o,
  output logic         inv_valid_o,
  output logic [1:0]   inv_scope_o,
  output logic [5:0]   inv_space_o,
  output logic [63:0]  inv_start_o,
  output logic [63:0]  inv_end_o,

  output logic         hold_o,
  input  logic         quiet_i,
  output logic         kill_valid_o,
  output logic         kill_all_o,
  output logic [5:0]   kill_space_o,
  output logic         sweep_valid_o,
  output logic [15:0]  sweep_index_o,
  output logic         sweep_all_o,
  output logic [5:0]   sweep_space_o,
  output logic         sweep_ranged_o,
  output logic [35:0]  sweep_first_o,
  output logic [35:0]  sweep_tail_o,
  output logic         generation_o,
  input  logic [1:0]   drained_i,
  input  logic         stale_i,
  output logic         space_write_o,
  output logic [5:0]   space_o,
  output logic         row_enable_o,
  output logic [35:0]  row_root_o,
  output logic [1:0]   row_target_o,
  output logic [13:0]  row_entries_o,
  output logic [2:0]   row_top_o,
  output logic [5:0]   row_root_shift_o,
  output logic [3:0]   row_root_bits_o,
  output logic [35:0]  row_shift_o,
  output logic [23:0]  row_bits_o,
  output logic [35:0]  row_keep_o [6],    // [0] is unused
  output logic [35:0]  row_beyond_o,
  output logic         busy_o,
  output logic         counted_o,

  // gmmu_space_table: a row consists of enable, top and the rest of its fields
  input  logic         st_read_i,
  input  logic [5:0]   st_read_space_i,
  output logic         st_enable_o,
  output logic [2:0]   st_top_o,
  output logic [$bits(space_row_t)-1:0] st_rest_o,      // enable and top read as 0 here
  output logic [$bits(space_row_t)-1:0] st_now_o,       // row contents valid in the cycle of the read
  input  logic [5:0]   st_other_space_i,
  output logic         st_other_dual_o,
  input  logic         st_write_i,
  input  logic [5:0]   st_write_space_i,
  input  logic         st_enable_i,
  input  logic [2:0]   st_top_i,
  input  logic [$bits(space_row_t)-1:0] st_rest_i,

  // gmmu_sweep
  input  logic         sw_valid_i,
  input  logic [15:0]  sw_index_i,
  input  logic         sw_all_i,
  input  logic         sw_ranged_i,
  input  logic [35:0]  sw_first_i,
  input  logic [35:0]  sw_tail_i,
  output logic         sw_valid_o,
  output logic [15:0]  sw_index_o,
  output logic         sw_all_o,
  output logic [35:0]  sw_loose_o
);
  mmu_ctl_t ctl;
  assign ctl = '{op: ctl_set_i ? CtlSetSpace : CtlInvalidate, scope: scope_e'(ctl_scope_i),
                 space: ctl_space_i, va_start: ctl_start_i, va_end: ctl_end_i,
                 cfg: '{enable: cfg_enable_i,
                        root: '{target: target_e'(cfg_target_i), adapter: cfg_adapter_i,
                                offset: cfg_offset_i},
                        root_entries: cfg_entries_i, levels: cfg_levels_i, dual: cfg_dual_i,
                        bits: cfg_bits_i}};

  typedef struct packed {
    logic        ready, done, inv;
    scope_e      scope;
    space_t      inv_space;
    logic [63:0] inv_start, inv_end;
    logic        hold;
    kill_t       kill;
    sweep_t      sweep;
    logic        generation, write;
    space_t      space;
    space_row_t  row;
    logic        busy, counted;
  } outputs_t;
  outputs_t [2:0]   outputs;
  outputs_t         shown;
  space_row_t [2:0] read, now;
  logic [2:0]       other_dual;
  assign st_other_dual_o = other_dual[size_i];
  space_row_t       written, read_shown, now_shown;

  always_comb begin
    written = space_row_t'(st_rest_i);
    written.enable = st_enable_i;
    written.top = st_top_i;
    read_shown = read[size_i];
    now_shown = now[size_i];
    st_enable_o = read_shown.enable;
    st_top_o = read_shown.top;
    read_shown.enable = 1'b0;
    read_shown.top = '0;
    st_rest_o = read_shown;
    st_now_o = now_shown;
  end

  function automatic config_t sizes(int s);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumSpaces = s == 0 ? 16 : s == 1 ? 2 : 3;
    c.SweepSteps = s == 0 ? 16 : s == 1 ? 2 : 5;
    c.TurnDown = 0;
    return c;
  endfunction
  for (genvar s = 0; s < 3; s++) begin : g_size
    gmmu_control #(.Config(sizes(s))) u_control (
      .clk_i, .rst_i,
      .ctl_valid_i(ctl_valid_i && size_i == 2'(s)), .ctl_ready_o(outputs[s].ready), .ctl_i(ctl),
      .ctl_done_o(outputs[s].done), .inv_valid_o(outputs[s].inv), .inv_scope_o(outputs[s].scope),
      .inv_space_o(outputs[s].inv_space), .inv_start_o(outputs[s].inv_start),
      .inv_end_o(outputs[s].inv_end), .hold_o(outputs[s].hold), .quiet_i,
      .kill_o(outputs[s].kill), .sweep_o(outputs[s].sweep), .generation_o(outputs[s].generation),
      .drained_i, .stale_i, .space_write_o(outputs[s].write), .space_o(outputs[s].space),
      .space_row_o(outputs[s].row), .resize_o(), .resize_word_o(), .sweep_last_i('0),
      .busy_o(outputs[s].busy), .counted_o(outputs[s].counted));

    keep_t      now_keep;
    logic [5:0] now_shift;
    logic       now_dual;
    always_comb begin
      now[s] = '0;
      now[s].keep = now_keep;
      now[s].root_shift = now_shift;
      now[s].dual = now_dual;
    end
    gmmu_space_table #(.Config(sizes(s))) u_table (
      .clk_i, .rst_i, .read_i(st_read_i), .read_space_i(st_read_space_i), .row_o(read[s]),
      .keep_o(now_keep), .root_shift_o(now_shift), .dual_o(now_dual),
      .other_space_i(st_other_space_i), .other_dual_o(other_dual[s]), .write_i(st_write_i && size_i == 2'(s)), .write_space_i(st_write_space_i),
      .row_i(written));
  end

  sweep_step_t step;
  gmmu_sweep u_sweep (
    .clk_i, .rst_i,
    .sweep_i('{valid: sw_valid_i, index: sw_index_i, all: sw_all_i, space: '0, ranged: sw_ranged_i,
               first: sw_first_i, tail: sw_tail_i}), .step_o(step));
  assign sw_valid_o = step.valid;
  assign sw_index_o = step.index;
  assign sw_all_o = step.all;
  assign sw_loose_o = step.loose;

  assign shown = outputs[size_i];
  assign ctl_ready_o = shown.ready;
  assign ctl_done_o = shown.done;
  assign inv_valid_o = shown.inv;
  assign inv_scope_o = shown.scope;
  assign inv_space_o = shown.inv_space;
  assign inv_start_o = shown.inv_start;
  assign inv_end_o = shown.inv_end;
  assign hold_o = shown.hold;
  assign kill_valid_o = shown.kill.valid;
  assign kill_all_o = shown.kill.all;
  assign kill_space_o = shown.kill.space;
  assign sweep_valid_o = shown.sweep.valid;
  assign sweep_index_o = shown.sweep.index;
  assign sweep_all_o = shown.sweep.all;
  assign sweep_space_o = shown.sweep.space;
  assign sweep_ranged_o = shown.sweep.ranged;
  assign sweep_first_o = shown.sweep.first;
  assign sweep_tail_o = shown.sweep.tail;
  assign generation_o = shown.generation;
  assign space_write_o = shown.write;
  assign space_o = shown.space;
  assign row_enable_o = shown.row.enable;
  assign row_root_o = shown.row.root;
  assign row_target_o = shown.row.root_target;
  assign row_entries_o = shown.row.root_entries;
  assign row_top_o = shown.row.top;
  assign row_root_shift_o = shown.row.root_shift;
  assign row_root_bits_o = shown.row.root_bits;
  assign row_shift_o = shown.row.shift;
  assign row_bits_o = shown.row.bits;
  assign row_keep_o[0] = '0;
  for (genvar l = 1; l < 6; l++) begin : g_keep
    assign row_keep_o[l] = shown.row.keep[l];
  end
  assign row_beyond_o = shown.row.beyond;
  assign busy_o = shown.busy;
  assign counted_o = shown.counted;
endmodule
