// SPDX-License-Identifier: Apache-2.0
// Holds the interrupt causes and sends the interrupt message: one 4-byte write of kind
// KindInterrupt on the host port.
//
//   causes_i   pulses
//   message    sent when an enabled cause is set, and again after a clear that leaves an enabled
//              cause set. It is held while message_i.enable is 0, while the GPU is not a bus master
//              or is silent, and while the host port is closed. A held message whose causes were
//              all cleared is dropped.
//   irq_o      registered level: 1 while an enabled cause is set; for integration without PCI
//              Express
module gmmu_interrupts
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  int_status_t causes_i,
  input  logic        clear_i,          // pulse: clears the causes in clear_bits_i
  input  logic [5:0]  clear_bits_i,
  input  logic [5:0]  enable_i,
  output logic [5:0]  status_o,
  output logic        irq_o,

  input  logic        bus_master_i,
  input  logic        closed_i,
  input  logic        silence_i,
  input  message_t    message_i,
  output wr_req_t     wr_req_o,
  input  wr_rsp_t     wr_rsp_i,

  output logic        sent_o,           // pulse: the B of a message has arrived
  output logic        idle_o
);
  localparam int unsigned LanesLg2 = $clog2(DataBytes);

  // standing: enabled causes that are set; seen_q: standing, one cycle ago
  logic [5:0] standing, seen_q;
  logic       wanted_q, cleared_q;
  // aw_valid_q, w_valid_q: AW, W is offered; wait_q: B is outstanding
  logic       aw_valid_q, w_valid_q, wait_q;
  ax_t        aw_q;
  w_t         w_q;
  logic       go, open_q;

  assign standing = status_o & enable_i;
  assign go = wanted_q && standing != '0 && open_q && !aw_valid_q && !w_valid_q && !wait_q;

  always_ff @(posedge clk_i) begin
    open_q <= bus_master_i && message_i.enable && !closed_i && !silence_i;
    if (rst_i) begin
      status_o <= '0;
      seen_q <= '0;
      irq_o <= 1'b0;
      wanted_q <= 1'b0;
      cleared_q <= 1'b0;
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
      wait_q <= 1'b0;
      sent_o <= 1'b0;
    end else begin
      status_o <= (status_o & ~(clear_i ? clear_bits_i : 6'd0)) | causes_i[5:0];
      cleared_q <= clear_i;
      seen_q <= standing;
      irq_o <= standing != '0;

      if ((standing & ~seen_q) != '0 || (cleared_q && standing != '0)) wanted_q <= 1'b1;
      else if (go || standing == '0) wanted_q <= 1'b0;

      if (go) begin
        aw_valid_q <= 1'b1;
        w_valid_q <= 1'b1;
        wait_q <= 1'b1;
      end else begin
        if (wr_rsp_i.aw_ready) aw_valid_q <= 1'b0;
        if (wr_rsp_i.w_ready) w_valid_q <= 1'b0;
        if (wr_rsp_i.b_valid) wait_q <= 1'b0;
      end
      sent_o <= wr_rsp_i.b_valid;
    end

    if (go) begin
      aw_q <= '0;
      aw_q.port <= PortHost;
      aw_q.addr <= message_i.address[PaWidth-1:0];
      aw_q.user.kind <= KindInterrupt;
      w_q <= '0;
      w_q.last <= 1'b1;
      for (int unsigned i = 0; i < DataBytes / 4; i++) begin
        w_q.data[32*i +: 32] <= message_i.data;
        w_q.strb[4*i +: 4] <= 32'(message_i.address[LanesLg2-1:2]) == i ? 4'hF : 4'h0;
      end
    end
  end

  assign wr_req_o = '{aw_valid: aw_valid_q, aw: aw_q, w_valid: w_valid_q, w: w_q};
  assign idle_o = !wanted_q && !wait_q && !aw_valid_q && !w_valid_q && !sent_o && standing == seen_q &&
      !cleared_q;

  logic unused_bits;
  assign unused_bits = ^{message_i.address[63:PaWidth], message_i.address[1:0], causes_i, wr_rsp_i.b};
endmodule
