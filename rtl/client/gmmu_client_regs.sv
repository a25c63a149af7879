// SPDX-License-Identifier: Apache-2.0
// Registers of one client (register description: client[i]).
//
//   wr_i       writes data_i to register word_i in one cycle; ignored while busy_o is 1
//   rd_data_o  value of register word_i two cycles after rd_i, otherwise 0
//   start_o    pulses after a write of ctrl with start = 1
//   cfg_o      does not change while busy_o is 1
module gmmu_client_regs
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_i,

  input  logic           wr_i,
  input  logic           rd_i,
  input  logic [2:0]     word_i,
  input  logic [63:0]    data_i,
  output logic [63:0]    rd_data_o,

  output logic           start_o,
  output traffic_cfg_t   cfg_o,
  input  traffic_state_t state_i,
  output logic           busy_o
);
  logic         write, busy;
  logic [4:0]   set_q;              // registers written since reset; unwritten ones read 0
  logic [63:0]  word;
  client_ctrl_t ctrl, hidden;
  client_status_t status;

  assign busy = state_i.busy || start_o;
  assign busy_o = busy;
  assign write = wr_i && !busy;
  assign ctrl = data_i;

  // The words that software reads back. The fields that the engine uses are stored separately, in
  // cfg_o.
  gmmu_ram_block #(.Width(64), .Depth(8)) u_words (
    .clk_i, .write_i(write), .write_addr_i(word_i), .data_i,
    .read_i(rd_i), .read_addr_i(word_i), .data_o(word)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      start_o <= 1'b0;
      set_q <= '0;
      cfg_o <= '0;
    end else begin
      start_o <= write && {10'd0, word_i, 3'd0} == ClientCtrlOffset && ctrl.start;
      if (write) begin
        case ({10'd0, word_i, 3'd0})
          ClientCtrlOffset: begin
            cfg_o.access <= access_e'(ctrl.access);
            cfg_o.pattern <= pattern_e'(ctrl.pattern);
            cfg_o.verify <= ctrl.verify;
            cfg_o.footprint_lg2 <= ctrl.footprint_lg2;
            cfg_o.space <= ctrl.space;
            cfg_o.depth <= ctrl.depth;
          end
          ClientBaseOffset: cfg_o.base <= data_i;
          ClientLinesOffset: {cfg_o.stride, cfg_o.first} <= data_i;
          ClientOrderOffset: {cfg_o.step, cfg_o.count} <= data_i;
          ClientSeedOffset: cfg_o.seed <= data_i;
          default: ;
        endcase
        for (int unsigned i = 0; i < 5; i++) begin
          if (word_i == 3'(i)) set_q[i] <= 1'b1;
        end
      end
    end
  end

  // hidden: the fields of ctrl that read as 0.
  always_comb begin
    hidden = '0;
    hidden.start = 1'b1;
    hidden.reserved2 = '1;
    hidden.reserved0 = '1;
    hidden.reserved1 = '1;
    status = '{count: state_i.count, reserved0: '0, level: state_i.level, reason: state_i.reason,
               reserved1: '0, fault: state_i.fault, busy: busy};
  end

  logic        kept_q, ctrl_q;
  logic [63:0] state_q;
  always_ff @(posedge clk_i) begin
    kept_q <= rd_i && word_i < 3'd5 && set_q[word_i < 3'd5 ? word_i : '0];
    ctrl_q <= {10'd0, word_i, 3'd0} == ClientCtrlOffset;
    state_q <= '0;
    if (rd_i) begin
      case ({10'd0, word_i, 3'd0})
        ClientStatusOffset: state_q <= status;
        ClientResultOffset: state_q <= {state_i.mismatches, state_i.crc};
        ClientFaultAddressOffset: state_q <= state_i.fault_va;
        default: ;
      endcase
    end
    rd_data_o <= state_q | (kept_q ? word & ~(ctrl_q ? hidden : '0) : '0);
  end

  logic unused_bits;
  assign unused_bits = ^ctrl;
endmodule
