// SPDX-License-Identifier: Apache-2.0
// Numbers and formats the events of the event port, which is for observation only. Without
// EventPort, no logic is built and every output is 0.
//
//   xlate        a completed lookup of each translation port: 192 bits in the format of gmmu_gpu's
//                port list, and {tag[39:32], sequence[31:0]}
//   inv          an invalidation has completed
//   lanes        192 bits each: word 0 is {request id[63:32], sequence[31:0]}, words 1 and 2 are
//                described in README.md. The sequence counts the events of the lane from 0, modulo
//                2^32.
// A lane or port without an event is all 0.
module gmmu_events
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumPorts = Config.NumPorts,
  localparam int unsigned NumFaults = Config.NumUnits + 1,  // number of fault log sources
  localparam int unsigned Lanes = 9
) (
  input  logic                           clk_i,
  input  logic                           rst_i,

  input  logic         [NumPorts-1:0]    xlate_i,        // a lookup is complete
  input  xlate_event_t [NumPorts-1:0]    xlate_event_i,
  input  xlate_rsp_t   [NumPorts-1:0]    xlate_rsp_i,    // the lookup's response
  input  mmu_event_t                     mmu_i,
  input  logic                           inv_done_i,
  input  scope_e                         inv_scope_i,
  input  space_t                         inv_space_i,
  input  logic         [63:0]            inv_start_i,
  input  logic         [63:0]            inv_end_i,
  input  logic                           entry_i,        // a ring entry has completed
  input  logic         [1:0]             commands_i,     // number of commands retired
  input  logic         [NumFaults-1:0]   fault_i,        // the fault log accepted a fault; at most one bit is set
  input  fault_info_t  [NumFaults-1:0]   fault_info_i,
  input  logic         [1:0]             write_i,        // [0] VRAM, [1] host: an AW was accepted
  input  port_ax_t     [1:0]             write_ax_i,

  output logic         [NumPorts-1:0]    xlate_valid_o,
  output logic         [NumPorts*192-1:0] xlate_o,
  output logic         [NumPorts*64-1:0] xlate_id_o,
  output logic                           inv_done_o,
  output logic         [1:0]             inv_scope_o,
  output logic         [5:0]             inv_space_o,
  output logic         [63:0]            inv_start_o,
  output logic         [63:0]            inv_end_o,
  output logic         [Lanes-1:0]       valid_o,
  output logic         [Lanes*192-1:0]   event_o
);
  if (Config.EventPort != 0) begin : g_present
    logic [31:0] xlate_q [NumPorts];
    logic [31:0] sequence_q [Lanes];
    logic [31:0] entry_q;                         // number of completed ring entries

    assign xlate_valid_o = xlate_i;
    for (genvar p = 0; p < NumPorts; p++) begin : g_port
      xlate_event_t e;
      assign e = xlate_event_i[p];
      always_comb begin
        xlate_o[192*p +: 192] = '0;
        xlate_id_o[64*p +: 64] = '0;
        if (xlate_i[p]) begin
          xlate_o[192*p +: 192] = {
            37'd0, e.level, e.fault, 6'd0, e.access, 2'd0, e.space,
            7'd0, e.zero, e.gpa.target, e.gpa.adapter, e.gpa.offset, e.va};
          xlate_id_o[64*p +: 64] = {32'(xlate_rsp_i[p].tag), xlate_q[p]};
        end
      end
      always_ff @(posedge clk_i) begin
        if (rst_i) xlate_q[p] <= '0;
        else if (xlate_i[p]) xlate_q[p] <= xlate_q[p] + 1'b1;
      end
    end

    assign inv_done_o = inv_done_i;
    assign inv_scope_o = inv_scope_i;
    assign inv_space_o = inv_space_i;
    assign inv_start_o = inv_start_i;
    assign inv_end_o = inv_end_i;

    // Prepends the lane's sequence number to an event's id and words.
    function automatic logic [191:0] numbered(logic [31:0] number, logic [31:0] id,
                                              logic [63:0] first, logic [63:0] second);
      return {second, first, id, number};
    endfunction
    function automatic logic [63:0] va_of(vpn_t vpn);
      return 64'({vpn, 12'd0});
    endfunction

    assign valid_o = {write_i, fault_i != '0, commands_i != '0, inv_done_i, mmu_i.evict, mmu_i.fill,
                      mmu_i.walk_end, mmu_i.walk_start};
    always_comb begin
      fault_info_t fault;
      event_o = '0;
      fault = '0;
      if (mmu_i.walk_start) begin
        event_o[0 +: 192] = numbered(sequence_q[0], 32'(mmu_i.walk_row), va_of(mmu_i.key.vpn),
            {42'd0, mmu_i.slot, 1'b0, mmu_i.port, 2'd0, mmu_i.key.space});
      end
      if (mmu_i.walk_end) begin
        event_o[192 +: 192] = numbered(sequence_q[1], 32'(mmu_i.end_row), va_of(mmu_i.end_key.vpn),
            64'(mmu_i.end_key.space));
      end
      if (mmu_i.fill) begin
        event_o[384 +: 192] = numbered(sequence_q[2], 32'(mmu_i.fill_row),
            va_of(mmu_i.fill_key.vpn), 64'(mmu_i.fill_key.space));
      end
      if (mmu_i.evict) begin
        event_o[576 +: 192] = numbered(sequence_q[3], 32'(mmu_i.fill_row),
            va_of(mmu_i.fill_key.vpn), 64'(mmu_i.fill_key.space));
      end
      if (inv_done_i) begin
        event_o[768 +: 192] = numbered(sequence_q[4], sequence_q[4], inv_start_i, inv_end_i);
      end
      if (commands_i != '0) begin
        event_o[960 +: 192] = numbered(sequence_q[5], entry_q, 64'(commands_i), '0);
      end
      if (fault_i != '0) begin
        for (int unsigned s = 0; s < NumFaults; s++) if (fault_i[s]) fault = fault_info_i[s];
        event_o[1152 +: 192] = numbered(sequence_q[6], 32'(fault.port), fault.address,
            {fault.fence, fault.physical, fault.level, 2'd0, fault.access, 8'(fault.port),
             8'(fault.space), fault.reason});
      end
      for (int unsigned i = 0; i < 2; i++) begin
        if (write_i[i]) begin
          event_o[1344+192*i +: 192] = numbered(sequence_q[7+i], 32'(write_ax_i[i].id[EdgeIdWidth-1:0]),
              64'(write_ax_i[i].addr), 64'(write_ax_i[i].len));
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        for (int unsigned i = 0; i < Lanes; i++) sequence_q[i] <= '0;
        entry_q <= '0;
      end else begin
        for (int unsigned i = 0; i < Lanes; i++) begin
          if (valid_o[i]) sequence_q[i] <= sequence_q[i] + (i == 5 ? 32'(commands_i) : 32'd1);
        end
        if (entry_i) entry_q <= entry_q + 1'b1;
      end
    end

    logic unused_bits;
    assign unused_bits = ^{xlate_rsp_i, mmu_i.key.high, mmu_i.end_key.high, mmu_i.fill_key.high, write_ax_i};
  end else begin : g_absent
    logic unused_bits;
    assign {xlate_valid_o, xlate_o, xlate_id_o, valid_o, event_o} = '0;
    assign {inv_done_o, inv_scope_o, inv_space_o, inv_start_o, inv_end_o} = '0;
    assign unused_bits = ^{clk_i, rst_i, xlate_i, xlate_event_i, xlate_rsp_i, mmu_i, inv_done_i,
        inv_scope_i, inv_space_i, inv_start_i, inv_end_i, entry_i, commands_i, fault_i, fault_info_i,
        write_i, write_ax_i};
  end
endmodule
