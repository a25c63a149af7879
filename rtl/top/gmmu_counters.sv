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

  // Groups without an event are passed over as a whole, which is most of them in most cycles of a simulation.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < NumShared; i++) shared_q[i] <= '0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        for (int unsigned i = 0; i < 6; i++) port_q[p][i] <= '0;
      end
    end else begin
      for (int unsigned i = 0; i < NumShared; i++) begin
        if (shared_i[i] != '0) shared_q[i] <= shared_q[i] + Width'(shared_i[i]);
      end
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (port_i[p] != '0) begin
          for (int unsigned i = 0; i < 6; i++) port_q[p][i] <= port_q[p][i] + Width'(port_i[p][i]);
        end
      end
    end
  end

  localparam logic [12:0] PortFirst = PortCountersBase[15:3];
  localparam logic [12:0] SharedFirst = CountersBase[15:3];
  logic [Width-1:0] value;
  always_comb begin
    value = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (addr_i[15:6] == PortFirst[12:3] + 10'(p * (PortCountersStride / 64))) begin
        for (int unsigned i = 0; i < 6; i++) begin
          if (addr_i[5:3] == 3'(i)) value = port_q[p][i];
        end
      end
    end
    if (addr_i[15:12] == SharedFirst[12:9]) begin
      for (int unsigned i = 0; i < NumShared; i++) begin
        if (addr_i[11:3] == 9'(i)) value = shared_q[i];
      end
    end
  end

  always_ff @(posedge clk_i) rd_data_o <= 64'(value);

  logic unused_bits;
  assign unused_bits = ^addr_i[2:0];
endmodule
