// SPDX-License-Identifier: Apache-2.0
// gmmu_counters at its default size and at a small one (one port, two shared counters of 16 bits, the
// second of which counts amounts), with flat ports for C++. The small one counts the first port, and
// each has its own read port.
module gmmu_counters_bench
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  localparam int unsigned NumPorts = 7,
  localparam int unsigned NumShared = CountersWords
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic [4:0]  port_events_i [NumPorts],
  input  logic [7:0]  port_amount_i [NumPorts],
  input  logic [12:0] shared_i [NumShared],
  input  logic [12:0] small_shared_i [2],

  // Index 0 is the default size, 1 the small one.
  input  logic        rd_i [2],
  input  logic [15:0] addr_i [2],
  output logic        rd_busy_o [2],
  output logic [63:0] rd_data_o [2],

  output logic [15:0] ports_base_o,
  output logic [3:0]  adds_o [NumShared],   // width of the amount that one cycle can add
  output logic [15:0] shared_base_o
);
  port_count_t [NumPorts-1:0] port;

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    assign port[p] = '{
      lookup: port_events_i[p][0], hit: port_events_i[p][1], miss: port_events_i[p][2],
      merged: port_events_i[p][3], fault: port_events_i[p][4], outstanding: port_amount_i[p]};
  end
  for (genvar i = 0; i < NumShared; i++) begin : g_shared
    assign adds_o[i] = CountersAdds[i];
  end
  assign ports_base_o = PortCountersBase;
  assign shared_base_o = CountersBase;

  gmmu_counters #(.NumPorts(NumPorts)) u_counters (
    .clk_i, .rst_i, .port_i(port), .shared_i(shared_i), .rd_i(rd_i[0]), .addr_i(addr_i[0]),
    .rd_busy_o(rd_busy_o[0]), .rd_data_o(rd_data_o[0])
  );
  gmmu_counters #(
    .NumPorts(1), .NumShared(2), .Width(16), .Adds({4'd13, 4'd1})
  ) u_small (
    .clk_i, .rst_i, .port_i(port[0:0]), .shared_i(small_shared_i), .rd_i(rd_i[1]), .addr_i(addr_i[1]),
    .rd_busy_o(rd_busy_o[1]), .rd_data_o(rd_data_o[1])
  );
endmodule
