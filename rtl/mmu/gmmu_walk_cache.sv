// SPDX-License-Identifier: Apache-2.0
// Walk cache: for each level above the leaf, it stores pointers to the next lower tables and the
// large pages of that level. It is direct mapped. The index is the XOR of the space and of all
// slices of the masked page number; this needs no shifter, so all levels are probed in parallel.
//
//   probe     read_i with key_i and the masks of its space; one cycle later, leaves_i selects
//             whether large pages may hit. Results are valid two cycles later and stable until
//             those of the next probe. hit_o is one-hot: the lowest level that hits, or 0. If
//             large_o is set, the entry is a large page, and page_o is the key's 4 KiB page in it;
//             otherwise page_o.pfn is the next table. k64_o: that table is a leaf table of 64 KiB
//             entries. half_i: the walk uses the 64 KiB half of a pair; at level 1 each half has
//             its own row, and only that half can hit
//   write     stores one pointer per cycle; probes that start in the next cycle find it. It is
//             dropped if it comes two cycles after a step of a sweep
//   fill      stores a large page with its shift and, one cycle later, whether its space is dual.
//             It waits (kept_o) for a cycle without a write; a further fill is dropped while one
//             waits
//   kill_i    drops a write of the same cycle and a fill that waits
//   sweep_i   a step selects, at each level, the row whose number is `index` XOR the row number of
//             the last probe's key, and drops that row two cycles later if it matches the key under
//             the probe's masks, apart from the bits to ignore. Key and masks must be stable during
//             the sweep. A sweep of everything must precede the first probe
//   use_i     with TurnDown, the number of entries in use, from which the width of the index
//             follows
module gmmu_walk_cache
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Entries = Config.WalkCacheEntries,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam bit          TurnDown = Config.TurnDown != 0
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 read_i,
  input  key_t                 key_i,
  input  keep_t                keep_i,
  input  logic                 half_i,   // the walk uses the 64 KiB half of pairs
  input  logic                 leaves_i,
  output logic [MaxLevels-1:1] hit_o,
  output logic                 large_o,
  output page_t                page_o,
  output logic                 vram_o,
  output logic                 k64_o,

  input  logic                 write_i,
  input  wc_write_t            data_i,
  input  logic                 fill_i,
  input  translation_t         fill_what_i,
  // number of low page number bits inside the large page
  input  logic [5:0]           fill_shift_i,
  output space_t               fill_space_o,  // space of the fill, whose dual bit is fill_dual_i
  input  logic                 fill_dual_i,
  output logic                 kept_o,
  input  logic                 kill_i,
  input  sweep_step_t          sweep_i,
  input  use_t                 use_i
);
  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned SpaceWidth = $clog2(NumSpaces);
  localparam int unsigned Pieces = (VpnWidth + IndexWidth - 1) / IndexWidth;
  typedef logic [IndexWidth-1:0] index_t;
  typedef struct packed {
    logic                  valid;
    logic                  leaf;   // 1: a large page of this level, 0: a pointer
    logic [SpaceWidth-1:0] space;
    logic [VpnWidth-1:1]   tag;    // masked page number
    logic                  vram;
    logic                  k64;    // level 1: points to a leaf table of 64 KiB entries
  } row_t;
  typedef struct packed {
    pfn_t       pfn;
    logic [1:0] target;  // this and all later fields: for large pages only
    logic [5:0] adapter;
    logic       zero, coherent, read_only, no_execute, big;
  } data_row_t;

  // Computes the row number. lg2: log2 of the number of entries in use.
  function automatic index_t fold(vpn_t tag, space_t space, logic [3:0] lg2);
    logic [Pieces*IndexWidth-1:0] padded;
    logic [Pieces:0] bits;
    index_t index;
    logic unused_bits;
    unused_bits = ^{space, lg2};
    padded = (Pieces * IndexWidth)'(tag);
    for (int unsigned b = 0; b < IndexWidth; b++) begin  // each index bit is an XOR tree
      for (int unsigned i = 0; i < Pieces; i++) bits[i] = padded[i*IndexWidth + b];
      bits[Pieces] = 1'(space >> b);
      index[b] = ^bits;
    end
    for (int unsigned k = 1; TurnDown && k < IndexWidth; k++) begin
      if (lg2 == 4'(k)) begin
        index = index_t'(space) & index_t'((1 << k) - 1);
        for (int unsigned i = 0; i < VpnWidth; i++) index[i % k] ^= tag[i];
      end
    end
    return index;
  endfunction

  logic  read_q, swept_q, drop_q;
  key_t  key_q;
  keep_t keep_q;
  always_ff @(posedge clk_i) begin
    read_q <= read_i && !rst_i;
    swept_q <= sweep_i.valid && !rst_i;
    drop_q <= swept_q && !rst_i;
    if (read_i) begin
      key_q <= key_i;
      keep_q <= keep_i;
    end
  end

  // A fill takes three steps: the page is stored, its index is computed (ready_q), and the row is
  // written in a cycle without another write.
  translation_t fill_q;
  logic [5:0]   fill_shift_q;
  logic         kept_q, ready_q, enters;
  index_t       fill_index_q;
  assign kept_o = kept_q;
  assign fill_space_o = fill_q.key.space;
  assign enters = ready_q && !write_i && !drop_q;
  always_ff @(posedge clk_i) begin
    kept_q <= (kept_q ? !enters : fill_i) && !kill_i && !rst_i;
    ready_q <= kept_q && !enters && !kill_i && !rst_i;
    if (fill_i && !kept_q) begin
      fill_q <= fill_what_i;
      fill_shift_q <= fill_shift_i;
    end
    if (kept_q && !ready_q) begin
      fill_index_q <= fold(fill_q.key.vpn & keep_mask(fill_shift_q), fill_q.key.space, use_i.walk_cache_lg2)
          ^ index_t'(fill_q.page.level == level_t'(1) && fill_dual_i);
    end
  end

  // The entry to write: a pointer or a fill.
  index_t    new_index;
  level_t    new_level;
  row_t      new_row;
  data_row_t new_data;
  key_t      new_key;
  assign new_key = write_i ? '{space: data_i.space, vpn: data_i.tag, high: 1'b0} : fill_q.key;
  assign new_index = write_i
      ? fold(data_i.tag, data_i.space, use_i.walk_cache_lg2) ^ index_t'(data_i.level == level_t'(1) && data_i.half)
      : fill_index_q;
  assign new_level = write_i ? data_i.level : fill_q.page.level;
  assign new_row = '{valid: 1'b1, leaf: !write_i, space: SpaceWidth'(new_key.space),
                     tag: new_key.vpn[VpnWidth-1:1], vram: data_i.vram, k64: data_i.k64};
  assign new_data = '{pfn: write_i ? data_i.pfn : fill_q.page.pfn, target: fill_q.page.target,
                      adapter: fill_q.page.adapter, zero: fill_q.page.zero,
                      coherent: fill_q.page.coherent, read_only: fill_q.page.read_only,
                      no_execute: fill_q.page.no_execute, big: fill_q.page.big};

  logic [MaxLevels-1:1] match_q, large_q, vram_q, k64_q, drop;
  data_row_t            data_q [1:MaxLevels-1];

  for (genvar l = 1; l < MaxLevels; l++) begin : g_level
    index_t    index, index_q, drop_index_q, written_q;
    row_t      row, row_in;
    data_row_t data;
    logic      write, write_q, same, means;

    // First cycle: compute the row number. Both halves of a pair can be cached: the 64 KiB half
    // uses the neighbouring row.
    assign index = fold(key_i.vpn & keep_i[l], key_i.space, use_i.walk_cache_lg2) ^ index_t'(l == 1 && half_i)
        ^ index_t'(sweep_i.index);
    always_ff @(posedge clk_i) begin
      if (sweep_i.valid || read_i) index_q <= index;
      if (swept_q) drop_index_q <= index_q;
      write_q <= write;
      if (write) written_q <= new_index;
    end

    // Second cycle: read the row. The data RAM is read at the clock edge between the two cycles;
    // its output is undefined if the row was written at that edge.
    assign write = (write_i || enters) && new_level == level_t'(l) && !kill_i && !drop_q;
    always_comb begin
      row_in = new_row;
      row_in.valid = !drop_q;
    end
    gmmu_lutram #(.Width($bits(row_t)), .Depth(Entries)) u_rows (
      .clk_i, .write_i(write || drop[l]), .write_addr_i(drop_q ? drop_index_q : new_index),
      .data_i(row_in), .read_addr_i(index_q), .data_o(row));
    gmmu_ram_block #(.Width($bits(data_row_t)), .Depth(Entries)) u_data (
      .clk_i, .read_i, .read_addr_i(index), .data_o(data),
      .write_i(write), .write_addr_i(new_index), .data_i(new_data));
    assign means = row.valid && (!row.leaf || leaves_i) && !(write_q && index_q == written_q);
    assign same = (sweep_i.all || row.space == SpaceWidth'(key_q.space))
        && ((row.tag ^ key_q.vpn[VpnWidth-1:1]) & keep_q[l][VpnWidth-1:1]
            & ~sweep_i.loose[VpnWidth-1:1]) == '0;
    always_ff @(posedge clk_i) begin
      if (swept_q || read_q) match_q[l] <= same && (swept_q || means);
      if (read_q) begin
        large_q[l] <= same && means && row.leaf;
        vram_q[l] <= row.vram;
        k64_q[l] <= row.k64;
        data_q[l] <= data;
        for (int unsigned i = 0; i < PfnWidth && i < VpnWidth; i++) begin
          if (row.leaf && !keep_q[l][i]) data_q[l].pfn[i] <= key_q.vpn[i];
        end
      end
    end
    assign drop[l] = drop_q && match_q[l];
    a_in_use: assert property (@(posedge clk_i) disable iff (rst_i)
      !TurnDown || !(write || (read_q && means && !swept_q)) || 16'(write ? new_index : index_q) >> use_i.walk_cache_lg2 == '0);
  end

  data_row_t found;
  always_comb begin
    hit_o = match_q;
    found = '0;
    for (int unsigned l = 1; l < MaxLevels; l++) begin
      for (int unsigned below = 1; below < l; below++) if (match_q[below]) hit_o[l] = 1'b0;
      if (hit_o[l]) found |= data_q[l];
    end
    page_o = '{pfn: found.pfn, target: gmmu_regs_pkg::target_e'(found.target), adapter: found.adapter, zero: found.zero,
               coherent: found.coherent, read_only: found.read_only,
               no_execute: found.no_execute, big: found.big, level: '0};
    for (int unsigned l = 1; l < MaxLevels; l++) if (hit_o[l]) page_o.level |= level_t'(l);
  end
  // large_o: the lowest hit is a large page. Its inputs are late, so its logic is kept short.
  always_comb begin
    large_o = large_q[1];
    for (int unsigned l = 2; l < MaxLevels; l++) begin
      if (large_q[l] && (match_q & (MaxLevels-1)'((1 << (l - 1)) - 1)) == '0) large_o = 1'b1;
    end
  end
  assign vram_o = (hit_o & vram_q) != '0;
  assign k64_o = hit_o[1] && k64_q[1];

  logic unused_bits;
  assign unused_bits = ^{key_i.high, key_q, keep_q, sweep_i, k64_q, new_key, fill_q, use_i};

  if ((Entries & (Entries - 1)) != 0 || Entries < 2 || Entries > 256) begin : g_illegal
    $fatal(1, "gmmu_walk_cache: Entries must be a power of two from 2 to 256");
  end
endmodule
