// SPDX-License-Identifier: Apache-2.0
// Shared array for translations from entries above the leaf level: fully associative, any coverage.
//
//   search_i   one a cycle. hit_o says in the next cycle (three LUTs behind registers) whether an
//              entry covers it; page_o in the one after that, for the key that was searched for
//              (page_key_i): the 4 KiB page
//   fill       one is kept until a cycle in which the search is not in use (search_used_i), then it
//              searches, and is entered two cycles later unless an entry covers it already; free
//              entries first, then in turn. A fill that comes while one is kept is dropped
//   wants_o    a fill is kept: leave the search unused for a cycle
//   kill_i     drops what is kept
//   sweep_i    drops entry `index` if the step covers it, two cycles later; the scope stands until
//              then
module gmmu_large
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 8
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       search_used_i,
  input  key_t       search_i,
  output logic       hit_o,
  input  key_t       page_key_i,
  output page_t      page_o,

  input  logic       fill_valid_i,
  input  key_t       fill_key_i,
  input  logic [5:0] fill_shift_i,  // page number bits below this may differ
  input  page_t      fill_page_i,
  output logic       wants_o,

  input  kill_t      kill_i,
  input  sweep_t     sweep_i
);
  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  typedef logic [IndexWidth-1:0] index_t;
  typedef struct packed {
    space_t     space;
    vpn_t       vpn;
    logic [5:0] shift;
  } tag_t;

  logic [Entries-1:0] valid_q;
  space_t             space_q [Entries];
  vpn_t               vpn_q [Entries], keep_q [Entries];

  logic       kept_q;
  key_t       key_q;
  logic [5:0] shift_q;
  page_t      fill_page_q;

  key_t               search;
  logic [Entries-1:0] match, free, written;
  logic [Entries-1:0] live_q;  // valid and of the space that is searched
  localparam int unsigned Pieces = 3;
  localparam int unsigned PieceWidth = (VpnWidth + Pieces - 1) / Pieces;
  logic [Entries-1:0][Pieces-1:0] same, same_q;
  index_t             first, victim_q, turn_q;
  logic               try, tried_q, missed_q, write;
  assign try = kept_q && !tried_q && !search_used_i && !kill_i.valid && !sweep_i.valid;
  assign search = search_used_i ? search_i : key_q;
  assign wants_o = kept_q;

  always_comb begin
    same = '0;
    if (search_used_i || kept_q) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        for (int unsigned b = 0; b < Pieces; b++) begin
          same[i][b] = PieceWidth'(((vpn_q[i] ^ search.vpn) & keep_q[i]) >> (b * PieceWidth))
              == '0;
        end
      end
    end
    for (int unsigned i = 0; i < Entries; i++) match[i] = live_q[i] && (&same_q[i]);
  end
  assign free = ~valid_q;
  assign hit_o = match != '0;
  assign write = missed_q && !kill_i.valid;
  assign written = missed_q ? Entries'(1) << victim_q : '0;
  always_comb begin
    first = '0;
    for (int unsigned i = Entries; i > 0; i--) begin
      if (match[i-1]) first = index_t'(i - 1);
    end
  end

  // A sweep's step: the tag is read, compared, and its entry dropped.
  tag_t   swept;
  space_t swept_space_q;
  vpn_t   swept_keep, swept_low_q, swept_high_q;
  logic   dropped, sweep_q, judge_q, space_same_q, touches;
  index_t sweep_index_q, judge_index_q;
  gmmu_lutram #(.Width($bits(tag_t)), .Depth(Entries)) u_tags (
    .clk_i, .write_i(write), .write_addr_i(victim_q), .data_i({key_q.space, key_q.vpn, shift_q}),
    .read_addr_i(index_t'(sweep_i.index)), .data_o(swept));
  gmmu_overlap u_overlap (
    .clk_i, .low_i(swept_low_q), .high_i(swept_high_q),
    .first_i(sweep_i.first), .tail_i(sweep_i.tail), .touches_o(touches));
  assign swept_keep = keep_mask(swept.shift);
  assign dropped = judge_q
      && (sweep_i.all || (space_same_q && (!sweep_i.ranged || touches)));

  // The page that was found.
  page_t      page, page_q;
  vpn_t       keep;
  pfn_t       span;  // page number bits inside the page
  logic [5:0] page_shift, page_shift_q;
  gmmu_lutram #(.Width($bits(page_t) + 6), .Depth(Entries)) u_pages (
    .clk_i, .write_i(write), .write_addr_i(victim_q), .data_i({shift_q, fill_page_q}),
    .read_addr_i(first), .data_o({page_shift, page}));
  assign keep = keep_mask(page_shift_q);
  assign span = pfn_t'(vpn_t'(~keep));
  always_comb begin
    page_o = page_q;
    page_o.pfn = (page_q.pfn & ~span) | (pfn_t'(page_key_i.vpn) & span);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      turn_q <= '0;
      kept_q <= 1'b0;
      tried_q <= 1'b0;
      missed_q <= 1'b0;
      sweep_q <= 1'b0;
      judge_q <= 1'b0;
    end else begin
      if (dropped) valid_q[judge_index_q] <= 1'b0;
      if (write) begin
        valid_q[victim_q] <= 1'b1;
        if (free == '0) turn_q <= turn_q == index_t'(Entries - 1) ? '0 : turn_q + 1'b1;
      end
      kept_q <= (kept_q ? !tried_q : fill_valid_i) && !kill_i.valid;
      tried_q <= try;
      missed_q <= tried_q && match == '0 && !kill_i.valid;
      sweep_q <= sweep_i.valid && sweep_i.index < 16'(Entries);
      judge_q <= sweep_q;
    end
    sweep_index_q <= index_t'(sweep_i.index);
    judge_index_q <= sweep_index_q;
    space_same_q <= swept_space_q == sweep_i.space;
    swept_space_q <= swept.space;
    swept_low_q <= swept.vpn & swept_keep;
    swept_high_q <= swept.vpn | ~swept_keep;
    same_q <= same;
    for (int unsigned i = 0; i < Entries; i++) begin
      live_q[i] <= (search_used_i || kept_q) && valid_q[i] && !written[i] && !search.high
          && space_q[i] == search.space;
    end
    page_q <= page;
    page_shift_q <= page_shift;
    victim_q <= turn_q;
    for (int unsigned i = Entries; i > 0; i--) begin
      if (free[i-1]) victim_q <= index_t'(i - 1);
    end
    if (fill_valid_i && !kept_q) begin
      key_q <= fill_key_i;
      shift_q <= fill_shift_i;
      fill_page_q <= fill_page_i;
    end
    if (write) begin
      space_q[victim_q] <= key_q.space;
      vpn_q[victim_q] <= key_q.vpn;
      keep_q[victim_q] <= keep_mask(shift_q);
    end
  end

  logic unused_bits;
  assign unused_bits = ^{sweep_i.index, fill_key_i.high, page_q.pfn, kill_i, page_key_i};
endmodule
