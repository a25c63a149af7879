// SPDX-License-Identifier: Apache-2.0
// VRAM in block RAM, for a board without a memory controller: an AXI4 subordinate with 64-bit words.
//
//   bursts   INCR of full words, one read and one write at a time; an address beyond Bytes wraps
//            a read that coincides with a write of the same word may return either value
module gmmu_bram_vram
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Bytes = 262_144   // a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   arvalid_i,
  output logic                   arready_o,
  input  logic [PortIdWidth-1:0] arid_i,
  input  logic [PaWidth-1:0]     araddr_i,
  input  logic [7:0]             arlen_i,
  output logic                   rvalid_o,
  input  logic                   rready_i,
  output logic [PortIdWidth-1:0] rid_o,
  output logic [63:0]            rdata_o,
  output logic                   rlast_o,

  input  logic                   awvalid_i,
  output logic                   awready_o,
  input  logic [PortIdWidth-1:0] awid_i,
  input  logic [PaWidth-1:0]     awaddr_i,
  input  logic                   wvalid_i,
  output logic                   wready_o,
  input  logic [63:0]            wdata_i,
  input  logic [7:0]             wstrb_i,
  input  logic                   wlast_i,
  output logic                   bvalid_o,
  input  logic                   bready_i,
  output logic [PortIdWidth-1:0] bid_o
);
  localparam int unsigned Words = Bytes / 8;
  localparam int unsigned Lg2 = $clog2(Words);
  typedef logic [Lg2-1:0] index_t;
  (* ram_style = "block" *) logic [63:0] words [Words];

  // ---- Reads: the word of the next beat is fetched while the current one is accepted.
  logic       reads_q;
  logic [7:0] left_q;
  index_t     next_q, fetch;
  logic       starts, steps;
  assign arready_o = !reads_q;
  assign starts = arvalid_i && arready_o;
  assign steps = rvalid_o && rready_i;
  assign rlast_o = left_q == '0;
  assign rvalid_o = reads_q;
  assign fetch = starts ? index_t'(araddr_i >> 3) : next_q;
  always_ff @(posedge clk_i) begin
    if (starts || steps) begin
      rdata_o <= words[fetch];
      next_q <= fetch + 1'b1;
    end
    if (starts) begin
      reads_q <= 1'b1;
      left_q <= arlen_i;
      rid_o <= arid_i;
    end else if (steps) begin
      reads_q <= !rlast_o;
      left_q <= left_q - 1'b1;
    end
    if (rst_i) reads_q <= 1'b0;
  end

  // ---- writes
  logic   writes_q;
  index_t to_q;
  assign awready_o = !writes_q && !bvalid_o;
  assign wready_o = writes_q;
  always_ff @(posedge clk_i) begin
    if (wvalid_i && wready_o) begin
      for (int i = 0; i < 8; i++) if (wstrb_i[i]) words[to_q][i*8 +: 8] <= wdata_i[i*8 +: 8];
      to_q <= to_q + 1'b1;
      if (wlast_i) begin
        writes_q <= 1'b0;
        bvalid_o <= 1'b1;
      end
    end
    if (bvalid_o && bready_i) bvalid_o <= 1'b0;
    if (awvalid_i && awready_o) begin
      writes_q <= 1'b1;
      to_q <= index_t'(awaddr_i >> 3);
      bid_o <= awid_i;
    end
    if (rst_i) begin
      writes_q <= 1'b0;
      bvalid_o <= 1'b0;
    end
  end

  logic unused_address;
  assign unused_address = ^{araddr_i, awaddr_i};
endmodule
