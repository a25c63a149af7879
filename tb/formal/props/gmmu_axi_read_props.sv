// SPDX-License-Identifier: Apache-2.0
// AXI4 reads inside the GPU: AR and R of one requester (types of gmmu_axi_pkg).
//
//   of the requester   AR stands; ids are below Ids and unique among those outstanding; no burst
//                      crosses 4 KiB
//   of the other side  R only for a burst that was taken; as many beats as AR says, LAST at the end
//
// R has no ready: its place is reserved. Beats of bursts may come mixed.
module gmmu_axi_read_props
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Ids = 256,       // a power of two
  parameter bit          Pages = 1,       // 0: addresses mean nothing where this is bound
  localparam int unsigned IdxWidth = Ids > 1 ? $clog2(Ids) : 1
) (
  input logic clk_i,
  input logic rst_i,

  input logic ar_valid_i,
  input logic ar_ready_i,
  input ax_t  ar_i,
  input logic r_valid_i,
  input r_t   r_i
);
  typedef logic [IdxWidth-1:0] idx_t;
  logic            ar_take;
  idx_t            ar_id, r_id;
  logic [Ids-1:0]  open_q;               // by id: taken, the last beat has not come
  logic [7:0]      left_q [Ids];         // beats behind the next one
  logic [12:0]     bytes;
  assign ar_take = ar_valid_i && ar_ready_i;
  assign ar_id = idx_t'(ar_i.id);
  assign r_id = idx_t'(r_i.id);
  assign bytes = (13'(ar_i.len) + 13'd1) << $clog2(DataBytes);

  gmmu_stream_props #(.Width($bits(ax_t))) u_ar (
    .clk_i, .rst_i, .valid_i(ar_valid_i), .ready_i(ar_ready_i), .payload_i(ar_i));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= '0;
    end else begin
      if (r_valid_i && r_i.last) open_q[r_id] <= 1'b0;
      if (ar_take) open_q[ar_id] <= 1'b1;
    end
    if (r_valid_i) left_q[r_id] <= left_q[r_id] - 8'd1;
    if (ar_take) left_q[ar_id] <= ar_i.len;
  end

  a_id: assert property (@(posedge clk_i) disable iff (rst_i)
    !ar_valid_i || (32'(ar_i.id) < Ids
        && (!open_q[ar_id] || (r_valid_i && r_i.last && r_id == ar_id))));
  a_page: assert property (@(posedge clk_i) disable iff (rst_i)
    !(Pages && ar_valid_i) || 13'(ar_i.addr[11:0] & ~12'(DataBytes - 1)) + bytes <= 13'd4096);
  a_answer: assert property (@(posedge clk_i) disable iff (rst_i)
    !r_valid_i || (32'(r_i.id) < Ids && open_q[r_id] && r_i.last == (left_q[r_id] == '0)));
  c_two_outstanding: cover property (@(posedge clk_i) disable iff (rst_i)
    r_valid_i && (open_q & (open_q - 1'b1)) != '0);

  logic unused;
  assign unused = ^{ar_i, r_i};
endmodule
