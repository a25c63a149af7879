// SPDX-License-Identifier: Apache-2.0
// Walk cache: for each level above the leaf, pointers to the next lower tables, direct mapped. The
// index is the XOR of the pieces of the masked page number, so that a probe needs no shifter and
// all levels are probed at once.
//
//   probe     keep_i, top_i: of the key's space. Results one enabled cycle later: the lowest level
//             whose entry is known
//   write     one pointer a cycle; refused by nothing
//   kill_i    a write of the same cycle is dropped
//   sweep_i   drops row `index` of all levels if the step covers it; keep_i belongs to the swept
//             space then
module gmmu_walk_cache
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 16
) (
  input  logic                               clk_i,
  input  logic                               rst_i,

  input  logic                               enable_i,
  input  key_t                               key_i,
  input  level_t                             top_i,
  input  logic [MaxLevels-1:1][VpnWidth-1:0] keep_i,
  output logic                               hit_o,
  output level_t                             level_o,   // of the known entry
  output pfn_t                               pfn_o,     // table that it names
  output logic                               vram_o,

  input  logic                               write_i,
  input  wc_write_t                          data_i,
  input  kill_t                              kill_i,
  input  sweep_t                             sweep_i
);
  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned Pieces = (VpnWidth + IndexWidth - 1) / IndexWidth;
  typedef logic [IndexWidth-1:0] index_t;
  typedef struct packed {
    space_t space;
    vpn_t   tag;
    pfn_t   pfn;
    logic   vram;
  } row_t;

  function automatic index_t fold(vpn_t tag, space_t space);
    logic [Pieces*IndexWidth-1:0] padded;
    index_t index;
    logic unused_bits;
    unused_bits = ^space;
    padded = (Pieces * IndexWidth)'(tag);
    index = index_t'(space);
    for (int unsigned i = 0; i < Pieces; i++) index ^= padded[i*IndexWidth +: IndexWidth];
    return index;
  endfunction

  logic [MaxLevels-1:1] hit;
  pfn_t [MaxLevels-1:1] pfn;
  logic [MaxLevels-1:1] vram;
  index_t               write_index;

  assign write_index = fold(data_i.tag, data_i.space);

  for (genvar l = 1; l < MaxLevels; l++) begin : g_level
    logic [Entries-1:0] valid_q;
    index_t             probe_index, index;
    vpn_t               tag, tag_q;
    space_t             space_q;
    row_t               row, row_q;
    logic               known_q, write, dropped;

    assign tag = key_i.vpn & keep_i[l];
    assign probe_index = fold(tag, key_i.space);
    assign index = sweep_i.valid ? index_t'(sweep_i.index) : probe_index;
    assign write = write_i && data_i.level == level_t'(l) && !kill_i.valid;

    gmmu_lutram #(.Width($bits(row_t)), .Depth(Entries)) u_rows (
      .clk_i,
      .write_i(write), .write_addr_i(write_index),
      .data_i({data_i.space, data_i.tag, data_i.pfn, data_i.vram}),
      .read_addr_i(index), .data_o(row));

    assign dropped = sweep_i.all || (row.space == sweep_i.space
        && (!sweep_i.ranged || overlaps(row.tag, keep_i[l], sweep_i.first, sweep_i.tail)));

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        valid_q <= '0;
      end else begin
        if (write) valid_q[write_index] <= 1'b1;
        if (sweep_i.valid && dropped) valid_q[index] <= 1'b0;
      end
      if (enable_i) begin
        known_q <= valid_q[index] && top_i >= level_t'(l);
        row_q <= row;
        tag_q <= tag;
        space_q <= key_i.space;
      end
    end

    assign hit[l] = known_q && row_q.tag == tag_q && row_q.space == space_q;
    assign pfn[l] = row_q.pfn;
    assign vram[l] = row_q.vram;
  end

  always_comb begin
    hit_o = hit != '0;
    level_o = '0;
    pfn_o = '0;
    vram_o = 1'b0;
    for (int unsigned l = MaxLevels - 1; l >= 1; l--) begin
      if (hit[l]) begin
        level_o = level_t'(l);
        pfn_o = pfn[l];
        vram_o = vram[l];
      end
    end
  end

  logic unused_bits;
  assign unused_bits = ^{key_i.high, kill_i.all, kill_i.space, sweep_i.index};

  if ((Entries & (Entries - 1)) != 0 || Entries < 2 || Entries > 256) begin : g_illegal
    $fatal(1, "gmmu_walk_cache: Entries must be a power of two from 2 to 256");
  end
endmodule
