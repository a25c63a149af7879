// SPDX-License-Identifier: Apache-2.0
// Drives the pins of one SDR SDRAM with 16 data bits: powers it up, refreshes it, opens and closes
// its rows, and performs accesses of one 64-bit word (four columns, burst length 4) in order.
//
//   op       One access. It is stable, with w_data_i and w_strb_i if it is a write, until
//            op_ready_o is 1. Words of an open row follow each other every four cycles, without
//            gaps on dq. A void access keeps its place in the order but does not access the chip
//   r, b     The end of an access, in the order of op: the word of a read (undefined data if void),
//            or the last word of a write (op_last_i), which is then in the chip. The receiver must
//            accept it
//   pins     Every output except csn comes from its own register, and dq_i is registered. The
//            chip's clock is clk_i delayed by less than a cycle, so its edge is between the clk_i
//            edge that sets the pins and the next one. CaptureCycles clk_i edges after the edge
//            that set the pins, dq_i has the first word of a read. CaptureCycles is CasLatency plus
//            one for each cycle of delay on the way (README.md)
//   reset    The chip keeps its data. A write in progress completes with its data masked. After
//            rst_i falls and a pause of one refresh interval, all banks are closed; then come
//            refreshes and the mode register command. While rst_i is 1, no row is refreshed or
//            closed: after power-up, a reset should last less than 100 us, because no row may stay
//            open longer
//
// initialized_o rises once, when the chip's power-up is complete. cke rises when rst_i first falls.
// Reset affects neither of them; they are 0 after configuration of the FPGA.
module gmmu_sdram_chip_port #(
  parameter int unsigned ClockKhz = 80_000,    // frequency of clk_i
  // pause before the first command; simulations may shorten it
  parameter int unsigned PowerUpNs = 200_000,
  parameter int unsigned CasLatency = 2,       // 2 for clocks up to 100 MHz, 3 up to 143 MHz
  parameter int unsigned CaptureCycles = CasLatency + 1,
  parameter int unsigned RowBits = 13,
  parameter int unsigned BankBits = 2,
  parameter int unsigned ColumnBits = 9,
  // Timing of the chip in nanoseconds: the longest values among common parts (README.md).
  parameter int unsigned TrcdNs = 21,    // activate to read or write
  parameter int unsigned TrpNs = 21,     // precharge to activate or refresh
  parameter int unsigned TrasNs = 42,    // activate to precharge
  parameter int unsigned TrcNs = 63,     // activate to activate, same bank
  parameter int unsigned TrfcNs = 66,    // refresh to any command
  parameter int unsigned TwrNs = 14,     // last data of a write to precharge; at least two cycles
  parameter int unsigned TmrdNs = 14,    // mode register to any command; at least two cycles
  parameter int unsigned TrefiNs = 7800, // interval between refreshes
  localparam int unsigned WordBits = RowBits + BankBits + ColumnBits - 2
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                initialized_o,

  input  logic                op_valid_i,
  output logic                op_ready_o,
  input  logic                op_write_i,
  input  logic                op_void_i,
  input  logic                op_last_i,
  input  logic [WordBits-1:0] op_word_i,  // {row, bank, column / 4}
  input  logic [63:0]         w_data_i,
  input  logic [7:0]          w_strb_i,

  output logic                r_valid_o,
  output logic [63:0]         r_data_o,
  output logic                r_last_o,
  output logic                b_valid_o,

  output logic                sdram_cke_o,
  output logic                sdram_csn_o,
  output logic                sdram_rasn_o,
  output logic                sdram_casn_o,
  output logic                sdram_wen_o,
  output logic [BankBits-1:0] sdram_ba_o,
  output logic [RowBits-1:0]  sdram_a_o,
  output logic [1:0]          sdram_dqm_o,
  input  logic [15:0]         sdram_dq_i,
  output logic [15:0]         sdram_dq_o,
  output logic                sdram_dq_oe_o
);
  localparam int unsigned Burst = 4;     // columns per access
  localparam int unsigned Refreshes = 8; // refresh commands at power-up

  // Returns the number of cycles in `ns` nanoseconds, rounded up, but at least `least`.
  function automatic int unsigned cycles(int unsigned ns, int unsigned least);
    longint unsigned whole;
    whole = (64'(ns) * 64'(ClockKhz) + 64'd999_999) / 64'd1_000_000;
    return whole > 64'(least) ? 32'(whole) : least;
  endfunction
  function automatic int unsigned larger(int unsigned a, int unsigned b);
    return a > b ? a : b;
  endfunction

  localparam int unsigned Trcd = cycles(TrcdNs, 1);
  localparam int unsigned Trp = cycles(TrpNs, 1);
  localparam int unsigned Trfc = cycles(TrfcNs, 1);
  localparam int unsigned Tmrd = cycles(TmrdNs, 2);
  localparam int unsigned Trefi = 32'(64'(TrefiNs) * 64'(ClockKhz) / 64'd1_000_000);
  // Cycles to a precharge of any bank: from an activation (which also meets tRC), from a read, and
  // from a write. A column command follows the activation after tRCD at the earliest.
  localparam int unsigned ActivatePre = larger(cycles(TrasNs, 1), cycles(TrcNs, Trp + 1) - Trp);
  localparam int unsigned RestPre = ActivatePre > Trcd ? ActivatePre - Trcd : 1;
  localparam int unsigned ReadPre = larger(Burst, RestPre);
  localparam int unsigned WritePre = larger(Burst - 1 + cycles(TwrNs, 2), RestPre);
  localparam int unsigned Turn = CasLatency + Burst + 1;  // read to write: dq is idle for one cycle
  localparam int unsigned PowerUpTicks = larger((cycles(PowerUpNs, 1) + Trefi - 1) / Trefi, 1);
  localparam int unsigned TimerBits = $clog2(larger(larger(Trfc, WritePre), larger(Turn, ActivatePre)) + 1);
  localparam int unsigned CountBits = $clog2(larger(PowerUpTicks, Refreshes) + 1);
  localparam int unsigned RefreshBits = $clog2(Trefi);

  if (CasLatency != 2 && CasLatency != 3) begin : g_illegal_latency
    $fatal(1, "gmmu_sdram_chip_port: CasLatency is %0d, legal: 2, 3", CasLatency);
  end
  if (ClockKhz < 10_000 || ClockKhz > (CasLatency == 2 ? 100_000 : 143_000)) begin : g_illegal_clock
    $fatal(1, "gmmu_sdram_chip_port: ClockKhz is %0d, legal: 10000 to 100000, with CasLatency 3 to 143000", ClockKhz);
  end
  if (CaptureCycles < CasLatency) begin : g_illegal_capture
    $fatal(1, "gmmu_sdram_chip_port: CaptureCycles is %0d, legal: CasLatency and more", CaptureCycles);
  end
  if (ColumnBits < 3 || ColumnBits > 10 || RowBits < 11) begin : g_illegal_size
    $fatal(1, "gmmu_sdram_chip_port: legal: ColumnBits 3 to 10, RowBits 11 and more");
  end

  // Values are {rasn, casn, wen}.
  typedef enum logic [2:0] {
    CmdMode = 3'b000, CmdRefresh = 3'b001, CmdPrecharge = 3'b010, CmdActivate = 3'b011,
    CmdWrite = 3'b100, CmdRead = 3'b101, CmdNop = 3'b111
  } command_e;
  typedef enum logic [2:0] {StSettle, StPrecharge, StRefresh, StMode, StRun} state_e;
  command_e command;
  state_e   state_q;
  logic     run, take;
  assign run = state_q[2];  // only StRun sets this bit

  // ---- The row that an access needs. It is compared in two cycles while the access waits.
  logic [RowBits-1:0]    op_row, row_q;
  logic [BankBits-1:0]   op_bank;
  logic [ColumnBits-3:0] op_column;
  assign {op_row, op_bank, op_column} = op_word_i;

  logic [RowBits-1:0]     rows_q [2**BankBits];
  logic [2**BankBits-1:0] open_q;
  logic                   row_open_q, stands, looked_q;
  // the bank has the needed row, another row, or no row open
  logic                   hit_q, other_q, closed_q;
  assign stands = run && op_valid_i && !take && command == CmdNop;

  always_ff @(posedge clk_i) begin
    row_q <= rows_q[op_bank];
    row_open_q <= open_q[op_bank];
    if (command == CmdActivate) rows_q[op_bank] <= op_row;

    if (rst_i) begin
      open_q <= '0;
      {looked_q, hit_q, other_q, closed_q} <= '0;
    end else begin
      if (command == CmdActivate) open_q[op_bank] <= 1'b1;
      if (command == CmdPrecharge) open_q <= run ? open_q & ~((2**BankBits)'(1) << op_bank) : '0;
      // hit_q, other_q and closed_q are 0 for two cycles after a new access or a change of rows.
      looked_q <= stands;
      hit_q <= stands && looked_q && (op_void_i || (row_open_q && row_q == op_row));
      other_q <= stands && looked_q && !op_void_i && row_open_q && row_q != op_row;
      closed_q <= stands && looked_q && !op_void_i && !row_open_q;
    end
  end

  // ---- Timers between commands: until any command, until a precharge, until a write after a read.
  typedef enum logic [1:0] {TimerAny, TimerPrecharge, TimerWrite} timer_e;
  typedef logic [TimerBits-1:0] timer_t;
  logic [2:0]   set, free_q;
  timer_t [2:0] load, left_q;  // cycles - 1
  always_comb begin
    set = '0;
    load = '0;
    set[TimerAny] = take || command != CmdNop;
    set[TimerPrecharge] = command inside {CmdActivate, CmdRead, CmdWrite};
    set[TimerWrite] = command == CmdRead;
    unique case (command)
      CmdPrecharge: load[TimerAny] = timer_t'(Trp - 1);
      CmdActivate: load[TimerAny] = timer_t'(Trcd - 1);
      CmdRefresh: load[TimerAny] = timer_t'(Trfc - 1);
      CmdMode: load[TimerAny] = timer_t'(Tmrd - 1);
      default: load[TimerAny] = timer_t'(Burst - 1);
    endcase
    unique case (command)
      CmdActivate: load[TimerPrecharge] = timer_t'(ActivatePre - 1);
      CmdWrite: load[TimerPrecharge] = timer_t'(WritePre - 1);
      default: load[TimerPrecharge] = timer_t'(ReadPre - 1);
    endcase
    load[TimerWrite] = timer_t'(Turn - 1);
  end
  for (genvar i = 0; i < 3; ++i) begin : g_timer
    always_ff @(posedge clk_i) begin
      if (rst_i) free_q[i] <= 1'b1;
      else if (set[i]) free_q[i] <= load[i] == '0;
      else if (left_q[i] == timer_t'(1)) free_q[i] <= 1'b1;
      left_q[i] <= set[i] ? load[i] : left_q[i] - 1'b1;
    end
  end

  // ---- The refresh interval, which also times the pause at power-up and after a reset.
  logic [RefreshBits-1:0] refresh_q;
  logic [CountBits-1:0]   count_q;  // intervals to wait, then refreshes to do, minus one
  logic                   tick_q, live_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      refresh_q <= RefreshBits'(Trefi - 1);
      tick_q <= 1'b0;
      count_q <= initialized_o ? CountBits'(1) : CountBits'(PowerUpTicks);
    end else begin
      refresh_q <= tick_q ? RefreshBits'(Trefi - 2) : refresh_q - 1'b1;
      tick_q <= refresh_q == RefreshBits'(1);
      if (state_q == StSettle && count_q == '0) count_q <= CountBits'(Refreshes - 1);
      else if (count_q != '0 && (state_q == StSettle ? tick_q : command == CmdRefresh)) count_q <= count_q - 1'b1;
    end
  end

  // ---- Commands.
  state_e state_d;
  always_comb begin
    command = CmdNop;
    state_d = state_q;
    take = 1'b0;
    unique case (state_q)
      StSettle: if (count_q == '0) state_d = StPrecharge;
      StPrecharge: if (free_q[TimerAny] && free_q[TimerPrecharge]) begin
        command = CmdPrecharge;
        state_d = StRefresh;
      end
      StRefresh: if (free_q[TimerAny]) begin
        command = CmdRefresh;
        if (count_q == '0) state_d = live_q ? StRun : StMode;
      end
      StMode: if (free_q[TimerAny]) begin
        command = CmdMode;
        state_d = StRun;
      end
      default: begin
        // A command may still be sent in the cycle in which a refresh becomes due; the timers
        // account for it. No tick is missed, because the other states last less than an interval.
        if (tick_q) state_d = StPrecharge;
        if (free_q[TimerAny]) begin
          take = hit_q && (!op_write_i || free_q[TimerWrite]);
          if (take && !op_void_i) command = op_write_i ? CmdWrite : CmdRead;
          if (other_q && free_q[TimerPrecharge]) command = CmdPrecharge;
          if (closed_q) command = CmdActivate;
        end
      end
    endcase
  end
  assign op_ready_o = take;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StSettle;
      live_q <= 1'b0;
      {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= CmdNop;
    end else begin
      state_q <= state_d;
      if (command == CmdMode) live_q <= 1'b1;
      {sdram_rasn_o, sdram_casn_o, sdram_wen_o} <= command;
    end
    // Address bit 10 means all banks for a precharge, and auto-precharge for a column command.
    if (run) begin
      sdram_ba_o <= op_bank;
      sdram_a_o <= hit_q ? RowBits'({op_column, 2'b00}) : op_row;
      sdram_a_o[10] <= closed_q && op_row[10];
    end else begin
      sdram_ba_o <= '0;
      sdram_a_o <= RowBits'(state_q == StMode ? {CasLatency[2:0], 4'd2} : 11'h400);
    end
  end
  assign sdram_csn_o = 1'b0;

  // initialized_o and sdram_cke_o have no reset, because a reset does not power down the chip.
  initial {initialized_o, sdram_cke_o} = '0;
  always @(posedge clk_i) begin
    if (!rst_i) sdram_cke_o <= 1'b1;
    if (!rst_i && command == CmdMode) initialized_o <= 1'b1;
  end

  // ---- Data to the chip. data_q loads whenever nothing is being sent, so that only dq_oe and dqm
  // are timing-critical.
  logic [63:0]      data_q;
  logic [7:0]       mask_q;
  logic [Burst-1:0] oe_q;
  always_ff @(posedge clk_i) begin
    data_q <= oe_q[1] ? {16'd0, data_q[63:16]} : w_data_i;
    if (rst_i) begin
      oe_q <= '0;
      mask_q <= '1;
    end else begin
      oe_q <= command == CmdWrite ? '1 : oe_q >> 1;
      mask_q <= command == CmdWrite ? ~w_strb_i : {{2{!live_q}}, mask_q[7:2]};
    end
  end
  assign sdram_dq_o = data_q[15:0];
  assign sdram_dq_oe_o = oe_q[0];
  assign sdram_dqm_o = mask_q[1:0];

  // ---- Data from the chip, and the end of each access.
  localparam int unsigned Stages = CaptureCycles + Burst;
  logic [Stages-1:0] read_q, last_q, write_q;
  logic [15:0]       dq_q;
  logic [47:0]       before_q;
  always_ff @(posedge clk_i) begin
    dq_q <= sdram_dq_i;
    before_q <= {dq_q, before_q[47:16]};
    if (rst_i) {read_q, write_q} <= '0;
    else begin
      read_q <= {read_q[Stages-2:0], take && !op_write_i};
      write_q <= {write_q[Stages-2:0], take && op_write_i && op_last_i};
    end
    last_q <= {last_q[Stages-2:0], op_last_i};
  end
  assign r_valid_o = read_q[Stages-1];
  assign r_data_o = {dq_q, before_q};
  assign r_last_o = last_q[Stages-1];
  assign b_valid_o = write_q[Stages-1];
endmodule
