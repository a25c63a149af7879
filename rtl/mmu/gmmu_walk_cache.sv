// SPDX-License-Identifier: Apache-2.0
// Walk cache: for each level above the leaf, pointers to the next lower tables, direct mapped. The
// index is the XOR of the pieces of the masked page number, so that a probe needs no shifter and
// all levels are probed at once.
//
//   probe     keep_i, top_i: of the key's space. Results one enabled cycle later: one bit for the
//             lowest level whose entry is known, or none; the tables that the entries name
//   write     one pointer a cycle; forgotten two cycles after a step of a sweep
//   kill_i    a write of the same cycle is dropped
//   sweep_i   drops row `index` of all levels if the step covers it, two cycles later; keep_i
//             belongs to the swept space until then, and the scope stands. Nothing is known before
//             the first sweep of everything
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
  output logic [MaxLevels-1:1]               hit_o,
  output pfn_t [MaxLevels-1:1]               pfn_o,
  output logic [MaxLevels-1:1]               vram_o,

  input  logic                               write_i,
  input  wc_write_t                          data_i,
  input  kill_t                              kill_i,
  input  sweep_t                             sweep_i
);
  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned Pieces = (VpnWidth + IndexWidth - 1) / IndexWidth;
  typedef logic [IndexWidth-1:0] index_t;
  typedef struct packed {
    logic   valid;
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

  localparam int unsigned TagWidth = $bits(space_t) + VpnWidth;
  localparam int unsigned Pairs = (TagWidth + 1) / 2;
  logic [MaxLevels-1:1] hit;
  index_t               write_index, read_index_q, swept_index_q;
  logic                 sweep_q;

  assign write_index = fold(data_i.tag, data_i.space);
  always_ff @(posedge clk_i) begin
    sweep_q <= sweep_i.valid && !rst_i;
    read_index_q <= index_t'(sweep_i.index);
    swept_index_q <= read_index_q;
  end

  for (genvar l = 1; l < MaxLevels; l++) begin : g_level
    index_t              index;
    vpn_t                tag;
    row_t                row;
    logic                known_q, write, dropped_q, swept_space_q;
    vpn_t                swept_q;
    logic [2*Pairs-1:0]  differs;
    logic [Pairs-1:0]    differs_q;  // by pairs of bits: the RAM's output is late in its cycle

    assign tag = key_i.vpn & keep_i[l];
    assign index = sweep_i.valid ? index_t'(sweep_i.index) : fold(tag, key_i.space);
    assign write = write_i && data_i.level == level_t'(l) && !kill_i.valid;

    gmmu_lutram #(.Width($bits(row_t)), .Depth(Entries)) u_rows (
      .clk_i,
      .write_i(write || dropped_q), .write_addr_i(dropped_q ? swept_index_q : write_index),
      .data_i({!dropped_q, data_i.space, data_i.tag, data_i.pfn, data_i.vram}),
      .read_addr_i(index), .data_o(row));

    assign differs = (2*Pairs)'({row.space, row.tag} ^ {key_i.space, tag});
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        dropped_q <= 1'b0;
      end else begin
        dropped_q <= sweep_q && (sweep_i.all || (swept_space_q
            && (!sweep_i.ranged || overlaps(swept_q, keep_i[l], sweep_i.first, sweep_i.tail))));
      end
      swept_q <= row.tag;
      swept_space_q <= row.space == sweep_i.space;
      if (enable_i) begin
        known_q <= row.valid && top_i >= level_t'(l);
        for (int unsigned i = 0; i < Pairs; i++) differs_q[i] <= differs[2*i +: 2] != '0;
        pfn_o[l] <= row.pfn;
        vram_o[l] <= row.vram;
      end
    end
    assign hit[l] = known_q && differs_q == '0;
  end

  always_comb begin
    hit_o = hit;
    for (int unsigned l = 1; l < MaxLevels; l++) begin
      for (int unsigned below = 1; below < l; below++) if (hit[below]) hit_o[l] = 1'b0;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{key_i.high, kill_i.all, kill_i.space, sweep_i.index};

  if ((Entries & (Entries - 1)) != 0 || Entries < 2 || Entries > 256) begin : g_illegal
    $fatal(1, "gmmu_walk_cache: Entries must be a power of two from 2 to 256");
  end
endmodule
