// SPDX-License-Identifier: Apache-2.0
// Picks, for each memory port, one of N requests a cycle: one address channel of the AXI mux.
//
//   first_i    memory port of the first offer of a requester that is no candidate yet
//              (gmmu_axi_heads), one-hot or zero; second_i: of the offer behind it
//   may_i      by memory port: the requester may be chosen, and its candidate may go
//   candidate_o  by memory port, one-hot or zero: whose offer is the candidate. From registers
//   pop_o      requesters whose first offer became a candidate at the last edge. From registers
//   data_i     the oldest offer of a requester that has not gone: its candidate, if it has one
//   room_i     [0] VRAM, [1] host: the port takes a request that is decided on in this cycle
//   busy_o     by memory port: a candidate waits that is not one of Exempt
//   take_o     by memory port, one-hot or zero: the offer that goes
//   go_o       one cycle after take_o: the memory ports that a request goes to, each with its
//              index_o and data_o. From registers
//
// Three steps: each memory port has a candidate, chosen round robin and registered; a candidate
// goes when its port has room; each port's multiplexer is registered. The ports are independent of
// each other, except that a requester is never the candidate of both.
module gmmu_axi_pick #(
  parameter int unsigned N = 2,
  parameter int unsigned Width = 8,
  parameter logic [N-1:0] Exempt = '0,
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_i,

  input  logic [N-1:0][1:0]           first_i,
  input  logic [N-1:0][1:0]           second_i,
  input  logic [1:0][N-1:0]           may_i,
  input  logic [N-1:0][Width-1:0]     data_i,
  input  logic [1:0]                  room_i,

  output logic [1:0]                  busy_o,
  output logic [1:0][N-1:0]           candidate_o,
  output logic [N-1:0]                pop_o,
  output logic [1:0][N-1:0]           take_o,
  output logic [1:0]                  go_o,
  output logic [1:0][IndexWidth-1:0]  index_o,
  output logic [1:0][Width-1:0]       data_o
);
  logic [1:0][N-1:0]          want, grant, chosen_q;  // chosen_q: the candidate, one-hot or zero
  logic [1:0][IndexWidth-1:0] unused_index;
  logic [1:0]                 can, waits_q, empty;  // waits_q: there is a candidate

  for (genvar p = 0; p < 2; p++) begin : g_port
    // A new candidate is chosen only when the one before it goes, so this port's may be followed by
    // the same requester's next offer.
    for (genvar i = 0; i < N; i++) begin : g_want
      assign want[p][i] = may_i[p][i] && !chosen_q[1-p][i] &&
                          (pop_o[i] ? second_i[i][p] : first_i[i][p]);
    end
    gmmu_rr_arbiter #(.N(N)) u_arbiter (
      .clk_i, .rst_i, .req_i(want[p]), .advance_i(empty[p]), .gnt_o(grant[p]),
      .index_o(unused_index[p])
    );
    assign can[p] = room_i[p] && waits_q[p];
    assign busy_o[p] = waits_q[p] && (chosen_q[p] & Exempt) == '0;
    assign empty[p] = can[p] || !waits_q[p];

    logic [IndexWidth-1:0] index;
    logic [Width-1:0]      data;
    always_comb begin
      index = '0;
      data = '0;
      for (int unsigned i = 0; i < N; i++) begin
        if (chosen_q[p][i]) begin
          index |= IndexWidth'(i);
          data |= data_i[i];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        chosen_q[p] <= '0;
        waits_q[p] <= 1'b0;
      end else if (empty[p]) begin
        chosen_q[p] <= grant[p];
        waits_q[p] <= want[p] != '0;
      end

      // only a candidate that can go counts
      go_o[p] <= !rst_i && can[p];
      index_o[p] <= index;
      data_o[p] <= data;
    end
  end

  always_ff @(posedge clk_i) begin
    pop_o <= rst_i ? '0 : (empty[0] ? grant[0] : '0) | (empty[1] ? grant[1] : '0);
  end
  assign candidate_o = chosen_q;
  assign take_o = {can[1] ? chosen_q[1] : '0, can[0] ? chosen_q[0] : '0};
endmodule
