// SPDX-License-Identifier: Apache-2.0
// Walk cache: for each level above the leaf, pointers to the next lower tables, direct mapped. The
// index is the XOR of the pieces of the masked page number and of the space: no shifter, and
// all levels are probed at once.
//
//   probe     read_i, key_i and the masks of its space; in the next cycle top_i of the same space.
//             Results in the cycle after that, until the next probe's: one bit for the lowest level
//             whose entry is cached, or none; the tables that the entries name; k64_o: that of level
//             1 is a leaf table of 64 KiB entries. half_i: the walk takes the 64 KiB half of a pair;
//             of level 1 only that half's pointer is found, since each half has rows of its own
//   write     one pointer a cycle; forgotten three cycles after a step of a sweep
//   kill_i    a write of the same cycle is dropped
//   sweep_i   drops row `index` of all levels if the step covers it, three cycles later; the last
//             read_i before it brought the masks of the swept space, and the scope stands until
//             then. The first sweep of everything must come before any probe
module gmmu_walk_cache
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 16
) (
  input  logic                               clk_i,
  input  logic                               rst_i,

  input  logic                               read_i,
  input  key_t                               key_i,
  input  logic [MaxLevels-1:1][VpnWidth-1:0] keep_i,
  input  logic                               half_i,   // the walk takes their 64 KiB half
  input  level_t                             top_i,
  output logic [MaxLevels-1:1]               hit_o,
  output pfn_t [MaxLevels-1:1]               pfn_o,
  output logic [MaxLevels-1:1]               vram_o,
  output logic                               k64_o,

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
    logic   k64;
    space_t space;
    vpn_t   tag;
    pfn_t   pfn;
    logic   vram;
  } row_t;

  function automatic index_t fold(vpn_t tag, space_t space);
    logic [Pieces*IndexWidth-1:0] padded;
    logic [Pieces:0] bits;
    index_t index;
    logic unused_bits;
    unused_bits = ^space;
    padded = (Pieces * IndexWidth)'(tag);
    for (int unsigned b = 0; b < IndexWidth; b++) begin  // trees
      for (int unsigned i = 0; i < Pieces; i++) bits[i] = padded[i*IndexWidth + b];
      bits[Pieces] = 1'(space >> b);
      index[b] = ^bits;
    end
    return index;
  endfunction

  localparam int unsigned Fours = ($bits(space_t) + VpnWidth + 3) / 4;
  logic [MaxLevels-1:1] hit_q;
  index_t               write_index, read_index_q, swept_index_q, drop_index_q;
  logic                 read_q, sweep_q, swept_q, drop_q;
  space_t               space_q;
  space_t [MaxLevels-1:1] swept_space_q;

  assign write_index = fold(data_i.tag, data_i.space);
  always_ff @(posedge clk_i) begin
    read_q <= read_i;
    sweep_q <= sweep_i.valid && !rst_i;
    swept_q <= sweep_q && !rst_i;
    drop_q <= swept_q && !rst_i;
    read_index_q <= index_t'(sweep_i.index);
    swept_index_q <= read_index_q;
    drop_index_q <= swept_index_q;
    if (read_i) space_q <= key_i.space;
  end

  for (genvar l = 1; l < MaxLevels; l++) begin : g_level
    index_t index_q;
    vpn_t   tag_q, keep_q, swept_low_q, swept_high_q;
    row_t   row;
    logic   write, dropped, same_space_q, touches;
    // by four bits, kept so that the comparison stays flat
    (* keep *) logic [Fours-1:0] same;

    // Both halves of a pair can be cached: the 64 KiB half has the neighbouring row.
    index_t write_here;
    assign write_here = write_index ^ index_t'(l == 1 && data_i.half);

    // The cycle of the key: its row's number.
    always_ff @(posedge clk_i) begin
      if (read_i || sweep_i.valid) begin
        index_q <= sweep_i.valid ? index_t'(sweep_i.index)
            : fold(key_i.vpn & keep_i[l], key_i.space) ^ index_t'(l == 1 && half_i);
      end
      if (read_i) begin
        tag_q <= key_i.vpn & keep_i[l];
        keep_q <= keep_i[l];
      end
    end

    // The next one: the row.
    assign write = write_i && data_i.level == level_t'(l) && !kill_i.valid;
    gmmu_lutram #(.Width($bits(row_t)), .Depth(Entries)) u_rows (
      .clk_i,
      .write_i(write || dropped), .write_addr_i(dropped ? drop_index_q : write_here),
      .data_i({!dropped, data_i.k64, data_i.space, data_i.tag, data_i.pfn, data_i.vram}),
      .read_addr_i(index_q), .data_o(row));
    always_comb begin
      for (int unsigned i = 0; i < Fours; i++) begin
        same[i] = 4'(({row.space, row.tag} ^ {space_q, tag_q}) >> (i * 4)) == '0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (read_q) begin
        hit_q[l] <= row.valid && top_i >= level_t'(l) && (&same);
        pfn_o[l] <= row.pfn;
        vram_o[l] <= row.vram;
        if (l == 1) k64_o <= row.k64;
      end
    end

    // A step of a sweep: the row is read, judged and dropped.
    gmmu_overlap u_overlap (
      .clk_i, .low_i(swept_low_q), .high_i(swept_high_q),
      .first_i(sweep_i.first), .tail_i(sweep_i.tail), .touches_o(touches));
    always_ff @(posedge clk_i) begin
      swept_low_q <= row.tag & keep_q;
      swept_high_q <= row.tag | ~keep_q;
      swept_space_q[l] <= row.space;
      same_space_q <= swept_space_q[l] == sweep_i.space;
    end
    assign dropped = drop_q && (sweep_i.all || (same_space_q && (!sweep_i.ranged || touches)));
  end

  always_comb begin
    hit_o = hit_q;
    for (int unsigned l = 1; l < MaxLevels; l++) begin
      for (int unsigned below = 1; below < l; below++) if (hit_q[below]) hit_o[l] = 1'b0;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{key_i.high, kill_i.all, kill_i.space, sweep_i.index};

  if ((Entries & (Entries - 1)) != 0 || Entries < 2 || Entries > 256) begin : g_illegal
    $fatal(1, "gmmu_walk_cache: Entries must be a power of two from 2 to 256");
  end
endmodule
