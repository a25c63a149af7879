// SPDX-License-Identifier: Apache-2.0
// The entries of an L1 TLB: fully associative, each a 4 KiB page or an aligned 64 KiB block.
//
// Each entry has a short tag in flip-flops: space, sixteen folded bits of the block's number, page
// in the block. All are compared at once. The rest of the page number and the translation lie in
// LUT RAM and are read and compared for the one entry whose short tag agreed. The rest is the page
// number without one of the pieces that were folded: equal folds and other pieces make it equal.
// Entries never share a short tag: a new one takes the place of those that it would share one with,
// else the next in turn.
//
//   look_i     a request is offered. accept_i: it is accepted, and its key may have an entry. Then
//              in the next cycle one bit of near_o is 1, and of far_o 0, if an entry's short tag
//              agrees, none otherwise; if so, hit_o says whether the rest does, and page_o.
//              read_only and no_execute of a zero page are 0
//   b_key_i    in the next cycle: the key that was searched for
//   fill_i     no request is accepted in this cycle: the entries are searched for the translation
//              that fill_next_i named in the cycle before
//   write_i    in the cycle after fill_i, with the same translation: it is entered at the edge
//   kill_i     drops the entries of the scope, and a write of the same cycle; its scope stands a
//              cycle before it
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
  input  logic   accept_i,
  input  key_t   search_key_i,
  output logic [(Entries+3)/4-1:0] near_o,  // by fours, from registers
  output logic [(Entries+3)/4-1:0] far_o,   // its complement, from others: for wide multiplexers
  input  key_t   b_key_i,
  output logic   hit_o,
  output page_t  page_o,

  input  logic   fill_i,
  input  key_t   fill_next_i,
  input  logic   fill_next_big_i,
  input  logic   write_i,
  input  translation_t write_what_i,
  input  kill_t  kill_i
);
  localparam int unsigned SpaceBits = NumSpaces > 1 ? $clog2(NumSpaces) : 1;
  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned BlockWidth = VpnWidth - 4;
  localparam int unsigned HashWidth = 16;  // two pieces of a 48-bit address: one LUT with the fill
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
  // The number of the one that is set.
  function automatic index_t number(logic [Entries-1:0] set);
    index_t index;
    logic [Entries-1:0] odd;  // of the numbers' bit
    for (int unsigned b = 0; b < IndexWidth; b++) begin
      for (int unsigned i = 0; i < Entries; i++) odd[i] = set[i] && (i >> b & 1) != 0;
      index[b] = |odd;
    end
    return index;
  endfunction
  function automatic rest_t rest_of(vpn_t vpn);
    return rest_t'(vpn >> (4 + HashWidth));
  endfunction

  logic [Entries-1:0]   valid_q, big_q;
  logic [SpaceBits-1:0] space_q [Entries];  // unpacked: small words for a simulator
  hash_t                hash_q [Entries];
  logic [3:0]           low_q [Entries];

  // The loops stand behind their conditions: an idle port costs a simulator nothing.
  logic [SpaceBits-1:0] space, fill_space_q, write_space_q;
  hash_t              hash, fill_hash_q, write_hash_q;
  logic [3:0]         low, fill_low_q, write_low_q;
  (* keep *) logic    big;
  logic               fill_big_q, write_big_q;
  assign space = fill_i ? fill_space_q : SpaceBits'(search_key_i.space);
  assign hash = fill_i ? fill_hash_q : fold(search_key_i.vpn);
  assign low = fill_i ? fill_low_q : search_key_i.vpn[3:0];
  assign big = fill_i && fill_big_q;
  always_ff @(posedge clk_i) begin
    fill_space_q <= SpaceBits'(fill_next_i.space);
    fill_hash_q <= fold(fill_next_i.vpn);
    fill_low_q <= fill_next_i.vpn[3:0];
    fill_big_q <= fill_next_big_i;
    write_space_q <= fill_space_q;
    write_hash_q <= fill_hash_q;
    write_low_q <= fill_low_q;
    write_big_q <= fill_big_q;
  end
  // A short tag is compared by pairs of bits, then by fours of them: they are kept as they stand,
  // else the comparison becomes a chain.
  localparam int unsigned HighWidth = HashWidth + SpaceBits;
  localparam int unsigned HighPairs = (HighWidth + 1) / 2;
  (* keep *) logic [Entries-1:0][1:0] low_same;
  (* keep *) logic [Entries-1:0][HighPairs-1:0] high_same;
  localparam int unsigned HighFours = HighPairs / 4;
  (* keep *) logic [Entries-1:0][HighFours-1:0] high_four;
  (* keep *) logic [Entries-1:0] high_good, low_good;
  logic [Entries-1:0] match, killed, hidden;
  always_comb begin
    {low_same, high_same} = 'x;  // nobody looks
    if (look_i || fill_i) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        for (int unsigned p = 0; p < 2; p++) low_same[i][p] = low_q[i][2*p +: 2] == low[2*p +: 2];
        for (int unsigned p = 0; p < HighPairs; p++) begin
          high_same[i][p] = 2'({space_q[i], hash_q[i]} >> 2*p) == 2'({space, hash} >> 2*p);
        end
      end
    end
  end
  for (genvar i = 0; i < Entries; i++) begin : g_match
    assign low_good[i] = big_q[i] || big || low_same[i] == '1;
    for (genvar f = 0; f < HighFours; f++) begin : g_four
      assign high_four[i][f] = high_same[i][4*f +: 4] == '1;
    end
    // pairs that are left over
    assign high_good[i] = valid_q[i] && !hidden[i] && HighPairs'(high_same[i] >> 4*HighFours) ==
        HighPairs'({HighPairs{1'b1}} >> 4*HighFours);
    assign match[i] = high_good[i] && low_good[i] && high_four[i] == '1;
  end
  // named_q: the kill that may come names this entry's space, the one that it is getting if it is
  // being written.
  logic [Entries-1:0] named_q, write;
  kill_t              scope_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Entries; i++) begin
      named_q[i] <= kill_i.all ||
          (write[i] ? write_space_q : space_q[i]) == SpaceBits'(kill_i.space);
    end
    scope_q <= kill_i;
  end
  assign killed = kill_i.valid ? named_q : '0;

  // A new entry: where the one short tag agreed, else the next in turn. Many may agree with a
  // block, none of them a block.
  logic [Entries-1:0] same_q, turn_q, victim;
  index_t             turn_index_q, same_index, found_index;
  logic               same;
  // By fours: the last level of the search stands behind the registers.
  localparam int unsigned Fours = (Entries + 3) / 4;
  logic [Fours-1:0]   near_q, far_q, same_any_q, same_big_q;
  // What changes in this cycle is not seen. A fill that a kill comes upon is dropped.
  assign hidden = killed | (write_i ? same_q | turn_q : '0);
  assign same_index = number(same_q);
  assign found_index = number(match);
  always_comb begin
    same = write_big_q ? same_big_q != '0 : same_any_q != '0;
    victim = same ? same_q : turn_q;
    write = write_i && !kill_i.valid ? victim : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      turn_q <= Entries'(1);
      turn_index_q <= '0;
    end else begin
      valid_q <= (valid_q & ~(killed | (write_i ? same_q : '0))) | write;
      if (write_i && !same) begin
        turn_q <= {turn_q[Entries-2:0], turn_q[Entries-1]};
        turn_index_q <= turn_q[Entries-1] ? '0 : turn_index_q + 1'b1;
      end
    end
    same_q <= match;
    if (write != '0) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        if (write[i]) begin
          space_q[i] <= write_space_q;
          hash_q[i] <= write_hash_q;
          low_q[i] <= write_low_q;
          big_q[i] <= write_big_q;
        end
      end
    end
  end

  index_t found_q;
  row_t   row;
  logic [4*Fours-1:0] seen, seen_big;
  assign seen = (4*Fours)'(match);
  assign seen_big = (4*Fours)'(match & big_q);
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Fours; i++) begin
      near_q[i] <= seen[4*i +: 4] != '0;
      far_q[i] <= seen[4*i +: 4] == '0;
      same_any_q[i] <= seen[4*i +: 4] != '0;
      same_big_q[i] <= seen_big[4*i +: 4] != '0;
    end
    if (!accept_i) begin
      near_q <= '0;
      far_q <= '1;
    end
    found_q <= found_index;
  end
  assign near_o = near_q;
  assign far_o = far_q;

  page_t  write_page;
  always_comb begin
    write_page = write_what_i.page;
    if (write_page.zero) {write_page.read_only, write_page.no_execute} = '0;
  end
  gmmu_lutram #(.Width($bits(row_t)), .Depth(Entries)) u_rows (
    .clk_i, .write_i(write_i && !kill_i.valid), .write_addr_i(same ? same_index : turn_index_q),
    .data_i({rest_of(write_what_i.key.vpn), write_page}),
    .read_addr_i(found_q), .data_o(row));
  localparam int unsigned RestPairs = (RestWidth + 1) / 2;
  (* keep *) logic [RestPairs-1:0] rest_same;
  (* keep *) logic [(RestPairs+3)/4-1:0] rest_four;
  for (genvar i = 0; i < RestPairs; i++) begin : g_rest
    assign rest_same[i] = 2'(row.rest >> 2*i) == 2'(rest_of(b_key_i.vpn) >> 2*i);
  end
  for (genvar f = 0; 4*f < RestPairs; f++) begin : g_rest_four
    localparam int unsigned Last = 4*f + 3 < RestPairs ? 4*f + 3 : RestPairs - 1;
    assign rest_four[f] = rest_same[Last:4*f] == '1;
  end
  assign hit_o = rest_four == '1;
  assign page_o = row.page;

  logic unused_bits;
  assign unused_bits = ^{scope_q, b_key_i, write_what_i.key, fill_next_i, search_key_i};

  a_scope: assert property (@(posedge clk_i) disable iff (rst_i)
    !kill_i.valid || (kill_i.all == scope_q.all && kill_i.space == scope_q.space));
  a_same: assert property (@(posedge clk_i) disable iff (rst_i)
    !(write_i && same) || (same_q & (same_q - 1'b1)) == '0);
  a_one: assert property (@(posedge clk_i) disable iff (rst_i)
    !(look_i && !fill_i) || (match & (match - 1'b1)) == '0);
endmodule
