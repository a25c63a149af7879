// SPDX-License-Identifier: Apache-2.0
// Enters finished translations into the L2 TLB: all valid entries of a fetched line, a single page,
// or the whole 64 KiB block of a page with `big` set. Faulting entries are skipped, and so are
// words past the end of a table of fewer than eight entries.
//
//   line       beats of table reads; beats of different rows may interleave
//   page       a single page to enter; it is dropped while another page waits
//   start      a row whose line is complete, with the key of any page of the line. The next line is
//              accepted and probed while the current one is written, so that lines are written back
//              to back
//   done_o     pulses when a line has been entered; done_row_o is its row
//   probe      asks the lookup pipeline which ways hold the block or are empty; the tag and data
//              writes to gmmu_l2_ram follow. Probes and writes are registered
//   idle_o     the unit holds no line or page
//   use_i      with TurnDown, the sets and ways in use
//
// A block is not probed while the previous block is still being written to the same set. If the
// next line belongs to the block that is being written, it is written to the same way without a
// probe.
//
// Order of writes: the tag of a replaced block is cleared no later than the first word is written,
// and the new tag is written with the last word. A lookup during the replacement therefore finds
// either the whole old block or nothing.
module gmmu_fill
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Rows = Config.WalkRows,
  localparam int unsigned Sets = Config.L2Sets,
  localparam int unsigned Ways = Config.L2Ways,
  localparam bit          TurnDown = Config.TurnDown != 0
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  line_valid_i,
  input  row_t                  line_row_i,
  input  logic [2:0]            line_beat_i,
  input  logic [DataWidth-1:0]  line_data_i,

  input  logic                  page_valid_i,
  input  translation_t          page_i,
  input  row_t                  page_row_i,    // for the event port
  input  logic                  start_valid_i,
  output logic                  start_ready_o,
  input  line_t                 start_i,
  output logic                  done_o,
  output row_t                  done_row_o,

  output logic                  probe_valid_o,
  output key_t                  probe_key_o,
  input  logic                  probed_i,
  input  logic [Ways-1:0]       probed_same_i,
  input  logic [Ways-1:0]       probed_empty_i,
  input  logic [15:0]           probed_present_i,

  output logic [Ways-1:0]       tag_write_o,
  output logic [Ways-1:0]       data_write_o,
  output key_t                  key_o,
  output logic [15:0]           present_o,
  output page_t                 page_o,

  output row_t                  row_o,         // row whose page or line is entered
  output logic                  count_fill_o,
  output logic                  count_eviction_o,
  output logic                  idle_o,
  input  use_t                  use_i
);
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned Beats = 8 / WordsPerBeat;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 0;
  localparam int unsigned LineWidth = RowWidth + BeatWidth;
  typedef logic [LineWidth-1:0] address_t;

  function automatic address_t beat_address(row_t row, logic [2:0] beat);
    return address_t'((32'(row) << BeatWidth) | 32'(beat));
  endfunction

  // page_q: the pending page; next_q: the next line or page; line_q: the line that is being written.
  logic            page_valid_q, page_taken_q, page_whole;
  translation_t    page_q;
  row_t            page_row_q;
  logic            next_valid_q, next_whole_q, probe_q, asked_q, probed_q, follows_q;
  line_t           next_q;
  logic [Ways-1:0] next_way_q;
  logic [15:0]     next_present_q;
  logic            next_evict_q;
  // write_q: the word that was decoded in the previous cycle is being written
  logic            valid_q, whole_q, evict_q, write_q;
  line_t           line_q;
  logic [3:0]      word_q;
  logic [Ways-1:0] way_q, turn_q;
  logic [15:0]     present_q;

  key_t next_key, now_key;
  logic [Ways-1:0] empty, turn_d;
  logic            one_set;
  assign one_set = Sets == 1 || (TurnDown && use_i.l2_sets == '0);
  assign empty = TurnDown ? probed_empty_i & use_i.l2_ways[Ways-1:0] : probed_empty_i;
  always_comb begin   // turn_d: the next way to replace; after the highest way in use comes way 0.
    turn_d = Ways'({turn_q, turn_q} >> (Ways - 1));
    if (TurnDown && (turn_q & use_i.l2_ways[Ways-1:0] & ~(use_i.l2_ways[Ways-1:0] >> 1)) != '0) turn_d = Ways'(1);
  end
  logic takes, same_block, same_set, probes, follows, moves, first, last;   // `last` is a register
  assign next_key = next_whole_q ? next_q.key : page_q.key;
  assign now_key = whole_q ? line_q.key : page_q.key;
  assign page_whole = page_valid_q && !page_taken_q;
  assign start_ready_o = !next_valid_q && !page_whole;
  assign takes = !next_valid_q && (page_whole || start_valid_i);
  // same_set may be 1 for different sets, but never 0 for equal ones: it compares only the parity
  // of the lowest index bits. Neighbouring blocks, the common case, differ in parity.
  assign same_set = valid_q
      && (one_set || (^{next_key.vpn[4], next_key.space[0]} == ^{now_key.vpn[4], now_key.space[0]}));
  assign same_block = next_key.space == now_key.space
      && next_key.vpn[VpnWidth-1:4] == now_key.vpn[VpnWidth-1:4];
  assign probes = next_valid_q && !asked_q && !same_set;
  assign follows = next_valid_q && !asked_q && valid_q && same_block;
  assign moves = next_valid_q && probed_q && (!valid_q || last);
  assign probe_valid_o = probe_q;
  assign probe_key_o = next_key;

  // Words of a line are read two cycles before they are written, because the RAM's output is late
  // in its cycle.
  logic [2:0]           next_word, read_word_q;
  row_t                 next_row;
  logic                 goes_on;
  logic [DataWidth-1:0] beat_data;
  logic [63:0]          read_word, word;
  assign goes_on = valid_q && whole_q && word_q < 4'd6;
  assign next_word = goes_on ? word_q[2:0] + 3'd2 : 3'(moves);
  assign next_row = goes_on ? line_q.row : next_q.row;
  gmmu_ram_apart #(.Width(DataWidth), .Depth(2**LineWidth)) u_lines (
    .clk_i, .read_i(1'b1),
    .read_addr_i(beat_address(next_row, 3'(32'(next_word) / WordsPerBeat))), .data_o(beat_data),
    .write_i(line_valid_i), .write_addr_i(beat_address(line_row_i, line_beat_i)),
    .data_i(line_data_i));
  always_comb begin
    read_word = beat_data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (32'(read_word_q) % WordsPerBeat == i) read_word = beat_data[i*64 +: 64];
    end
  end
  always_ff @(posedge clk_i) begin
    read_word_q <= next_word;
    word <= read_word;
  end

  // The entry that is decoded in this cycle and written in the next one.
  pte_verdict_t entry;
  logic         good;
  logic [15:0]  present;
  key_t         key;
  page_t        page;
  assign entry = decode(word, FormLeaf);
  always_comb begin
    first = word_q == '0;
    key = now_key;
    if (whole_q) begin
      good = entry.fault == FaultNone && (word_q[2:0] & ~line_q.line) == '0;
      key.vpn[2:0] = (line_q.key.vpn[2:0] & ~line_q.line) | word_q[2:0];
      page = page_of(entry, '0, 1'b1, key.vpn, '1, 1'b0);
    end else begin
      good = 1'b1;
      page = page_q.page;
      if (page_q.page.big) begin
        key.vpn[3:0] = word_q;
        page.pfn[3:0] = word_q;
      end
    end
    present = present_q;
    if (good) present[key.vpn[3:0]] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    write_q <= valid_q && !rst_i;
    key_o <= key;
    page_o <= page;
    present_o <= last ? present : '0;
    data_write_o <= !rst_i && valid_q && good ? way_q : '0;
    tag_write_o <= !rst_i && valid_q && (last || (first && evict_q)) ? way_q : '0;
    done_o <= !rst_i && valid_q && last && whole_q;
    done_row_o <= line_q.row;
    row_o <= whole_q ? line_q.row : page_row_q;
    count_fill_o <= !rst_i && valid_q && last;
    count_eviction_o <= !rst_i && valid_q && first && evict_q;
  end
  assign idle_o = !next_valid_q && !valid_q && !page_valid_q && !write_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      page_valid_q <= 1'b0;
      page_taken_q <= 1'b0;
      next_valid_q <= 1'b0;
      probe_q <= 1'b0;
      valid_q <= 1'b0;
      turn_q <= Ways'(1);
    end else begin
      if (page_valid_i && !page_valid_q) page_valid_q <= 1'b1;
      else if (valid_q && last && !whole_q) page_valid_q <= 1'b0;
      page_taken_q <= page_taken_q ? !(valid_q && last && !whole_q) : takes && page_whole;
      next_valid_q <= next_valid_q ? !moves : takes;
      probe_q <= probes;
      valid_q <= moves || (valid_q && !last);
      if (TurnDown && use_i.set) turn_q <= Ways'(1);
      else if (valid_q && first && evict_q) turn_q <= turn_d;
    end

    if (page_valid_i && !page_valid_q) begin
      page_q <= page_i;
      page_row_q <= page_row_i;
    end
    if (!next_valid_q) begin
      next_whole_q <= !page_whole;
      next_q <= start_i;
    end
    asked_q <= next_valid_q && !moves && (asked_q || probes || follows);
    probed_q <= next_valid_q && !moves && (probed_q || probed_i || follows);
    if (next_valid_q && !asked_q) follows_q <= follows;
    if (probed_i) begin
      next_present_q <= probed_present_i;
      next_evict_q <= probed_same_i == '0 && empty == '0;
      if (probed_same_i != '0) next_way_q <= probed_same_i;
      else if (empty != '0) next_way_q <= empty & (~empty + 1'b1);
      else next_way_q <= turn_q;
    end
    if (moves) begin
      whole_q <= next_whole_q;
      line_q <= next_q;
      evict_q <= !follows_q && next_evict_q;
      if (!follows_q) way_q <= next_way_q;
    end
    if (moves && !follows_q) present_q <= next_present_q;
    else if (valid_q) present_q <= present;
    word_q <= valid_q && !moves ? word_q + 1'b1 : '0;
    if (moves) last <= !next_whole_q && !page_q.page.big;
    else last <= whole_q ? word_q == 4'd6 : word_q == 4'd14;
  end

  logic unused_bits;  // fields that only the walk needs, such as table pointers
  assign unused_bits = ^{entry, use_i};
endmodule
