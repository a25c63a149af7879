// SPDX-License-Identifier: Apache-2.0
// Bridges AXI4-Lite (64 bit) to a simple register bus, one access at a time.
//
//   64 bits    the access is atomic.
//   32 bits    low half first. A write of the low half is only stored; the write of the high half
//              writes both. A read of the low half stores the high half for the next read.
//   order      AW, W and AR may arrive in any order, with any delay between them. A write is
//              complete in the cycle in which both its AW and its W are accepted; until then, reads
//              overtake it. If a read and a complete write are offered together, both are accepted:
//              the write is performed first, and the read before the next write
//   errors     other strobes, or a high half without its low half: SLVERR, and nothing changes.
//   wr         offered until wr_ready_i; then the response is offered on B
//   addr_o     valid from one cycle before wr_valid_o, and while rd_o is high
//   rd         rd_o is 1 while addr_o holds a read's address; rd_data_i is sampled ReadCycles later
//              or, if rd_busy_i is still 1 at that time, when it falls
//   stop_i     no access starts; accepted accesses wait. stopped_o, while stop_i is 1: no access is
//              in progress (B or R may still wait for its ready)
//   forget_i   the registers are in reset: a low half without its high half is dropped. The port
//              itself is reset at power-on only, so that no access is lost or gets two responses
module gmmu_reg_port #(
  parameter int unsigned ReadCycles = 3
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [15:0] awaddr_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [63:0] wdata_i,
  input  logic [7:0]  wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  logic [15:0] araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [63:0] rdata_o,
  output logic [1:0]  rresp_o,

  output logic        wr_valid_o,
  input  logic        wr_ready_i,
  output logic [15:0] addr_o,        // address of the current access, 8-byte aligned
  output logic [63:0] wr_data_o,
  output logic        rd_o,
  input  logic        rd_busy_i,
  input  logic [63:0] rd_data_i,

  input  logic        stop_i,
  input  logic        forget_i,
  output logic        stopped_o,
  output logic        idle_o         // no access is in progress or offered
);
  typedef enum logic [2:0] {StateIdle, StateJudge, StateWrite, StateRead, StateAnswer} state_e;
  state_e      state_q;
  logic        aw_have_q, w_have_q;
  logic        ar_have_q;                   // a read waits for the write that was accepted with it
  logic [15:0] addr_q, read_addr_q, write_addr_q;
  logic        high_half_q;                 // the read is for the high half only
  logic [63:0] data_q;
  logic [7:0]  strobe_q;
  logic [31:0] write_low_q, read_high_q;
  logic [12:0] write_low_addr_q, read_high_addr_q;
  logic        write_low_valid_q, read_high_valid_q;
  logic [$clog2(ReadCycles+1)-1:0] wait_q;
  logic        whole, low, high, writes;
  logic        commit_q, error_q, same_high_q;
  logic [63:0] write_data_q;

  // The *_open terms need no rst_i, because the registers below ignore them in reset.
  logic aw_open, w_open, ar_open;
  assign aw_open = state_q == StateIdle && !aw_have_q && !ar_have_q;
  assign w_open = state_q == StateIdle && !w_have_q && !ar_have_q;
  assign ar_open = state_q == StateIdle && !(aw_have_q && w_have_q) && !ar_have_q;
  assign awready_o = aw_open && !rst_i;
  assign wready_o = w_open && !rst_i;
  assign arready_o = ar_open && !rst_i;
  assign writes = (aw_have_q || (awvalid_i && aw_open)) && (w_have_q || (wvalid_i && w_open));

  assign whole = strobe_q == 8'hFF;
  assign low = strobe_q == 8'h0F;
  assign high = strobe_q == 8'hF0 && write_low_valid_q && write_low_addr_q == addr_q[15:3];
  assign wr_valid_o = commit_q;
  assign wr_data_o = write_data_q;
  assign addr_o = {addr_q[15:3], 3'd0};
  assign rd_o = state_q == StateRead;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateIdle;
      aw_have_q <= 1'b0;
      w_have_q <= 1'b0;
      ar_have_q <= 1'b0;
      bvalid_o <= 1'b0;
      rvalid_o <= 1'b0;
      write_low_valid_q <= 1'b0;
      read_high_valid_q <= 1'b0;
      addr_q <= '0;
      wait_q <= '0;
      commit_q <= 1'b0;
    end else begin
      same_high_q <= high_half_q && read_high_valid_q && read_high_addr_q == addr_q[15:3];
      unique case (state_q)
        StateIdle: begin
          if (awvalid_i && aw_open) begin
            aw_have_q <= 1'b1;
            write_addr_q <= awaddr_i;
          end
          if (wvalid_i && w_open) begin
            w_have_q <= 1'b1;
            data_q <= wdata_i;
            strobe_q <= wstrb_i;
          end
          if (arvalid_i && ar_open) begin
            ar_have_q <= writes || stop_i;
            read_addr_q <= araddr_i;
          end
          if (writes) begin
            if (!stop_i) state_q <= StateJudge;
            addr_q <= aw_have_q ? write_addr_q : awaddr_i;
          end else if (!stop_i && (ar_have_q || arvalid_i)) begin
            state_q <= StateRead;
            ar_have_q <= 1'b0;
            addr_q <= ar_have_q ? read_addr_q : araddr_i;
            high_half_q <= ar_have_q ? read_addr_q[2] : araddr_i[2];
            wait_q <= '0;
          end
        end
        StateJudge: begin
          state_q <= StateWrite;
          commit_q <= whole || high;
          error_q <= !(whole || low || high);
          write_data_q <= whole ? data_q : {data_q[63:32], write_low_q};
          write_low_valid_q <= low;
          write_low_q <= data_q[31:0];
          write_low_addr_q <= addr_q[15:3];
        end
        StateWrite: begin
          if (!commit_q || wr_ready_i) begin
            state_q <= StateAnswer;
            commit_q <= 1'b0;
            bvalid_o <= 1'b1;
            bresp_o <= error_q ? 2'b10 : 2'b00;
          end
        end
        StateRead: begin
          if (32'(wait_q) != ReadCycles) wait_q <= wait_q + 1'b1;
          if (32'(wait_q) == ReadCycles && !rd_busy_i) begin
            state_q <= StateAnswer;
            rvalid_o <= 1'b1;
            rresp_o <= 2'b00;
            if (same_high_q) begin
              rdata_o <= {read_high_q, rd_data_i[31:0]};
            end else begin
              rdata_o <= rd_data_i;
            end
            read_high_valid_q <= !high_half_q;
            read_high_q <= rd_data_i[63:32];
            read_high_addr_q <= addr_q[15:3];
          end
        end
        default: begin
          if (bvalid_o && bready_i) begin
            bvalid_o <= 1'b0;
            aw_have_q <= 1'b0;
            w_have_q <= 1'b0;
            state_q <= StateIdle;
          end
          if (rvalid_o && rready_i) begin
            rvalid_o <= 1'b0;
            state_q <= StateIdle;
          end
        end
      endcase
      if (forget_i) begin
        write_low_valid_q <= 1'b0;
        read_high_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    stopped_o <= stop_i && (state_q == StateIdle || state_q == StateAnswer);
  end
  assign idle_o = state_q == StateIdle && !aw_have_q && !w_have_q && !ar_have_q && !awvalid_i &&
      !wvalid_i && !arvalid_i;

  logic unused_bits;
  assign unused_bits = ^addr_q[2:0];
endmodule
