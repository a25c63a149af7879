// SPDX-License-Identifier: Apache-2.0
// Performs invalidations and address space updates, one at a time. It guarantees that after an
// operation is done, no translation older than the operation's kill is used or filled.
//
//   1. hold: the pipeline of the shared levels, its messages and the fills drain; table reads
//      continue
//   2. kill, one cycle: walks in the scope become stale, and a new space row takes effect. An empty
//      range kills and sweeps nothing
//   3. sweep: each cycle visits one L2 set, one walk cache row of each level and one entry of each
//      L1; then the pipeline resumes
//   4. drain: the drain generation flips. The operation is done when no response of the old
//      generation is in use and no stale read is in flight
//
// A change of sizes_in_use also takes effect in the kill cycle (resize_o; resize_word_o is stable a
// few cycles earlier). That kill covers all spaces, and the sweep after it visits all entries that
// were built. Other sweeps visit only the entries in use.
//
// After reset, a sweep of everything precedes the first lookup.
module gmmu_control
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam int unsigned SweepSteps = Config.SweepSteps,
  localparam bit          TurnDown = Config.TurnDown != 0
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        ctl_valid_i,
  output logic        ctl_ready_o,
  input  mmu_ctl_t    ctl_i,
  output logic        ctl_done_o,
  output logic        inv_valid_o,
  output scope_e      inv_scope_o,
  output space_t      inv_space_o,
  output logic [63:0] inv_start_o,
  output logic [63:0] inv_end_o,

  output logic        hold_o,
  input  logic        quiet_i,       // the pipeline, the message bus and the fills are empty
  output kill_t       kill_o,
  output sweep_t      sweep_o,
  output logic        generation_o,
  input  logic [1:0]  drained_i,     // bit g: no port has responses of generation g in use
  input  logic        stale_i,
  output logic        space_write_o,
  output space_t      space_o,
  output space_row_t  space_row_o,
  output logic        resize_o,
  output logic [63:0] resize_word_o,
  input  logic [15:0] sweep_last_i,  // last step of a sweep, except after a reset or resize

  output logic        busy_o,
  output logic        counted_o      // busy with an operation that the invalidation counter counts
);
  localparam int unsigned IndexWidth = NumSpaces > 1 ? $clog2(NumSpaces) : 1;

  typedef enum logic [3:0] {
    StIdle, StRead, StCompare, StPrepare, StRange, StHold, StKill, StSweep, StSettle, StFlip,
        StDrain, StDone, StEqual
  } state_e;
  state_e       state_q;
  mmu_ctl_t     ctl_q;
  logic         all_q, ranged_q, empty_q, same_q, reset_q;
  vpn_t         first_q, tail_q;
  logic [63:0]  last_byte_q;
  logic [15:0]  index_q;
  logic [2:0]   quiet_q;      // number of consecutive quiet cycles during the hold
  logic [2:0]   settle_q;
  space_cfg_t   old_cfg;
  logic [NumSpaces-1:0] written_q;
  logic         written_here_q, held_q, killed_q, sweeps_q, writes_q, dry_q;
  logic [15:0]  row_q;        // index of the current sweep step
  logic         built, prepared, set_space, resize, resizes_q;
  logic [15:0]  last;

  assign set_space = ctl_q.op == CtlSetSpace;
  assign resize = TurnDown && ctl_q.op == CtlResize;
  assign last = TurnDown && !resize && !reset_q ? sweep_last_i : 16'(SweepSteps - 1);
  assign built = 32'(ctl_q.space) < NumSpaces;

  gmmu_ram_1r1w #(.Width($bits(space_cfg_t)), .Depth(NumSpaces)) u_configs (
    .clk_i, .read_i(state_q == StRead), .read_addr_i(IndexWidth'(ctl_q.space)), .data_o(old_cfg),
    .write_i(space_write_o), .write_addr_i(IndexWidth'(ctl_q.space)), .data_i(ctl_q.cfg));

  gmmu_space_prepare u_prepare (
    .clk_i, .rst_i, .start_i(state_q == StRead), .cfg_i(ctl_q.cfg), .done_o(prepared),
    .row_o(space_row_o));

  assign ctl_ready_o = state_q == StIdle;
  // Control signals are registered: they change one cycle after the state that sets them.
  always_ff @(posedge clk_i) begin
    held_q <= rst_i || state_q == StHold || state_q == StKill || state_q == StSweep
        || state_q == StSettle;
    killed_q <= !rst_i && state_q == StKill && !empty_q;
    sweeps_q <= !rst_i && state_q == StSweep && !empty_q;
    row_q <= index_q;
    writes_q <= !rst_i && state_q == StKill && set_space && !reset_q;
    resizes_q <= !rst_i && state_q == StKill && resize && !reset_q;
  end
  assign hold_o = held_q;
  assign kill_o = '{valid: killed_q, all: all_q, space: ctl_q.space};
  assign sweep_o = '{valid: sweeps_q, index: row_q, all: all_q, space: ctl_q.space,
                     ranged: ranged_q, first: first_q, tail: tail_q};
  assign space_write_o = writes_q;
  assign space_o = ctl_q.space;
  assign ctl_done_o = state_q == StDone || state_q == StEqual;
  assign resize_o = resizes_q;
  assign resize_word_o = ctl_q.va_start;
  assign inv_valid_o = state_q == StDone && !resize;
  assign inv_scope_o = set_space ? ScopeSpace : ctl_q.scope;
  assign inv_space_o = ctl_q.space;
  assign inv_start_o = ctl_q.va_start;
  assign inv_end_o = ctl_q.va_end;
  assign busy_o = state_q != StIdle;
  assign counted_o = busy_o && (!resize || reset_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StSweep;
      reset_q <= 1'b1;
      all_q <= 1'b1;
      ranged_q <= 1'b0;
      empty_q <= 1'b0;
      index_q <= '0;
      written_q <= '0;
      generation_o <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: if (ctl_valid_i) state_q <= StRead;
        StRead: state_q <= set_space ? (built ? StCompare : StEqual) : StRange;
        StCompare: state_q <= StPrepare;
        StPrepare: begin
          if (same_q) state_q <= StEqual;
          else if (prepared) state_q <= StRange;
        end
        StRange: state_q <= StHold;
        StHold: if (quiet_q == 3'd5) state_q <= StKill;
        StKill: state_q <= StSweep;
        StSweep: if (index_q == last) state_q <= StSettle;
        StSettle: if (settle_q == 3'd3) state_q <= reset_q ? StIdle : StFlip;
        StFlip: state_q <= StDrain;
        StDrain: if (settle_q == 3'd7 && drained_i[!generation_o] && !stale_i) state_q <= StDone;
        default: state_q <= StIdle;  // StDone, StEqual
      endcase

      if (state_q == StRange) begin
        all_q <= resize || (!set_space && ctl_q.scope == ScopeGlobal);
        ranged_q <= !set_space && !resize && ctl_q.scope == ScopeRange;
        empty_q <= !set_space && !resize && ctl_q.scope == ScopeRange
            && (ctl_q.va_start >= ctl_q.va_end || (ctl_q.va_start >> VaWidth) != '0);
        index_q <= '0;
      end
      if (state_q == StSweep) index_q <= index_q + 1'b1;
      if (state_q == StSettle && settle_q == 3'd3) reset_q <= 1'b0;
      if (space_write_o) written_q[IndexWidth'(ctl_q.space)] <= 1'b1;
      if (state_q == StFlip) generation_o <= !generation_o;
    end

    if (state_q == StIdle) ctl_q <= ctl_i;
    written_here_q <= written_q[IndexWidth'(ctl_q.space)];
    same_q <= state_q == StCompare && written_here_q && old_cfg == ctl_q.cfg;
    last_byte_q <= ctl_q.va_end - 1'b1;
    first_q <= ctl_q.va_start[VaWidth-1:PageLg2];
    tail_q <= (last_byte_q >> VaWidth) != '0 ? '1 : last_byte_q[VaWidth-1:PageLg2];
    dry_q <= hold_o && quiet_i;
    quiet_q <= state_q != StHold || !dry_q ? '0 : quiet_q + 1'b1;
    if (state_q != StSettle && state_q != StDrain) settle_q <= '0;
    else if (settle_q != 3'd7) settle_q <= settle_q + 1'b1;
  end
endmodule
