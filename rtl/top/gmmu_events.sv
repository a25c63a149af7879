// SPDX-License-Identifier: Apache-2.0
// Numbers and formats the events of the event port, which is for observation only. Without Present
// there is no logic.
//
//   xlate_id_o   per translation port, with its answered lookup: {tag[39:32], sequence[31:0]}
//   lanes        192 bits each: word 0 {request id[63:32], sequence[31:0]}, words 1 and 2 as
//                README.md says. The sequence counts the events of the lane from 0, modulo 2^32.
module gmmu_events
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter bit          Present = 1'b1,
  parameter int unsigned NumPorts = 7,
  localparam int unsigned Lanes = 9
) (
  input  logic                           clk_i,
  input  logic                           rst_i,

  input  logic        [NumPorts-1:0]     xlate_i,        // a lookup was answered
  input  tag_t        [NumPorts-1:0]     xlate_tag_i,
  input  mmu_event_t                     mmu_i,
  input  logic                           inv_done_i,
  input  logic        [63:0]             inv_start_i,
  input  logic        [63:0]             inv_end_i,
  input  logic                           entry_i,        // a ring entry has completed
  input  logic        [1:0]              commands_i,     // commands retired
  input  logic                           fault_i,        // the fault log took a fault
  input  fault_info_t                    fault_info_i,
  input  logic        [1:0]              write_i,        // [0] VRAM, [1] host: an AW was accepted
  input  edge_ax_t    [1:0]              write_ax_i,

  output logic        [NumPorts*64-1:0]  xlate_id_o,
  output logic        [Lanes-1:0]        valid_o,
  output logic        [Lanes*192-1:0]    event_o
);
  if (Present) begin : g_present
    logic [NumPorts-1:0][31:0] xlate_q;
    logic [Lanes-1:0][31:0]    sequence_q, id;
    logic [Lanes-1:0][1:0]     amount;
    logic [Lanes-1:0][63:0]    first, second;
    logic [31:0]               entry_q;           // ring entries completed

    function automatic logic [63:0] va_of(vpn_t vpn);
      return 64'({vpn, 12'd0});
    endfunction

    always_comb begin
      amount = '0;
      id = '0;
      first = '0;
      second = '0;
      // 0, 1: a walk begins, ends
      amount[0] = 2'(mmu_i.walk_start);
      amount[1] = 2'(mmu_i.walk_end);
      for (int unsigned i = 0; i < 2; i++) begin
        id[i] = i == 0 ? 32'(mmu_i.walk_row) : 32'(mmu_i.end_row);
        first[i] = i == 0 ? va_of(mmu_i.key.vpn) : va_of(mmu_i.end_key.vpn);
        second[i] = {58'd0, i == 0 ? mmu_i.key.space : mmu_i.end_key.space};
      end
      second[0] = {42'd0, mmu_i.slot, 1'b0, mmu_i.port, 2'd0, mmu_i.key.space};
      // 2, 3: fill, evict
      amount[2] = 2'(mmu_i.fill);
      amount[3] = 2'(mmu_i.evict);
      for (int unsigned i = 2; i < 4; i++) begin
        id[i] = 32'(mmu_i.fill_row);
        first[i] = va_of(mmu_i.fill_key.vpn);
        second[i] = {58'd0, mmu_i.fill_key.space};
      end
      // 4: an invalidation is done
      amount[4] = 2'(inv_done_i);
      id[4] = sequence_q[4];
      first[4] = inv_start_i;
      second[4] = inv_end_i;
      // 5: commands retired
      amount[5] = commands_i;
      id[5] = entry_q;
      first[5] = 64'(commands_i);
      // 6: fault
      amount[6] = 2'(fault_i);
      id[6] = 32'(fault_info_i.port);
      first[6] = fault_info_i.address;
      second[6] = {fault_info_i.fence, fault_info_i.physical, fault_info_i.level, 2'd0,
                   fault_info_i.access, 8'(fault_info_i.port), 8'(fault_info_i.space),
                   fault_info_i.reason};
      // 7, 8: memory writes of the VRAM and the host port
      for (int unsigned i = 0; i < 2; i++) begin
        amount[7+i] = 2'(write_i[i]);
        id[7+i] = 32'(write_ax_i[i].id);
        first[7+i] = 64'(write_ax_i[i].addr);
        second[7+i] = {56'd0, write_ax_i[i].len};
      end
    end

    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      assign valid_o[i] = amount[i] != '0;
      assign event_o[192*i +: 192] = {second[i], first[i], id[i], sequence_q[i]};
    end
    for (genvar p = 0; p < NumPorts; p++) begin : g_port
      assign xlate_id_o[64*p +: 64] = {32'(xlate_tag_i[p]), xlate_q[p]};
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        xlate_q <= '0;
        sequence_q <= '0;
        entry_q <= '0;
      end else begin
        for (int unsigned p = 0; p < NumPorts; p++) begin
          if (xlate_i[p]) xlate_q[p] <= xlate_q[p] + 1'b1;
        end
        for (int unsigned i = 0; i < Lanes; i++) begin
          if (amount[i] != '0) sequence_q[i] <= sequence_q[i] + 32'(amount[i]);
        end
        if (entry_i) entry_q <= entry_q + 1'b1;
      end
    end

    logic unused_bits;
    assign unused_bits = ^{mmu_i.key.high, mmu_i.end_key.high, mmu_i.fill_key.high, write_ax_i};
  end else begin : g_absent
    logic unused_bits;
    assign xlate_id_o = '0;
    assign valid_o = '0;
    assign event_o = '0;
    assign unused_bits = ^{clk_i, rst_i, xlate_i, xlate_tag_i, mmu_i, inv_done_i, inv_start_i,
        inv_end_i, entry_i, commands_i, fault_i, fault_info_i, write_i, write_ax_i};
  end
endmodule
