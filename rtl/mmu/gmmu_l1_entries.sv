// SPDX-License-Identifier: Apache-2.0
// The entries of an L1 TLB, in LUT RAM. Each holds a 4 KiB page or an aligned 64 KiB block; the TLB
// is fully associative, but a search compares only one entry. A hint selects that entry; hints are
// in RAMs that are indexed by a hash of the key. If a hint is stale, the comparison fails. There
// are twice as many page hints as entries, and as many block hints as entries; a block hint has
// priority over a page hint. A new entry writes both of its hints.
//
// A new translation replaces the hinted entry if the low byte of that entry's page number shows the
// same page or block; otherwise it replaces the next entry in rotation.
//
//   look_i     a request is offered. accept_i: it is accepted, and its key may have an entry. In
//              the next cycle, near_o is 1 if there is a hint, index_o is the entry that the hint
//              selects, and hit_o is 1 if this entry matches key_i, the searched key. index_o and
//              hit_o are undefined without near_o. All three are stable while stay_i is 1
//   page_o     combinational: the page of entry page_index_i
//   fill_i     searches the hints of fill_hint_i; no request may be accepted in this cycle
//   place_i    one cycle after fill_i: selects the entry for the translation place_what_i
//   write_i    one cycle after place_i: enters write_what_i, with hint write_hint_i, at the edge,
//              unless that would replace entry index_o (while near_o is 1) or an entry in
//              use_index_i, whose valid bits are use_i
//   sweep_i    visits one entry per cycle (the index wraps around) and drops it if its space is in
//              the scope, even if its page is outside the range. Not allowed in a cycle with
//              place_i or write_i
//   use_size_i with TurnDown, the entries in use; use_set_i pulses after a change. A hint may still
//              select an entry that is not in use: that entry is empty, and no new translation is
//              placed there
//
// Entries are not reset: a sweep of everything precedes the first search.
module gmmu_l1_entries
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Entries = Config.L1Entries,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam bit          TurnDown = Config.TurnDown != 0,
  localparam int unsigned IndexWidth = $clog2(Entries)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  look_i,
  input  logic                  accept_i,
  input  key_t                  search_key_i,
  input  logic                  stay_i,
  output logic                  near_o,
  output logic [IndexWidth-1:0] index_o,
  input  key_t                  key_i,
  output logic                  hit_o,
  input  logic [IndexWidth-1:0] page_index_i,
  output page_t                 page_o,

  input  logic                  fill_i,
  input  hint_t                 fill_hint_i,
  input  logic                  place_i,
  input  translation_t          place_what_i,
  input  logic                  write_i,
  input  translation_t          write_what_i,
  input  hint_t                 write_hint_i,
  input  logic [1:0]            use_i,
  input  logic [IndexWidth-1:0] use_index_i [2],
  input  sweep_t                sweep_i,
  input  l1_use_t               use_size_i,
  input  logic                  use_set_i
);
  localparam int unsigned SpaceBits = NumSpaces > 1 ? $clog2(NumSpaces) : 1;
  localparam int unsigned BlockWidth = VpnWidth - 4;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [IndexWidth:0] page_set_t;
  typedef logic [SpaceBits-1:0] space_bits_t;
  typedef struct packed {
    logic                  valid;
    logic                  big;
    space_bits_t           space;
    logic [BlockWidth-1:0] block;
    logic [3:0]            low;
  } tag_row_t;
  typedef struct packed {
    index_t     index;
    logic [3:0] check;
  } page_hint_t;
  typedef struct packed {
    logic       big;
    index_t     index;
    logic [2:0] check;
  } block_hint_t;

  // With fewer entries in use, fewer hints are used.
  index_t last, bits;
  assign last = TurnDown ? index_t'(use_size_i.last) : index_t'(Entries - 1);
  assign bits = TurnDown ? index_t'(use_size_i.mask) : '1;
  function automatic page_set_t page_set(hint_t hint, index_t mask);
    return (page_set_t'(hint.block) ^ page_set_t'(hint.low)) & {mask, 1'b1};
  endfunction
  // Neighbouring pages have different check values, and an uninitialised hint rarely matches.
  function automatic logic [3:0] page_check(hint_t hint);
    return hint.low ^ {hint.block[7:5], 1'b1};
  endfunction

  // ---- The search; its results are valid in the next cycle.
  hint_t       hint;
  page_hint_t  found;
  block_hint_t found_block;
  logic        same, same_block;
  index_t      next_q, victim_q;
  logic        write;

  always_comb begin
    hint = 'x;  // used only with fill_i or look_i
    if (fill_i) hint = fill_hint_i;
    else if (look_i) hint = hint_of(search_key_i);
  end
  gmmu_lutram #(.Width($bits(page_hint_t)), .Depth(2 << IndexWidth)) u_pages (
    .clk_i, .write_i(write), .write_addr_i(page_set(write_hint_i, bits)),
    .data_i({victim_q, page_check(write_hint_i)}), .read_addr_i(page_set(hint, bits)), .data_o(found));
  assign same = found.check == page_check(hint);
  gmmu_lutram #(.Width($bits(block_hint_t)), .Depth(1 << IndexWidth)) u_blocks (
    .clk_i, .write_i(write), .write_addr_i(index_t'(write_hint_i.block) & bits),
    .data_i({write_what_i.page.big, victim_q, write_hint_i.block[6:4]}),
    .read_addr_i(index_t'(hint.block) & bits), .data_o(found_block));
  assign same_block = found_block.big && found_block.check == hint.block[6:4];

  logic   hinted_q;
  index_t hinted, place_q;
  assign hinted = same_block ? found_block.index : found.index;
  always_ff @(posedge clk_i) begin
    if (rst_i) near_o <= 1'b0;
    else if (!stay_i) near_o <= accept_i && (same_block || same);
    if (!stay_i) index_o <= hinted;
    hinted_q <= same_block || same;
    place_q <= hinted;
  end

  tag_row_t row;
  logic     drop;
  gmmu_lutram #(.Width($bits(tag_row_t)), .Depth(Entries)) u_tags (
    .clk_i, .write_i(write || drop), .write_addr_i(drop ? index_t'(sweep_i.index) : victim_q),
    .data_i({!drop, write_what_i.page.big, space_bits_t'(write_what_i.key.space),
             write_what_i.key.vpn}),
    .read_addr_i(index_o), .data_o(row));
  assign hit_o = row.valid && {row.space, row.block} == {space_bits_t'(key_i.space), key_i.vpn[VpnWidth-1:4]}
      && (row.big || row.low == key_i.vpn[3:0]);

  gmmu_lutram #(.Width($bits(page_t)), .Depth(Entries)) u_rows (
    .clk_i, .write_i(write), .write_addr_i(victim_q), .data_i(write_what_i.page),
    .read_addr_i(page_index_i), .data_o(page_o));

  // ---- Placement of a new entry. The low bytes of the entries' page numbers are in a separate
  // RAM, which is read at the hinted entry.
  logic [7:0] there;
  logic       again;
  gmmu_lutram #(.Width(8), .Depth(Entries)) u_lows (
    .clk_i, .write_i(write), .write_addr_i(victim_q), .data_i(write_what_i.key.vpn[7:0]),
    .read_addr_i(place_q), .data_o(there));
  assign again = hinted_q && (!TurnDown || place_q <= last) && there[7:4] == place_what_i.key.vpn[7:4]
      && (place_what_i.page.big || there[3:0] == place_what_i.key.vpn[3:0]);
  assign write = write_i && !(use_i[0] && use_index_i[0] == victim_q)
      && !(use_i[1] && use_index_i[1] == victim_q) && !(near_o && index_o == victim_q);
  always_ff @(posedge clk_i) begin
    if (rst_i || (TurnDown && use_set_i)) next_q <= '0;
    else if (place_i && !again) next_q <= next_q == last ? '0 : next_q + 1'b1;
    victim_q <= again ? place_q : next_q;
  end

  // ---- The sweep. It reads the entries' spaces from a separate RAM.
  space_bits_t swept_space;
  gmmu_lutram #(.Width(SpaceBits), .Depth(Entries)) u_spaces (
    .clk_i, .write_i(write), .write_addr_i(victim_q), .data_i(space_bits_t'(write_what_i.key.space)),
    .read_addr_i(index_t'(sweep_i.index)), .data_o(swept_space));
  assign drop = sweep_i.valid && (sweep_i.all || swept_space == space_bits_t'(sweep_i.space));

  logic unused_bits;
  assign unused_bits = ^{sweep_i, key_i, write_what_i.key, place_what_i, write_hint_i,
      search_key_i, hint, use_size_i, use_set_i};

  a_apart: assert property (@(posedge clk_i) disable iff (rst_i)
    !(sweep_i.valid && (place_i || write_i)));
  a_stays: assert property (@(posedge clk_i) disable iff (rst_i) !(stay_i && accept_i));
  a_in_use: assert property (@(posedge clk_i) disable iff (rst_i)
    !TurnDown || (!(write && 6'(victim_q) > use_size_i.last) && !(near_o && hit_o && 6'(index_o) > use_size_i.last)));
endmodule
