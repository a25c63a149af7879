// SPDX-License-Identifier: Apache-2.0
// Picks one request a cycle out of N for two memory ports: one address channel of the AXI mux.
//
//   first_i    memory port of the offer at the head of a requester's slice (gmmu_axi_heads), one-hot
//              or zero; second_i: of the offer behind it
//   may_i      the requester may be chosen; what is chosen may go
//   room_i     [0] VRAM, [1] host: the port takes a request that is decided on in this cycle
//   take_o     one-hot or zero: the offer that goes
//   go_o       one cycle after take_o: the memory port that it goes to, one-hot or zero, with
//              index_o and data_o. From registers
//
// Three steps: each memory port has a candidate, chosen round robin and registered; a candidate
// goes when its port has room; the multiplexer is registered. When both can go they take turns, so
// that one multiplexer serves both. A port without room holds up nobody on the other one.
module gmmu_axi_pick #(
  parameter int unsigned N = 2,
  parameter int unsigned Width = 8,
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_i,

  input  logic [N-1:0][1:0]           first_i,
  input  logic [N-1:0][1:0]           second_i,
  input  logic [N-1:0]                may_i,
  input  logic [N-1:0][Width-1:0]     data_i,
  input  logic [1:0]                  room_i,

  output logic [N-1:0]                take_o,
  output logic [1:0]                  go_o,
  output logic [IndexWidth-1:0]       index_o,
  output logic [Width-1:0]            data_o
);
  logic [1:0][N-1:0]          want, grant, chosen_q;  // chosen_q: the candidate, one-hot or zero
  logic [1:0][IndexWidth-1:0] unused_index;
  logic [1:0]                 can, waits_q, empty;  // waits_q: there is a candidate
  logic [1:0]                 go;
  logic                       turn_q;

  for (genvar p = 0; p < 2; p++) begin : g_port
    // Heads that are not candidates already. This port's candidate may be followed by what stands
    // behind it: a new one is chosen only when it goes.
    for (genvar i = 0; i < N; i++) begin : g_want
      assign want[p][i] = may_i[i] && (chosen_q[p][i] ? second_i[i][p]
          : first_i[i][p] && !chosen_q[1-p][i]);
    end
    gmmu_rr_arbiter #(.N(N)) u_arbiter (
      .clk_i, .rst_i, .req_i(want[p]), .advance_i(empty[p]), .gnt_o(grant[p]),
      .index_o(unused_index[p])
    );
    assign can[p] = room_i[p] && waits_q[p];
    assign empty[p] = go[p] || !waits_q[p];

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        chosen_q[p] <= '0;
        waits_q[p] <= 1'b0;
      end else if (empty[p]) begin
        chosen_q[p] <= grant[p];
        waits_q[p] <= want[p] != '0;
      end
    end
  end

  assign go = can == 2'b11 ? {turn_q, !turn_q} : can;
  assign take_o = (go[0] ? chosen_q[0] : '0) | (go[1] ? chosen_q[1] : '0);

  always_ff @(posedge clk_i) begin
    logic [IndexWidth-1:0] index;
    logic [Width-1:0]      data;
    index = '0;
    data = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (take_o[i]) begin
        index |= IndexWidth'(i);
        data |= data_i[i];
      end
    end
    index_o <= index;
    data_o <= data;
    if (rst_i) begin
      turn_q <= 1'b0;
      go_o <= '0;
    end else begin
      if (go != '0) turn_q <= go[0];
      go_o <= go;
    end
  end
endmodule
