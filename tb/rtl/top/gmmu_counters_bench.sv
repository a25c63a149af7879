// SPDX-License-Identifier: Apache-2.0
// gmmu_counters at its default size and at a small one (one port, two shared counters of 16 bits,
// the second one counts amounts) with flat ports for C++. The small one counts the first port and
// the first two shared inputs; each is read by itself.
module gmmu_counters_bench
  import gmmu_regs_pkg::*;
#(
  localparam int unsigned NumPorts = 7,
  localparam int unsigned NumShared = 34
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic [4:0]  port_events_i [NumPorts],
  input  logic [12:0] port_amount_i [NumPorts],
  input  logic [12:0] shared_i [NumShared],

  // [0] default size, [1] small
  input  logic        rd_i [2],
  input  logic [15:0] addr_i [2],
  output logic        rd_busy_o [2],
  output logic [63:0] rd_data_o [2],

  output logic [15:0] ports_base_o,
  output logic [15:0] shared_base_o
);
  logic [NumPorts-1:0][5:0][12:0] port;
  logic [NumShared-1:0][12:0]     shared;

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    for (genvar i = 0; i < 5; i++) begin : g_event
      assign port[p][i] = 13'(port_events_i[p][i]);
    end
    assign port[p][5] = port_amount_i[p];
  end
  for (genvar i = 0; i < NumShared; i++) begin : g_shared
    assign shared[i] = shared_i[i];
  end
  assign ports_base_o = PortCountersBase;
  assign shared_base_o = CountersBase;

  gmmu_counters #(.NumPorts(NumPorts), .NumShared(NumShared)) u_counters (
    .clk_i, .rst_i, .port_i(port), .shared_i(shared), .rd_i(rd_i[0]), .addr_i(addr_i[0]),
    .rd_busy_o(rd_busy_o[0]), .rd_data_o(rd_data_o[0])
  );
  gmmu_counters #(
    .NumPorts(1), .NumShared(2), .Width(16), .SharedAmounts(2'b10)
  ) u_small (
    .clk_i, .rst_i, .port_i(port[0:0]), .shared_i(shared[1:0]), .rd_i(rd_i[1]), .addr_i(addr_i[1]),
    .rd_busy_o(rd_busy_o[1]), .rd_data_o(rd_data_o[1])
  );
endmodule
