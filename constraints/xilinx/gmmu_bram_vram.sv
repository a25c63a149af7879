// SPDX-License-Identifier: Apache-2.0
// VRAM in block RAM, for a board without a memory controller: an AXI4 subordinate with 64-bit words.
//
//   bursts   INCR of full words, one read and one write at a time. Addresses beyond Bytes wrap. A
//            read that coincides with a write of the same word may return either value
module gmmu_bram_vram
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Bytes = 262_144   // a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   ar_valid_i,
  output logic                   ar_ready_o,
  input  port_ax_t               ar_i,
  output logic                   r_valid_o,
  input  logic                   r_ready_i,
  output port_r_t                r_o,

  input  logic                   aw_valid_i,
  output logic                   aw_ready_o,
  input  port_ax_t               aw_i,
  input  logic                   w_valid_i,
  output logic                   w_ready_o,
  input  w_t                     w_i,
  output logic                   b_valid_o,
  input  logic                   b_ready_i,
  output port_b_t                b_o
);
  localparam int unsigned Words = Bytes / 8;
  localparam int unsigned Lg2 = $clog2(Words);
  typedef logic [Lg2-1:0] index_t;
  (* ram_style = "block" *) logic [63:0] words [Words];

  // ---- Reads: the word of the next beat is fetched while the current beat is accepted.
  logic       reads_q;
  logic [7:0] left_q;
  index_t     next_q, fetch;
  logic       starts, steps;
  assign r_o.resp = RespOkay;
  assign b_o.resp = RespOkay;
  assign ar_ready_o = !reads_q;
  assign starts = ar_valid_i && ar_ready_o;
  assign steps = r_valid_o && r_ready_i;
  assign r_o.last = left_q == '0;
  assign r_valid_o = reads_q;
  assign fetch = starts ? index_t'(ar_i.addr >> 3) : next_q;
  always_ff @(posedge clk_i) begin
    if (starts || steps) begin
      r_o.data <= words[fetch];
      next_q <= fetch + 1'b1;
    end
    if (starts) begin
      reads_q <= 1'b1;
      left_q <= ar_i.len;
      r_o.id <= ar_i.id;
    end else if (steps) begin
      reads_q <= !r_o.last;
      left_q <= left_q - 1'b1;
    end
    if (rst_i) reads_q <= 1'b0;
  end

  // ---- Writes.
  logic   writes_q;
  index_t to_q;
  assign aw_ready_o = !writes_q && !b_valid_o;
  assign w_ready_o = writes_q;
  always_ff @(posedge clk_i) begin
    if (w_valid_i && w_ready_o) begin
      for (int i = 0; i < 8; i++) if (w_i.strb[i]) words[to_q][i*8 +: 8] <= w_i.data[i*8 +: 8];
      to_q <= to_q + 1'b1;
      if (w_i.last) begin
        writes_q <= 1'b0;
        b_valid_o <= 1'b1;
      end
    end
    if (b_valid_o && b_ready_i) b_valid_o <= 1'b0;
    if (aw_valid_i && aw_ready_o) begin
      writes_q <= 1'b1;
      to_q <= index_t'(aw_i.addr >> 3);
      b_o.id <= aw_i.id;
    end
    if (rst_i) begin
      writes_q <= 1'b0;
      b_valid_o <= 1'b0;
    end
  end

  logic unused_address;
  assign unused_address = ^{ar_i.addr, aw_i.addr};
endmodule
