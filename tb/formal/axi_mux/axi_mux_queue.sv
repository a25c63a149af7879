// SPDX-License-Identifier: Apache-2.0
// Invariants of a FIFO inside the mux, which an induction needs: count, pointers and flags agree.
module axi_mux_queue #(
  parameter int unsigned Depth = 16,
  localparam int unsigned PointerWidth = $clog2(Depth),
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input logic                    clk_i,
  input logic                    rst_i,
  input logic                    ran_i,

  input logic [CountWidth-1:0]   count_i,
  input logic [PointerWidth-1:0] read_i,
  input logic [PointerWidth-1:0] write_i,
  input logic                    valid_i,
  input logic                    ready_i
);
  i_agree: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran_i || (32'(count_i) <= Depth && 32'(read_i) < Depth && 32'(write_i) == (32'(read_i) + 32'(count_i)) % Depth
      && valid_i == (count_i != '0) && ready_i == (32'(count_i) != Depth)));
endmodule
