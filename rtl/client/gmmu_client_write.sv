// SPDX-License-Identifier: Apache-2.0
// Write data of one client. Words are stored in the slot of their access until the access is sent
// as a burst.
//
//   word     always accepted; word w is stored at byte w * WordBytes of the slot's line
//   burst    one per write, in the order of AW: the slot, and the line offsets of the first and
//            last byte
//   w        the burst's beats, one per cycle; strobes outside [first, last] are 0
module gmmu_client_write
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned WordBytes = 8,     // 8 to DataBytes
  parameter bit          Strobes = 1'b0     // 1: a word writes only the bytes in word_strobe_i
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   word_valid_i,
  input  client_w_t              word_i,
  input  logic [8*WordBytes-1:0] word_data_i,
  input  logic [WordBytes-1:0]   word_strobe_i,

  input  logic                   burst_valid_i,
  output logic                   burst_ready_o,
  input  slot_t                  burst_slot_i,
  input  logic [5:0]             burst_first_i,
  input  logic [5:0]             burst_last_i,

  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  output w_t                     w_o
);
  localparam int unsigned Banks = DataBytes / WordBytes;
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes;
  localparam int unsigned RowDepth = Slots * BeatsPerLine;
  localparam int unsigned RowWidth = $clog2(RowDepth);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);
  localparam int unsigned WordLg2 = $clog2(WordBytes);
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1;

  typedef struct packed {
    slot_t      slot;
    logic [5:0] first;
    logic [5:0] last;
  } burst_t;

  burst_t               burst_in, burst;
  logic                 burst_valid, read, last;
  logic [BeatWidth-1:0] beat_q;                // index of the beat in its burst
  logic [5:0]           offset;                // line offset of the lowest lane of the beat
  logic [RowWidth-1:0]  read_row, write_row;
  logic [DataBytes-1:0] strobe, strobe_q, kept;

  assign burst_in = '{slot: burst_slot_i, first: burst_first_i, last: burst_last_i};
  gmmu_skid #(.Width($bits(burst_t))) u_bursts (
    .clk_i, .rst_i,
    .valid_i(burst_valid_i), .ready_o(burst_ready_o), .data_i(burst_in),
    .valid_o(burst_valid), .ready_i(read && last), .data_o(burst)
  );

  if (BeatsPerLine > 1) begin : g_offset
    assign offset = {burst.first[5:ByteLg2] + beat_q, ByteLg2'(0)};
    assign last = offset[5:ByteLg2] == burst.last[5:ByteLg2];
    assign read_row = {burst.slot, offset[5:ByteLg2]};
    assign write_row = RowWidth'({word_i.id, 6'(word_i.word) << WordLg2} >> ByteLg2);
  end else begin : g_whole
    assign offset = '0;
    assign last = 1'b1;
    assign read_row = burst.slot;
    assign write_row = word_i.id;
  end
  // Enables the lanes from the first byte on in the first beat, and up to the last byte in the last
  // beat.
  always_comb begin
    strobe = '1;
    if (beat_q == '0) strobe = strobe << burst.first[ByteLg2-1:0];
    if (last) strobe = strobe & ({DataBytes{1'b1}} >> ~burst.last[ByteLg2-1:0]);
  end

  assign read = burst_valid && (!w_valid_o || w_ready_i);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      w_valid_o <= 1'b0;
      beat_q <= '0;
    end else begin
      if (!w_valid_o || w_ready_i) w_valid_o <= burst_valid;
      if (read) beat_q <= last ? '0 : beat_q + 1'b1;
    end
    if (read) begin
      strobe_q <= strobe;
      w_o.last <= last;
    end
  end

  for (genvar i = 0; i < Banks; i++) begin : g_banks
    gmmu_ram_apart #(.Width(8 * WordBytes), .Depth(RowDepth)) u_words (
      .clk_i,
      .read_i(read), .read_addr_i(read_row), .data_o(w_o.data[8*WordBytes*i +: 8*WordBytes]),
      .write_i(word_valid_i && 32'(word_i.word) % Banks == i), .write_addr_i(write_row),
      .data_i(word_data_i)
    );
    if (Strobes) begin : g_strobes
      gmmu_ram_apart #(.Width(WordBytes), .Depth(RowDepth)) u_strobes (
        .clk_i,
        .read_i(read), .read_addr_i(read_row), .data_o(kept[WordBytes*i +: WordBytes]),
        .write_i(word_valid_i && 32'(word_i.word) % Banks == i), .write_addr_i(write_row),
        .data_i(word_strobe_i)
      );
    end else begin : g_all
      logic unused_strobe;
      assign kept[WordBytes*i +: WordBytes] = '1;
      assign unused_strobe = ^word_strobe_i;
    end
  end
  assign w_o.strb = strobe_q & kept;

  logic unused_bits;
  assign unused_bits = ^{burst, offset};
endmodule
