// SPDX-License-Identifier: Apache-2.0
// The valid/ready contract of one stream: valid holds, with unchanged payload, until ready. It is asserted for an
// output (Assert = 1) and assumed for an input of a proof (Assert = 0).
//
// c_taken and c_waits cover a transfer and a stall of the stream; if valid were never asserted, the
// contract would prove nothing.
module gmmu_stream_props #(
  parameter int unsigned Width = 1,
  parameter bit          Assert = 1
) (
  input logic             clk_i,
  input logic             rst_i,

  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] payload_i
);
  logic             waited_q;   // the previous cycle had valid without ready
  logic [Width-1:0] payload_q;
  initial waited_q = 1'b0;
  always @(posedge clk_i) begin
    waited_q <= !rst_i && valid_i && !ready_i;
    payload_q <= payload_i;
  end

  logic stands;
  assign stands = !waited_q || (valid_i && payload_i == payload_q);

  if (Assert) begin : g_assert
    a_stands: assert property (@(posedge clk_i) disable iff (rst_i) stands);
    c_waits: cover property (@(posedge clk_i) disable iff (rst_i) waited_q && valid_i && ready_i);
  end else begin : g_assume
    m_stands: assume property (@(posedge clk_i) disable iff (rst_i) stands);
  end
  c_taken: cover property (@(posedge clk_i) disable iff (rst_i) valid_i && ready_i);
endmodule
