// SPDX-License-Identifier: Apache-2.0
// gmmu_counters in two sizes: the default, and a small one with one port and two 16-bit shared
// counters, the second of which adds amounts. The small one counts the events of port 0.
// gmmu_counts has two access units; its inputs from the MMU and the engine are constant. Each of
// the three has a separate read port.
module gmmu_counters_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  localparam int unsigned NumPorts = 7,
  localparam int unsigned NumShared = CountersWords
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  port_count_t port_i [NumPorts],
  input  logic [12:0] shared_i [NumShared],
  input  logic [12:0] small_shared_i [2],

  input  logic [6:0]  unit_read_i [2],
  input  logic [6:0]  unit_write_i [2],
  input  logic [1:0]  bus_r_i,
  input  logic [1:0]  bus_w_i,
  input  logic [DataBytes-1:0] bus_strb_i [2],
  output logic        bus_idle_o,

  // Index 0 is the default size, 1 the small size, 2 gmmu_counts.
  input  logic        rd_i [3],
  input  logic [15:0] addr_i [3],
  output logic        rd_busy_o [3],
  output logic [63:0] rd_data_o [3],

  output logic [3:0]  adds_o [NumShared]   // width of the amount that a counter can add per cycle
);
  port_count_t [NumPorts-1:0] port;

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    assign port[p] = port_i[p];
  end
  for (genvar i = 0; i < NumShared; i++) begin : g_shared
    assign adds_o[i] = CountersAdds[i];
  end

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

  function automatic config_t counts_sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumUnits = 2;
    c.NumPorts = 1;
    return c;
  endfunction
  gmmu_counts #(.Config(counts_sizes())) u_counts (
    .clk_i, .rst_i, .port_i('0), .mmu_i('0), .ap_lookup_i(1'b0), .ap_hit_i(1'b0), .entry_i(1'b0), .commands_i('0),
    .engine_read_i('0), .engine_write_i('0), .engine_busy_i(1'b0), .message_i(1'b0), .record_i(1'b0),
    .unit_read_i({unit_read_i[1], unit_read_i[0]}), .unit_write_i({unit_write_i[1], unit_write_i[0]}),
    .units_busy_i(1'b0), .bus_r_i, .bus_w_i, .bus_strb_i({bus_strb_i[1], bus_strb_i[0]}), .idle_o(bus_idle_o),
    .rd_i(rd_i[2]), .addr_i(addr_i[2]), .rd_busy_o(rd_busy_o[2]), .rd_data_o(rd_data_o[2])
  );
endmodule
