// SPDX-License-Identifier: Apache-2.0
// gmmu_control and gmmu_space_table, each in three sizes, and gmmu_sweep. Size [0] is the default,
// [1] the smallest, and [2] has a number of spaces that is not a power of two. All instances share
// the inputs, but size_i selects the ones that receive operations and writes. Control blocks and
// tables are not connected to each other.
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
  output logic         ctl_ready_o [3],
  input  mmu_ctl_t     ctl_i,
  output logic         ctl_done_o [3],
  output logic         inv_valid_o [3],
  output scope_e       inv_scope_o [3],
  output space_t       inv_space_o [3],
  output logic [63:0]  inv_start_o [3],
  output logic [63:0]  inv_end_o [3],
  output logic         hold_o [3],
  input  logic         quiet_i,
  output kill_t        kill_o [3],
  output sweep_t       sweep_o [3],
  output logic         generation_o [3],
  input  logic [1:0]   drained_i,
  input  logic         stale_i,
  output logic         space_write_o [3],
  output space_t       space_o [3],
  output space_row_t   space_row_o [3],
  output logic         busy_o [3],
  output logic         counted_o [3],

  // gmmu_space_table: a row consists of enable, top, and the remaining fields (rest).
  input  logic         st_read_i,
  input  space_t       st_read_space_i,
  output logic         st_enable_o,
  output level_t       st_top_o,
  output space_row_t   st_rest_o,      // in this output, enable and top are 0
  output space_row_t   st_now_o [3],   // the part of the row that is valid in the cycle of the read
  input  space_t       st_other_space_i,
  output logic         st_other_dual_o [3],
  input  logic         st_write_i,
  input  space_t       st_write_space_i,
  input  logic         st_enable_i,
  input  level_t       st_top_i,
  input  space_row_t   st_rest_i,

  // gmmu_sweep
  input  sweep_t       sw_i,
  output sweep_step_t  sw_o
);
  space_row_t [2:0] read;
  space_row_t       written;
  always_comb begin
    written = st_rest_i;
    written.enable = st_enable_i;
    written.top = st_top_i;
    st_rest_o = read[size_i];
    st_enable_o = st_rest_o.enable;
    st_top_o = st_rest_o.top;
    st_rest_o.enable = 1'b0;
    st_rest_o.top = '0;
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
      .ctl_valid_i(ctl_valid_i && size_i == 2'(s)), .ctl_ready_o(ctl_ready_o[s]), .ctl_i, .ctl_done_o(ctl_done_o[s]),
      .inv_valid_o(inv_valid_o[s]), .inv_scope_o(inv_scope_o[s]), .inv_space_o(inv_space_o[s]),
      .inv_start_o(inv_start_o[s]), .inv_end_o(inv_end_o[s]), .hold_o(hold_o[s]), .quiet_i,
      .kill_o(kill_o[s]), .sweep_o(sweep_o[s]), .generation_o(generation_o[s]), .drained_i, .stale_i,
      .space_write_o(space_write_o[s]), .space_o(space_o[s]), .space_row_o(space_row_o[s]), .resize_o(),
      .resize_word_o(), .sweep_last_i('0), .busy_o(busy_o[s]), .counted_o(counted_o[s]));

    keep_t      now_keep;
    logic [5:0] now_shift;
    logic       now_dual;
    always_comb begin
      st_now_o[s] = '0;
      st_now_o[s].keep = now_keep;
      st_now_o[s].root_shift = now_shift;
      st_now_o[s].dual = now_dual;
    end
    gmmu_space_table #(.Config(sizes(s))) u_table (
      .clk_i, .rst_i, .read_i(st_read_i), .read_space_i(st_read_space_i), .row_o(read[s]),
      .keep_o(now_keep), .root_shift_o(now_shift), .dual_o(now_dual),
      .other_space_i(st_other_space_i), .other_dual_o(st_other_dual_o[s]), .write_i(st_write_i && size_i == 2'(s)),
      .write_space_i(st_write_space_i), .row_i(written));
  end

  gmmu_sweep u_sweep (.clk_i, .rst_i, .sweep_i(sw_i), .step_o(sw_o));
endmodule
