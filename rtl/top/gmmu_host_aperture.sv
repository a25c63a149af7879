// SPDX-License-Identifier: Apache-2.0
// CPU host aperture: maps 4 KiB pages of BAR2 to arbitrary pages of VRAM.
//
//   range    while cfg_i.enable is 1, the 2^HostApertureLg2 pages from cfg_i.first on are mapped;
//            all other pages are not.
//   entries  cfg_i.write writes an entry. The RAM has no reset, so software writes all entries before
//            it sets enable. cfg_i may change while an access waits: its lookup starts again.
//   lookup   mapped_o says in the same cycle whether page_i is in the range. If it is, ready_o is 1
//            from the third cycle on in which valid_i is 1 and page_i stays, until take_i; then
//            entry_o is the page's entry. ready_o stays 1 for pages outside the range.
module gmmu_host_aperture
  import gmmu_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  host_aperture_cfg_t   cfg_i,

  input  logic                 valid_i,
  input  logic [19:0]          page_i,
  input  logic                 take_i,
  output logic                 mapped_o,
  output logic                 ready_o,
  output host_page_t entry_o
);
  localparam int unsigned Lg2 = HostApertureLg2;

  logic        read_q, found_q;   // page_q was read from the RAM; entry_o is its entry
  logic [19:0] page_q;
  logic        same;
  assign mapped_o = cfg_i.enable && page_i[19:Lg2] == cfg_i.first[19:Lg2];
  assign same = page_i == page_q;
  assign ready_o = !mapped_o || (found_q && same);

  host_page_t word;
  gmmu_ram_1r1w #(.Width($bits(host_page_t)), .Depth(1 << Lg2)) u_entries (
    .clk_i, .read_i(valid_i && mapped_o), .read_addr_i(page_i[Lg2-1:0]), .data_o(word),
    .write_i(cfg_i.write), .write_addr_i(cfg_i.entry.index), .data_i(cfg_i.entry.entry)
  );

  always_ff @(posedge clk_i) begin
    page_q <= page_i;
    read_q <= valid_i && mapped_o && !take_i && !cfg_i.write && !rst_i;
    found_q <= read_q && same && valid_i && !take_i && !cfg_i.write && !rst_i;
    entry_o <= word;
  end
  logic unused_bits;
  assign unused_bits = ^cfg_i.first[Lg2-1:0];
endmodule
