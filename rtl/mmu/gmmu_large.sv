// SPDX-License-Identifier: Apache-2.0
// Shared array for translations from entries above the leaf level: fully associative, any coverage.
//
//   search_i   hit_o and page_o are combinational; the page is the 4 KiB one that was searched for
//   fill       entered at the next edge unless an entry covers the key already; free entries first,
//              then in turn
//   sweep_i    drops entry `index` if the step covers it
module gmmu_large
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 8
) (
  input  logic   clk_i,
  input  logic   rst_i,

  input  key_t   search_i,
  output logic   hit_o,
  output page_t  page_o,

  input  logic   fill_valid_i,
  input  key_t   fill_key_i,
  input  vpn_t   fill_keep_i,  // ones: page number bits that must agree
  input  page_t  fill_page_i,

  input  sweep_t sweep_i
);
  logic   [Entries-1:0] valid_q;
  space_t               space_q [Entries];
  vpn_t                 vpn_q [Entries], keep_q [Entries];
  page_t                page_q [Entries];
  logic   [Entries-1:0] match, first, known, dropped, free, turn_q, victim;
  vpn_t                 keep, span;  // span: page number bits inside the page

  always_comb begin
    for (int unsigned i = 0; i < Entries; i++) begin
      match[i] = valid_q[i] && !search_i.high && space_q[i] == search_i.space
          && ((vpn_q[i] ^ search_i.vpn) & keep_q[i]) == '0;
      known[i] = valid_q[i] && space_q[i] == fill_key_i.space
          && ((vpn_q[i] ^ fill_key_i.vpn) & keep_q[i]) == '0;
      dropped[i] = sweep_i.valid && sweep_i.index == 16'(i) && (sweep_i.all
          || (space_q[i] == sweep_i.space
          && (!sweep_i.ranged || overlaps(vpn_q[i], keep_q[i], sweep_i.first, sweep_i.tail))));
    end
  end
  assign first = match & (~match + 1'b1);
  assign hit_o = match != '0;
  assign free = ~valid_q;
  assign victim = free != '0 ? free & (~free + 1'b1) : turn_q;

  always_comb begin
    page_o = '0;
    keep = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (first[i]) begin
        page_o |= page_q[i];
        keep |= keep_q[i];
      end
    end
    span = ~keep;
    page_o.pfn = (page_o.pfn & ~pfn_t'(span)) | (pfn_t'(search_i.vpn) & pfn_t'(span));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      turn_q <= Entries'(1);
    end else begin
      valid_q <= valid_q & ~dropped;
      if (fill_valid_i && known == '0) begin
        valid_q <= valid_q | victim;
        if (free == '0) turn_q <= {turn_q[Entries-2:0], turn_q[Entries-1]};
      end
    end
    for (int unsigned i = 0; i < Entries; i++) begin
      if (fill_valid_i && known == '0 && victim[i]) begin
        space_q[i] <= fill_key_i.space;
        vpn_q[i] <= fill_key_i.vpn;
        keep_q[i] <= fill_keep_i;
        page_q[i] <= fill_page_i;
      end
    end
  end

  logic unused_bits;
  assign unused_bits = fill_key_i.high;
endmodule
