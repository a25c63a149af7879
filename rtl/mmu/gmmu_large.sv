// SPDX-License-Identifier: Apache-2.0
// Shared array for translations from entries above the leaf level: fully associative, any coverage.
//
//   search_i   hit_o and page_o are combinational; the page is the 4 KiB one that was searched for
//   fill       one is kept until a cycle in which the search is not in use (search_used_i), then
//              entered unless an entry covers it already; free entries first, then in turn. A fill
//              that comes while one is kept is dropped
//   wants_o    a fill is kept: leave the search unused for a cycle
//   kill_i     drops what is kept
//   sweep_i    drops entry `index` if the step covers it
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
  logic [Entries-1:0] match, free;
  index_t             first, victim, turn_q;
  logic               try, write;
  assign try = kept_q && !search_used_i && !kill_i.valid && !sweep_i.valid;
  assign search = search_used_i ? search_i : key_q;
  assign wants_o = kept_q;

  always_comb begin
    match = '0;
    if (search_used_i || kept_q) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        match[i] = valid_q[i] && !search.high && space_q[i] == search.space
            && ((vpn_q[i] ^ search.vpn) & keep_q[i]) == '0;
      end
    end
  end
  assign free = ~valid_q;
  assign hit_o = match != '0;
  assign write = try && match == '0;
  always_comb begin
    first = '0;
    victim = turn_q;
    for (int unsigned i = Entries; i > 0; i--) begin
      if (match[i-1]) first = index_t'(i - 1);
      if (free[i-1]) victim = index_t'(i - 1);
    end
  end

  tag_t  swept;
  logic  dropped;
  page_t page;
  vpn_t  keep;
  pfn_t  span;  // page number bits inside the page
  logic [5:0] page_shift;
  gmmu_lutram #(.Width($bits(page_t) + 6), .Depth(Entries)) u_pages (
    .clk_i, .write_i(write), .write_addr_i(victim), .data_i({shift_q, fill_page_q}),
    .read_addr_i(first), .data_o({page_shift, page}));
  gmmu_lutram #(.Width($bits(tag_t)), .Depth(Entries)) u_tags (
    .clk_i, .write_i(write), .write_addr_i(victim), .data_i({key_q.space, key_q.vpn, shift_q}),
    .read_addr_i(index_t'(sweep_i.index)), .data_o(swept));
  assign dropped = sweep_i.valid && sweep_i.index < 16'(Entries) && (sweep_i.all
      || (swept.space == sweep_i.space
          && (!sweep_i.ranged
              || overlaps(swept.vpn, keep_mask(swept.shift), sweep_i.first, sweep_i.tail))));

  assign keep = keep_mask(page_shift);
  assign span = pfn_t'(vpn_t'(~keep));
  always_comb begin
    page_o = page;
    page_o.pfn = (page.pfn & ~span) | (pfn_t'(search_i.vpn) & span);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      turn_q <= '0;
      kept_q <= 1'b0;
    end else begin
      if (dropped) valid_q[index_t'(sweep_i.index)] <= 1'b0;
      if (write) begin
        valid_q[victim] <= 1'b1;
        if (free == '0) turn_q <= turn_q == index_t'(Entries - 1) ? '0 : turn_q + 1'b1;
      end
      kept_q <= (fill_valid_i || (kept_q && !try)) && !kill_i.valid;
    end
    if (fill_valid_i && (!kept_q || try)) begin
      key_q <= fill_key_i;
      shift_q <= fill_shift_i;
      fill_page_q <= fill_page_i;
    end
    if (write) begin
      space_q[victim] <= key_q.space;
      vpn_q[victim] <= key_q.vpn;
      keep_q[victim] <= keep_mask(shift_q);
    end
  end

  logic unused_bits;
  assign unused_bits = ^{sweep_i.index, fill_key_i.high, page.pfn, kill_i};
endmodule
