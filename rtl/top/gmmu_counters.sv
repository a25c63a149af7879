// SPDX-License-Identifier: Apache-2.0
// The counters of the register description: port_counters of NumPorts ports and the shared
// counters.
//
//   port_i     events of a port in this cycle: element order of the regfile port_counters
//   shared_i   amounts to add in this cycle: element order of the regfile counters
//   read       rd_data_o one cycle after addr_i; 0 for addresses that are no counter
//
// Width is 64; 32 saves area where a host reads often enough (they wrap).
module gmmu_counters
  import gmmu_regs_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned NumShared = 34,
  parameter int unsigned Width = 64,
  parameter int unsigned AmountWidth = 13
) (
  input  logic                                    clk_i,
  input  logic                                    rst_i,

  input  logic [NumPorts-1:0][5:0][AmountWidth-1:0] port_i,
  input  logic [NumShared-1:0][AmountWidth-1:0]   shared_i,

  input  logic [15:0]                             addr_i,
  output logic [63:0]                             rd_data_o
);
  logic [Width-1:0] shared_q [NumShared];
  logic [Width-1:0] port_q [NumPorts][6];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumShared; i++) begin
      if (rst_i) shared_q[i] <= '0;
      else if (shared_i[i] != '0) shared_q[i] <= shared_q[i] + Width'(shared_i[i]);
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned i = 0; i < 6; i++) begin
        if (rst_i) port_q[p][i] <= '0;
        else if (port_i[p][i] != '0) port_q[p][i] <= port_q[p][i] + Width'(port_i[p][i]);
      end
    end
  end

  localparam logic [12:0] PortFirst = PortCountersBase[15:3];
  localparam logic [12:0] SharedFirst = CountersBase[15:3];
  logic [Width-1:0] value;
  always_comb begin
    value = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned i = 0; i < 6; i++) begin
        if (addr_i[15:3] == PortFirst + 13'(p * (PortCountersStride / 8) + i)) value = port_q[p][i];
      end
    end
    for (int unsigned i = 0; i < NumShared; i++) begin
      if (addr_i[15:3] == SharedFirst + 13'(i)) value = shared_q[i];
    end
  end

  always_ff @(posedge clk_i) rd_data_o <= 64'(value);

  logic unused_bits;
  assign unused_bits = ^addr_i[2:0];
endmodule
