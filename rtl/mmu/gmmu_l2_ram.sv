// SPDX-License-Identifier: Apache-2.0
// The RAMs of the L2 TLB and their search. The TLB is set-associative; a block covers 64 KiB of one
// space, a sub-entry one 4 KiB page. A key with high = 1 never hits; the caller also sets high if
// the space is not implemented.
//
//   read_i       reads the key's set and sub-entry. Results are valid two cycles later and stable
//                until those of the next read_i
//   tag write    one way of one set; a read in the same cycle sees the old tag
//   data write   one sub-entry of one way; a read of that sub-entry in the same cycle misses (hit_o
//                is 0)
//   sweep_i      one set per cycle: drops the blocks of set `index` that match the key of the last
//                read; the step says which bits to ignore. No read or write may happen during the
//                sweep or in the two cycles after it
//   use_i        with TurnDown, the sets and ways in use; the others stay empty
module gmmu_l2_ram
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Entries = Config.L2Entries,
  localparam int unsigned Ways = Config.L2Ways,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam bit          TurnDown = Config.TurnDown != 0
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  read_i,
  input  key_t                  read_key_i,
  output logic                  hit_o,        // the page is present
  output logic                  line_o,       // some page of the key's line of eight is present
  output page_t                 page_o,       // the page; valid if hit_o is 1
  output logic [Ways-1:0]       same_o,       // way that holds the page's block, one-hot or 0
  output logic [Ways-1:0]       empty_o,      // empty ways
  output logic [15:0]           present_o,    // mask of the sub-entries present in way same_o

  input  logic [Ways-1:0]       tag_write_i,
  input  logic [Ways-1:0]       data_write_i,
  // block to write; for a data write, also the sub-entry
  input  key_t                  write_key_i,
  input  logic [15:0]           present_i,
  input  page_t                 page_i,

  input  sweep_step_t           sweep_i,
  input  use_t                  use_i
);
  localparam int unsigned Sets = Entries / 16 / Ways;
  localparam int unsigned SetWidth = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned BlockWidth = VpnWidth - 4;
  localparam int unsigned SpaceWidth = $clog2(NumSpaces);
  typedef logic [SetWidth-1:0] set_t;

  typedef struct packed {
    logic [15:0]           present;
    logic [SpaceWidth-1:0] space;
    logic [BlockWidth-1:0] block;
  } tag_row_t;
  typedef struct packed {
    pfn_t       pfn;
    logic [1:0] target;
    logic [5:0] adapter;
    logic       zero, coherent, read_only, no_execute, big;
  } data_row_t;

  set_t            sets;
  logic [Ways-1:0] ways;
  assign sets = TurnDown ? set_t'(use_i.l2_sets) : '1;
  assign ways = TurnDown ? use_i.l2_ways[Ways-1:0] : '1;
  function automatic set_t set_of(key_t key, set_t mask);
    logic unused_bits;
    unused_bits = ^key;
    return Sets > 1 ? (set_t'(key.vpn >> 4) ^ set_t'(key.space)) & mask : '0;
  endfunction

  localparam int unsigned SubAddressWidth = $clog2(Sets * 16);
  function automatic logic [SubAddressWidth-1:0] sub_address(set_t set, logic [3:0] sub);
    return SubAddressWidth'({set, sub});
  endfunction

  key_t   key_q;
  set_t   read_set, write_set, swept_set_q, drop_set_q;
  logic [SubAddressWidth-1:0] read_sub, write_sub;
  logic   swept_q, drop_q;

  assign read_set = sweep_i.valid ? set_t'(sweep_i.index) : set_of(read_key_i, sets);
  assign read_sub = sub_address(set_of(read_key_i, sets), read_key_i.vpn[3:0]);
  assign write_sub = sub_address(set_of(write_key_i, sets), write_key_i.vpn[3:0]);
  assign write_set = drop_q ? drop_set_q : set_of(write_key_i, sets);

  logic                       read_q;
  data_row_t [Ways-1:0]       data, data_q;
  logic      [Ways-1:0][15:0] present_q;
  data_row_t                  found;
  logic      [Ways-1:0]       written_q;  // the location being read was also being written
  logic      [Ways-1:0]       tag_same_q, sub_q, half_q;   // sub_q: page present; half_q: line present
  logic      [Ways-1:0]       hits;

  always_ff @(posedge clk_i) begin
    swept_q <= !rst_i && sweep_i.valid && sweep_i.index < 16'(Sets);
    drop_q <= !rst_i && swept_q;
    swept_set_q <= set_t'(sweep_i.index);
    drop_set_q <= swept_set_q;
    if (read_i) key_q <= read_key_i;
    read_q <= read_i && !rst_i;
  end

  for (genvar w = 0; w < Ways; w++) begin : g_way
    tag_row_t  tag, tag_new;
    logic      dropped, same;

    gmmu_ram_1r1w #(.Width($bits(tag_row_t)), .Depth(Sets)) u_tags (
      .clk_i,
      .read_i(read_i || sweep_i.valid), .read_addr_i(read_set), .data_o(tag),
      .write_i(tag_write_i[w] || dropped), .write_addr_i(write_set),
      .data_i(tag_new));

    gmmu_ram_apart #(.Width($bits(data_row_t)), .Depth(Sets * 16)) u_data (
      .clk_i,
      .read_i, .read_addr_i(read_sub), .data_o(data[w]),
      .write_i(data_write_i[w]), .write_addr_i(write_sub),
      .data_i(data_row_t'{pfn: page_i.pfn, target: page_i.target, adapter: page_i.adapter,
          zero: page_i.zero,
                          coherent: page_i.coherent, read_only: page_i.read_only,
                              no_execute: page_i.no_execute,
                          big: page_i.big}));

    // A sweep step reads the tag, compares it and, if it matches, clears it.
    assign dropped = drop_q && tag_same_q[w];
    assign tag_new = '{present: drop_q ? '0 : present_i, space: SpaceWidth'(write_key_i.space),
                       block: write_key_i.vpn[VpnWidth-1:4]};
    always_comb begin
      same = sweep_i.all || tag.space == SpaceWidth'(key_q.space);
      // loose has the same value for both bits of a pair
      for (int unsigned i = 4; i < VpnWidth; i += 2) begin
        if (!sweep_i.loose[i] && 2'((tag.block ^ key_q.vpn[VpnWidth-1:4]) >> (i - 4)) != '0) same = 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (read_i) written_q[w] <= data_write_i[w] && write_sub == read_sub;
      if (read_q || swept_q) tag_same_q[w] <= same;
      if (read_q) begin
        empty_o[w] <= tag.present == '0;
        sub_q[w] <= tag.present[key_q.vpn[3:0]] && !written_q[w] && !key_q.high;
        half_q[w] <= !key_q.high && (key_q.vpn[3] ? tag.present[15:8] != '0 : tag.present[7:0] != '0);
        present_q[w] <= tag.present;
        data_q[w] <= data[w];
      end
    end
  end

  always_comb begin
    present_o = '0;
    found = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (same_o[w]) present_o |= present_q[w];
      if (hits[w]) found |= data_q[w];
    end
  end
  assign hits = tag_same_q & sub_q;
  assign same_o = tag_same_q & ~empty_o;
  assign hit_o = hits != '0;
  assign line_o = (tag_same_q & half_q) != '0;
  assign page_o = '{pfn: found.pfn, target: gmmu_regs_pkg::target_e'(found.target),
                    adapter: found.adapter, zero: found.zero, coherent: found.coherent,
                    read_only: found.read_only, no_execute: found.no_execute, big: found.big,
                    level: '0};

  logic unused_bits;
  assign unused_bits = ^{page_i.level, write_key_i, key_q, sweep_i, use_i};

  // Ways that are not in use are never written, and never hit after the sweep that follows a
  // change.
  logic swept_since_q, fresh_q;
  always_ff @(posedge clk_i) begin
    swept_since_q <= !rst_i && !use_i.set && (swept_since_q || drop_q);
    fresh_q <= !rst_i && !use_i.set && (fresh_q || (read_q && swept_since_q));
  end
  a_in_use: assert property (@(posedge clk_i) disable iff (rst_i)
    ((tag_write_i | data_write_i) & ~ways) == '0 && (!fresh_q || use_i.set || ((hits | same_o) & ~ways) == '0));

  if (Entries < 16 * Ways || (Ways & (Ways - 1)) != 0 || (Entries & (Entries - 1)) != 0) begin
      : g_illegal
    $fatal(1, "gmmu_l2_ram: Entries and Ways must be powers of two, Entries at least 16 * Ways");
  end
endmodule
