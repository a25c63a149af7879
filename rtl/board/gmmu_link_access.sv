// SPDX-License-Identifier: Apache-2.0
// Performs the CPU's requests one at a time, on GPU registers, the VRAM window and board registers.
//
//   request   the bytes of request messages
//   s_reg     AXI4-Lite manager, as is s_win. An access starts when the GPU has accepted the
//             previous write or responded to the previous read. Write responses are not forwarded
//             to the host. error_o pulses for each response that is not OKAY
//   board_*   board registers: a write takes one cycle; a read is combinational from board_index_o
//   reply     the bytes of messages to the host: read responses, and announcements of free request
//             space. last_o marks the last byte of a message
module gmmu_link_access
  import gmmu_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        request_valid_i,
  output logic        request_ready_o,
  input  logic [7:0]  request_i,

  output logic        reply_valid_o,
  input  logic        reply_ready_i,
  output logic [7:0]  reply_o,
  output logic        reply_last_o,

  output logic        reg_awvalid_o,
  input  logic        reg_awready_i,
  output logic        reg_wvalid_o,
  input  logic        reg_wready_i,
  input  logic        reg_bvalid_i,
  input  logic [1:0]  reg_bresp_i,
  output logic        reg_arvalid_o,
  input  logic        reg_arready_i,
  input  logic        reg_rvalid_i,
  input  logic [63:0] reg_rdata_i,
  input  logic [1:0]  reg_rresp_i,

  output logic        win_awvalid_o,
  input  logic        win_awready_i,
  output logic        win_wvalid_o,
  input  logic        win_wready_i,
  input  logic        win_bvalid_i,
  input  logic [1:0]  win_bresp_i,
  output logic        win_arvalid_o,
  input  logic        win_arready_i,
  input  logic        win_rvalid_i,
  input  logic [63:0] win_rdata_i,
  input  logic [1:0]  win_rresp_i,

  output logic [31:0] address_o,      // for all targets; a multiple of 8
  output logic [7:0]  strobes_o,
  output logic [63:0] data_o,

  output logic [5:0]  board_index_o,
  output logic        board_write_o,  // writes data_o
  input  logic [63:0] board_data_i,

  output logic        error_o
);
  typedef enum logic [3:0] {Kind, Head, Data, Offer, Answer, Word, Tell, Room} state_e;
  state_e      state_q;
  logic [7:0]  kind_q;
  logic [3:0]  left_q;          // remaining bytes of the header or word
  logic [5:0]  words_q;         // remaining words of the message
  logic [7:0]  all_q;           // number of words in the response
  logic        bad_q;           // a word could not be read
  logic [15:0] used_q;          // consumed request bytes that have not been reported to the host
  logic [63:0] word_q;
  logic [7:0]  told_q;          // number of the response's next byte, from 1, modulo 256 (a
                                // response of 32 words ends at 0)
  logic        reads, window, board, take;
  assign reads = kind_q == DownRegisterRead || kind_q == DownWindowRead || kind_q == DownBoardRead;
  assign window = kind_q == DownWindowRead || kind_q == DownWindowWrite;
  assign board = kind_q == DownBoardRead || kind_q == DownBoardWrite;
  // Free space is reported when no request is pending, or when many bytes have been consumed.
  logic        room_due;
  assign request_ready_o = state_q == Kind && !room_due || state_q == Head || state_q == Data;
  assign take = request_valid_i && request_ready_o;

  assign room_due = used_q >= 16'd512 || (used_q != '0 && !request_valid_i);

  // The words of a response are stored until the response is complete, and then sent.
  logic       store_valid, store_ready, kept_valid, kept_take;
  logic [7:0] kept;
  gmmu_fifo_ram #(.Width(8), .Depth(256)) u_answer (
    .clk_i, .rst_i, .valid_i(store_valid), .ready_o(store_ready), .data_i(word_q[7:0]),
    .valid_o(kept_valid), .ready_i(kept_take), .data_o(kept));
  assign store_valid = state_q == Word;
  assign kept_take = state_q == Tell && left_q == 4'd3 && reply_ready_i;

  logic        answered;
  logic [63:0] read_data;
  logic [1:0]  read_resp;
  assign answered = board || (window ? win_rvalid_i : reg_rvalid_i);
  assign read_data = board ? board_data_i : window ? win_rdata_i : reg_rdata_i;
  assign read_resp = board ? 2'd0 : window ? win_rresp_i : reg_rresp_i;

  logic aw_left_q, w_left_q, ar_left_q;   // offers that have not been accepted
  assign reg_awvalid_o = aw_left_q && !window;
  assign reg_wvalid_o = w_left_q && !window;
  assign reg_arvalid_o = ar_left_q && !window;
  assign win_awvalid_o = aw_left_q && window;
  assign win_wvalid_o = w_left_q && window;
  assign win_arvalid_o = ar_left_q && window;
  logic aw_taken, w_taken, ar_taken;
  assign aw_taken = !aw_left_q || (window ? win_awready_i : reg_awready_i);
  assign w_taken = !w_left_q || (window ? win_wready_i : reg_wready_i);
  assign ar_taken = !ar_left_q || (window ? win_arready_i : reg_arready_i);

  // The header: bytes shift in at the top.
  logic [39:0] head_q;
  assign board_index_o = address_o[5:0];

  always_ff @(posedge clk_i) begin
    board_write_o <= 1'b0;
    error_o <= (reg_bvalid_i && reg_bresp_i != '0) || (win_bvalid_i && win_bresp_i != '0) ||
        (reg_rvalid_i && reg_rresp_i != '0) || (win_rvalid_i && win_rresp_i != '0);
    if (take) used_q <= used_q + 1'b1;
    unique case (state_q)
      Kind: begin
        bad_q <= 1'b0;
        words_q <= 6'd1;
        all_q <= 8'd1;
        if (room_due) begin
          state_q <= Room;
          left_q <= 4'd0;
        end else if (take) begin
          kind_q <= request_i;
          state_q <= Head;
          unique case (request_i)
            DownRegisterWrite: left_q <= 4'd3;
            DownWindowWrite: left_q <= 4'd6;
            DownRegisterRead: left_q <= 4'd2;
            DownWindowRead: left_q <= 4'd5;
            default: left_q <= 4'd1;
          endcase
        end
      end
      Head: if (take) begin
        head_q <= {request_i, head_q[39:8]};
        left_q <= left_q - 1'b1;
        if (left_q == 4'd1) begin
          state_q <= reads ? Offer : Data;
          left_q <= 4'd8;
          strobes_o <= request_i;
          unique case (kind_q)
            DownRegisterWrite: address_o <= {16'd0, head_q[39:24]};
            DownRegisterRead: address_o <= {16'd0, request_i, head_q[39:32]};
            DownWindowWrite: begin
              address_o <= head_q[31:0];
              words_q <= head_q[37:32];
            end
            DownWindowRead: begin
              address_o <= head_q[39:8];
              words_q <= request_i[5:0];
              all_q <= request_i;
            end
            default: address_o <= {24'd0, request_i};
          endcase
        end
      end
      Data: if (take) begin
        data_o <= {request_i, data_o[63:8]};
        left_q <= left_q - 1'b1;
        if (left_q == 4'd1) state_q <= Offer;
      end
      Offer: begin   // lasts one cycle; the offers start in the next one
        aw_left_q <= !reads && !board;
        w_left_q <= !reads && !board;
        ar_left_q <= reads && !board;
        board_write_o <= !reads && board;
        state_q <= Answer;
      end
      Answer: begin
        if (aw_taken) aw_left_q <= 1'b0;
        if (w_taken) w_left_q <= 1'b0;
        if (ar_taken) ar_left_q <= 1'b0;
        left_q <= 4'd8;
        word_q <= read_data;
        if (reads ? answered : aw_taken && w_taken) begin
          if (read_resp != '0) bad_q <= bad_q || reads;
          words_q <= words_q - 1'b1;
          if (reads) state_q <= Word;
          else begin
            state_q <= words_q == 6'd1 ? Kind : Data;
            address_o <= address_o + 32'd8;
          end
        end
      end
      Word: if (store_ready) begin
        word_q <= {8'd0, word_q[63:8]};
        left_q <= left_q - 1'b1;
        if (left_q == 4'd1) begin
          address_o <= address_o + 32'd8;
          left_q <= 4'd0;
          state_q <= words_q == '0 ? Tell : Offer;
        end
      end
      Tell: if (reply_valid_o && reply_ready_i) begin
        if (left_q != 4'd3) left_q <= left_q + 1'b1;
        if (reply_last_o) state_q <= Kind;
        if (left_q == 4'd3) told_q <= told_q + 1'b1;
      end
      default: if (reply_ready_i) begin   // Room
        left_q <= left_q + 1'b1;
        if (reply_last_o) begin
          state_q <= Kind;
          used_q <= '0;
        end
      end
    endcase
    if (state_q == Kind) told_q <= 8'd1;
    if (rst_i) begin
      state_q <= Kind;
      used_q <= '0;
      aw_left_q <= 1'b0;
      w_left_q <= 1'b0;
      ar_left_q <= 1'b0;
      error_o <= 1'b0;
    end
  end

  // ---- The messages to the host.
  always_comb begin
    unique case (left_q[1:0])
      2'd0: reply_o = state_q == Room ? UpRoom : UpAnswer;
      2'd1: reply_o = state_q == Room ? used_q[7:0] : all_q;
      2'd2: reply_o = state_q == Room ? used_q[15:8] : {6'd0, bad_q, 1'b0};
      default: reply_o = kept;
    endcase
    reply_valid_o = state_q == Room || (state_q == Tell && (left_q != 4'd3 || kept_valid));
    reply_last_o = state_q == Room ? left_q == 4'd2 : left_q == 4'd3 && told_q == {all_q[4:0], 3'd0};
  end
endmodule
