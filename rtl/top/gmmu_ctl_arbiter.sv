// SPDX-License-Identifier: Apache-2.0
// Shares the MMU's control port between the registers (0) and the paging engine (1), which take
// turns, one operation at a time. done_o goes to the side that started the operation. Only the
// registers configure spaces: the engine's operations are invalidations, and their cfg is
// undefined.
module gmmu_ctl_arbiter
  import gmmu_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_i,

  input  logic     [1:0] valid_i,
  output logic     [1:0] ready_o,
  input  mmu_ctl_t [1:0] ctl_i,
  output logic     [1:0] done_o,

  output logic           valid_o,
  input  logic           ready_i,
  output mmu_ctl_t       ctl_o,
  input  logic           done_i,

  output logic           idle_o
);
  logic [1:0] grant;
  logic       index, owner_q, busy_q;   // busy_q: an accepted operation is not complete
  logic       offered_q, take;

  gmmu_rr_arbiter #(.N(2)) u_arbiter (
    .clk_i, .rst_i, .req_i(valid_i), .advance_i(take), .gnt_o(grant), .index_o(index)
  );
  assign take = !busy_q && valid_i != '0;
  assign ready_o = busy_q ? '0 : grant;
  assign valid_o = offered_q;
  assign done_o = {done_i && owner_q, done_i && !owner_q};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      offered_q <= 1'b0;
      owner_q <= 1'b0;
    end else begin
      if (take) begin
        busy_q <= 1'b1;
        offered_q <= 1'b1;
        owner_q <= index;
      end else begin
        if (ready_i) offered_q <= 1'b0;
        if (done_i) busy_q <= 1'b0;
      end
    end
    if (take) begin
      ctl_o <= ctl_i[index];
      ctl_o.cfg <= ctl_i[0].cfg;
    end
  end

  assign idle_o = !busy_q && valid_i == '0;
endmodule
