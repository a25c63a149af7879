// SPDX-License-Identifier: Apache-2.0
// Converts accesses of the GPU's host port to messages for the host: reads, and writes with their
// data.
//
//   ar, aw, w  as gmmu_gpu drives them: INCR bursts of 8-byte beats. One read burst and one write
//              burst are processed at a time
//   b          offered when the whole write is in the stream, because writes are posted
//   up         the bytes of messages; last_o marks the last byte of a message. If a read and a
//              write are offered together, the read goes first. This is safe, because a read that
//              must follow a write is offered only after the write's b
module gmmu_link_host_port
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_link_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     ar_valid_i,
  output logic                     ar_ready_o,
  input  port_ax_t                 ar_i,
  input  logic                     aw_valid_i,
  output logic                     aw_ready_o,
  input  port_ax_t                 aw_i,
  input  logic                     w_valid_i,
  output logic                     w_ready_o,
  input  w_t                       w_i,
  output logic                     b_valid_o,
  input  logic                     b_ready_i,
  output port_b_t                  b_o,           // always OKAY

  output logic                     up_valid_o,
  input  logic                     up_ready_i,
  output logic [7:0]               up_o,
  output logic                     up_last_o
);
  // ---- The beats of a write wait until all have arrived, because the message header states
  // whether all bytes are written.
  logic        aw_q;              // an AW waits for its data or for its turn
  port_ax_t    awx_q;
  logic        whole_q;           // all beats have arrived
  logic        sparse_q;          // a byte after the write's first byte is not written
  logic        first_q;           // the next beat is the first of its burst
  logic        beat_valid, beat_take, room;
  logic [63:0] beat;
  logic [7:0]  beat_strobes;
  logic [7:0]  from_first;        // mask of the first beat's bytes from the address on
  assign aw_ready_o = !aw_q;
  assign from_first = 8'hFF << awx_q.addr[2:0];
  // W passes through a register that splits the handshake path.
  logic        w_valid, w_take, w_last;
  logic [63:0] w_data;
  logic [7:0]  w_strb;
  gmmu_skid #(.Width(73)) u_w (
    .clk_i, .rst_i, .valid_i(w_valid_i), .ready_o(w_ready_o), .data_i({w_i.last, w_i.strb, w_i.data}),
    .valid_o(w_valid), .ready_i(aw_q && !whole_q && room), .data_o({w_last, w_strb, w_data}));
  assign w_take = w_valid && aw_q && !whole_q && room;
  gmmu_fifo_ram #(.Width(72), .Depth(256)) u_beats (
    .clk_i, .rst_i, .valid_i(w_take), .ready_o(room), .data_i({w_strb, w_data}),
    .valid_o(beat_valid), .ready_i(beat_take), .data_o({beat_strobes, beat}));

  // ---- A message: a header in a shift register, then beats.
  typedef enum logic [1:0] {Rest, Head, Strobes, Data} state_e;
  state_e       state_q;
  logic         write_q;          // the message is a write
  logic [111:0] head_q;
  logic [3:0]   left_q;           // remaining bytes of the header or beat
  logic [7:0]   beats_q;          // beats after the current one
  logic [2:0]   byte_q;           // index of the byte in the beat
  logic         ar_valid;
  port_ax_t     ar;
  // The header has many bits, so AR is registered before it is selected.
  gmmu_slice #(.Width($bits(port_ax_t)), .Slow(1'b1)) u_ar (
    .clk_i, .rst_i, .valid_i(ar_valid_i), .ready_o(ar_ready_o), .data_i(ar_i),
    .valid_o(ar_valid), .ready_i(state_q == Rest), .data_o(ar));
  assign up_valid_o = state_q == Head || (state_q != Rest && beat_valid);
  assign up_o = state_q == Head ? head_q[7:0] : state_q == Strobes ? beat_strobes : beat[8*byte_q +: 8];
  assign up_last_o = state_q == Head ? left_q == 4'd1 && !write_q : state_q == Data && byte_q == 3'd7 && beats_q == '0;
  assign beat_take = state_q == Data && byte_q == 3'd7 && up_ready_i;

  assign b_o.resp = RespOkay;

  always_ff @(posedge clk_i) begin
    if (b_ready_i) b_valid_o <= 1'b0;
    if (!aw_q) begin
      aw_q <= aw_valid_i;
      awx_q <= aw_i;
      sparse_q <= 1'b0;
      first_q <= 1'b1;
    end
    if (w_take) begin
      first_q <= 1'b0;
      whole_q <= w_last;
      if ((w_strb | (first_q ? ~from_first : 8'd0)) != '1) sparse_q <= 1'b1;
    end

    unique case (state_q)
      Rest: begin
        byte_q <= '0;
        beats_q <= awx_q.len;
        if (ar_valid) begin
          state_q <= Head;
          write_q <= 1'b0;
          head_q <= {ar.len, ar.addr, 4'd0, ar.user, ar.id, UpRead};
          left_q <= 4'd14;
        end else if (whole_q && !b_valid_o) begin
          state_q <= Head;
          write_q <= 1'b1;
          head_q <= {8'd0, 7'd0, sparse_q, awx_q.len, awx_q.addr, 4'd0, awx_q.user, UpWrite};
          left_q <= 4'd13;
        end
      end
      Head: if (up_ready_i) begin
        head_q <= {8'd0, head_q[111:8]};
        left_q <= left_q - 1'b1;
        if (left_q == 4'd1) state_q <= !write_q ? Rest : sparse_q ? Strobes : Data;
      end
      Strobes: if (beat_valid && up_ready_i) state_q <= Data;
      default: if (beat_valid && up_ready_i) begin   // Data
        byte_q <= byte_q + 1'b1;
        if (byte_q == 3'd7) begin
          beats_q <= beats_q - 1'b1;
          if (beats_q != '0) begin
            if (sparse_q) state_q <= Strobes;
          end else begin
            state_q <= Rest;
            b_valid_o <= 1'b1;
            b_o.id <= awx_q.id;
            aw_q <= 1'b0;
            whole_q <= 1'b0;
          end
        end
      end
    endcase
    if (rst_i) begin
      aw_q <= 1'b0;
      whole_q <= 1'b0;
      b_valid_o <= 1'b0;
      state_q <= Rest;
    end
  end
endmodule
