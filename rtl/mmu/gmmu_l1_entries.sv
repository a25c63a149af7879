// SPDX-License-Identifier: Apache-2.0
// The entries of an L1 TLB: fully associative, each a 4 KiB page or an aligned 64 KiB block.
//
// Each entry has a short tag in flip-flops: space, twelve folded bits of the block's number, page
// in the block. All are compared at once. The rest of the page number and the translation lie in
// LUT RAM and are read and compared for the one entry whose short tag agreed. The rest is the page
// number without one of the pieces that were folded: equal folds and other pieces make it equal.
// Entries never share a short tag: a new one takes the place of those that it would share one with,
// else the next in turn.
//
//   look_i     a request stands: near_o says in the same cycle whether an entry's short tag agrees
//              with it. If it is accepted, hit_o and page_o hold in the next cycle; without near_o
//              they mean nothing
//   b_key_i    in the next cycle: the key that was searched for
//   fill_i     no request is accepted in this cycle: the entries are searched for fill_key_i
//   write_i    in the cycle after fill_i, with the same translation: it is entered at the edge
//   kill_i     drops the entries of the scope, and a write of the same cycle
module gmmu_l1_entries
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 16,
  parameter int unsigned NumSpaces = 16
) (
  input  logic   clk_i,
  input  logic   rst_i,

  input  logic   look_i,
  input  key_t   search_key_i,
  output logic   near_o,
  input  key_t   b_key_i,
  output logic   hit_o,
  output page_t  page_o,

  input  logic   fill_i,
  input  key_t   fill_key_i,
  input  logic   fill_big_i,
  input  logic   write_i,
  input  known_t write_what_i,
  input  kill_t  kill_i
);
  localparam int unsigned SpaceBits = NumSpaces > 1 ? $clog2(NumSpaces) : 1;
  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned BlockWidth = VpnWidth - 4;
  localparam int unsigned HashWidth = 12;
  localparam int unsigned Pieces = (BlockWidth + HashWidth - 1) / HashWidth;
  typedef logic [HashWidth-1:0] hash_t;
  typedef logic [IndexWidth-1:0] index_t;
  localparam int unsigned RestWidth = BlockWidth > HashWidth ? BlockWidth - HashWidth : 1;
  typedef logic [RestWidth-1:0] rest_t;
  typedef struct packed {
    rest_t rest;
    page_t page;
  } row_t;

  function automatic hash_t fold(vpn_t vpn);
    logic [Pieces*HashWidth-1:0] padded;
    hash_t hash;
    padded = (Pieces * HashWidth)'(vpn >> 4);
    hash = '0;
    for (int unsigned i = 0; i < Pieces; i++) hash ^= padded[i*HashWidth +: HashWidth];
    return hash;
  endfunction
  function automatic rest_t rest_of(vpn_t vpn);
    return rest_t'(vpn >> (4 + HashWidth));
  endfunction

  logic [Entries-1:0]   valid_q, big_q;
  logic [SpaceBits-1:0] space_q [Entries];  // unpacked: small words for a simulator
  hash_t                hash_q [Entries];
  logic [3:0]           low_q [Entries];

  // The loops stand behind their conditions: an idle port costs a simulator nothing.
  key_t               key;
  hash_t              hash;
  logic [Entries-1:0] match, killed;
  always_comb begin
    match = '0;
    key = search_key_i;
    hash = '0;
    if (look_i || fill_i) begin
      key = fill_i ? fill_key_i : search_key_i;
      hash = fold(key.vpn);
      for (int unsigned i = 0; i < Entries; i++) begin
        match[i] = valid_q[i] && space_q[i] == SpaceBits'(key.space) && hash_q[i] == hash
            && (big_q[i] || (fill_i && fill_big_i) || low_q[i] == key.vpn[3:0]);
      end
    end
  end
  always_comb begin
    killed = '0;
    if (kill_i.valid) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        killed[i] = kill_i.all || space_q[i] == SpaceBits'(kill_i.space);
      end
    end
  end

  // A new entry: where a short tag agreed, else the next in turn.
  logic [Entries-1:0] same_q, turn_q, victim, write, changed;
  index_t             write_index, found_index;
  hash_t              write_hash;
  logic               same;
  assign write_hash = fold(write_what_i.key.vpn);
  assign same = same_q != '0;
  always_comb begin
    victim = same ? same_q : turn_q;
    for (int unsigned i = 1; i < Entries; i++) begin  // a block may take the place of many
      if (same && (same_q & ((Entries'(1) << i) - 1'b1)) != '0) victim[i] = 1'b0;
    end
    write = write_i && !kill_i.valid ? victim : '0;
    changed = killed | (write_i ? same_q | (same ? '0 : turn_q) : '0);
    write_index = '0;
    found_index = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (victim[i]) write_index |= index_t'(i);
      if (match[i]) found_index |= index_t'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      turn_q <= Entries'(1);
    end else begin
      if (write_i || kill_i.valid) valid_q <= (valid_q & ~changed) | write;
      if (write_i && !same) turn_q <= {turn_q[Entries-2:0], turn_q[Entries-1]};
    end
    if (fill_i) same_q <= match;
    if (write != '0) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        if (write[i]) begin
          space_q[i] <= SpaceBits'(write_what_i.key.space);
          hash_q[i] <= write_hash;
          low_q[i] <= write_what_i.key.vpn[3:0];
          big_q[i] <= write_what_i.page.big;
        end
      end
    end
  end

  index_t found_q;
  row_t   row;
  assign near_o = (match & ~changed) != '0 && !search_key_i.high
      && 32'(search_key_i.space) < NumSpaces;
  always_ff @(posedge clk_i) if (look_i) found_q <= found_index;

  gmmu_lutram #(.Width($bits(row_t)), .Depth(Entries)) u_rows (
    .clk_i, .write_i(write_i && !kill_i.valid), .write_addr_i(write_index),
    .data_i({rest_of(write_what_i.key.vpn), write_what_i.page}),
    .read_addr_i(found_q), .data_o(row));
  assign hit_o = row.rest == rest_of(b_key_i.vpn);
  assign page_o = row.page;

  logic unused_bits;
  assign unused_bits = ^{b_key_i, write_what_i.key, fill_key_i};

  a_one: assert property (@(posedge clk_i) disable iff (rst_i)
    !(look_i && !fill_i) || (match & (match - 1'b1)) == '0);
endmodule
