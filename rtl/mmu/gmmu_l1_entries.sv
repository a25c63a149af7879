// SPDX-License-Identifier: Apache-2.0
// The entries of an L1 TLB: fully associative, each a 4 KiB page or an aligned 64 KiB block.
//
//   search_i, found_o   combinational; at most one bit (of several that match the lowest), none
//                       unless search_valid_i
//   fill                search_i is the fill's key in that cycle: it is entered at the next edge
//                       unless it is there already. Free entries are taken first, then entries in
//                       turn
//   kill                drops the entries of the scope, and a fill of the same cycle
//   changed_o           entries that are dropped or replaced at the edge: a hit on them must be
//                       forgotten
//   select_i, page_o    combinational; select_i is one-hot
module gmmu_l1_entries
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 16
) (
  input  logic               clk_i,
  input  logic               rst_i,

  input  logic               search_valid_i,
  input  key_t               search_i,
  output logic [Entries-1:0] found_o,

  input  logic               fill_valid_i,
  input  key_t               fill_key_i,
  input  page_t              fill_page_i,
  input  kill_t              kill_i,
  output logic [Entries-1:0] changed_o,

  input  logic [Entries-1:0] select_i,
  output page_t              page_o
);
  logic   [Entries-1:0] valid_q;
  space_t               space_q [Entries];  // unpacked: small words for a simulator
  vpn_t                 vpn_q [Entries];
  page_t                page_q [Entries];

  logic [Entries-1:0]    match, killed, free, turn_q, victim, write;
  logic                  write_valid_q;
  key_t                  write_key_q;
  page_t                 write_page_q;

  // The loops stand behind their conditions: an idle port costs a simulator nothing.
  always_comb begin
    match = '0;
    if (search_valid_i) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        match[i] = valid_q[i] && space_q[i] == search_i.space
            && vpn_q[i][VpnWidth-1:4] == search_i.vpn[VpnWidth-1:4]
            && (page_q[i].big || vpn_q[i][3:0] == search_i.vpn[3:0]);
      end
    end
  end
  always_comb begin
    killed = '0;
    if (kill_i.valid) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        killed[i] = kill_i.all || space_q[i] == kill_i.space;
      end
    end
  end
  assign found_o = match & (~match + 1'b1);

  assign free = ~valid_q;
  assign victim = free != '0 ? free & (~free + 1'b1) : turn_q;
  assign write = write_valid_q ? victim : '0;
  assign changed_o = write | killed;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      turn_q <= Entries'(1);
      write_valid_q <= 1'b0;
    end else begin
      valid_q <= (valid_q | write) & ~killed;
      if (kill_i.valid) valid_q <= valid_q & ~killed;  // a write of the same cycle is dropped
      if (write_valid_q && free == '0) turn_q <= {turn_q[Entries-2:0], turn_q[Entries-1]};
      write_valid_q <= fill_valid_i && match == '0 && !kill_i.valid;
    end
    if (fill_valid_i) begin
      write_key_q <= fill_key_i;
      write_page_q <= fill_page_i;
    end
    if (write_valid_q && !kill_i.valid) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        if (write[i]) begin
          space_q[i] <= write_key_q.space;
          vpn_q[i] <= write_key_q.vpn;
          page_q[i] <= write_page_q;
        end
      end
    end
  end

  logic unused_bits;  // addresses above VaWidth are kept out by the caller
  assign unused_bits = ^{search_i.high, write_key_q.high};

  always_comb begin
    page_o = '0;
    if (select_i != '0) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        if (select_i[i]) page_o |= page_q[i];
      end
    end
  end
endmodule
