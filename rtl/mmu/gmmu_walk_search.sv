// SPDX-License-Identifier: Apache-2.0
// Stores the rows' keys and searches for the row that walks for a page. A search takes two cycles;
// one can start per cycle.
//
//   search   a key, whose result is valid in the next cycle. hit: there is a row that the lookup
//            can join. near: a row walks for a page of the same line. A row that begins in either
//            cycle is included; all other rows are searched in the state of the first cycle
//   match    the matching row, one-hot, one cycle after a hit; one LUT behind a register
//   begin    the row in begin_rows_i (one-hot) stores key_i, the key that was searched for two
//            cycles earlier
module gmmu_walk_search
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Rows = Config.WalkRows
) (
  input  logic            clk_i,

  input  key_t            search_i,
  output logic            hit_o,
  output logic            near_o,
  output logic [Rows-1:0] match_o,

  input  logic            begin_i,
  input  logic [Rows-1:0] begin_rows_i,
  input  key_t            key_i,
  input  logic            wide_i,

  input  logic [Rows-1:0] free_i,
  input  logic [Rows-1:0] open_i,     // rows that lookups can join
  input  logic [Rows-1:0] wide_rows_i,
  output key_t [Rows-1:0] keys_o
);
  // Keys are compared two bits at a time; (* keep *) preserves this structure in synthesis, so that
  // the comparators stay small.
  localparam int unsigned Pairs = ($bits(key_t) - 3 + 1) / 2;
  typedef logic [Pairs-1:0] pairs_t;
  function automatic pairs_t same_pairs(key_t a, key_t b);
    logic [$bits(key_t)-4:0] other;
    other = {a.space ^ b.space, a.high ^ b.high, a.vpn[VpnWidth-1:3] ^ b.vpn[VpnWidth-1:3]};
    for (int unsigned p = 0; p < Pairs; p++) same_pairs[p] = 2'(other >> (2 * p)) == '0;
  endfunction

  key_t [Rows-1:0] key_q;
  key_t            before_q;               // key searched for in the previous cycle
  logic [Rows-1:0] line_q;                 // rows that walk for the searched line
  logic [Rows-1:0] live_q, open_q;         // live_q: the row was not free; open_q: it could be joined
  logic            begins_line_q, begins_page_q;  // the previous search was for this line / page
  logic            new_line_q, new_page_q;        // a row for this line / page has just begun
  logic [Rows-1:0] new_rows_q;
  logic            begins_near, begins_match, new_line;
  (* keep *) pairs_t            same_new, same_before;
  (* keep *) pairs_t [Rows-1:0] same;
  localparam int unsigned Groups = (Rows + 3) / 4;
  logic [Rows-1:0]   near, match, all, match_q, below;
  logic [Groups-1:0] group_q;              // a row of a lower group has matched
  assign keys_o = key_q;

  // First cycle: compare the keys. A row that begins in this cycle is compared separately: its key
  // is not stored yet, and in the second cycle live_q and open_q do not include it.
  assign same_new = same_pairs(key_i, search_i);
  assign same_before = same_pairs(before_q, search_i);
  always_comb begin
    for (int unsigned i = 0; i < Rows; i++) same[i] = same_pairs(key_q[i], search_i);
  end
  assign new_line = begin_i && &same_new;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Rows; i++) begin
      if (begin_rows_i[i]) key_q[i] <= key_i;
      line_q[i] <= &same[i];
      open_q[i] <= open_i[i]
          && (wide_rows_i[i] || key_q[i].vpn[2:0] == search_i.vpn[2:0]);
    end
    live_q <= ~free_i;
    before_q <= search_i;
    begins_line_q <= &same_before;
    begins_page_q <= before_q.vpn[2:0] == search_i.vpn[2:0];
    new_line_q <= new_line;
    new_page_q <= new_line && (wide_i || key_i.vpn[2:0] == search_i.vpn[2:0]);
    new_rows_q <= begin_rows_i;
  end

  // Second cycle: combine the results. A row that begins in this cycle was free in the first cycle,
  // so live_q and open_q do not include it.
  assign begins_near = begin_i && begins_line_q;
  assign begins_match = begins_near && (wide_i || begins_page_q);
  assign near = line_q & live_q;
  assign match = line_q & open_q;
  assign hit_o = match != '0 || begins_match || new_page_q;
  assign near_o = near != '0 || begins_near || new_line_q;
  // Find the lowest matching row, in groups of four.
  always_comb begin
    for (int unsigned i = 0; i < Rows; i++) begin
      all[i] = match[i] || (new_page_q ? new_rows_q[i] : begins_match && begin_rows_i[i]);
      below[i] = group_q[i/4] || |(match_q & Rows'((1 << i) - (1 << (i / 4 * 4))));
    end
  end
  always_ff @(posedge clk_i) begin
    match_q <= all;
    for (int unsigned g = 0; g < Groups; g++) group_q[g] <= |(all & Rows'((1 << (g * 4)) - 1));
  end
  assign match_o = match_q & ~below;
endmodule
