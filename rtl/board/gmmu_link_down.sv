// SPDX-License-Identifier: Apache-2.0
// Decodes messages from the host: the CPU's requests are forwarded as bytes, and completions of
// host memory reads become R beats.
//
//   down       the stream from the host. A request never blocks a completion, because the host
//              sends no request that does not fit into RequestBytes
//   request    whole request messages, unchanged
//   r          R beats of the host port, held until accepted; a beat with an error has data 0
//   unknown_o  pulses if the first byte of a message is an unknown kind
module gmmu_link_down
  import gmmu_axi_pkg::*;
  import gmmu_link_pkg::*;
#(
  parameter int unsigned RequestBytes = 2048
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic [7:0]             data_i,

  output logic                   request_valid_o,
  input  logic                   request_ready_i,
  output logic [7:0]             request_o,

  output logic                   r_valid_o,
  input  logic                   r_ready_i,
  output port_r_t                r_o,

  output logic                   unknown_o
);
  typedef enum logic [2:0] {Kind, Request, Shape, Data, Beat} state_e;
  state_e     state_q;
  logic [8:0] left_q;      // remaining bytes of the message or beat
  logic       count_q;     // the message has a word count, in the second-to-last byte of its header
  logic [7:0] beats_q;     // beats after the current one
  logic       take, push, request_room;

  gmmu_fifo_ram #(.Width(8), .Depth(RequestBytes)) u_requests (
    .clk_i, .rst_i, .valid_i(push), .ready_o(request_room), .data_i,
    .valid_o(request_valid_o), .ready_i(request_ready_i), .data_o(request_o));

  assign ready_o = state_q != Beat && request_room;
  assign take = valid_i && ready_o;
  assign push = take && (state_q == Request || (state_q == Kind && data_i[7:4] == 4'h1 && data_i != DownCompletion &&
                                                data_i[3:0] != '0 && !data_i[3]));
  assign r_valid_o = state_q == Beat;
  assign r_o.last = beats_q == '0;

  always_ff @(posedge clk_i) begin
    unknown_o <= 1'b0;
    unique case (state_q)
      Kind: if (take) begin
        state_q <= Request;
        count_q <= 1'b0;
        unique case (data_i)
          DownRegisterWrite: left_q <= 9'd11;
          DownRegisterRead: left_q <= 9'd2;
          DownWindowWrite: begin
            left_q <= 9'd6;
            count_q <= 1'b1;
          end
          DownWindowRead: left_q <= 9'd5;
          DownBoardWrite: left_q <= 9'd9;
          DownBoardRead: left_q <= 9'd1;
          DownCompletion: begin
            left_q <= 9'd4;
            state_q <= Shape;
          end
          default: begin
            unknown_o <= 1'b1;
            state_q <= Kind;
          end
        endcase
      end
      Request: if (take) begin
        left_q <= left_q - 1'b1;
        // data_i is the word count: a strobe byte follows, then 8 bytes per word
        if (count_q && left_q == 9'd2) begin
          left_q <= {data_i[5:0], 3'd0} + 9'd1;
          count_q <= 1'b0;
        end else if (left_q == 9'd1) begin
          state_q <= Kind;
        end
      end
      Shape: if (take) begin
        left_q <= left_q - 1'b1;
        unique case (left_q[2:0])
          3'd4: r_o.id[7:0] <= data_i;
          3'd3: r_o.id[15:8] <= data_i;
          3'd2: beats_q <= data_i;
          default: r_o.resp <= data_i[1:0];
        endcase
        if (left_q == 9'd1) begin
          left_q <= 9'd8;
          r_o.data <= '0;
          state_q <= data_i[1:0] == '0 ? Data : Beat;
        end
      end
      Data: if (take) begin
        left_q <= left_q - 1'b1;
        r_o.data <= {data_i, r_o.data[63:8]};
        if (left_q == 9'd1) state_q <= Beat;
      end
      default: if (r_ready_i) begin   // Beat
        left_q <= 9'd8;
        beats_q <= beats_q - 1'b1;
        if (r_o.last) state_q <= Kind;
        else if (r_o.resp == '0) state_q <= Data;
      end
    endcase
    if (rst_i) state_q <= Kind;
  end
endmodule
