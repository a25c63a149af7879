// SPDX-License-Identifier: Apache-2.0
// Keeps the fetched lines of leaf entries, and enters finished ones into the L2 TLB: all good
// entries of the line, or, from a contiguous entry, its whole 64 KiB block. Entries at fault are
// left out and never show; so is what lies in the line behind a table of fewer than eight entries.
//
//   line       beats of leaf reads, any order of rows
//   start      a row whose line is complete; key: any page of the line; page.big: its entry was
//              contiguous
//   done_o     one cycle, with done_row_o: everything is entered
//   probe      asks the pipeline which ways hold what; then tag and data writes go to gmmu_l2_ram
//
// Order of writes: the tag of a block that is replaced goes first, the new tag last, so that a
// lookup in between finds either the old block whole or nothing.
module gmmu_fill
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter int unsigned NumWalks = 8,
  parameter int unsigned Ways = 4,
  localparam int unsigned WordsPerBeat = DataWidth / 64,
  localparam int unsigned Beats = 8 / WordsPerBeat
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  line_valid_i,
  input  row_t                  line_row_i,
  input  logic [2:0]            line_beat_i,
  input  logic [DataWidth-1:0]  line_data_i,

  input  logic                  start_valid_i,
  output logic                  start_ready_o,
  input  row_t                  start_row_i,
  input  key_t                  start_key_i,
  input  page_t                 start_page_i,
  // ones: index bits that a table of this geometry has within a line
  input  logic [2:0]            start_line_i,
  output logic                  done_o,
  output row_t                  done_row_o,

  output logic                  probe_valid_o,
  input  logic                  probe_ready_i,
  output key_t                  probe_key_o,
  input  logic                  probed_i,
  input  logic [Ways-1:0]       probed_same_i,
  input  logic [Ways-1:0][15:0] probed_present_i,

  output logic [Ways-1:0]       tag_write_o,
  output logic [Ways-1:0]       data_write_o,
  output key_t                  key_o,
  output logic [15:0]           present_o,
  output page_t                 page_o,

  output logic                  count_eviction_o,
  output logic                  idle_o
);
  localparam int unsigned RowWidth = NumWalks > 1 ? $clog2(NumWalks) : 1;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 0;
  localparam int unsigned LineWidth = RowWidth + BeatWidth;  // of an address in the line RAM

  typedef enum logic [2:0] {StIdle, StProbed, StEvict, StWrite, StTag} state_e;
  state_e              state_q;
  row_t                row_q;
  key_t                key_q;
  page_t               base_q;       // page that the walk was for
  logic [2:0]          line_q;
  logic [Ways-1:0]     way_q, turn_q, empty;
  logic [15:0]         present_q;
  logic                evict_q;
  logic [4:0]          read_q;       // next word to read
  logic                word_valid_q; // a word stands at the RAM's output
  logic [3:0]          word_q;
  logic                last;
  logic                reading;

  // Address of a beat in the line RAM: {row, beat}.
  logic [LineWidth-1:0] write_address, read_address;
  logic [DataWidth-1:0] beat_data;
  if (Beats > 1) begin : g_beats
    assign write_address = {RowWidth'(line_row_i), BeatWidth'(line_beat_i)};
    assign read_address = {RowWidth'(row_q), BeatWidth'(read_q / 5'(WordsPerBeat))};
  end else begin : g_whole
    assign write_address = RowWidth'(line_row_i);
    assign read_address = RowWidth'(row_q);
  end

  gmmu_ram_1r1w #(.Width(DataWidth), .Depth(1 << LineWidth)) u_lines (
    .clk_i, .read_i(reading), .read_addr_i(read_address), .data_o(beat_data),
    .write_i(line_valid_i), .write_addr_i(write_address), .data_i(line_data_i));

  // The word at the RAM's output, decoded; or, of a contiguous entry, the block's page in turn.
  logic [63:0]  word;
  pte_verdict_t entry;
  logic         good;
  always_comb begin
    word = beat_data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (32'(word_q) % WordsPerBeat == i) word = beat_data[i*64 +: 64];
    end
  end
  assign entry = decode(word, '0, '0);
  assign good = base_q.big || (entry.fault == FaultNone && (word_q[2:0] & ~line_q) == '0);
  always_comb begin
    page_o = base_q;
    if (base_q.big) begin
      page_o.pfn[3:0] = word_q;
    end else begin
      page_o = '{pfn: entry.pfn, target: entry.target, adapter: entry.adapter, zero: entry.zero,
                 coherent: entry.coherent, read_only: entry.read_only,
                     no_execute: entry.no_execute, big: 1'b0,
                 level: '0};
    end
  end

  assign reading = state_q == StEvict || (state_q == StWrite && !last);
  assign last = read_q == (base_q.big ? 5'd16 : 5'd8);
  // Not in the last cycle: the probe would read the tag that is being written.
  assign start_ready_o = state_q == StIdle && probe_ready_i;
  assign idle_o = state_q == StIdle;
  assign probe_valid_o = state_q == StIdle && start_valid_i;
  assign probe_key_o = start_key_i;
  assign done_row_o = row_q;
  assign done_o = state_q == StTag;
  assign count_eviction_o = state_q == StEvict && evict_q;

  always_comb begin
    key_o = key_q;
    if (state_q == StWrite) key_o.vpn[3:0] = base_q.big ? word_q : {key_q.vpn[3],
        (key_q.vpn[2:0] & ~line_q) | word_q[2:0]};
    present_o = state_q == StTag ? present_q : '0;
    tag_write_o = '0;
    if ((state_q == StEvict && evict_q) || state_q == StTag) tag_write_o = way_q;
    data_write_o = state_q == StWrite && word_valid_q && good ? way_q : '0;
    for (int unsigned w = 0; w < Ways; w++) empty[w] = probed_present_i[w] == '0;
  end

  // rows above those built; tables do not reach this unit, promises are judged by the walk
  logic unused_bits;
  assign unused_bits = ^{line_row_i, line_beat_i, entry};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      turn_q <= Ways'(1);
    end else begin
      unique case (state_q)
        StIdle: if (start_valid_i && start_ready_o) state_q <= StProbed;
        StProbed: if (probed_i) state_q <= StEvict;
        StEvict: state_q <= StWrite;
        StWrite: if (last) state_q <= StTag;
        StTag: state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
      if (state_q == StEvict && evict_q) turn_q <= Ways'({turn_q, turn_q} >> (Ways - 1));
    end

    if (state_q == StIdle) begin
      row_q <= start_row_i;
      key_q <= start_key_i;
      base_q <= start_page_i;
      line_q <= start_line_i;
    end
    if (state_q == StProbed) begin
      present_q <= '0;
      evict_q <= 1'b0;
      if (probed_same_i != '0) begin
        way_q <= probed_same_i;
        for (int unsigned w = 0; w < Ways; w++) begin
          if (probed_same_i[w]) present_q <= probed_present_i[w];
        end
      end else if (empty != '0) begin
        way_q <= empty & (~empty + 1'b1);
      end else begin
        way_q <= turn_q;
        evict_q <= 1'b1;
      end
    end

    if (state_q == StEvict || state_q == StWrite) begin
      word_valid_q <= reading;
      word_q <= read_q[3:0];
      read_q <= read_q + 1'b1;
      if (data_write_o != '0) present_q[key_o.vpn[3:0]] <= 1'b1;
    end else begin
      word_valid_q <= 1'b0;
      read_q <= '0;
    end
  end
endmodule
