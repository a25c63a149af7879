// SPDX-License-Identifier: Apache-2.0
// VRAM in an SDR SDRAM with 16 data bits: an AXI4 subordinate for the GPU's m_vram.
//
//   s_*      INCR bursts of full 8-byte beats, never across 4 KiB. The first address may be
//            unaligned, with the strobes of the lanes below it 0. W may come before its AW. Every
//            output comes from a register or from LUT RAM behind one; none depends combinationally
//            on an input. A burst past the end of the chip gets SLVERR (in each beat of a read, or
//            in B) and does not access the chip; the data of such beats is undefined
//   order    Bursts execute one at a time: reads in the order of AR, writes in the order of AW,
//            alternating if a read and a write are both pending. A write waits until all its beats
//            have arrived, so that no read waits behind a write without data. B means that the data
//            is in the chip
//   pins     see gmmu_sdram_chip_port. The board's top module contains the tri-state buffers of dq
//            and drives the chip's clock
//   reset    Accepted accesses are dropped without a response; the chip keeps its contents.
//            Accesses accepted during the chip's power-up wait until it is complete
module gmmu_sdram
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned ClockKhz = 80_000,
  parameter int unsigned PowerUpNs = 200_000,
  parameter int unsigned CasLatency = 2,
  parameter int unsigned CaptureCycles = CasLatency + 1,
  parameter int unsigned RowBits = 13,
  parameter int unsigned BankBits = 2,
  parameter int unsigned ColumnBits = 9
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   initialized_o,  // the chip's power-up is complete

  input  logic                   s_ar_valid_i,
  output logic                   s_ar_ready_o,
  input  port_ax_t               s_ar_i,         // user is ignored
  output logic                   s_r_valid_o,
  input  logic                   s_r_ready_i,
  output port_r_t                s_r_o,
  input  logic                   s_aw_valid_i,
  output logic                   s_aw_ready_o,
  input  port_ax_t               s_aw_i,
  input  logic                   s_w_valid_i,
  output logic                   s_w_ready_o,
  input  w_t                     s_w_i,
  output logic                   s_b_valid_o,
  input  logic                   s_b_ready_i,
  output port_b_t                s_b_o,

  output logic                   sdram_cke_o,
  output logic                   sdram_csn_o,
  output logic                   sdram_rasn_o,
  output logic                   sdram_casn_o,
  output logic                   sdram_wen_o,
  output logic [BankBits-1:0]    sdram_ba_o,
  output logic [RowBits-1:0]     sdram_a_o,
  output logic [1:0]             sdram_dqm_o,
  input  logic [15:0]            sdram_dq_i,
  output logic [15:0]            sdram_dq_o,
  output logic                   sdram_dq_oe_o
);
  if (DataWidth != 64) begin : g_illegal
    $fatal(1, "gmmu_sdram: DataWidth (GMMU_DATA_BITS) is %0d, legal: 64", DataWidth);
  end

  localparam int unsigned WordBits = RowBits + BankBits + ColumnBits - 2;
  localparam int unsigned PageWords = 9;      // width of a word's index within 4 KiB
  // one burst of maximum length; 64 beats would need as much block RAM
  localparam int unsigned WriteBeats = 256;
  localparam int unsigned ReadBeats = 64;
  localparam int unsigned WriteBursts = 8;    // maximum number of writes without a response
  // maximum number of reads whose last beat has not been accepted
  localparam int unsigned ReadBursts = 16;

  typedef struct packed {
    logic [PortIdWidth-1:0] id;
    logic [PaWidth-1:0]     addr;
    logic [7:0]             len;
  } burst_t;

  // ---- Pending work: one address per direction, and the beats of writes.
  logic   ar_valid, aw_valid, start_read, start_write, w_valid, w_pop, ar_past, aw_past;
  burst_t ar, aw;
  logic [DataWidth-1:0] w_data;
  logic [DataBytes-1:0] w_strb;
  gmmu_slice #(.Width($bits(burst_t)), .Slow(1'b1)) u_ar (
    .clk_i, .rst_i, .valid_i(s_ar_valid_i), .ready_o(s_ar_ready_o), .data_i({s_ar_i.id, s_ar_i.addr, s_ar_i.len}),
    .valid_o(ar_valid), .ready_i(start_read), .data_o(ar));
  gmmu_slice #(.Width($bits(burst_t)), .Slow(1'b1)) u_aw (
    .clk_i, .rst_i, .valid_i(s_aw_valid_i), .ready_o(s_aw_ready_o), .data_i({s_aw_i.id, s_aw_i.addr, s_aw_i.len}),
    .valid_o(aw_valid), .ready_i(start_write), .data_o(aw));
  gmmu_fifo_ram #(.Width(DataWidth + DataBytes), .Depth(WriteBeats)) u_w (
    .clk_i, .rst_i, .valid_i(s_w_valid_i), .ready_o(s_w_ready_o), .data_i({s_w_i.data, s_w_i.strb}),
    .valid_o(w_valid), .ready_i(w_pop), .data_o({w_data, w_strb}));

  assign ar_past = ar.addr[PaWidth-1:WordBits+3] != '0;
  assign aw_past = aw.addr[PaWidth-1:WordBits+3] != '0;

  // Number of write bursts that have all their beats and have not started.
  localparam int unsigned WholeBits = $clog2(WriteBeats + 3);
  logic [WholeBits-1:0] whole_q;
  logic                 whole_any_q, w_end;
  assign w_end = s_w_valid_i && s_w_ready_o && s_w_i.last;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      whole_q <= '0;
      whole_any_q <= 1'b0;
    end else begin
      if (w_end != start_write) whole_q <= whole_q + (w_end ? WholeBits'(1) : '1);
      whole_any_q <= w_end || (whole_any_q && !(start_write && whole_q == WholeBits'(1)));
    end
  end

  // ---- Responses. A read beat needs a credit to start, which reserves space for its R beat.
  localparam int unsigned CreditBits = $clog2(ReadBeats + 1);
  localparam int unsigned EndBits = $clog2(WriteBursts + 1);
  logic                  take, busy_q, write_q, void_q, last_q;
  logic                  r_take, r_done, r_done_last, b_take, b_done, credit_q, r_begun_q, read_ids_ready, write_ids_ready;
  logic                  r_room, r_error, b_error, read_ids_any, write_ids_any;
  logic [63:0]           r_done_data;
  logic [CreditBits-1:0] credits_q;
  logic [EndBits-1:0]    ends_q;  // number of complete writes without a response
  assign r_take = s_r_valid_o && s_r_ready_i;
  assign b_take = s_b_valid_o && s_b_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      credits_q <= CreditBits'(ReadBeats);
      credit_q <= 1'b1;
      ends_q <= '0;
      s_b_valid_o <= 1'b0;
    end else begin
      if (r_take != r_begun_q) credits_q <= credits_q + (r_take ? CreditBits'(1) : '1);
      credit_q <= r_take || (credit_q && !(r_begun_q && credits_q == CreditBits'(1)));
      if (b_done != b_take) ends_q <= ends_q + (b_done ? EndBits'(1) : '1);
      s_b_valid_o <= b_done || (s_b_valid_o && !(b_take && ends_q == EndBits'(1)));
    end
  end
  gmmu_fifo_ram #(.Width(DataWidth + 1), .Depth(ReadBeats)) u_r (
    .clk_i, .rst_i, .valid_i(r_done), .ready_o(r_room), .data_i({r_done_last, r_done_data}),
    .valid_o(s_r_valid_o), .ready_i(s_r_ready_i), .data_o({s_r_o.last, s_r_o.data}));
  gmmu_fifo #(.Width(PortIdWidth + 1), .Depth(ReadBursts)) u_read_ids (
    .clk_i, .rst_i, .valid_i(start_read), .ready_o(read_ids_ready), .data_i({ar.id, ar_past}),
    .valid_o(read_ids_any), .ready_i(r_take && s_r_o.last), .data_o({s_r_o.id, r_error}));
  gmmu_fifo #(.Width(PortIdWidth + 1), .Depth(WriteBursts)) u_write_ids (
    .clk_i, .rst_i, .valid_i(start_write), .ready_o(write_ids_ready), .data_i({aw.id, aw_past}),
    .valid_o(write_ids_any), .ready_i(b_take), .data_o({s_b_o.id, b_error}));
  assign s_r_o.resp = r_error ? RespSlvErr : RespOkay;
  assign s_b_o.resp = b_error ? RespSlvErr : RespOkay;

  // ---- The current burst.
  logic                can_read, pick_read_q, pick_write_q;
  logic [WordBits-1:0] word_q;
  logic [7:0]          left_q;  // beats after the current one
  assign can_read = ar_valid && read_ids_ready;
  assign start_read = !busy_q && pick_read_q;
  assign start_write = !busy_q && pick_write_q;
  // The register stage is harmless, because the next access starts at least four cycles later.
  always_ff @(posedge clk_i) begin
    w_pop <= !rst_i && take && write_q;
    r_begun_q <= !rst_i && take && !write_q;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      {pick_read_q, pick_write_q} <= '0;
    end else begin
      // The next burst is selected while the current one runs. A burst that has just started is
      // still offered here for one cycle, but is not selected twice, because busy_q is 1 in that
      // cycle.
      pick_write_q <= aw_valid && whole_any_q && write_ids_ready && !(write_q && can_read);
      pick_read_q <= can_read && !(aw_valid && whole_any_q && write_ids_ready && !write_q);
    end
    if (rst_i) begin
      busy_q <= 1'b0;
      write_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= start_read || start_write;
      if (start_read || start_write) write_q <= start_write;
    end else if (take) begin
      busy_q <= !last_q;
    end
    if (!busy_q) begin
      word_q <= start_write ? aw.addr[3 +: WordBits] : ar.addr[3 +: WordBits];
      void_q <= start_write ? aw_past : ar_past;
      left_q <= start_write ? aw.len : ar.len;
      last_q <= (start_write ? aw.len : ar.len) == '0;
    end else if (take) begin
      word_q[PageWords-1:0] <= word_q[PageWords-1:0] + 1'b1;
      left_q <= left_q - 1'b1;
      last_q <= left_q == 8'd1;
    end
  end

  gmmu_sdram_chip_port #(
    .ClockKhz(ClockKhz), .PowerUpNs(PowerUpNs), .CasLatency(CasLatency), .CaptureCycles(CaptureCycles),
    .RowBits(RowBits), .BankBits(BankBits), .ColumnBits(ColumnBits)
  ) u_chip (
    .clk_i, .rst_i, .initialized_o,
    .op_valid_i(busy_q && (write_q ? w_valid : credit_q)), .op_ready_o(take),
    .op_write_i(write_q), .op_void_i(void_q), .op_last_i(last_q), .op_word_i(word_q),
    .w_data_i(w_data), .w_strb_i(w_strb),
    .r_valid_o(r_done), .r_data_o(r_done_data), .r_last_o(r_done_last), .b_valid_o(b_done),
    .sdram_cke_o, .sdram_csn_o, .sdram_rasn_o, .sdram_casn_o, .sdram_wen_o, .sdram_ba_o, .sdram_a_o,
    .sdram_dqm_o, .sdram_dq_i, .sdram_dq_o, .sdram_dq_oe_o
  );

  logic unused_lanes;  // byte lanes below the first address, masked by strobes
  assign unused_lanes = ^{ar.addr[2:0], aw.addr[2:0]};

  a_room: assert property (@(posedge clk_i) disable iff (rst_i) !r_done || r_room);
  a_read_id: assert property (@(posedge clk_i) disable iff (rst_i) !s_r_valid_o || read_ids_any);
  a_write_id: assert property (@(posedge clk_i) disable iff (rst_i) !s_b_valid_o || write_ids_any);
  logic unused_user;
  assign unused_user = ^{s_ar_i.user, s_aw_i.user};
endmodule
